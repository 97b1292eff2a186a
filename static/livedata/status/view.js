/* The overview as a template: what needs somebody, the rate of events, service levels, what is fresh, then the key figures. */
import { hasText, t } from '../../shared/i18n.js';
import { formatAgo, formatDate, formatDateTime, formatInteger, formatPercent, formatTime } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { sparkline } from '../../shared/ui/charts/spark.js';
import { html, ref } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { levelAddress, objectiveOf } from '../levels.js';
import { ageOf, entityAddress, healthBadge, levelName, metricName, plain, stateBadge, timeTick, valueOf, windowName } from '../words.js';
import { freshTables, isWrong, reasonOf, rowName, wayOut } from './fresh.js';

const named = (key, name) => (hasText(key) ? t(key) : name);

/* Questions about the shop. */
const examples = ['revenue', 'undelivered', 'products'];
const hasShop = ({ data }) => data === undefined || data.entities.some(({ name }) => name === 'order');

/* What a metric was in its widest window. */
function figure({ name, value, unit, window, reason }) {
    return html`<div class="figure" data-metric=${name}>
        <span class="figure-label"><a href=${address(`/explorer?tab=metric&metric=${name}`)}>${metricName(name)}</a></span>
        <span class="figure-value">${valueOf(value, unit)}</span>
        <span class="figure-note">${reason ? t('status.no_value') : windowName(window)}</span>
    </div>`;
}

/* Not fetched yet: it has not been in sight. */
const isUnseen = ({ data, error, busy }) => data === undefined && error === null && !busy;

function figuresView({ figures, actions }) {
    if (figures.data?.length === 0) return null;
    return html`<section class="card" aria-labelledby="figures-title" id="key-figures" ?data-unseen=${isUnseen(figures)} ${ref(actions.watch)}>
        <h2 class="section" id="figures-title">${t('status.figures')}</h2>
        ${resourceView(figures, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready: (rows) => html`<div class="figures" id="figures">${rows.map(figure)}</div>` })}
    </section>`;
}

const firing = ({ active, state }) => active && ['firing', 'sustained'].includes(state);

/* Levels that are broken or nearly so, and data that is not as it should be. What a level about freshness says of stale data is not said again. */
function dataNeeds({ levels, fresh }) {
    const failing = (levels.data ?? []).filter(({ level }) => ['breached', 'at_risk'].includes(level.status));
    const said = failing.filter(({ level }) => level.measurement === 'freshness_seconds').map(({ level }) => level.entity);
    const stale = (fresh.data?.entities ?? []).filter((row) => isWrong(row) && !(row.state === 'stale' && said.includes(row.name)));
    return [
        ...failing.map(
            ({ level }) => html`<li data-need="level">
                ${healthBadge(level.status)} <a href=${levelAddress(level.name)}>${levelName(level.name)}</a>
                <span class="section-note">${objectiveOf(level)}</span>
            </li>`,
        ),
        ...stale.map(
            (row) => html`<li data-need="data">
                ${badge(t(`fresh.${row.state}`), row.state === 'not_served' ? 'danger' : 'caution', { dot: true })} <span>${rowName(row)}</span>
                <span class="section-note">${reasonOf(row)}</span> ${wayOut(row)}
            </li>`,
        ),
    ];
}

function needRows({ alerts, letters, orders, late }) {
    const rows = alerts.filter(firing).map(
        ({ id, name, fired_at: since }) => html`<li>
            ${badge(t('status.need_alert'), 'danger', { dot: true })} <a href=${address(`/alerts?id=${encodeURIComponent(id)}`)} dir="auto">${name}</a>
            ${since === null ? null : html`<span class="section-note">${formatAgo(since)}</span>`}
        </li>`,
    );
    if (late > 0)
        rows.push(
            html`<li>
                ${badge(t('status.need_orders'), 'caution', { dot: true })}
                ${orders.map(({ order_id: id, status }) => html`<a href=${entityAddress('order', id)} dir="ltr">${id}</a> ${stateBadge(status)} `)}
                ${late > orders.length ? t('status.more', { count: formatInteger(late - orders.length) }) : null}
            </li>`,
        );
    if (letters > 0)
        rows.push(
            html`<li>
                ${badge(t('status.need_letters'), 'caution', { dot: true })}
                <a href=${address('/dead-letters')}>${t('status.letters', { count: letters })}</a>
            </li>`,
        );
    return rows;
}

