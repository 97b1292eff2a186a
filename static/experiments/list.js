/*
 * The list of experiments, for the pages that show it: state, owner, progress and effect of each, with
 * search, filters and pages; archiving and restoring, comparing, and a new one from a template.
 */
import { t } from '../shared/i18n.js';
import { formatDateTime, formatInteger } from '../shared/numbers.js';
import { address } from '../shared/place.js';
import { badge } from '../shared/ui/badge.js';
import { createClient } from '../shared/ui/client.js';
import { mount } from '../shared/ui/app.js';
import { html } from '../shared/ui/lit.js';
import { createList } from '../shared/ui/list.js';
import { toast } from '../shared/ui/toast.js';
import { attempt } from './attempt.js';
import { actorText } from './audit.js';
import { known, partOf, relative } from './figures.js';
import { headlineText, stateText, stateTone } from './headline.js';
import { writers } from './roles.js';
import { askForTemplate } from './template.js';

const mostCompared = 5;
const metricTypes = ['binary', 'continuous', 'ratio', 'count'];
const states = ['ready', 'collecting', 'not_started', 'decided', 'archived'];
const nameOf = ({ project_name: name }) => name || t('design.nameless');
const pathOf = (id) => /** @type {const} */ (`/api/v1/projects/${encodeURIComponent(id)}`);

const filters = (counts) => [
    { name: 'q', label: t('list.search'), kind: 'search' },
    {
        name: 'state',
        label: t('list.state'),
        kind: 'select',
        any: t('list.active'),
        options: states.map((value) => ({ value, title: counts ? t('list.counted', { name: stateText(value), count: formatInteger(counts[value]) }) : stateText(value) })),
    },
    {
        name: 'metric_type',
        label: t('field.metric_type'),
        kind: 'select',
        options: metricTypes.map((value) => ({ value, title: t(`metric.${value}`) })),
    },
];

/* Archived ones cannot be read, so there is nothing to go to. */
function nameCell(experiment) {
    const { id, state, hypothesis } = experiment;
    const name = nameOf(experiment);
    return html`${state === 'archived'
            ? html`<span data-name dir="auto">${name}</span>`
            : html`<a data-name href=${address(`/live/${encodeURIComponent(id)}`)} dir="auto">${name}</a>`}
        ${hypothesis ? html`<p class="section-note list-hypothesis" dir="auto">${hypothesis}</p>` : null}`;
}

function stateCell({ state, decision, headline }) {
    const note = state === 'decided' ? t(`list.${decision}`) : headline && state !== 'not_started' ? headlineText(headline) : '';
    return html`${badge(stateText(state), stateTone(state))}${note === '' ? null : html`<p class="section-note">${note}</p>`}`;
}

function progressCell({ people, planned }) {
    if (people === 0) return '–';
    if (!known(planned)) return formatInteger(people);
    return html`<progress class="list-progress" max=${planned} value=${Math.min(people, planned)} aria-hidden="true"></progress>
        <p class="section-note">${people >= planned ? t('list.complete', { count: formatInteger(people) }) : t('list.of_plan', { count: formatInteger(people), share: partOf(people / planned) })}</p>`;
}

/* What has not been sized has nothing to compare. */
function tickBox(experiment, { tick, chosen }) {
    const ticked = chosen.includes(experiment.id);
    const possible = experiment.has_analysis_snapshot && experiment.state !== 'archived' && chosen.length < mostCompared;
    return html`<label class="check">
        <input type="checkbox" .checked=${ticked} ?disabled=${!ticked && !possible} @change=${() => tick(experiment)} />
        <span class="visually-hidden">${t('list.compare')}: ${nameOf(experiment)}</span>
    </label>`;
}

function actionsCell(experiment, { archive, restore }) {
    const archived = experiment.state === 'archived';
    const title = t(archived ? 'list.restore' : 'list.archive');
    return html`<div class="button-row list-actions">
        ${archived ? null : html`<a class="button" data-size="small" href=${address(`/projects/${encodeURIComponent(experiment.id)}`)} aria-label=${`${t('list.plan')}: ${nameOf(experiment)}`}>${t('list.plan')}</a>`}
        <button type="button" class="button" data-size="small" data-for=${writers} aria-label=${`${title}: ${nameOf(experiment)}`} @click=${() => (archived ? restore : archive)(experiment)}>
            ${title}
        </button>
    </div>`;
}

