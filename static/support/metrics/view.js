/* Insights as a template: questions and what to do about them, trends, and the figures of the service. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDate, formatInteger, formatNumber, formatPercent, formatShortUnit, formatTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { addresses } from '../service.js';
import { figuresOf } from './cards.js';

const written = {
    seconds: (value) => (value < 0.1 ? formatShortUnit(1000 * value, 'millisecond') : formatShortUnit(value, 'second')),
    percent: (value) => formatPercent(Math.round(10 * value) / 1000, 3),
    number: (value) => formatNumber(value, 4),
};

/** @param {Record<string, any>} card */
function figure({ name, value, unit, tone, limit, higher, window }) {
    const bound = limit === undefined ? null : t(higher ? 'metrics.at_least' : 'metrics.at_most', { value: written[unit](limit) });
    const period = window === '' ? null : t(`metrics.window_${window}`);
    return html`<div class="figure" data-figure=${name}>
        <span class="figure-label">${t(`metrics.${name}`)}</span>
        <span class="figure-value">${value === null ? '–' : written[unit](value)}</span>
        <span class="figure-note">${[period, bound].filter(Boolean).join(' · ')}</span>
        ${tone === 'plain' ? null : html`<span>${badge(t(`metrics.tone_${tone}`), tone, { dot: true })}</span>`}
    </div>`;
}

function link(address, text) {
    return html`<a href=${address}>${text}</a>`;
}

const traceOf = (id) => `${addresses.admin}?${new URLSearchParams({ trace: id })}`;

/* What can be done about a question of each list. */
const doing = {
    asked: ({ trace_id: id }) => link(traceOf(id), t('metrics.see_answer')),
    unanswered: (row, { actions }) => html`<span class="button-row">
        <button type="button" class="button" data-size="small" @click=${() => actions.write(row.question)}>${t('documents.write')}</button>
        ${link(traceOf(row.trace_id), t('metrics.see_answer'))}
    </span>`,
    disliked: ({ trace_id: id }, { actions }) => html`<span class="button-row">
        <button type="button" class="button" data-size="small" @click=${() => actions.review(id)}>${t('review.open')}</button>
        ${link(traceOf(id), t('metrics.see_answer'))}
    </span>`,
};

function questions(kind, page) {
    const columns = [
        { name: 'question', title: t('admin.question'), cell: ({ question }) => html`<span dir="auto">${question}</span>` },
        { name: 'count', title: t(kind === 'disliked' ? 'metrics.times_disliked' : 'metrics.times'), align: 'end', cell: ({ count }) => formatInteger(count) },
        { name: 'last_at', title: t('metrics.last'), cell: ({ last_at: at }) => formatAgo(at) },
        { name: 'todo', title: t('metrics.todo'), cell: (row) => doing[kind](row, page) },
    ];
    return html`<section class="card section stack" id=${kind} aria-labelledby=${`${kind}-title`}>
        <h2 id=${`${kind}-title`}>${t(`metrics.title_${kind}`)}</h2>
        <p class="section-note">${t(`metrics.text_${kind}`)}</p>
        ${resourceView(page.questions, {
            quiet: true,
            skeleton: { lines: 3, height: 'row' },
            ready: ({ [kind]: rows }) =>
                rows.length === 0 ? empty({ title: t(`metrics.none_${kind}`) }) : table({ caption: t(`metrics.title_${kind}`), rows, key: ({ question }) => question, columns }),
        })}
    </section>`;
}

function trend(name, points, format) {
    const values = points.map(({ value }) => value);
    return html`<section class="card section stack" aria-labelledby=${`trend-${name}`}>
        <h2 id=${`trend-${name}`}>${t(`metrics.trend_${name}`)}</h2>
        ${values.length < 2
            ? html`<p class="section-note">${t('metrics.no_trend')}</p>`
            : lineChart({
                  label: t(`metrics.trend_${name}`),
                  series: [{ name: t(`metrics.trend_${name}`), points: points.map(({ date, value }) => ({ x: Date.parse(date), y: value })) }],
                  x: { title: t('admin.day'), kind: 'time', format: (at) => formatDate(at) },
                  y: { title: t(`metrics.trend_${name}`), format, min: 0, max: name === 'quality' ? 100 : 1 },
              })}
    </section>`;
}

/** @param {support.Metrics} snapshot */
function votes({ feedback: { total, thumbs_down: down, window } }) {
    return html`<p class="section-note" id="votes">${t('metrics.votes', { total, up: total - down, down, days: parseInt(window) })}</p>`;
}

function figures({ snapshot }) {
    return html`<section class="stack" aria-labelledby="figures-title">
        <h2 id="figures-title">${t('metrics.service')}</h2>
        ${resourceView(snapshot, {
            quiet: true,
            skeleton: { lines: 2, height: 'card' },
            ready: (data) =>
                html`<div class="card figures" role="group" aria-labelledby="figures-title">${figuresOf(data).map(figure)}</div>
                    <p class="section-note" role="status" id="updated">${t('metrics.updated', { time: formatTime(data.generated_at) })}</p>
                    ${votes(data)}`,
        })}
    </section>`;
}

function period({ periods, days, actions }) {
    return html`<div class="field period">
        <label class="field-label" for="period">${t('metrics.period')}</label>
        <select class="select" id="period" @change=${(event) => actions.period(event.target.value)}>
            ${periods.map((one) => html`<option value=${one} ?selected=${one === days}>${t('metrics.days', { days: one })}</option>`)}
        </select>
    </div>`;
}

export function view(page) {
    if (!page.snapshot) return html``;
    return html`<div class="stack">
        <p class="lead-text">${t('metrics.intro')}</p>
        ${period(page)}
        ${questions('unanswered', page)} ${questions('disliked', page)} ${questions('asked', page)}
        <div class="insights">
            ${resourceView(page.quality, { quiet: true, skeleton: { lines: 1, height: 'chart' }, ready: ({ points }) => trend('quality', points, (value) => formatPercent(value / 100, 3)) })}
            ${resourceView(page.resolution, { quiet: true, skeleton: { lines: 1, height: 'chart' }, ready: ({ points }) => trend('resolution', points, (value) => formatPercent(value, 3)) })}
        </div>
        ${figures(page)}
    </div>`;
}
