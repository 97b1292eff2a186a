/* Service levels as a template: one card each, with the line of the remaining error budget. */
import { t } from '../../shared/i18n.js';
import { formatDate, formatDateTime, formatInteger, formatNumber, formatPercent, formatUnit } from '../../shared/numbers.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { budgetPoints, objectiveOf, spanOf, waysOut } from '../levels.js';
import { healthBadge, levelName, timeTick, windowName } from '../words.js';

const atRisk = 0.2; /* of the budget: below it a level is at risk */

const example = `slos:
  - name: orders_fresh
    target: 0.99
    measurement: freshness_seconds
    entity: order
    threshold: 60
    window_days: 7
  - name: failed_events
    target: 0.95
    measurement: metric_value
    metric: error_rate
    maximum: 0.01
    every: 1h
    window_days: 30`;

function periodView({ period, periods, actions }) {
    return html`<div class="field period">
        <label class="field-label" for="period">${t('levels.period')}</label>
        <select class="select" id="period" @change=${(event) => actions.choose(event.target.value)}>
            ${periods.map((one) => html`<option value=${one} ?selected=${one === period}>${t('levels.last', { time: windowName(one) })}</option>`)}
        </select>
    </div>`;
}

/* How much was bad, in the unit of the level. */
/** @param {livedata.SloStatus} level */
function badOf({ good, valid, unit }) {
    if (good === null || valid === null) return '–';
    const bad = Math.max(0, valid - good);
    return unit === 'seconds' ? spanOf(Math.round(bad)) : `${formatInteger(Math.round(bad))} / ${formatInteger(valid)}`;
}

function fact(title, value) {
    return html`<div class="fact"><dt>${title}</dt><dd>${value}</dd></div>`;
}

/** @param {livedata.SloStatus} level */
function factsOf(level) {
    const { current, target, error_budget_remaining: left, window_days: days, burn_rates: burn, unit } = level;
    return html`<dl class="facts">
        ${fact(t('levels.current', { days: formatUnit(days, 'day') }), current === null ? '–' : formatPercent(current))}
        ${fact(t('levels.target'), formatPercent(target))}
        ${fact(t('status.budget'), left === null ? '–' : formatPercent(left, 3))}
        ${fact(t(`levels.bad_${unit}`), badOf(level))}
        ${Object.entries(burn ?? {}).map(([window, rate]) => fact(t('status.burn', { window: windowName(window) }), rate === null ? '–' : `${formatNumber(rate, 3)}×`))}
    </dl>`;
}

/** @param {livedata.SloSeries | null} course */
function courseView(course, title) {
    if (course === null) return null;
    const points = budgetPoints(course);
    const partial = course.points.filter((one) => one.partial);
    if (points.filter(({ y }) => y !== null).length < 2) return html`<p class="section-note">${t('levels.no_course')}</p>`;
    return html`${lineChart({
        label: t('status.budget_of', { name: title }),
        series: [{ name: t('status.budget'), points }],
        x: { title: t('metric.time'), kind: 'time', format: timeTick, formatLong: formatDateTime },
        y: { title: t('status.budget'), format: (value) => formatPercent(value, 3), min: 0, max: 1, room: 60 },
        marks: [{ y: atRisk, name: t('health.at_risk') }],
    })}
    ${partial.length === 0 ? null : html`<p class="section-note" data-partial>${t('levels.partial', { date: formatDate(partial.at(-1).at), days: formatUnit(course.window_days, 'day') })}</p>`}`;
}

/** @param {livedata.SloStatus} level */
function reasonView({ reason }) {
    if (!reason) return null;
    return html`<p class="section-note" data-reason=${reason}>${t(reason === 'not_enough_traffic' ? 'status.not_enough_traffic' : 'levels.not_measured')}</p>`;
}

/** @param {{ level: livedata.SloStatus, course: livedata.SloSeries | null }} row */
function levelView({ level, course }) {
    const title = levelName(level.name);
    return html`<section class="card section stack" id=${`level-${level.name}`} data-level=${level.name} aria-labelledby=${`title-${level.name}`}>
        <div class="section-head"><h2 id=${`title-${level.name}`}>${title}</h2>${healthBadge(level.status)}</div>
        <p>${objectiveOf(level)}</p>
        ${level.description ? html`<p class="section-note" dir="auto">${level.description}</p>` : null}
        ${reasonView(level)} ${courseView(course, title)} ${factsOf(level)}
        <div class="button-row">${waysOut(level).map(({ text, href }) => html`<a class="button" data-size="small" href=${href}>${text}</a>`)}</div>
    </section>`;
}

/* Without a file there is nothing to show yet, and an example to begin with. */
const howToBegin = () =>
    html`<section class="card section stack">
        ${empty({ title: t('levels.none'), text: t('levels.none_text') })} ${codeblock(example, { language: 'yaml', label: 'slo.yaml' })}
    </section>`;

function failed(error, retry) {
    if (error.kind === 'unauthorized') return tokenForm(error, retry);
    return error.code === 'slo_file_missing' ? howToBegin() : errorNotice(error, { retry });
}

export function view(page) {
    return html`<div class="stack">
        ${periodView(page)}
        ${resourceView(page.levels, {
            quiet: true,
            failed,
            skeleton: { lines: 3, height: 'chart' },
            ready: (rows) => (rows.length === 0 ? howToBegin() : html`<div class="stack" id="levels">${rows.map(levelView)}</div>`),
        })}
    </div>`;
}
