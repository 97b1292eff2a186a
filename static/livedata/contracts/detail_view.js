/* One entity or metric as its contract has it: columns, events, versions and what changed between two of them. */
import { hasText, t } from '../../shared/i18n.js';
import { formatUnit } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { eventName, metricName, typeName, windowName } from '../words.js';

const code = (text) => html`<span class="mono" dir="ltr">${text}</span>`;
const list = (items) => items.map((item, index) => html`${index === 0 ? '' : ', '}${item}`);

/* "Decimal, 3 places"; what else is special about a column is a badge. */
function typeOf({ type, scale }) {
    return type === 'decimal' && scale !== undefined ? t('contracts.type_decimal_places', { count: scale }) : t(`contracts.type_${type}`);
}

function columnTable({ columns, primary_key: key }) {
    return table({
        caption: t('contracts.columns'),
        columns: [
            { name: 'name', title: t('contracts.column'), cell: ({ name }) => code(name) },
            {
                name: 'type',
                title: t('contracts.type'),
                cell: (column) => html`<span>${typeOf(column)} ${column.name === key ? badge(t('contracts.key'), 'info') : null} ${column.counted ? badge(t('contracts.counted'), 'plain') : null}</span>`,
            },
            {
                name: 'description',
                title: t('contracts.description'),
                cell: ({ description, values, refers_to: type }) =>
                    html`<span
                        ><bdi>${description ?? '–'}</bdi>
                        ${values.length > 0 ? html`<bdi class="section-note" dir="ltr">${values.join(', ')}</bdi>` : null}
                        ${type === null ? null : html`<a href=${`?${new URLSearchParams({ entity: type })}`}>${t('contracts.refers', { type: typeName(type) })}</a>`}</span
                    >`,
            },
        ],
        rows: columns,
        key: ({ name }) => name,
    });
}

function membersOf(event, required) {
    const members = event.members.filter((one) => one.required === required);
    return members.length === 0 ? '–' : html`<span>${list(members.map(({ path }) => code(path)))}</span>`;
}

function eventTable({ events }) {
    return table({
        caption: t('contracts.events'),
        columns: [
            { name: 'event_type', title: t('contracts.event'), cell: ({ event_type: type }) => html`${eventName(type)} <span class="section-note">${code(type)}</span>` },
            ...(events.some(({ does }) => does !== null) ? [{ name: 'does', title: t('contracts.effect'), cell: ({ does }) => t(`contracts.does_${does}`) }] : []),
            { name: 'required', title: t('contracts.required'), cell: (event) => membersOf(event, true) },
            { name: 'optional', title: t('contracts.optional'), cell: (event) => membersOf(event, false) },
            {
                name: 'send',
                title: t('contracts.example'),
                cell: ({ event_type: type }) => html`<a class="one-line" href=${address(`/events?${new URLSearchParams({ tab: 'send', event: type })}`)}>${t('contracts.send')}</a>`,
            },
        ],
        rows: events,
        key: ({ event_type: type }) => type,
    });
}

/* What changed, in words: "Field discount added". */
function changeText({ type, field, from, to, values }) {
    const key = `contracts.change_${type}`;
    return hasText(key) ? t(key, { field, from: from ?? '', to: to ?? '', values: (values ?? []).join(', ') }) : `${type} ${field}`;
}

function diffView({ breaking_changes: breaking, additive_changes: additive }) {
    const rows = [...breaking.map((one) => ({ ...one, breaks: true })), ...additive];
    if (rows.length === 0) return html`<p>${t('contracts.no_changes')}</p>`;
    return html`<ul class="plain-list needs" id="diff">
        ${rows.map((one) => html`<li>${one.breaks ? badge(t('contracts.breaking'), 'danger') : badge(t('contracts.compatible'), 'good')} <span>${changeText(one)}</span></li>`)}
    </ul>`;
}

function versionChoice(id, label, versions, current, choose) {
    return html`<div class="field">
        <label class="field-label" for=${id}>${label}</label>
        <select class="select" id=${id} @change=${(event) => choose(event.target.value)}>
            ${versions.map(({ version }) => html`<option value=${version} ?selected=${version === current}>${version}</option>`)}
        </select>
    </div>`;
}

