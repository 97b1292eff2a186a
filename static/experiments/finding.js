/*
 * What an analysis found, shown alike for every kind of analysis: a sentence, figures, what to be careful about, the
 * interval drawn, further figures, and tables. Modules of the analyses say what each of these is.
 */
import { t } from '../shared/i18n.js';
import { formatNumber } from '../shared/numbers.js';
import { badge } from '../shared/ui/badge.js';
import { forestPlot } from '../shared/ui/charts/forest.js';
import { html, nothing } from '../shared/ui/lit.js';

function figureView({ label, value, note = '', long = false }) {
    return html`<div class="figure">
        <dt class="figure-label">${label}</dt>
        <dd class="figure-value" data-long=${long ? '' : nothing}>${value}</dd>
        <dd class="figure-note">${note}</dd>
    </div>`;
}

/* tone: plain, good, caution or danger; title and text are the sentence; figures [{label, value, note?, long?}]. */
export function verdictCard({ tone = 'plain', title, text, figures = [] }) {
    return html`<div class="card headline verdict" data-tone=${tone}>
        <div class="section">
            <p class="verdict-title" id="verdict" dir="auto">${title}</p>
            <p class="verdict-text" dir="auto">${text}</p>
        </div>
        ${figures.length === 0 ? nothing : html`<dl class="figures">${figures.map(figureView)}</dl>`}
    </div>`;
}

const severities = { high: 'danger', medium: 'caution', low: 'info' };

/* warnings: [{severity, message}], as the API gives them. */
export function warningsCard(warnings) {
    if (warnings.length === 0) return nothing;
    return html`<section class="card section" aria-labelledby="warnings-title">
        <div class="section-head"><h3 id="warnings-title">${t('finding.careful')}</h3></div>
        <ul class="warning-list">
            ${warnings.map(
                ({ severity, message }) =>
                    html`<li class="warning">${badge(t(`severity.${severity}`), severities[severity] ?? 'plain')}<span dir="auto">${message}</span></li>`,
            )}
        </ul>
    </section>`;
}

export function factList(facts) {
    const known = facts.filter(([, value]) => value !== null && value !== undefined);
    if (known.length === 0) return nothing;
    return html`<dl class="facts">
        ${known.map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>`;
}

/* title; label says the same as the drawing; axis, rows, zero and marks as in forestPlot; facts and note below. */
export function intervalCard({ title, label, axis, rows, zero = 0, marks = [], facts = [], note = null }) {
    return html`<section class="card section" aria-labelledby="interval-title">
        <div class="section-head"><h3 id="interval-title">${title}</h3></div>
        <div class="chart" id="interval-chart">
            ${forestPlot({
                label,
                title: axis,
                zero,
                marks,
                rows,
                format: (value) => formatNumber(value, 3),
                titles: { name: t('observed.what'), estimate: axis, lower: t('observed.from'), upper: t('observed.to') },
            })}
        </div>
        ${factList(facts)} ${note === null ? nothing : html`<p class="field-hint">${note}</p>`}
    </section>`;
}

/* A card with a heading around `inside`. */
export function partCard(id, title, inside) {
    return html`<section class="card section" aria-labelledby=${`${id}-title`}>
        <div class="section-head"><h3 id=${`${id}-title`}>${title}</h3></div>
        ${inside}
    </section>`;
}

/* A finding: those of its parts that there are, in the order in which people read them. */
export function findingView({ verdict, warnings = [], interval = null, parts = [], note = null }) {
    return html`${verdictCard(verdict)} ${warningsCard(warnings)} ${interval === null ? nothing : intervalCard(interval)} ${parts}
    ${note === null ? nothing : partCard('reading', t('finding.in_words'), html`<p class="prose" dir="auto">${note}</p>`)}`;
}
