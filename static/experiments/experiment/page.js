/*
 * One experiment, from plan to decision: its state, what to do, and in tabs the figures behind that, the plan, events,
 * reports and history. Statistics
 * are requested again while the page is visible, by the ETag of the last answer, so that nothing is
 * sent where nothing has changed. /projects/{id} opens the same page on its plan.
 */
import '../../shared/shell.js';
import { onLocale, t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { apiAddress, ownPath } from '../../shared/place.js';
import { mount, pathParameters } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { download } from '../../shared/ui/download.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { createPlan } from '../project/plan.js';
import { nameThePage } from '../title.js';
import { createAdaptive } from './adaptive.js';
import { askForAlarm } from './alarms.js';
import { askForBuckets } from './buckets.js';
import { addDimension, removeDimension } from './dimensions.js';
import { createFlag } from './flag.js';
import { createImport } from './import.js';
import { isMeasuring } from './measured.js';
import { editRule } from './metric_rules.js';
import { askForOutcome } from './outcome.js';
import { openShare } from './share.js';
import { view } from './view.js';

const everyMs = 4000;
const courseMs = 60000; /* the course changes by days */
/** @type {Client<'experiments'>} */
const client = createClient();
const planFirst = ownPath().startsWith('/projects/');
const { id } = pathParameters(planFirst ? '/projects/{id}' : '/live/{id}');
const base = /** @type {const} */ (`/api/v1/experiments/${encodeURIComponent(id)}`);
const projectPath = /** @type {const} */ (`/api/v1/projects/${encodeURIComponent(id)}`);
const kept = new Map();

/* The answer to `path`: the one of before where the service says that it still holds. */
/** @type {GetData<'experiments'>} */
async function current(path, { signal }) {
    const last = kept.get(path);
    const answer = await client.get(path, { signal, etag: last?.etag });
    if (answer.notModified) return last.data;
    kept.set(path, answer);
    return answer.data;
}

/* Where a link leads: to the part that it names, or to the plan; null stands for what matters most as things are. */
const partOfAddress = () => new URLSearchParams(location.search).get('part') ?? (planFirst ? 'plan' : location.hash === '#send' ? 'events' : null);
const app = mount(document.getElementById('page'), view, { id, project: null, part: partOfAddress(), snippet: 'curl', sending: 'code', treatment: 1, segment: {}, past: false, wantsPosteriors: false, wantsInteractions: false });
const project = createResource(app.update, async (signal) => (await client.get(projectPath, { signal })).data);
const outcome = createResource(app.update, async (signal) => (await client.get(`${base}/outcome`, { signal })).data);
const course = createResource(app.update, async (signal) => (await client.get(`${base}/course`, { signal })).data);
const slices = createResource(app.update, (signal) => current(/** @type {const} */ (`${base}/slices`), { signal }));
const interactions = createResource(app.update, async (signal) => (await client.get(`${base}/interactions`, { signal })).data);
const posteriors = createResource(app.update, async (signal, past) => (await client.get(`${base}/posteriors`, { query: { past }, signal })).data);
const buckets = createResource(app.update, async (signal) => (await client.get(`${base}/buckets`, { signal })).data);
const certificateKey = createResource(app.update, async (signal) => (await client.get('/api/v1/certificates/key', { signal })).data);
const quality = createResource(app.update, async (signal) => (await client.get(`${base}/quality`, { signal })).data);
const errorRates = createResource(app.update, async (signal) => (await client.get(`${base}/error-rates`, { signal })).data);
const live = createResource(app.update, async (signal) => {
    const [stats, decision] = await Promise.all([current(`${base}/live-stats`, { signal }), current(`${base}/decision`, { signal })]);
    if (stats !== live.data?.stats) reloadPart();
    if (isMeasuring(errorRates.data)) errorRates.load();
    return { stats, decision };
});

/* What one part shows beside the statistics follows them. */
function reloadPart() {
    if (app.state.part === 'segments') slices.load();
    if (app.state.part === 'events') quality.load();
}

function showName() {
    if (!project.data) return;
    nameThePage(project.data.project_name);
    document.getElementById('hypothesis').textContent = project.data.payload.hypothesis.hypothesis_statement || t('experiment.no_hypothesis');
}

/* A design with other rules: what was counted by the old ones is asked for anew. */
function designChanged(data) {
    project.set(data);
    live.reload();
}

const flag = createFlag(app.update, client, base, { design: { project, path: projectPath, changed: designChanged }, api: apiAddress('') });
const adaptive = createAdaptive(app.update, client, base, { inUse: () => live.data?.stats.adaptive, changed: () => live.reload() });
const plan = createPlan(app.update, client, { id, project, send: () => open('events') });

/* What only one part shows is asked for when that part is opened. */
function load(part) {
    if (part === 'plan' || part === 'report') plan.run.reload();
    if (part === 'plan') buckets.load();
    if (part === 'flag') flag.load();
    if (part === 'results') course.load();
    if (part === 'results') errorRates.load();
    if (part === 'report') certificateKey.load();
    if (part === 'history') plan.actions.show(plan.shown);
    reloadPart();
}

function open(part) {
    const url = new URL(location.href);
    url.searchParams.set('part', part);
    url.hash = '';
    history.replaceState(history.state, '', url);
    app.set({ part });
    load(part);
}

async function start() {
    await Promise.all([project.reload().then(showName), live.load(), outcome.load()]);
    course.load();
}

async function decide(decision) {
    const made = await askForOutcome(client, `${base}/outcome`, { decision, arms: project.data.payload.setup.variants_count, headline: live.data.decision.headline });
    if (!made) return;
    outcome.set(made);
    toast(t(`experiment.decided_${decision}`));
}

/* A design whose metric has another name than the events: takes the name of the events. */
async function takeOver(name) {
    const before = project.data;
    const save = async (metrics) => {
        const payload = { ...before.payload, metrics: { ...before.payload.metrics, ...metrics } };
        project.set((await client.put(projectPath, payload)).data);
        await Promise.all([live.reload(), course.reload()]);
    };
    const { primary_metric_name, secondary_metrics } = before.payload.metrics;
    const change = live.data.stats.conversions_total === 0 ? { primary_metric_name: name } : { secondary_metrics: [...secondary_metrics, name] };
    await attempt(async () => {
        await save(change);
        toast(t('experiment.taken_over', { name }), {
            action: { title: t('design.undo'), run: () => attempt(() => save({ primary_metric_name, secondary_metrics })) },
        });
    });
}

/* A design with other dimensions: its segments are counted anew. */
async function saveDesign(payload) {
    const { data } = await client.put(projectPath, payload);
    project.set(data);
    await Promise.all([live.reload(), slices.load()]);
    return data;
}

async function nameDimension() {
    const made = await addDimension({ payload: project.data.payload, people: live.data.stats.exposures_total, save: saveDesign });
    if (made) toast(t('experiment.dimension_added'));
}

async function dropDimension(name) {
    const done = await removeDimension(name, { payload: project.data.payload, save: saveDesign });
    if (done) toast(t('experiment.dimension_removed'));
}

/* The posteriors, with the default prior or the one that past experiments give. */
function prior(past) {
    app.set({ past, wantsPosteriors: true });
    posteriors.open(past);
}

/* On demand: the service goes over the users of this experiment and of those beside it. */
function readInteractions() {
    app.set({ wantsInteractions: true });
    interactions.load();
}

/* The decision has the rates when they are measured. */
const measure = () =>
    attempt(async () => {
        errorRates.set((await client.post(`${base}/error-rates`, {})).data);
    });

/* Whoever asks first takes the look; the upkeep may have been faster. */
const takeLook = () =>
    attempt(async () => {
        const { data } = await client.post(`${base}/looks`, {});
        await live.reload();
        toast(t(data.taken ? 'experiment.looks_taken' : data.settling ? 'experiment.looks_settling' : 'experiment.looks_not_taken'));
    });

/* The bytes as they were signed: a certificate that is written anew is refused. */
const saveFile = (path, name) => attempt(() => download(client, path, { name }));

async function changeRule(name) {
    const saved = await editRule(name, { payload: project.data.payload, people: live.data.stats.exposures_total, save: saveDesign });
    if (saved) toast(t('experiment.rule_saved'));
}

async function chooseBuckets() {
    const made = await askForBuckets(client, `${base}/buckets`, buckets.data.buckets);
    if (!made) return;
    buckets.set(made);
    toast(t('experiment.buckets_chosen'));
}

/* The decision has the alarms. */
async function addAlarm() {
    if (!(await askForAlarm(client, /** @type {const} */ (`${base}/alarms`)))) return;
    await live.reload();
    toast(t('alarm.added'));
}

const removeAlarm = (alarm) =>
    attempt(async () => {
        await client.delete(/** @type {const} */ (`${base}/alarms/${encodeURIComponent(alarm)}`));
        await live.reload();
    });

const report = (format) => attempt(() => download(client, `${base}/report/${format}`, { name: `${id}.${format}` }));

/* For events that were imported or sent wrongly: everything that was collected goes, the plan stays. */
async function clear() {
    const sure = await confirm({
        title: t('experiment.clear_title'),
        text: t('experiment.clear_text'),
        action: t('experiment.clear_action'),
        type: project.data.project_name,
    });
    if (!sure) return;
    await attempt(async () => {
        const { data } = await client.delete(`${base}/events`);
        upload.reset();
        await Promise.all([live.reload(), course.reload()]);
        toast(t('experiment.cleared', { exposures: formatInteger(data.exposures), conversions: formatInteger(data.conversions) }));
    });
}

const upload = createImport(app.update, client, base, {
    done: () => {
        live.reload();
        course.load();
    },
    clear,
});

app.set({
    project,
    live,
    outcome,
    course,
    slices,
    interactions,
    quality,
    posteriors,
    errorRates,
    certificateKey,
    buckets,
    adaptive,
    flag,
    upload,
    plan,
    api: apiAddress(''),
    actions: {
        open,
        decide,
        clear,
        takeOver,
        report,
        share: () => openShare(client, base),
        start,
        snippet: (snippet) => app.set({ snippet }),
        sending: (sending) => app.set({ sending }),
        treatment: (treatment) => app.set({ treatment: Number(treatment) }),
        segment: (chosen) => app.set({ segment: { ...app.state.segment, ...chosen } }),
        prior,
        interactions: readInteractions,
        measure,
        takeLook,
        certificate: () => saveFile(`${base}/certificate`, `certificate-${id}.json`),
        certificateKey: () => saveFile('/api/v1/certificates/key', 'key.json'),
        editRule: changeRule,
        chooseBuckets,
        addDimension: nameDimension,
        removeDimension: dropDimension,
        addAlarm,
        removeAlarm,
    },
});
onLocale(() => {
    showName();
    live.reload();
});
project.load().then(showName);
live.load().then(() => {
    /* Before the first user there is nothing to read but how events get in. What is open stays open when they come. */
    if (app.state.part !== null || !live.data) return;
    const part = live.data.decision.headline === 'not_started' ? 'events' : 'results';
    app.set({ part });
    load(part);
});
outcome.load();
load(app.state.part);
live.every(everyMs);
course.every(courseMs);