const statusTones = { stable: 'good', deprecated: 'caution' };

function versionsView(name, contracts, { diff, shown, actions }) {
    const versions = contracts.filter(({ entity }) => entity === name);
    const go = (patch) => actions.go({ ...shown, ...patch });
    return html`<section class="card section stack" id="versions" aria-labelledby="versions-title">
        <h3 id="versions-title">${t('contracts.versions')}</h3>
        ${versions.length === 0
            ? html`<p class="section-note">${t('contracts.no_versions')}</p>`
            : table({
                  caption: t('contracts.versions'),
                  columns: [
                      { name: 'version', title: t('contracts.version'), cell: ({ version }) => version },
                      { name: 'released', title: t('contracts.released'), cell: ({ released }) => released ?? '–' },
                      { name: 'status', title: t('contracts.status'), cell: ({ status }) => badge(hasText(`contracts.status_${status}`) ? t(`contracts.status_${status}`) : status, statusTones[status] ?? 'plain') },
                  ],
                  rows: versions,
                  key: ({ version }) => version,
              })}
        ${versions.length < 2
            ? null
            : html`<h4>${t('contracts.differences')}</h4>
                  <div class="field-grid">
                      ${versionChoice('diff-from', t('contracts.from'), versions, shown.from, (from) => go({ from }))}
                      ${versionChoice('diff-to', t('contracts.to'), versions, shown.to, (to) => go({ to }))}
                  </div>
                  ${resourceView(diff, { skeleton: { lines: 2, height: 'row' }, ready: diffView })}`}
    </section>`;
}

export function entityView(entity, contracts, page) {
    return html`<section class="card section stack" aria-labelledby="contract-title">
            <div class="section-head">
                <h2 id="contract-title">${typeName(entity.name)}</h2>
                <a class="button" data-size="small" href=${address(`/explorer?${new URLSearchParams({ type: entity.name })}`)}>${t('contracts.show_data')}</a>
            </div>
            <p class="section-note"><bdi>${entity.description}</bdi></p>
            ${entity.served ? null : notice({ tone: 'caution', title: t('contracts.not_served'), body: html`<p lang="en" dir="ltr">${entity.difference}</p>` })}
            ${entity.retention_days === null ? null : html`<p class="section-note">${t('contracts.retention', { time: formatUnit(entity.retention_days, 'day') })}</p>`}
            <h3>${t('contracts.columns')}</h3>
            ${columnTable(entity)}
        </section>
        ${entity.events.length === 0
            ? null
            : html`<section class="card section stack" id="contract-events" aria-labelledby="contract-events-title">
                  <h3 id="contract-events-title">${t('contracts.events')}</h3>
                  ${eventTable(entity)}
              </section>`}
        ${versionsView(entity.name, contracts, page)}`;
}

const fact = (name, value) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`;

export function metricView(name, metric, contracts, page) {
    const about = `metric_about.${name}`;
    return html`<section class="card section stack" aria-labelledby="contract-title">
            <div class="section-head">
                <h2 id="contract-title">${metricName(name)}</h2>
                <a class="button" data-size="small" href=${address(`/explorer?${new URLSearchParams({ tab: 'metric', metric: name })}`)}>${t('contracts.show_values')}</a>
            </div>
            <p class="section-note"><bdi>${hasText(about) ? t(about) : metric.description}</bdi></p>
            <dl class="facts">
                ${fact(t('contracts.metric_name'), code(name))} ${metric.kind ? fact(t('contracts.kind'), t(`contracts.kind_${metric.kind}`)) : null}
                ${fact(t('contracts.unit'), hasText(`contracts.unit_${metric.unit}`) ? t(`contracts.unit_${metric.unit}`) : metric.unit)}
                ${fact(t('contracts.windows'), metric.available_windows.map(windowName).join(', '))}
                ${fact(t('contracts.source_events'), list(metric.source_events.map(eventName)))} ${fact(t('contracts.source_table'), code(metric.source_table))}
            </dl>
        </section>
        ${versionsView(`metric.${name}`, contracts, page)}`;
}
