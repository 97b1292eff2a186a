/* Quality: cases to judge, curated data, regression runs, experiments, what to do next. The address holds what is open. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { afterPause, mount } from '../../shared/ui/app.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createList } from '../../shared/ui/list.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { client, isAdmin, showAccount } from '../service.js';
import { draftOf, overridesOf } from './settings.js';
import { notesOf } from './expectations.js';
import { evaluatorName } from './evaluators.js';
import { isGoing } from './runs.js';
import { sameQuestion } from './queue.js';
import { curatedColumns, forAdmins, view } from './view.js';

const runsEveryMs = 2000;
const splitsEveryMs = 5000;
const rebuildEveryMs = 500;
const listed = 100;
const panels = ['queue', 'evaluators', 'curated', 'runs', 'experiments', 'next'];
const casesShown = 25;
const drawnAtOnce = 20;
const defaults = { tab: 'queue', case: '', run: '', experiment: '', status: 'pending', reason: '', drawn: '', order: '', q: '', page: '1' };

let app = null;
const update = () => app?.update();

const queue = createResource(update, async (signal, { status, reason, drawn, order, q, page }) => {
    const query = { status, reason: reason || '*', drawn: drawn === 'true', order: /** @type {'newest' | 'unsure'} */ (order === 'newest' ? 'newest' : 'unsure'), q, limit: casesShown + 1, offset: (Number(page) - 1) * casesShown };
    const { items } = (await client.get('/api/admin/review-queue', { query, signal })).data;
    return { items: sameQuestion(items.slice(0, casesShown)).flat(), more: items.length > casesShown, size: casesShown };
});
const single = createResource(update, async (signal, id) => (await client.get(`/api/admin/review-queue/${encodeURIComponent(id)}`, { signal })).data);
const stats = createResource(update, async (signal) => (await client.get('/api/admin/curated-dataset/stats', { signal })).data);
const evaluators = createResource(update, async (signal) => (await client.get('/api/admin/evaluators', { signal })).data);
let curatedRows = [];
const curated = createList(update, {
    async load(signal, { page, size, q }) {
        const { items: rows, total } = (await client.get('/api/admin/curated-dataset/cases', { query: { q, limit: size, offset: (page - 1) * size }, signal })).data;
        curatedRows = rows;
        return { rows, total };
    },
    columns: () => curatedColumns(curatedRows),
    filters: () => [{ name: 'q', label: t('documents.search'), kind: 'search' }],
    key: (row) => row.case_id,
    caption: () => t('improve.tab_curated'),
    prefix: 'cases_',
    empty: ({ q }) => (q ? { title: t('chat.none_found') } : { title: t('improve.no_curated'), text: t('improve.no_curated_text') }),
});
/* A run that is open is followed to its end with the list. */
const runs = createResource(update, async (signal) => {
    const { runs: rows } = (await client.get('/api/admin/regression-runs', { query: { limit: listed }, signal })).data;
    if (run.data !== undefined && isGoing(run.data)) run.reload();
    return rows;
});
const run = createResource(update, async (signal, id) => (await client.get(`/api/admin/regression-runs/${encodeURIComponent(id)}`, { signal })).data);
const experiments = createResource(update, async (signal) => (await client.get('/api/admin/experiments', { signal })).data);
const experiment = createResource(update, async (signal, id) => (await client.get(`/api/admin/experiments/${encodeURIComponent(id)}`, { signal })).data);
const splits = createResource(update, async (signal, id) => (await client.get(`/api/admin/experiments/${encodeURIComponent(id)}/splits`, { signal })).data.splits);
const settings = createResource(update, async (signal) => (await client.get('/api/admin/experiments/settings', { signal })).data.settings);
const recommendations = createResource(update, async (signal) => {
    const [next, analysis] = await Promise.all([
        client.get('/api/admin/recommendations/current', { signal }),
        client.get('/api/admin/thresholds/analysis', { query: { days: 30 }, signal }),
    ]);
    return { ...next.data, analysis: analysis.data };
});
const stale = createResource(update, async (signal) => {
    const [{ data }, cases] = await Promise.all([
        client.get('/api/admin/curated-dataset/stale', { signal }),
        client.get('/api/admin/curated-dataset/cases', { query: { limit: 500 }, signal }),
    ]);
    const questions = Object.fromEntries(cases.data.items.map((one) => [one.case_id, one.query]));
    return { items: data.items.map((row) => ({ ...row, question: questions[row.case_id] ?? null })) };
});
const changed = createResource(update, async (signal) => (await client.get('/api/admin/citations/changed', { query: { limit: listed }, signal })).data);

