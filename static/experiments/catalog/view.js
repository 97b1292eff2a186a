/* The catalog of metrics as templates: the list, and one metric with its versions and uses. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { actorText } from '../audit.js';
import { known } from '../figures.js';
import { factList, partCard } from '../finding.js';
import { writers } from '../roles.js';
import { sourcesTable } from './sources.js';

const pathOf = (id) => address(`/catalog/${encodeURIComponent(id)}`);
const effectOf = ({ minimum_effect_pct: percent }) => (known(percent) ? formatPercent(percent / 100) : '–');
const kinds = ['binary', 'continuous', 'count', 'ratio'];

export const filters = () => [
    { name: 'q', label: t('list.search'), kind: 'search' },
    { name: 'kind', label: t('field.metric_type'), kind: 'select', options: kinds.map((value) => ({ value, title: t(`metric.${value}`) })) },
];

export const columns = () => [
    {
        name: 'name',
        title: t('catalog.metric'),
        cell: ({ id, definition }) => html`<a data-name href=${pathOf(id)} dir="auto">${definition.name}</a>
            ${definition.description ? html`<p class="section-note list-hypothesis" dir="auto">${definition.description}</p>` : null}`,
    },
    { name: 'kind', title: t('field.metric_type'), cell: ({ definition }) => t(`metric.${definition.kind}`) },
    { name: 'event', title: t('catalog.event_name'), cell: ({ definition }) => html`<code dir="auto">${definition.event_name}</code>` },
    { name: 'effect', title: t('catalog.minimum_effect'), align: 'end', cell: ({ definition }) => effectOf(definition) },
    { name: 'owner', title: t('list.owner'), cell: ({ definition }) => html`<span dir="auto">${definition.owner ?? '–'}</span>` },
    { name: 'uses', title: t('catalog.uses'), align: 'end', cell: ({ use_count: count }) => formatInteger(count) },
    { name: 'version', title: t('catalog.version'), align: 'end', cell: ({ version }) => formatInteger(version) },
];

export function listView({ list, actions }) {
    if (!list) return html``;
    return html`<div class="stack">
        <div class="button-row"><button type="button" class="button" data-kind="primary" id="new-metric" data-for=${writers} @click=${actions.add}>${t('catalog.new')}</button></div>
        <section class="card section" aria-label=${t('catalog.title')}>${list.view()}</section>
    </div>`;
}

/* Where the events come from. */
function sourceFacts(source) {
    if (!known(source)) return [[t('catalog.source'), t('catalog.source_events')]];
    const name = (text) => html`<code dir="ltr">${text}</code>`;
    return [
        [t('catalog.source'), t('catalog.source_livedata')],
        [t('experiment.source_rows'), name(source.entity_type)],
        [t('experiment.source_user'), name(source.user_column)],
        [t('experiment.source_value'), known(source.value_column) ? name(source.value_column) : t('experiment.source_each_row')],
        [t('catalog.time_column'), name(source.time_column)],
    ];
}

/** @param {any} definition */
function factsOf(definition) {
    const number = (value) => (known(value) ? formatNumber(value, 6) : null);
    const binary = definition.kind === 'binary';
    return [
        [t('field.metric_type'), t(`metric.${definition.kind}`)],
        [t(definition.kind === 'ratio' ? 'catalog.numerator' : 'catalog.event_name'), html`<span dir="auto">${definition.event_name}</span>`],
        [t('catalog.denominator'), definition.denominator_event],
        [t('catalog.goal'), t(`catalog.goal_${definition.direction}`)],
        [t(`field.baseline_value.${definition.kind}`), known(definition.baseline_value) ? (binary ? formatPercent(definition.baseline_value) : number(definition.baseline_value)) : null],
        [t('field.std_dev'), number(definition.std_dev)],
        [t('catalog.minimum_effect'), known(definition.minimum_effect_pct) ? effectOf(definition) : null],
        [t('catalog.upper_cap'), number(definition.upper_cap)],
        [t('catalog.window_days'), number(definition.window_days)],
        [t('catalog.owner'), definition.owner],
        ...sourceFacts(definition.livedata),
    ];
}

