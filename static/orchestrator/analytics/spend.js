/* The report of spending as templates: choices, sums, the course by day, and a table. */
import { intlLocale, t } from '../../shared/i18n.js';
import { formatCompact, formatInteger, formatMilliseconds, formatMoney, formatPercent } from '../../shared/numbers.js';
import { areaChart, lineChart } from '../../shared/ui/charts/line.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

export const groups = ['model', 'team', 'key', 'customer', 'provider', 'day'];
const shownSeries = 5;
const dayMs = 86400000;

const money = (value) => formatMoney(value, 'USD', value !== 0 && Math.abs(value) < 0.1 ? 6 : 2);

/* Days are days of the service's time zone, whatever zone the reader is in. */
function dayText(at, more) {
    return new Intl.DateTimeFormat(intlLocale(), { day: 'numeric', month: 'short', timeZone: 'UTC', ...more }).format(at);
}

/* What a row is called in its group; calls without a key have no team either. */
export function nameOf(by, row) {
    if (by === 'model') return row.model_id;
    if (by === 'provider') return row.provider;
    if (by === 'day') return dayText(Date.parse(row.day), { year: 'numeric' });
    const id = row[`${by}_id`];
    if (id === '') return t(`analytics.without_${by}`);
    return row[`${by}_name`] ?? t('analytics.deleted');
}

function select(name, label, options, { choice, actions }) {
    return html`<div class="field">
        <label class="field-label" for=${`spend-${name}`}>${label}</label>
        <select class="select" id=${`spend-${name}`} .value=${choice[name]} @change=${(event) => actions.choose(name, event.target.value)}>
            ${options.map(({ value, title }) => html`<option value=${value} ?selected=${value === choice[name]}>${title}</option>`)}
        </select>
    </div>`;
}

/* Names of a kind that were used in the last months. */
function used(data, kind) {
    const idOf = { team: 'team_id', key: 'key_id', model: 'model_id', provider: 'provider' }[kind];
    const found = new Map();
    for (const row of data?.rows ?? []) if (row[idOf] !== '' && row[idOf] !== null) found.set(row[idOf], nameOf(kind, row));
    const named = [...found].map(([value, title]) => ({ value, title })).sort((a, b) => a.title.localeCompare(b.title));
    return [{ value: '', title: t(`analytics.all_${kind}`) }, ...named];
}

function choices(state) {
    const { options, actions } = state;
    return html`<div class="filters">
        ${select('days', t('analytics.period'), ['7', '30', '90'].map((value) => ({ value, title: t(`analytics.days_${value}`) })), state)}
        ${select('by', t('analytics.by'), groups.map((value) => ({ value, title: t(`analytics.by_${value}`) })), state)}
        ${['team', 'key', 'model', 'provider'].map((kind) => select(kind, t(`analytics.by_${kind}`), used(options.data, kind), state))}
        <div class="button-row">
            <button type="button" class="button" id="csv" @click=${actions.save}>${t('analytics.csv')}</button>
            <button type="button" class="button" id="refresh" @click=${actions.refresh}>${t('models.refresh')}</button>
        </div>
    </div>`;
}

function figure(name, value, note = null) {
    return html`<div class="figure">
        <span class="figure-label">${t(`analytics.${name}`)}</span><span class="figure-value" id=${`sum-${name}`}>${value}</span>
        ${note === null ? null : html`<span class="section-note">${note}</span>`}
    </div>`;
}

function sums({ total }) {
    const cached = total.input_tokens === 0 ? null : total.cached_tokens / total.input_tokens;
    return html`<section class="card figures" aria-label=${t('analytics.title')}>
        ${figure('cost', money(total.cost_usd), total.excess_usd > 0 ? t('analytics.excess', { amount: money(total.excess_usd) }) : null)}
        ${figure('calls', formatInteger(total.calls), total.failures > 0 ? t('analytics.failures', { number: formatInteger(total.failures) }) : null)}
        ${figure('tokens_in', formatCompact(total.input_tokens), cached === null ? null : t('analytics.cached', { share: formatPercent(cached, 2) }))}
        ${figure('tokens_out', formatCompact(total.output_tokens))}
        ${total.saved_calls === 0 ? null : figure('saved', money(total.saved_usd), t('analytics.saved_note', { calls: formatInteger(total.saved_calls), tokens: formatCompact(total.saved_tokens) }))}
        ${figure('latency', total.avg_duration_ms === null ? '–' : formatMilliseconds(total.avg_duration_ms))}
    </section>`;
}

