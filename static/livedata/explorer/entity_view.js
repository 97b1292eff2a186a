/* One order, customer, product or visit: found by its number or by words, shown with its history. */
import { hasText, t } from '../../shared/i18n.js';
import { formatMilliseconds } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { ageOf, attributeName, cellOf, currencyOf, currentBadge, entityAddress, eventName, isAmount, moment, plain, stateBadge, stateWord, typeName } from '../words.js';

/* Columns of a list, the name first; all of them where none are chosen. */
const chosen = {
    order: ['order_id', 'status', 'total_amount', 'user_id', 'created_at'],
    user: ['user_id', 'total_orders', 'total_spent', 'last_order_at', 'preferred_category'],
    product: ['product_id', 'name', 'category', 'price', 'stock_quantity'],
    session: ['session_id', 'funnel_stage', 'event_count', 'user_id', 'started_at'],
};

/* Said by the amount, or by what stands around it. */
const hidden = new Set(['currency', 'status']);

/* The entity that each column names a row of. */
const referencesOf = (shape) => Object.fromEntries((shape?.columns ?? []).map(({ name, refers_to: to }) => [name, to]));

/* The value of a column; the key of another row leads to it. */
function valueCell(name, value, row, { refers, currency }) {
    return refers[name] && value ? html`<a href=${entityAddress(refers[name], value)} dir="ltr">${value}</a>` : cellOf(name, value, row, currency);
}

/* A list that leads to its entities; `without` is a column that is the same in all rows. */
function entityTable(type, rows, page, caption, without = null) {
    const { catalog, actions } = page;
    const [first] = rows;
    const refers = referencesOf(catalog.data.shapes[type]);
    const key = catalog.data.entities[type]?.primary_key ?? Object.keys(first)[0];
    const names = (chosen[type] ?? [key, ...Object.keys(first).filter((name) => name !== key)]).filter((name) => name !== without);
    return table({
        caption,
        columns: names.map((name) => ({
            name,
            title: name === key ? typeName(type) : attributeName(name),
            align: name !== key && isAmount(name, first[name]) ? 'end' : 'start',
            cell: (row) =>
                name === key
                    ? html`<button type="button" class="link-button" dir="ltr" @click=${() => actions.go({ type, id: row[key], q: '', at: '' })}>${row[key]}</button>`
                    : valueCell(name, row[name], row, { refers, currency: currencyOf(catalog.data) }),
        })),
        rows,
        key: (row) => row[key],
    });
}

/* All that is known but what `own` says already: the id in the title. */
function facts(data, currency, shape = null) {
    const cell = { refers: referencesOf(shape), currency };
    return html`<dl class="facts">
        ${Object.entries(data)
            .filter(([name]) => !hidden.has(name) && name !== shape?.primary_key)
            .map(([name, value]) => html`<div class="fact" data-fact=${name}><dt>${attributeName(name)}</dt><dd>${valueCell(name, value, data, cell)}</dd></div>`)}
    </dl>`;
}

/* When it last changed, and whether all events up to now are in it. */
function trust({ freshness_seconds: seconds, meta }) {
    return html`<p class="asked section-note" data-trust>
        ${seconds === null || seconds === undefined ? null : t('explorer.changed', { age: ageOf(seconds) })}
        ${meta.is_historical ? null : currentBadge(meta.health, meta.stale)}
    </p>`;
}

function pastNotice({ at, id, type, actions }) {
    return at === ''
        ? null
        : notice({
              tone: 'info',
              body: html`<p>${t('explorer.as_of')} ${moment(at)}</p>`,
              actions: html`<button type="button" class="button" data-size="small" @click=${() => actions.go({ type, id, at: '' })}>${t('explorer.back_to_now')}</button>`,
          });
}

