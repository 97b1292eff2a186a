/* Insights as a template: questions and what to do about them, trends, and the figures of the service. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDate, formatInteger, formatMoney, formatNumber, formatPercent, formatShortUnit, formatTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { addresses } from '../service.js';
import { figuresOf } from './cards.js';

const topicsShown = 10;

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

/* A day at its noon, so that no time zone moves it to another date. */
const noonOf = (date) => Date.parse(`${date}T12:00:00`);

const percent = (value) => formatPercent(value / 100, 3);
const money = (value) => formatMoney(value, 'USD', value !== 0 && value < 1 ? 4 : 2);

/* What each chart shows of a day: its lines by the member of the answer. */
const charts = [
    { name: 'questions', lines: ['questions', 'answered', 'handed_over'], format: formatInteger },
    { name: 'quality', lines: ['quality'], format: percent, max: 100 },
    { name: 'cost', lines: ['cost_usd'], format: money },
];

/** @param {{ name: string, lines: string[], format: (value: any) => string, max?: number }} chart */
function trend({ name, lines, format, max }, points) {
    const title = t(`metrics.trend_${name}`);
    return html`<section class="card section stack" id=${`trend-${name}`} aria-labelledby=${`trend-${name}-title`}>
        <h2 id=${`trend-${name}-title`}>${title}</h2>
        ${lineChart({
            label: title,
            series: lines.map((line) => ({ name: t(`metrics.line_${line}`), points: points.map((day) => ({ x: noonOf(day.date), y: day[line] })) })),
            x: { title: t('admin.day'), kind: 'time', format: (at) => formatDate(at) },
            y: { title, format, min: 0, ...(max === undefined ? {} : { max }) },
        })}
    </section>`;
}

/* The period in figures, before its days. */
function totals(points) {
    const sum = (member) => points.reduce((all, day) => all + day[member], 0);
    const all = sum('questions');
    const share = (count) => (all === 0 ? '' : ` (${formatPercent(count / all, 2)})`);
    const one = (name, value) => html`<div class="fact"><dt>${t(`metrics.line_${name}`)}</dt><dd>${value}</dd></div>`;
    return html`<dl class="card section facts" id="totals">
        ${one('questions', formatInteger(all))} ${one('answered', formatInteger(sum('answered')) + share(sum('answered')))}
        ${one('handed_over', formatInteger(sum('handed_over')) + share(sum('handed_over')))} ${one('cost_usd', money(sum('cost_usd')))}
    </dl>`;
}

function trends({ points }) {
    const asked = points.some(({ questions: count }) => count > 0);
    const shown = charts.filter(({ name }) => name !== 'cost' || points.some(({ cost_usd: cost }) => cost > 0));
    return html`${totals(points)} ${asked ? html`<div class="insights">${shown.map((one) => trend(one, points))}</div>` : null}`;
}

function topicList({ topics: rows }) {
    const columns = [
        { name: 'category', title: t('metrics.topic'), cell: ({ category }) => html`<span dir="auto">${category === 'uncategorized' ? t('metrics.uncategorized') : category}</span>` },
        { name: 'count', title: t('metrics.line_questions'), align: 'end', cell: ({ count }) => formatInteger(count) },
        { name: 'quality', title: t('metrics.line_quality'), align: 'end', cell: ({ avg_quality: quality }) => (quality === null ? '–' : percent(quality)) },
    ];
    return html`<section class="card section stack" id="topics" aria-labelledby="topics-title">
        <h2 id="topics-title">${t('metrics.topics')}</h2>
        ${rows.length === 0 ? empty({ title: t('metrics.no_topics') }) : table({ caption: t('metrics.topics'), rows: rows.slice(0, topicsShown), key: ({ category }) => category, columns })}
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
        ${resourceView(page.series, { quiet: true, skeleton: { lines: 2, height: 'chart' }, ready: trends })}
        ${questions('unanswered', page)} ${questions('disliked', page)} ${questions('asked', page)}
        ${resourceView(page.topics, { quiet: true, skeleton: { lines: 3, height: 'row' }, ready: topicList })}
        ${figures(page)}
    </div>`;
}
