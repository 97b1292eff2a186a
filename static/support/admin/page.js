/* How answers came about: traces, what evaluators say, who did what. The address holds what is open. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { mount, pathParameters } from '../../shared/ui/app.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createList } from '../../shared/ui/list.js';
import { html } from '../../shared/ui/lit.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { sendToReview } from '../review.js';
import { client, isReviewer, showAccount } from '../service.js';
import { actionText, auditActions, auditColumns, evaluators, traceColumns, view } from './view.js';

const auditListed = 500;
const routes = ['auto', 'human', 'agentic', 'error_escalation', 'timeout'];
const defaults = { tab: 'traces', trace: '', evaluator: evaluators[0] };

let app = null;
const update = () => app?.update();

/** @type {GetData<'support'>} */
const get = async (path, options) => (await client.get(path, options)).data;

async function loadTraces(signal, { page, size, search, route }) {
    const query = { limit: size, offset: (page - 1) * size, q: search, route };
    const { traces: rows, total } = await get('/api/admin/traces', { query, signal });
    return { rows, total };
}

async function loadAudit(signal, { page, size, actor, action }) {
    const { entries } = await get('/api/admin/audit', { query: { limit: auditListed, actor, action }, signal });
    return { rows: entries.slice((page - 1) * size, page * size), total: entries.length };
}

const traces = createList(update, {
    load: loadTraces,
    columns: () => traceColumns(openTrace),
    filters: () => [
        { name: 'search', label: t('admin.search'), kind: 'search' },
        { name: 'route', label: t('admin.route'), kind: 'select', options: routes.map((value) => ({ value, title: t(`admin.route_${value}`) })) },
    ],
    key: ({ trace_id: id }) => id,
    caption: () => t('admin.tab_traces'),
    empty: () => ({ title: t('admin.no_traces'), text: t('admin.no_traces_text') }),
});

const audit = createList(update, {
    load: loadAudit,
    columns: auditColumns,
    filters: () => [
        { name: 'actor', label: t('admin.actor'), kind: 'search' },
        { name: 'action', label: t('admin.action'), kind: 'select', options: auditActions.map((value) => ({ value, title: actionText(value) })) },
    ],
    key: ({ id }) => id,
    caption: () => t('admin.tab_audit'),
    prefix: 'audit_',
});

const trace = createResource(update, (signal, id) => get(`/api/admin/traces/${encodeURIComponent(id)}`, { signal }));

/* What an answer needs, for the sentence that says why it went as it did. */
const needed = createResource(update, async (signal) => {
    const { settings } = await get('/api/admin/experiments/settings', { signal });
    return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
});

const providers = createResource(update, (signal) => get('/api/admin/providers', { signal }));

const trends = createResource(update, async (signal, evaluator) => {
    const [trend, worst] = await Promise.all([
        get('/api/admin/evaluations/trends', { query: { evaluator, days: 30 }, signal }),
        get('/api/admin/evaluations/worst', { query: { evaluator, limit: 20 }, signal }),
    ]);
    return { trend, worst };
});

/* The address of one trace, as the API names it, is that of this page with the trace open. */
const { id: named } = pathParameters('/admin/traces/{id}');
if (named !== undefined) history.replaceState(null, '', address(`/static/admin.html?${new URLSearchParams({ trace: named })}`));

/* Shows what the address says. */
function follow() {
    const { tab, trace: opened, evaluator } = readQuery(defaults);
    app.set({ tab: ['traces', 'evaluations', 'models', 'audit'].includes(tab) ? tab : 'traces', opened, evaluator, step: null });
    if (app.state.tab === 'traces' && opened !== '') {
        trace.load(opened);
        if (needed.data === undefined) needed.load();
    } else if (app.state.tab === 'traces') traces.start();
    else if (app.state.tab === 'evaluations') trends.load(evaluator);
    else if (app.state.tab === 'models') providers.load();
    else audit.start();
}

function go(patch) {
    writeQuery({ ...readQuery(defaults), ...patch }, defaults, { step: true });
    follow();
}

function openTrace(id) {
    go({ tab: 'traces', trace: id });
    scrollTo(0, 0);
}

function openStep(order) {
    app.set({ step: order });
    setTimeout(() => {
        const step = /** @type {HTMLDetailsElement} */ (document.getElementById(`step-${order}`));
        step.open = true;
        step.scrollIntoView({ block: 'start' });
        step.querySelector('summary').focus({ preventScroll: true });
    });
}

async function purge() {
    let redraw = () => {};
    const form = createForm(() => redraw(), {
        id: 'purge',
        fields: [{ name: 'older_than_days', kind: 'count', label: () => t('admin.older_than'), affix: () => t('unit.days'), initial: 90, wide: true }],
    });
    const days = await openDialog({
        title: t('admin.purge'),
        tone: 'danger',
        body: (close, draw) => {
            redraw = draw;
            return html`<p>${t('admin.purge_text')}</p>
                ${form.field('older_than_days')}`;
        },
        actions: (close) =>
            html`<button type="button" class="button" @click=${() => close()}>${t('confirm.cancel')}</button>
                <button type="button" class="button" data-kind="danger" @click=${() => close(form.values().older_than_days)}>${t('admin.purge')}</button>`,
    });
    if (days === undefined) return;
    try {
        const { data } = await client.delete('/api/admin/traces', { query: { older_than_days: days } });
        toast(t('admin.purged', { count: data.traces_deleted }));
        traces.reload();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    }
}

/* What fails is said. */
async function review(id) {
    try {
        await sendToReview(client, id);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    }
}

const actions = {
    review: isReviewer() ? review : null,
    tab: (tab) => go({ tab, trace: '' }),
    trace: openTrace,
    step: openStep,
    evaluator: (evaluator) => go({ evaluator }),
    purge,
};

app = mount(document.getElementById('page'), view, {
    tab: 'traces',
    opened: '',
    step: null,
    evaluator: evaluators[0],
    traces,
    trace,
    needed,
    trends,
    providers,
    audit,
    actions,
});
showAccount();
follow();
onQuery(() => follow());