/* What happened to an order, oldest first: its states, and its payments between them. */
function stepsOf({ stage_history: stages, pipeline_trail: trail }) {
    const states = stages.map(({ status, at }, index) => ({ at, status, isLast: index === stages.length - 1 }));
    const payments = trail.filter(({ event_type: type }) => type?.startsWith('payment.')).map(({ event_type: type, processed_at: at }) => ({ at, type }));
    return [...states, ...payments].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/* "Shipped · 12:03 · after 2 min": each state with the way back to it. */
function stepRow({ at, status, type, isLast }, index, steps, { id, type: kind, actions }) {
    const seconds = index === 0 ? null : (Date.parse(at) - Date.parse(steps[index - 1].at)) / 1000;
    return html`<li>
        ${status ? stateBadge(status) : badge(eventName(type), type === 'payment.failed' ? 'danger' : 'plain')} ${moment(at)}
        ${seconds === null ? null : html`<span>${t('explorer.after', { time: ageOf(Math.max(0, seconds)) })}</span>`}
        ${!status
            ? null
            : isLast
              ? html`<span>${t('explorer.now')}</span>`
              : html`<button type="button" class="link-button" @click=${() => actions.go({ type: kind, id, at })}>${t('explorer.show_then')}</button>`}
    </li>`;
}

/** @param {livedata.OrderTimelineResponse['stage']} stage */
function expectation({ sla_minutes: minutes, breached, in_stage_seconds: seconds, current }) {
    if (minutes === null || minutes === undefined) return null;
    return html`<p class="section-note">
        ${t('explorer.in_state', { state: stateWord(current), time: ageOf(seconds), expected: ageOf(minutes * 60) })}
        ${breached ? badge(t('explorer.overdue'), 'danger', { dot: true }) : badge(t('explorer.in_time'), 'good', { dot: true })}
    </p>`;
}

function historyOf(timeline, page) {
    return html`<section class="card section stack" id="history" aria-labelledby="history-title">
        <h3 id="history-title">${t('explorer.timeline')}</h3>
        <ol class="trail">${stepsOf(timeline).map((one, index, steps) => stepRow(one, index, steps, page))}</ol>
        ${expectation(timeline.stage)}
    </section>`;
}

/* An event, and the way to the entity as it was after it. */
function eventRow({ event_type: type, source, processed_at: at, event_at: happened, applied }, { id, type: kind, actions }) {
    return html`<li>
        ${applied ? badge(eventName(type)) : badge(`${eventName(type)} · ${t('explorer.event_failed')}`, 'danger')} ${moment(happened ?? at)}
        ${source ? html`<span class="mono" dir="auto">${source}</span>` : null}
        ${applied ? html`<button type="button" class="link-button" @click=${() => actions.go({ type: kind, id, at })}>${t('explorer.show_then')}</button>` : null}
    </li>`;
}

/* What happened to an entity without states: its events, newest first. */
function eventsOf({ events }, page) {
    if (!events?.events.length) return null;
    return html`<section class="card section stack" id="history" aria-labelledby="history-title">
        <h3 id="history-title">${t('explorer.timeline')}</h3>
        <ol class="trail">${events.events.map((one) => eventRow(one, page))}</ol>
        ${events.has_more ? html`<p class="section-note">${t('explorer.events_newest')}</p>` : null}
    </section>`;
}

function relatedRows({ type, column, rows }, page) {
    const id = `related-${type}-${column}`;
    const title = t('explorer.related', { type: typeName(type), column: attributeName(column) });
    return html`<section class="card section stack" id=${id} aria-labelledby=${`${id}-title`}>
        <h3 id=${`${id}-title`}>${title}</h3>
        ${entityTable(type, rows, page, title, column)}
    </section>`;
}

function customerOf({ customer }, currency) {
    if (!customer) return null;
    return html`<section class="card section stack" id="customer" aria-labelledby="customer-title">
        <h3 id="customer-title">${typeName('user')}</h3>
        ${facts(customer, currency)}
    </section>`;
}

function layer({ layer: name, system, table_or_topic: place, processed_at: at, quality_score: quality }) {
    const key = `layer.${name}`;
    return html`<li>
        <strong>${hasText(key) ? t(key) : name}</strong> ${system} <span class="mono">${place}</span>
        ${quality === null ? null : t('explorer.quality', { value: plain(quality) })} ${at === null ? null : moment(at)}
    </li>`;
}

const step = ({ event_type: type, topic, latency_ms: latency, processed_at: at }) =>
    html`<li>${eventName(type)} <span class="mono">${topic}</span> ${latency === null ? null : formatMilliseconds(latency)} ${moment(at)}</li>`;

/* For whoever runs the service. */
function origin({ lineage, timeline }) {
    if (lineage === null) return null;
    return html`<details class="card disclosure" id="origin">
        <summary>${t('explorer.origin')}</summary>
        <div class="section stack">
            <h3>${t('explorer.lineage')}</h3>
            <ol class="trail" id="lineage">${lineage.lineage.map(layer)}</ol>
            ${timeline ? html`<h3>${t('explorer.trail')}</h3><ol class="trail" id="steps">${timeline.pipeline_trail.map(step)}</ol>` : null}
        </div>
    </details>`;
}

function entityResult(data, page) {
    const currency = currencyOf(page.catalog.data);
    return html`<div class="stack" id="entity-result">
        ${pastNotice(page)}
        <section class="card section stack" aria-labelledby="entity-title">
            <div class="section-head">
                <h2 class="button-row"><span>${typeName(data.entity_type)}</span> <span id="entity-title" dir="ltr">${data.entity_id}</span></h2>
                <div class="button-row">${data.status ? stateBadge(data.status) : null} ${copyButton({ text: () => data.entity_id })}</div>
            </div>
            ${trust(data)} ${facts(data.data, currency, page.catalog.data.shapes[data.entity_type])}
        </section>
        ${data.timeline ? historyOf(data.timeline, page) : eventsOf(data, page)} ${data.timeline ? customerOf(data.timeline, currency) : null}
        ${data.related.filter(({ rows }) => rows?.length > 0).map((one) => relatedRows(one, page))} ${origin(data)}
    </div>`;
}

function titleOfList({ type, q, id }) {
    if (q !== '') return t('explorer.results', { text: q });
    if (id !== '') return t('explorer.similar');
    const key = `explorer.list_${type}`;
    return hasText(key) ? t(key) : t('explorer.some');
}

function foundList(page) {
    const { found, type, q } = page;
    return html`<section class="card section" aria-labelledby="found-title">
        <div class="section-head"><h2 id="found-title">${titleOfList(page)}</h2></div>
        ${resourceView(found, {
            skeleton: { lines: 8, height: 'row' },
            isEmpty: (rows) => rows.length === 0,
            empty: q === '' ? { title: t('explorer.none_yet'), text: t('explorer.none_yet_text') } : { title: t('explorer.nothing', { text: q }), text: t('explorer.nothing_text') },
            ready: (rows) => html`<div id="found">${entityTable(type, rows, page, titleOfList(page))}</div>`,
        })}
    </section>`;
}

/* A number that nobody has: what was not found, and what may have been meant. */
function missing(page) {
    return html`<div class="stack" id="missing">
        ${notice({ tone: 'caution', title: t('explorer.not_found', { type: typeName(page.type), id: page.id }), body: html`<p>${t('explorer.not_found_text')}</p>`, alert: true })}
        ${foundList(page)}
    </div>`;
}

export function entityPanel(page) {
    const { entityForm, entity, id, actions } = page;
    return html`<div class="stack">
        <div class="card section">${entityForm.view(
            html`<div class="find-row">
                ${entityForm.field('type')} ${entityForm.field('id')}
                <button type="submit" class="button" data-kind="primary">${t('explorer.show')}</button>
            </div>`,
            { label: t('explorer.entity') },
        )}</div>
        ${id === ''
            ? foundList(page)
            : resourceView(entity, {
                  skeleton: { lines: 2, height: 'card' },
                  failed: (error, retry) =>
                      error.kind === 'missing' ? missing(page) : error.kind === 'unauthorized' ? tokenForm(error, actions.start) : errorNotice(error, { retry }),
                  ready: (data) => entityResult(data, page),
              })}
    </div>`;
}