/* A line per name, the largest first; days without calls are days without cost, and have no latency. */
function series(by, days, rows, { valueOf, isSum = true }) {
    const lineOf = (row) => (by === 'day' ? t('analytics.all_calls') : nameOf(by, row));
    const names = [...new Set(rows.rows.toSorted((a, b) => b.cost_usd - a.cost_usd).map(lineOf))].slice(0, shownSeries);
    const all = [...new Set(days.rows.map(({ day }) => day))].sort();
    if (all.length === 0) return [];
    const first = Date.parse(all[0]);
    const last = Date.parse(all.at(-1));
    const dates = Array.from({ length: Math.round((last - first) / dayMs) + 1 }, (_, index) => first + index * dayMs);
    return names.map((name) => {
        const values = new Map();
        for (const row of days.rows.filter((one) => lineOf(one) === name && valueOf(one) !== null)) {
            const day = Date.parse(row.day);
            values.set(day, (isSum ? (values.get(day) ?? 0) : 0) + valueOf(row));
        }
        return { name, points: dates.map((x) => ({ x, y: values.get(x) ?? (isSum ? 0 : null) })) };
    });
}

function course(by, days, rows, { name, valueOf, format, isSum = true }) {
    const all = series(by, days, rows, { valueOf, isSum }).filter(({ points }) => points.some(({ y }) => y !== null));
    if (all.length === 0) return null;
    const draw = all.length === 1 && isSum ? areaChart : lineChart;
    const label = t(`analytics.${name}`);
    return html`<section class="card section stack" aria-label=${label}>
        <h2>${label}</h2>
        ${draw({
            label,
            series: all,
            x: { title: t('analytics.day'), kind: 'time', format: (at) => dayText(at, {}), formatLong: (at) => dayText(at, { year: 'numeric' }) },
            y: { title: '', format, min: 0, room: 76 },
        })}
    </section>`;
}

function columns(by) {
    return [
        { name: 'name', title: t(`analytics.by_${by}`), cell: (row) => html`<span dir="auto">${nameOf(by, row)}</span>` },
        { name: 'cost_usd', title: t('analytics.cost'), align: 'end', cell: (row) => money(row.cost_usd) },
        { name: 'calls', title: t('analytics.calls'), align: 'end', cell: (row) => formatInteger(row.calls) },
        { name: 'failures', title: t('analytics.failed'), align: 'end', cell: (row) => formatInteger(row.failures) },
        { name: 'input_tokens', title: t('analytics.tokens_in'), align: 'end', cell: (row) => formatInteger(row.input_tokens) },
        { name: 'output_tokens', title: t('analytics.tokens_out'), align: 'end', cell: (row) => formatInteger(row.output_tokens) },
        { name: 'cache_hits', title: t('analytics.cache_hits'), align: 'end', cell: (row) => formatInteger(row.cache_hits) },
        { name: 'avg_duration_ms', title: t('analytics.latency'), align: 'end', cell: (row) => (row.avg_duration_ms === null ? '–' : formatMilliseconds(row.avg_duration_ms)) },
    ];
}

function ready({ by, days, rows }) {
    if (rows.total.calls + rows.total.saved_calls === 0) return html`<section class="card section">${empty({ title: t('analytics.nothing'), text: t('analytics.nothing_text') })}</section>`;
    return html`<div class="stack">
        ${sums(rows)}
        ${course(by, days, rows, { name: 'cost_by_day', valueOf: (row) => row.cost_usd, format: money })}
        <section class="card section stack" aria-labelledby="spend-title">
            <h2 id="spend-title">${t('analytics.details')}</h2>
            ${table({ columns: columns(by), rows: rows.rows.toSorted((a, b) => (by === 'day' ? b.day.localeCompare(a.day) : b.cost_usd - a.cost_usd)), caption: t('analytics.title') })}
            <p class="section-note">${t('analytics.zone', { zone: rows.time_zone })}</p>
        </section>
        ${course(by, days, rows, { name: 'tokens_by_day', valueOf: (row) => row.input_tokens + row.output_tokens, format: formatCompact })}
        ${course(by, days, rows, { name: 'latency_by_day', valueOf: (row) => row.avg_duration_ms, format: formatMilliseconds, isSum: false })}
    </div>`;
}

export function spendView(state) {
    return html`${choices(state)} ${resourceView(state.spend, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready })}`;
}
