/* The calculator as a template: the design on one side, what it needs on the other. */
import { t } from '../../shared/i18n.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { skeleton } from '../../shared/ui/skeleton.js';
import { presets, sections } from './fields.js';
import { announcement, gist, resultView } from './result.js';

function presetRow({ preset, onPreset }) {
    return html`<div class="section no-print" role="group" aria-labelledby="presets-title">
        <p class="field-label" id="presets-title">${t('design.presets')}</p>
        <div class="presets" id="presets">
            ${presets.map(
                ({ name, design }) =>
                    html`<button
                        type="button"
                        class="preset"
                        data-preset=${name}
                        aria-pressed=${String(name === preset)}
                        @click=${() => onPreset(name, design)}
                    >
                        ${t(`preset.${name}`)}
                    </button>`,
            )}
        </div>
    </div>`;
}

function openSection(section, form) {
    return html`<div class="section" role="group" aria-labelledby=${`${section.name}-title`}>
        <div class="section-head"><h3 id=${`${section.name}-title`}>${t(`design.${section.name}`)}</h3></div>
        <div class="field-grid">${section.fields.map((name) => form.field(name))}</div>
    </div>`;
}

/* A folded part that is in use says so on its fold. */
function foldedSection(section, { form, opened }, values) {
    if (section.applies && !section.applies(values)) return nothing;
    const used = section.fields.some((name) => name in values);
    return html`<details class="disclosure" id=${`part-${section.name}`} ?open=${opened.has(section.name)}>
        <summary><span>${t(`design.${section.name}`)}</span>${used ? badge(t('design.in_use'), 'good') : null}</summary>
        <div class="disclosure-body field-grid">
            ${section.fields.map((name) => form.field(name))}
            ${section.hint ? html`<p class="field-hint field-wide">${t(section.hint)}</p>` : null}
        </div>
    </details>`;
}

function designForm(state) {
    const { form, live, onReset } = state;
    const values = form.values();
    const inside = html`<h2 class="visually-hidden" id="design-title">${t('design.title')}</h2>
        ${presetRow(state)}
        ${sections.map((section) => (section.folded ? foldedSection(section, state, values) : openSection(section, form)))}
        <div class="section section-top button-row no-print">
            <button type="submit" class="button" data-kind="primary">${t('design.calculate')}</button>
            <button type="button" class="button" data-kind="quiet" id="start-over" @click=${onReset}>${t('design.reset')}</button>
        </div>`;
    return form.view(inside, { formId: 'design', className: 'card design', label: t('design.title') });
}

function cutNotice({ cut, form }) {
    if (cut.length === 0) return nothing;
    const names = cut.map((name) => form.labelOf(name)).join(', ');
    return notice({ tone: 'caution', body: html`<p id="link-cut">${t('design.link_cut', { names })}</p>` });
}

export function view(state) {
    const { live } = state;
    const { busy, stale } = live.attributes();
    const design = live.body;
    const shown = live.answer !== null;
    const announced = !shown ? '' : stale ? t('live.stale') : announcement(design, live.answer);
    return html`<div class="workbench" data-variants=${design?.variants_count ?? 2}>
            ${designForm(state)}
            <section class="results" id="results" aria-labelledby="results-title">
                <h2 class="visually-hidden" id="results-title">${t('result.title')}</h2>
                <p class="visually-hidden" role="status" id="announcer">${announced}</p>
                <div class="result-notices" id="notices">${cutNotice(state)}${live.notices()}</div>
                <div class="result-body" id="result-body" aria-busy=${busy} ?data-stale=${stale}>
                    ${shown ? resultView(design, live.answer, state) : live.error === null ? skeleton({ lines: 3, height: 'card' }) : nothing}
                </div>
            </section>
        </div>
        ${shown
            ? html`<a class="result-bar no-print" id="result-bar" href="#results" ?data-in-view=${state.inView} ?data-stale=${stale}>
                  ${gist(design, live.answer)}
              </a>`
            : nothing}`;
}