/* Under the list, or in its place: what is not known is not called nothing. */
function needsNote({ levels, fresh }, empty) {
    if (levels.error !== null || fresh.error !== null) return html`<p class="section-note" id="not-known">${t('status.not_known')}</p>`;
    return empty ? html`<p>${t('status.nothing')}</p>` : null;
}

/* The list is shown at once: rows that came later would move what is below. */
function needsView(page) {
    const isKnown = ({ data, error }) => data !== undefined || error !== null;
    const open = isKnown(page.levels) && isKnown(page.fresh) ? page.open : { ...page.open, data: undefined };
    return html`<section class="card section stack" aria-labelledby="needs-title" id="needs">
        <h2 id="needs-title">${t('status.needs')}</h2>
        ${resourceView(open, {
            quiet: true,
            skeleton: { lines: 2, height: 'row' },
            ready: (data) => {
                const rows = [...needRows(data), ...dataNeeds(page)];
                return html`${rows.length === 0 ? null : html`<ul class="plain-list needs">${rows}</ul>`} ${needsNote(page, rows.length === 0)}`;
            },
        })}
    </section>`;
}

function findView({ form, fresh }) {
    return html`<section class="card section stack" aria-labelledby="find-title">
        <h2 id="find-title">${t('status.find_title')}</h2>
        ${form.view(
            html`<div class="find-row">
                ${form.field('text')}
                <button type="submit" class="button" data-kind="primary">${t('status.find_action')}</button>
            </div>`,
            { label: t('status.find_title') },
        )}
        <div class="examples">
            ${(hasShop(fresh) ? examples : []).map((name) => {
                const question = t(`example.${name}`);
                return html`<a class="button" data-size="small" lang="en" dir="ltr" href=${address(`/explorer?${new URLSearchParams({ tab: 'question', question })}`)}>${question}</a>`;
            })}
        </div>
    </section>`;
}

/* What stands in place of a message that only callers with a key get. */
function figuresOf(metrics) {
    const { last_event_age_seconds: age, event_age_seconds: _, ...others } = metrics ?? {};
    const known = age === null || age === undefined ? [] : [t('status.last_event', { age: ageOf(age) })];
    return [...known, ...Object.entries(others).map(([key, value]) => `${key.replaceAll('_', ' ')} ${plain(value)}`)].join(' · ');
}

function component({ name, status, message, metrics }) {
    return html`<div class="figure" data-component=${name}>
        <span class="figure-label">${named(`component.${name}`, name)}</span>
        <span>${healthBadge(status)}</span>
        <span class="figure-note" dir="auto">${message || figuresOf(metrics)}</span>
    </div>`;
}

function healthView({ status, components, checked_at: checked }) {
    return html`<section class="card" aria-labelledby="health-title">
        <div class="section section-head">
            <h2 id="health-title">${t('status.current')}</h2>
            <span id="health">${healthBadge(status)}</span>
        </div>
        <div class="figures">${components.map(component)}</div>
        <p class="section section-note" id="checked">${t('status.checked', { time: formatTime(checked) })}</p>
    </section>`;
}

