/* The status page as a template. */
import { hasText, t } from '../../shared/i18n.js';
import { formatNumber, formatPercent, formatTime, formatUnit } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { ageOf, healthBadge, plain, valueOf } from '../words.js';

const named = (key, name) => (hasText(key) ? t(key) : name);

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
        <span class="figure-note" dir="auto"
            >${message || figuresOf(metrics)}</span
        >
    </div>`;
}

function healthView({ status, components, checked_at: checked }) {
    return html`<section class="card" aria-labelledby="health-title">
        <div class="section section-head">
            <h2 id="health-title">${t('status.health')}</h2>
            <span id="health">${healthBadge(status)}</span>
        </div>
        <div class="figures">${components.map(component)}</div>
        <p class="section section-note" id="checked">${t('status.checked', { time: formatTime(checked) })}</p>
    </section>`;
}

function promise({ name, target, current, error_budget_remaining: left, status, window_days: days, burn_rates: burn }) {
    const title = named(`promise.${name}`, name);
    return html`<section class="card section promise" data-promise=${name} aria-labelledby=${`promise-${name}`}>
        <div class="section-head"><h3 id=${`promise-${name}`}>${title}</h3>${healthBadge(status)}</div>
        <p class="section-note">
            ${t('status.promise', { current: formatPercent(current), target: formatPercent(target), days: formatUnit(days, 'day') })}
        </p>
        <progress max="1" value=${left} aria-label=${t('status.budget_of', { name: title })}></progress>
        <dl class="facts">
            <div class="fact"><dt>${t('status.budget')}</dt><dd>${formatPercent(left, 3)}</dd></div>
            ${Object.entries(burn ?? {}).map(
                ([window, rate]) => html`<div class="fact">
                    <dt>${t('status.burn', { window })}</dt>
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
            { name: 'name', title: t('metric.name'), cell: ({ name }) => html`<a href=${address(`/explorer?tab=metric&metric=${name}`)}>${name}</a>` },
            { name: 'source_table', title: t('metric.table') },
            { name: 'value', title: t('metric.value'), align: 'end', cell: ({ value, unit }) => valueOf(value, unit) },
            { name: 'window', title: t('metric.window'), align: 'end' },
            { name: 'age', title: t('fresh.age'), align: 'end', cell: ({ freshness_seconds: age }) => (age === null ? t('fresh.none') : ageOf(age)) },
        ],
        rows,
        key: ({ name }) => name,
    });
}

export function view({ health, promises, fresh }) {
    if (!health) return html``;
    return html`<div class="stack">
        ${resourceView(health, { quiet: true, skeleton: { lines: 1, height: 'card' }, ready: healthView })}
        ${resourceView(promises, {
            quiet: true,
            skeleton: { lines: 2, height: 'card' },
            ready: ({ slos }) => html`<h2>${t('status.promises')}</h2><div class="stack">${slos.map(promise)}</div>`,
        })}
        ${promises.error?.kind === 'unauthorized'
            ? null
            : html`<section class="card section" aria-labelledby="fresh-title">
                  <div class="section-head"><h2 id="fresh-title">${t('status.freshness')}</h2></div>
                  ${resourceView(fresh, { quiet: true, skeleton: { lines: 4, height: 'row' }, ready: freshTable })}
              </section>`}
    </div>`;
}