const notes = createForm(update, {
    id: 'judge',
    fields: [
        { name: 'must', kind: 'textarea', label: () => t('improve.must'), hint: () => t('improve.one_a_line'), rows: 2, maxLength: 2000, wide: true, optional: true },
        { name: 'must_not', kind: 'textarea', label: () => t('improve.must_not'), hint: () => t('improve.one_a_line'), rows: 2, maxLength: 2000, wide: true, optional: true },
        { name: 'notes', kind: 'textarea', label: () => t('improve.notes'), rows: 2, maxLength: 900, wide: true, optional: true },
    ],
    onSubmit: () => {},
});
const draft = createForm(update, {
    id: 'draft',
    fields: [
        { name: 'name', kind: 'text', label: () => t('improve.name'), required: true },
    ],
    onSubmit: makeDraft,
});
const share = createForm(update, {
    id: 'share',
    fields: [
        { name: 'tenant_id', kind: 'text', label: () => t('improve.tenant'), initial: 'default' },
        { name: 'rollout_percentage', kind: 'count', label: () => t('improve.percentage'), initial: 10 },
    ],
    onSubmit: giveShare,
});

/* Does it and says so; errors are reported, and nothing else happens. */
async function attempt(call, said = (_answer) => t('improve.done')) {
    try {
        toast(said(await call()));
        return true;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
        return false;
    }
}

async function makeDraft({ name }) {
    const { overrides } = app.state;
    const { values, wrong } = overridesOf(overrides, settings.data ?? []);
    app.set({ wrong });
    if (wrong.length > 0) {
        document.getElementById(`set-${wrong[0]}`)?.focus();
        return;
    }
    await attempt(async () => {
        const { data } = await client.post('/api/admin/experiments', { name, settings_overrides: values });
        draft.write();
        app.set({ overrides: [] });
        experiments.reload();
        go({ experiment: data.id });
    });
}

const setting = {
    add: (name) => app.set({ overrides: [...app.state.overrides, draftOf(name, settings.data)] }),
    remove: (name) => app.set({ overrides: app.state.overrides.filter((one) => one.name !== name) }),
    type: (name, text) => app.set({ overrides: app.state.overrides.map((one) => (one.name === name ? { name, text } : one)), wrong: [] }),
};

async function giveShare(values) {
    if (await attempt(() => client.post(`/api/admin/experiments/${encodeURIComponent(app.state.experiment_id)}/assignments`, values))) splits.reload();
}

async function seen(trace) {
    if (await attempt(() => client.post(`/api/admin/citations/changed/${encodeURIComponent(trace)}/review`))) changed.reload();
}

async function judge(status) {
    const { opened } = app.state;
    if (opened === '' || single.data === undefined || app.state.busy) return; /* nothing is judged that is not in sight */
    const rows = queue.data?.items ?? [];
    const at = rows.findIndex(({ id }) => String(id) === opened);
    const following = rows[at + 1] ?? rows[at - 1];
    app.set({ busy: true });
    const body = { status, reviewer_notes: notesOf(notes.values()) };
    const done = await attempt(() => client.post(`/api/admin/review-queue/${encodeURIComponent(opened)}`, body));
    app.set({ busy: false });
    if (!done) return;
    await queue.reload();
    go({ case: following ? String(following.id) : '' });
}

/* Adds answers to the queue: drawn at random only, or also those of which the evaluators are least sure. */
async function chooseCases(atRandomOnly) {
    app.set({ busy: true });
    await attempt(
        () => client.post('/api/admin/review-queue/choose', atRandomOnly ? { unsure: 0, random: drawnAtOnce } : {}),
        ({ data: { drawn, unsure } }) => (drawn + unsure === 0 ? t('improve.none_chosen') : t('improve.were_chosen', { count: drawn + unsure, drawn })),
    );
    app.set({ busy: false });
    follow();
}

async function switchEvaluator({ name, active }) {
    const title = evaluatorName(name);
    if (active && !(await confirm({ title: t('improve.switch_off_title', { name: title }), text: t('improve.switch_off_text'), action: t('improve.switch_off') }))) return;
    app.set({ busy: true });
    await attempt(() => client.put(`/api/admin/evaluators/${encodeURIComponent(name)}`, { active: !active }));
    app.set({ busy: false });
    evaluators.reload();
}