function columns(actions) {
    return [
        { name: 'name', title: t('list.experiment'), sortable: true, cell: nameCell },
        { name: 'state', title: t('list.state'), cell: stateCell },
        { name: 'people', title: t('list.progress'), sortable: true, cell: progressCell },
        { name: 'effect', title: t('list.effect'), align: 'end', cell: ({ effect_relative: percent }) => (known(percent) ? relative(percent) : '–') },
        { name: 'owner', title: t('list.owner'), cell: ({ owner }) => html`<span dir="auto">${actorText(owner)}</span>` },
        { name: 'updated_at', title: t('list.updated'), sortable: true, cell: ({ updated_at: at }) => formatDateTime(at) },
        { name: 'compare', title: t('list.compare'), cell: (experiment) => tickBox(experiment, actions) },
        { name: 'actions', title: t('list.actions'), titleHidden: true, align: 'end', cell: (experiment) => actionsCell(experiment, actions) },
    ];
}

function view({ list, chosen, create, compare }) {
    if (!list) return html``;
    return html`<div class="stack">
        <div class="button-row">
            <a class="button" data-kind="primary" data-for=${writers} href=${address('/design')}>${t('list.new')}</a>
            <button type="button" class="button" id="from-template" data-for=${writers} @click=${create}>${t('list.from_template')}</button>
            <button type="button" class="button" id="compare" aria-describedby="compare-hint" ?disabled=${chosen.length < 2} @click=${compare}>
                ${t('list.compare')}
            </button>
            <span class="section-note" id="compare-hint">${t('list.compare_hint')}</span>
        </div>
        <section class="card section" aria-label=${t('list.title')}>${list.view()}</section>
    </div>`;
}

export function startList() {
    /** @type {Client<'experiments'>} */
    const client = createClient();
    const app = mount(document.getElementById('page'), view, { chosen: [], counts: null });

    const list = createList(app.update, {
        columns: () => columns({ archive, restore, tick, chosen: app.state.chosen }),
        filters: () => filters(app.state.counts),
        key: ({ id }) => id,
        caption: () => t('list.title'),
        empty: ({ q, metric_type: type, state }) => (q || type || state ? { title: t('list.none_fits') } : { title: t('list.none'), text: t('list.none_text') }),
        load: async (signal, { page, size, sort, q, metric_type, state }) => {
            const order = sort === '' ? {} : { sort_by: sort.replace(/^-/, ''), sort_dir: sort.startsWith('-') ? 'desc' : 'asc' };
            const query = { q, metric_type, state, ...order, limit: size, offset: (page - 1) * size };
            const { data } = await client.get('/api/v1/experiments', { query, signal });
            app.state.counts = data.counts;
            return { rows: data.experiments, total: data.total };
        },
    });

    /* Ticks stay while pages are turned and while the list is searched. */
    function tick({ id }) {
        const { chosen } = app.state;
        app.set({ chosen: chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id] });
    }

    async function restore(experiment) {
        await attempt(async () => {
            await client.request('POST', `${pathOf(experiment.id)}/restore`);
            toast(t('list.restored', { name: nameOf(experiment) }));
        });
        list.reload();
    }

    async function archive(experiment) {
        await attempt(async () => {
            await client.request('POST', `${pathOf(experiment.id)}/archive`);
            app.set({ chosen: app.state.chosen.filter((one) => one !== experiment.id) });
            toast(t('list.archived_now', { name: nameOf(experiment) }), { action: { title: t('list.restore'), run: () => restore(experiment) } });
        });
        list.reload();
    }

    app.set({
        list,
        compare: () => location.assign(address(`/projects/compare?ids=${app.state.chosen.map(encodeURIComponent).join(',')}`)),
        create: () =>
            attempt(async () => {
                const created = await askForTemplate(client);
                if (created) location.assign(address(`/projects/${encodeURIComponent(created.id)}`));
            }),
    });
    list.start();
}
