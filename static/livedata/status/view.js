/* The overview as a template: figures of the shop, what needs somebody, then how current the data is. */
import { hasText, t } from '../../shared/i18n.js';
import { formatAgo, formatInteger, formatNumber, formatPercent, formatTime, formatUnit } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { ageOf, entityAddress, healthBadge, metricName, plain, stateBadge, valueOf, windowName } from '../words.js';

const named = (key, name) => (hasText(key) ? t(key) : name);

const examples = ['revenue', 'undelivered', 'products'];

/* What a metric was in its widest window. */
function figure({ name, value, unit, window, reason }) {
    return html`<div class="figure" data-metric=${name}>
        <span class="figure-label"><a href=${address(`/explorer?tab=metric&metric=${name}`)}>${metricName(name)}</a></span>
        <span class="figure-value">${valueOf(value, unit)}</span>
        <span class="figure-note">${reason ? t('status.no_value') : windowName(window)}</span>
    </div>`;
}

function figures(rows) {
    return html`<div class="figures" id="figures">${rows.map(figure)}</div>`;
}

function businessView({ fresh }) {
    return html`<section class="card" aria-labelledby="figures-title">
        <h2 class="section" id="figures-title">${t('status.figures')}</h2>
        ${resourceView(fresh, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready: figures })}
    </section>`;
}

const firing = ({ active, state }) => active && ['firing', 'sustained'].includes(state);

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

function needsView({ open }) {
    return html`<section class="card section stack" aria-labelledby="needs-title" id="needs">
        <h2 id="needs-title">${t('status.needs')}</h2>
        ${resourceView(open, {
            quiet: true,
            skeleton: { lines: 2, height: 'row' },
            ready: (data) => {
                const rows = needRows(data);
                return rows.length === 0 ? html`<p>${t('status.nothing')}</p>` : html`<ul class="plain-list needs">${rows}</ul>`;
            },
        })}
    </section>`;
}

function findView({ form }) {
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
            ${examples.map((name) => {
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

function promise({ name, target, current, error_budget_remaining: left, status, window_days: days, burn_rates: burn, reason }) {
    const title = named(`promise.${name}`, name);
    return html`<section class="section promise" data-promise=${name} aria-labelledby=${`promise-${name}`}>
        <div class="section-head"><h3 id=${`promise-${name}`}>${title}</h3>${healthBadge(status)}</div>
        <p class="section-note">
            ${t('status.promise', { current: formatPercent(current), target: formatPercent(target), days: formatUnit(days, 'day') })}
        </p>
        ${reason === 'not_enough_traffic' ? html`<p class="section-note" data-reason=${reason}>${t('status.not_enough_traffic')}</p>` : null}
        <progress max="1" value=${left} aria-label=${t('status.budget_of', { name: title })}></progress>
        <dl class="facts">
            <div class="fact"><dt>${t('status.budget')}</dt><dd>${formatPercent(left, 3)}</dd></div>
            ${Object.entries(burn ?? {}).map(
                ([window, rate]) => html`<div class="fact">
                    <dt>${t('status.burn', { window: windowName(window) })}</dt>
                    <dd>${formatNumber(rate, 3)}×</dd>
                </div>`,
            )}
        </dl>
    </section>`;
}

function freshTable(rows) {
    return table({
        caption: t('status.freshness'),
        columns: [
            { name: 'name', title: t('metric.name'), cell: ({ name }) => html`<a href=${address(`/explorer?tab=metric&metric=${name}`)}>${metricName(name)}</a>` },
            { name: 'source_table', title: t('metric.table'), cell: ({ source_table: name }) => html`<span class="mono">${name}</span>` },
            { name: 'age', title: t('fresh.age'), align: 'end', cell: ({ freshness_seconds: age }) => (age === null ? t('fresh.none') : ageOf(age)) },
        ],
        rows,
        key: ({ name }) => name,
    });
}

/* For whoever runs the service: service levels, and which table is how old. */
function technicalView({ promises, fresh, technical, actions }) {
    return html`<details class="card disclosure" id="technical" @toggle=${(event) => event.target.open && actions.showTechnical()}>
        <summary>${t('status.technical')}</summary>
        ${technical ? resourceView(promises, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready: ({ slos }) => html`<div>${slos.map(promise)}</div>` }) : null}
        <section class="section" aria-labelledby="fresh-title">
            <div class="section-head"><h3 id="fresh-title">${t('status.freshness')}</h3></div>
            ${resourceView(fresh, { quiet: true, skeleton: { lines: 4, height: 'row' }, ready: freshTable })}
        </section>
    </details>`;
}

export function view(page) {
    const { health, fresh } = page;
    if (!health) return html``;
    if (fresh.error?.kind === 'unauthorized')
        return html`<div class="stack">${resourceView(fresh, { ready: () => null })} ${resourceView(health, { quiet: true, skeleton: { lines: 1, height: 'card' }, ready: healthView })}</div>`;
    return html`<div class="stack">
        ${businessView(page)} ${needsView(page)} ${findView(page)}
        ${resourceView(health, { quiet: true, skeleton: { lines: 1, height: 'card' }, ready: healthView })} ${technicalView(page)}
    </div>`;
}