function step(by) {
    const rows = queue.data?.items ?? [];
    const at = rows.findIndex(({ id }) => String(id) === app.state.opened);
    const row = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (row) go({ case: String(row.id) });
}

/* The experiment of a run becomes the default; it is open afterwards, with the way back. */
async function adopt(id) {
    if (await change(id, 'deploy', true)) go({ tab: 'experiments', experiment: id, page: '1' });
}

/** @param {'regression-run' | 'stage' | 'deploy' | 'archive' | 'rollback'} action */
async function change(id, action, asks) {
    if (asks && !(await confirm({ title: t(`improve.${action}`), text: t(`improve.${action}_text`), action: t(`improve.${action}`) }))) return false;
    if (!(await attempt(() => client.post(`/api/admin/experiments/${encodeURIComponent(id)}/${action}`)))) return false;
    experiments.reload();
    experiment.reload();
    splits.reload();
    if (action === 'regression-run') go({ tab: 'runs' });
    return true;
}

/* Makes cases of all verdicts, and shows what became of them when that is done, however long it takes. */
async function rebuild() {
    app.set({ busy: true, rebuilt: null });
    await attempt(async () => {
        const { job_id: id } = (await client.post('/api/admin/curated-dataset/rebuild', undefined, { query: { include_bad: true } })).data;
        for (;;) {
            const { data: job } = await client.get(`/api/admin/curated-dataset/jobs/${encodeURIComponent(id)}`);
            if (job.status === 'completed') {
                app.set({ rebuilt: job });
                return;
            }
            if (job.status === 'failed') throw new ApiError('server', job.error);
            await new Promise((resolve) => setTimeout(resolve, rebuildEveryMs));
        }
    });
    app.set({ busy: false });
    stats.reload();
    curated.reload();
}

/* Shows what the address says. */
function follow() {
    const asked = readQuery(defaults);
    const tab = panels.includes(asked.tab) && (isAdmin() || !forAdmins.includes(asked.tab)) ? asked.tab : defaults.tab;
    const moved = asked.case !== app.state.opened;
    app.set({ tab, opened: asked.case, run_id: asked.run, experiment_id: asked.experiment, status: asked.status, reason: asked.reason, drawn: asked.drawn, order: asked.order, words: asked.q, page: asked.page });
    runs.stop();
    splits.stop();
    if (tab === 'queue') {
        queue.load(asked);
        if (asked.case !== '' && (moved || asked.case !== String(single.data?.item.id))) {
            notes.write();
            single.open(asked.case);
        }
    }
    if (tab === 'evaluators') evaluators.load();
    if (tab === 'curated') {
        stats.load();
        curated.start();
    }
    if (tab === 'runs') {
        runs.load();
        runs.every(runsEveryMs);
        experiments.load();
        if (asked.run !== '') run.open(asked.run);
    }
    if (tab === 'experiments') {
        experiments.load();
        if (settings.data === undefined) settings.load();
        if (asked.experiment !== '') {
            experiment.open(asked.experiment);
            splits.open(asked.experiment);
            splits.every(splitsEveryMs);
        }
    }
    if (tab === 'next') for (const list of [recommendations, stale, changed]) list.load();
}

function go(patch) {
    writeQuery({ ...readQuery(defaults), ...patch }, defaults, { step: true });
    follow();
}

const keys = {
    j: () => step(1),
    k: () => step(-1),
    g: () => judge('confirmed_good'),
    b: () => judge('confirmed_bad'),
    d: () => judge('dismissed'),
};

function pressed(event) {
    const writes = event.target.closest?.('input, textarea, select, [contenteditable], dialog');
    if (app.state.tab !== 'queue' || writes || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
}

const searchLater = afterPause(300, (q) => go({ q, case: '', page: '1' }));
const actions = { go, search: searchLater, choose: chooseCases, switchEvaluator, judge, step, change, adopt, rebuild, seen, setting };
const resources = { settings, evaluators, queue, single, stats, curated, runs, run, experiments, experiment, splits, recommendations, stale, changed };
app = mount(document.getElementById('page'), view, {
    ...resources,
    notes,
    draft,
    share,
    tab: 'queue',
    opened: '',
    run_id: '',
    experiment_id: '',
    status: 'pending',
    reason: '',
    drawn: '',
    order: '',
    words: '',
    page: '1',
    overrides: [],
    wrong: [],
    busy: false,
    rebuilt: null,
    actions,
});
document.addEventListener('keydown', pressed);
showAccount();
follow();
onQuery(follow);