/* What is left of each budget, and its course. */
/** @param {{ level: livedata.SloStatus, course: livedata.SloSeries | null }} row */
function levelView({ level, course }) {
    const title = levelName(level.name);
    const points = (course?.points ?? []).map(({ at, error_budget_remaining: left }) => ({ label: formatDate(at), value: left ?? null }));
    return html`<div class="figure" data-level=${level.name}>
        <span class="figure-label"><a href=${levelAddress(level.name)}>${title}</a></span>
        <span class="figure-value">${level.error_budget_remaining === null ? '–' : formatPercent(level.error_budget_remaining, 3)}</span>
        <span>${healthBadge(level.status)}</span>
        <span class="figure-note">${objectiveOf(level)}</span>
        ${points.length > 1 ? sparkline({ points, label: t('status.budget'), format: (value) => formatPercent(value, 3), range: [0, 1] }) : null}
    </div>`;
}

function levelsView({ levels }) {
    return html`<section class="card" aria-labelledby="levels-title" id="levels">
        <div class="section section-head">
            <h2 id="levels-title">${t('status.levels')}</h2>
            <a href=${address('/service-levels')}>${t('status.levels_all')}</a>
        </div>
        ${resourceView(levels, {
            quiet: true,
            skeleton: { lines: 3, height: 'card' },
            ready: (rows) => (rows.length === 0 ? html`<p class="section section-note">${t('levels.none')}</p>` : html`<div class="figures levels">${rows.map(levelView)}</div>`),
        })}
    </section>`;
}

function rateChart({ points }) {
    const line = (name, key) => ({ name, points: points.map((point) => ({ x: Date.parse(point.at), y: point[key] })) });
    return lineChart({
        label: t('status.rate'),
        series: [line(t('status.applied'), 'applied'), line(t('status.failed'), 'failed')],
        x: { title: t('metric.time'), kind: 'time', format: timeTick, formatLong: formatDateTime },
        y: { title: t('status.events'), format: (count) => (Number.isInteger(count) ? formatInteger(count) : ''), min: 0, room: 64 },
    });
}

function rateReady(data) {
    return html`<p class="section-note" id="rate-sum">${t('status.rate_sum', { applied: formatInteger(data.applied), failed: formatInteger(data.failed) })}</p>
        ${data.points.length < 2 ? null : rateChart(data)}`;
}

function rateView({ rate, period, periods, actions }) {
    return html`<section class="card section stack" aria-labelledby="rate-title" id="rate" ?data-unseen=${isUnseen(rate)} ${ref(actions.watch)}>
        <div class="section-head">
            <h2 id="rate-title">${t('status.rate')}</h2>
            <a href=${address('/events')}>${t('status.rate_live')}</a>
        </div>
        <div class="field period">
            <label class="field-label" for="rate-period">${t('metric.period')}</label>
            <select class="select" id="rate-period" @change=${(event) => actions.choosePeriod(event.target.value)}>
                ${periods.map((one) => html`<option value=${one} ?selected=${one === period}>${t(`metric.period_${one}`)}</option>`)}
            </select>
        </div>
        ${resourceView(rate, { quiet: true, skeleton: { lines: 1, height: 'chart' }, ready: rateReady })}
    </section>`;
}

function freshView({ fresh }) {
    return html`<section class="card section stack" aria-labelledby="fresh-title" id="fresh">
        <div class="section-head"><h2 id="fresh-title">${t('status.fresh')}</h2></div>
        ${resourceView(fresh, { quiet: true, skeleton: { lines: 6, height: 'row' }, ready: freshTables })}
    </section>`;
}

export function view(page) {
    const { health, fresh } = page;
    if (!health) return html``;
    if (fresh.error?.kind === 'unauthorized')
        return html`<div class="stack">${resourceView(fresh, { ready: () => null })} ${resourceView(health, { quiet: true, skeleton: { lines: 1, height: 'card' }, ready: healthView })}</div>`;
    return html`<div class="stack">
        ${needsView(page)} ${levelsView(page)} ${rateView(page)} ${freshView(page)}
        ${resourceView(health, { quiet: true, skeleton: { lines: 1, height: 'card' }, ready: healthView })} ${figuresView(page)} ${findView(page)}
    </div>`;
}