function usesTable(uses, current) {
    if (uses.length === 0) return empty({ title: t('catalog.unused'), text: t('catalog.unused_text') });
    return table({
        caption: t('catalog.used_by'),
        columns: [
            {
                name: 'project_name',
                title: t('list.experiment'),
                cell: ({ project_id: id, project_name: name, is_archived: archived }) =>
                    archived ? html`<span dir="auto">${name}</span>` : html`<a href=${address(`/live/${encodeURIComponent(id)}`)} dir="auto">${name}</a>`,
            },
            { name: 'version', title: t('catalog.version'), align: 'end', cell: ({ version }) => formatInteger(version) },
            {
                name: 'state',
                title: t('list.state'),
                cell: ({ version, is_archived: archived }) => (archived ? badge(t('state.archived')) : version < current ? badge(t('catalog.older'), 'caution') : badge(t('catalog.current'), 'good')),
            },
        ],
        rows: uses,
    });
}

/* What a version changed, by the names of the fields. */
function changedIn(versions, index) {
    const [now, before] = [versions[index].definition, versions[index + 1]?.definition];
    if (before === undefined) return '–';
    const names = Object.keys(now).filter((name) => now[name] !== before[name]);
    return names.join(', ');
}

function versionsTable(versions) {
    return table({
        caption: t('catalog.versions'),
        columns: [
            { name: 'version', title: t('catalog.version'), cell: ({ version }) => formatInteger(version) },
            { name: 'when', title: t('list.updated'), cell: ({ created_at: at }) => formatDateTime(at) },
            { name: 'actor', title: t('catalog.by'), cell: ({ actor }) => (actor === null ? '–' : actorText(actor)) },
            { name: 'changed', title: t('catalog.changed'), cell: (row) => html`<span dir="ltr">${changedIn(versions, versions.indexOf(row))}</span>` },
        ],
        rows: versions,
    });
}

function metricView(answer, { actions }) {
    const { metric, uses, versions } = answer;
    return html`<div class="stack">
        <p><a href=${address('/catalog')}>${t('catalog.all')}</a></p>
        <section class="card section stack" aria-labelledby="definition-title" id="definition">
            <div class="section-head">
                <h2 id="definition-title">${t('catalog.definition')}</h2>
                ${badge(t('catalog.version_is', { version: formatInteger(metric.version) }))}
            </div>
            ${metric.definition.description ? html`<p class="prose" dir="auto">${metric.definition.description}</p>` : null} ${factList(factsOf(metric.definition))}
            <div class="button-row">
                <a class="button" data-kind="primary" data-for=${writers} id="plan-with" href=${address(`/design?metric=${encodeURIComponent(metric.id)}`)}>${t('catalog.plan')}</a>
                <button type="button" class="button" id="edit-metric" data-for=${writers} @click=${() => actions.edit(metric)}>${t('catalog.edit')}</button>
                <button type="button" class="button" id="delete-metric" data-for=${writers} ?disabled=${metric.use_count > 0} @click=${() => actions.remove(metric)}>${t('catalog.delete')}</button>
            </div>
            ${metric.use_count > 0 ? html`<p class="field-hint">${t('catalog.in_use')}</p>` : null}
        </section>
        ${known(metric.definition.livedata) ? partCard('sources', t('catalog.reading'), sourcesTable(answer)) : null} ${partCard('uses', t('catalog.used_by'), usesTable(uses, metric.version))} ${partCard('versions', t('catalog.versions'), versionsTable(versions))}
    </div>`;
}

export function view(page) {
    const { metric, actions } = page;
    if (page.id === null) return listView(page);
    if (!metric) return html``;
    return resourceView(metric, {
        quiet: true,
        skeleton: { lines: 3, height: 'card' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.load) : errorNotice(error, { retry: actions.load })),
        ready: (data) => metricView(data, page),
    });
}
