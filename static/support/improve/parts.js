/* Small parts that the panels of the quality page share. */
import { t } from '../../shared/i18n.js';
import { badge } from '../../shared/ui/badge.js';
import { empty } from '../../shared/ui/empty.js';
import { html, nothing } from '../../shared/ui/lit.js';

const tones = {
    pending: 'caution', in_review: 'info', confirmed_good: 'good', confirmed_bad: 'danger', dismissed: 'plain',
    draft: 'plain', running: 'info', deployed: 'good', completed: 'plain', archived: 'plain',
    queued: 'plain', error: 'danger', pass: 'good', fail: 'danger',
    neutral: 'plain', regression: 'danger', new_pass: 'good', infrastructure_failure: 'caution',
};

export const wordOf = (name, tone) => badge(t(`improve.${name}`), tone, { dot: true });
export const word = (name) => wordOf(name, tones[name] ?? 'plain');

export function fact(name, value) {
    return html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`;
}

/* What a tab is for and what to do next, in a sentence or two. */
export function intro(name) {
    return html`<p class="lead-text">${t(`improve.intro_${name}`)}</p>`;
}

/* Beside a list from which nothing is chosen. */
export function choose(name) {
    return empty({ title: t('improve.choose'), text: t(`improve.choose_${name}`) });
}

/* A row of a list of things that open beside it. */
export function item(current, name, meta, open) {
    return html`<li>
        <button type="button" class="case-item" aria-current=${current ? 'true' : nothing} @click=${open}>
            <span class="case-name" dir="auto">${name}</span>
            <span class="case-meta">${meta}</span>
        </button>
    </li>`;
}
