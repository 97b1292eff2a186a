/*
 * Plans a test in six steps and saves it as a project; with ?project= in the address, revises one, with ?metric=
 * starts from a metric of the catalog. What has been entered is kept for the tab until it is saved.
 */
import '../../shared/shell.js';
import { onLocale, t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createLive } from '../../shared/ui/live.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { createWizard } from '../../shared/ui/wizard.js';
import { createChooser } from './choose.js';
import { withMetric, withoutGuardrail } from './from_catalog.js';
import { blank, payloadOf, questionOf, valuesOf } from './payload.js';
import { fields, steps } from './steps.js';
import { stepView, view } from './view.js';

/** @type {Client<'experiments'>} */
const client = createClient();
const { project: id, metric } = readQuery({ project: '', metric: '' });
const isNew = id === '';
const analysisMs = 30000;
const base = /** @type {const} */ (`/api/v1/projects/${encodeURIComponent(id)}`);
const state = { isNew, template: '', metric: '', base: /** @type {any} */ (blank), version: '', failure: null, app: null };
const update = () => state.app?.update();

state.form = createForm(update, {
    id: 'plan',
    fields,
    onInput: () => {
        state.wizard.keep();
        state.live.input();
    },
    onSubmit: () => goOn(),
});
if (isNew) state.form.write(valuesOf(blank));

state.live = createLive(update, { client, form: state.form, request: (values) => ({ path: '/api/v1/calculate', body: questionOf(values) }) });

const draft = () => ({ texts: state.form.texts(), template: state.template, metric: state.metric, base: state.base, version: state.version });

function restore({ texts, ...kept }) {
    Object.assign(state, kept);
    state.form.writeTexts(texts);
}

/* The API takes a design without these names: a list needs the one, and events the other. */
const needed = { project: 'project_name', metric: 'primary_metric_name' };
const isNamed = (step) => !(step in needed) || state.form.values()[needed[step]] !== undefined;

/* Enter goes on; what is missing is marked. */
function goOn() {
    const step = state.wizard.current();
    if (isNamed(step)) state.wizard.next();
    else state.form.showError({ items: [{ type: 'missing', loc: [needed[step]] }] });
}

state.wizard = createWizard(update, {
    name: isNew ? 'plan' : `plan.${id}`,
    steps: steps.map((step) => ({
        name: step.name,
        title: () => t(`plan.step_${step.name}`),
        view: () => stepView(step, state),
        ready: () => isNamed(step.name),
    })),
    draft,
    restore,
    finish,
});

/* To the step that the first problem is in. */
function showProblems(error) {
    const about = state.form.showError(error);
    const first = state.form.problems().find(({ name }) => name !== null);
    const step = steps.find(({ fields: inside }) => inside.includes(first?.name));
    if (step) state.wizard.go(step.name);
    return about;
}

/* A design outlives the metric of the catalog that it started from. */
async function save() {
    try {
        return await send(payloadOf(state.form.values(), state.base));
    } catch (error) {
        if (error.code !== 'catalog_metric_unknown') throw error;
        state.base = { ...state.base, metrics: { ...state.base.metrics, catalog_metric: null } };
        return send(payloadOf(state.form.values(), state.base));
    }
}

async function send(payload) {
    if (!isNew) return (await client.put(base, payload, { headers: { 'If-Match': state.version } })).data;
    if (state.template !== '') await client.request('POST', `/api/v1/templates/${encodeURIComponent(state.template)}/use`);
    const saved = (await client.post('/api/v1/projects', payload)).data;
    await size(saved);
    return saved;
}

/* What the review has shown is kept with the project. Without it the page of the plan offers the analysis. */
async function size({ id: made, payload }) {
    try {
        const { data } = await client.post('/api/v1/analyze', payload, { timeoutMs: analysisMs });
        await client.post(`/api/v1/projects/${encodeURIComponent(made)}/analysis`, data);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
    }
}

async function finish() {
    state.failure = null;
    if (state.form.unclear()) {
        state.wizard.go(steps.find(({ sized }) => sized).name);
        return false;
    }
    try {
        const saved = await save();
        location.assign(address(`/projects/${encodeURIComponent(saved.id)}${isNew ? '?planned' : ''}`));
        return true;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!showProblems(error)) state.failure = error;
        return false;
    }
}

function write(payload, patch, kept = {}) {
    Object.assign(state, { base: payload, ...patch });
    state.form.write({ ...valuesOf(payload), ...kept });
    state.live.ask(false);
}

/* The design of the page with another block of metrics. */
function writeMetrics(metrics) {
    write({ ...payloadOf(state.form.values(), state.base), metrics }, {});
    state.wizard.keep();
}

const metricsNow = () => payloadOf(state.form.values(), state.base).metrics;

state.chooser = createChooser(update, {
    client,
    take: (role, answer) => {
        const made = withMetric(metricsNow(), role, answer);
        if (made.metrics) writeMetrics(made.metrics);
        return made.objection ?? null;
    },
    drop: (name) => writeMetrics(withoutGuardrail(metricsNow(), name)),
    guardrails: () => (state.base.metrics.guardrail_metrics ?? []).map(({ name }) => name),
});

/* Overwrites the design, and one press brings it back: without starting from the metric of the address again. */
function replace(title, payload, patch, name) {
    const kept = { ...structuredClone(draft()), metric: metric || state.metric };
    write(payload, patch, { project_name: name });
    state.wizard.keep();
    const undo = () => {
        restore(kept);
        state.wizard.keep();
        state.live.ask(false);
    };
    toast(t('plan.replaced', { name: title }), { tone: 'info', action: { title: t('design.undo'), run: undo } });
}

/* The name stays. */
function start(chosen) {
    const template = state.templates.data.find((one) => one.id === chosen);
    replace(template?.name ?? t('plan.no_template'), template?.payload ?? blank, { template: chosen }, state.form.values().project_name ?? '');
}

/* A draft that started from the metric is left as it is: a reload loses nothing. */
function startFromMetric({ metric: { definition }, defaults }) {
    const payload = { ...blank, metrics: defaults };
    const patch = { template: '', metric };
    if (!state.wizard.hasDraft()) write(payload, patch);
    else if (state.metric !== metric) replace(definition.name, payload, patch, '');
}

function discard() {
    state.wizard.discard();
    location.assign(address(isNew ? '/design' : `/design?project=${encodeURIComponent(id)}`));
}

/* What is needed before anything can be shown: the templates, or the project as it is now. */
state.templates = createResource(update, async (signal) => {
    if (!isNew) {
        const { data } = await client.get(base, { signal });
        if (!state.wizard.hasDraft()) write(data.payload, { version: data.updated_at });
        return [];
    }
    if (metric !== '') {
        const { data } = await client.get(/** @type {const} */ (`/api/v1/metrics/${encodeURIComponent(metric)}`), { signal });
        startFromMetric(data);
    }
    return (await client.get('/api/v1/templates', { signal })).data.templates;
});

async function load() {
    if ((await state.templates.load()) !== undefined) state.live.ask(false);
}

Object.assign(state, { start, discard, load });
state.app = mount(document.getElementById('page'), view, state);
onLocale(() => state.live.ask(false));
load();
