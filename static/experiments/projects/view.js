/* The list of projects as a template. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatUnit } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';

const mostCompared = 5;
const metricTypes = ['binary', 'continuous', 'ratio', 'count'];

export const filters = () => [
    { name: 'q', label: t('projects.search'), kind: 'search' },
    {
        name: 'metric_type',
        label: t('field.metric_type'),
        kind: 'select',
        options: metricTypes.map((value) => ({ value, title: t(`metric.${value}`) })),
    },
    {
        name: 'status',
        label: t('projects.status'),
        kind: 'select',
        any: t('projects.active'),
        options: [
            { value: 'archived', title: t('projects.archived') },
            { value: 'all', title: t('projects.all') },
        ],
    },
];

const nameOf = ({ project_name: name }) => name || t('design.nameless');

/* Archived ones cannot be read, so there is nothing to go to. */
function nameCell(project) {
    const { id, is_archived: archived } = project;
    const name = nameOf(project);
    return archived
        ? html`<span dir="auto">${name}</span> ${badge(t('projects.archived'))}`
        : html`<a href=${address(`/projects/${encodeURIComponent(id)}`)} dir="auto">${name}</a>`;
}

/* What has not been sized has nothing to compare. */
function tickBox(project, { tick, chosen }) {
    const ticked = chosen.includes(project.id);
    const possible = project.has_analysis_snapshot && !project.is_archived && chosen.length < mostCompared;
    return html`<label class="check">
        <input type="checkbox" .checked=${ticked} ?disabled=${!ticked && !possible} @change=${() => tick(project)} />
        <span class="visually-hidden">${t('projects.compare')}: ${nameOf(project)}</span>
    </label>`;
}

export function columns({ archive, restore, tick, chosen }) {
    const press = (action, title, project) =>
        html`<button
            type="button"
            class="button"
            data-size="small"
            aria-label=${`${title}: ${nameOf(project)}`}
            @click=${() => action(project)}
        >
            ${title}
        </button>`;
    return [
        { name: 'name', title: t('projects.name'), sortable: true, cell: nameCell },
        { name: 'compare', title: t('projects.compare'), cell: (project) => tickBox(project, { tick, chosen }) },
        { name: 'hypothesis', title: t('projects.hypothesis'), cell: ({ hypothesis }) => html`<span dir="auto">${hypothesis ?? '–'}</span>` },
        { name: 'metric_type', title: t('field.metric_type'), cell: ({ metric_type: type }) => t(`metric.${type}`) },
        {
            name: 'duration_days',
            title: t('result.duration'),
            align: 'end',
            sortable: true,
            cell: ({ duration_days: days }) => (days === null ? t('projects.not_sized') : formatUnit(days, 'day')),
        },
        { name: 'updated_at', title: t('projects.updated'), sortable: true, cell: ({ updated_at: at }) => formatDateTime(at) },
        {
            name: 'actions',
            title: t('projects.actions'),
            titleHidden: true,
            align: 'end',
            cell: (project) =>
                project.is_archived ? press(restore, t('projects.restore'), project) : press(archive, t('projects.archive'), project),
        },
    ];
}

export function view({ list, chosen, create, compare }) {
    if (!list) return html``;
    return html`<div class="stack">
        <div class="button-row">
            <button type="button" class="button" data-kind="primary" id="from-template" @click=${create}>${t('projects.from_template')}</button>
            <a class="button" href=${address('/design')}>${t('projects.plan')}</a>
            <button
                type="button"
                class="button"
                id="compare"
                aria-describedby="compare-hint"
                ?disabled=${chosen.length < 2}
                @click=${compare}
            >
                ${t('projects.compare')}
            </button>
            <span class="section-note" id="compare-hint">${t('projects.compare_hint')}</span>
        </div>
        <section class="card section" aria-label=${t('projects.title')}>${list.view()}</section>
    </div>`;
}
