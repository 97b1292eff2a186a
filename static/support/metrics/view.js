/* The metrics page as a template. */
import { t } from '../../shared/i18n.js';
import { formatNumber, formatPercent, formatShortUnit, formatTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { figuresOf } from './cards.js';

const written = {
    seconds: (value) => (value < 0.1 ? formatShortUnit(1000 * value, 'millisecond') : formatShortUnit(value, 'second')),
    percent: (value) => formatPercent(value / 100, 3),
    number: (value) => formatNumber(value, 4),
};

/** @param {Record<string, any>} card */
function figure({ name, value, unit, tone, limit, higher, window }) {
    const bound = limit === undefined ? null : t(higher ? 'metrics.at_least' : 'metrics.at_most', { value: written[unit](limit) });
    return html`<div class="figure" data-figure=${name}>
        <span class="figure-label">${t(`metrics.${name}`)}</span>
        <span class="figure-value">${value === null ? '–' : written[unit](value)}</span>
        <span class="figure-note">${[window, bound].filter(Boolean).join(' · ')}</span>
        ${tone === 'plain' ? null : html`<span>${badge(t(`metrics.tone_${tone}`), tone, { dot: true })}</span>`}
    </div>`;
}

export function view({ snapshot, votes }) {
    if (!snapshot) return html``;
    return html`<div class="stack">
        ${resourceView(snapshot, {
            quiet: true,
            skeleton: { lines: 2, height: 'card' },
            ready: (data) =>
                html`<section class="card figures" aria-label=${t('metrics.title')}>${figuresOf(data).map(figure)}</section>
                    <p class="section-note" role="status" id="updated">${t('metrics.updated', { time: formatTime(data.generated_at) })}</p>`,
        })}
        ${resourceView(votes, {
            quiet: true,
            skeleton: { lines: 1 },
            failed: (error) => errorNotice(error),
            ready: ({ total, up, down, period_days: days }) => html`<p class="section-note">${t('metrics.votes', { total, up, down, days })}</p>`,
        })}
    </div>`;
}
