/* Alerts: the list, the latest notifications, a form for a new one or a change, and what can be done about one of them. */
import '../../shared/shell.js';
import { hasText, t } from '../../shared/i18n.js';
import { currentPerson, roleIn } from '../../shared/person.js';
import { afterPause, mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { askMetrics, metricName, metricRows, windowName } from '../words.js';
import { view } from './view.js';
import { ruleOf } from './words.js';

const conditions = ['above', 'below', 'change_pct'];
const everyMs = 15000;
const previewAfterMs = 400;
const defaults = { id: '', metric: '', window: '' };
/** @type {Client<'livedata'>} */
const client = createClient();
let app = null;
const update = () => app?.update();
const pathOf = (id) => /** @type {const} */ (`/v1/alerts/${encodeURIComponent(id)}`);

const catalog = createResource(update, async (signal) => (await client.get('/v1/catalog', { signal })).data);
const history = createResource(update, async (signal, id) => (await client.get(`${pathOf(id)}/history`, { signal })).data.history);
const recent = createResource(update, async (signal) => (await client.get('/v1/alerts/history', { signal })).data.history);

/* The alerts, each with the value of its metric now. */
const alerts = createResource(update, async (signal) => {
    const rules = (await client.get('/v1/alerts', { signal })).data.alerts;
    const pairs = [...new Set(rules.map(({ metric, window }) => `${metric}@${window}`))].slice(0, 20).map((pair) => pair.split('@'));
    const results = pairs.length === 0 ? [] : await askMetrics(client, pairs, signal);
    const values = new Map(metricRows(/** @type {any} */ ({ metrics: {} }), results).map((row, index) => [pairs[index].join('@'), row]));
    return rules.map((rule) => ({ ...rule, now: values.get(`${rule.metric}@${rule.window}`) ?? null }));
});

/* What the rule in the form would say now. */
const preview = createResource(update, async (signal, rule) => (await client.post('/v1/alerts/preview', rule, { signal })).data);

const metrics = () => catalog.data?.metrics ?? {};
const windowsOf = (name) => metrics()[name]?.available_windows ?? ['1h'];
const unitOf = (name) => metrics()[name]?.unit ?? '';

/* A threshold is typed in the unit of what it is held against. */
function kindOf({ metric, condition }) {
    if (condition === 'change_pct') return 'percent';
    return unitOf(metric) === 'ratio' ? 'fraction' : 'number';
}

const form = createForm(update, {
    id: 'alert',
    fields: [
        { name: 'metric', kind: 'select', label: () => t('metric.name'), options: () => Object.keys(metrics()).map((value) => ({ value, title: metricName(value) })) },
        {
            name: 'window',
            kind: 'select',
            label: () => t('metric.window'),
            initial: '1h',
            options: ({ metric }) => windowsOf(metric).map((value) => ({ value, title: windowName(value) })),
        },
        {
            name: 'condition',
            kind: 'select',
            label: () => t('alerts.condition'),
            options: () => conditions.map((value) => ({ value, title: t(`alerts.condition_${value}`) })),
        },
        {
            name: 'threshold',
            kind: kindOf,
            label: () => t('alerts.threshold'),
            affix: ({ metric, condition }) => (condition !== 'change_pct' && /^[A-Z]{3}$/.test(unitOf(metric)) ? unitOf(metric) : null),
        },
        { name: 'name', kind: 'text', label: () => t('alerts.name'), optional: true, maxLength: 200, placeholder: (values) => (values.threshold === undefined ? '' : nameFrom(values)), wide: true },
        { name: 'webhook_url', kind: 'url', label: () => t('alerts.receiver'), hint: () => t('alerts.receiver_hint'), optional: true, placeholder: 'https://', wide: true },
        { name: 'cooldown_minutes', kind: 'count', label: () => t('alerts.cooldown'), initial: 30, applies: ({ webhook_url: url }) => Boolean(url) },
    ],
    onInput: () => {
        app.set({ tried: null });
        renewPreview();
    },
    onSubmit: save,
});

/* The rule says its own name where nobody gives it one. */
const nameFrom = (values) => (Number.isFinite(values.threshold) ? ruleOf(values, unitOf(values.metric)) : '');

function ruleFrom(values) {
    return { ...values, name: values.name ?? (nameFrom(values) || '–'), webhook_url: values.webhook_url ?? '' };
}

const renewPreview = afterPause(previewAfterMs, () => {
    const values = form.values();
    if (!Number.isFinite(values.threshold) || form.unclear()) return preview.set(undefined);
    const { metric, window, condition, threshold } = values;
    return preview.load({ name: 'preview', metric, window, condition, threshold });
});

function fail(error) {
    if (!(error instanceof ApiError)) throw error;
    const key = `notice.${error.kind}`;
    app.set({ problem: error.message || t(hasText(key) ? key : 'notice.server') });
}

const reload = () => Promise.all([alerts.reload(), recent.reload()]);

/* Runs `action`, and says what went wrong where it was asked for. */
async function act(action) {
    app.set({ busy: true, problem: null });
    try {
        await action();
        await reload();
    } catch (error) {
        fail(error);
    } finally {
        app.set({ busy: false });
    }
}

/* Runs `action` on what stands in the form; a refusal is shown at its fields. */
async function submit(action) {
    if (form.unclear()) return;
    app.set({ busy: true, refusal: null });
    form.clearProblems();
    try {
        await action();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        app.set({ refusal: form.showError(error) ? null : error });
    } finally {
        app.set({ busy: false });
    }
}

function save(values) {
    const { editing } = app.state;
    return submit(async () => {
        const body = ruleFrom(values);
        if (editing === null) app.set({ made: (await client.post('/v1/alerts', body)).data });
        else {
            await client.request('PUT', pathOf(editing), { body });
            toast(t('alerts.saved'), { tone: 'good' });
        }
        leaveForm();
        await reload();
        document.getElementById(editing === null ? 'made' : 'alert-title')?.focus();
    });
}

const tryForm = () =>
    submit(async () => {
        const { data } = await client.post('/v1/alerts/test', ruleFrom(form.values()), { timeoutMs: 30000 });
        app.set({ tried: data });
    });

function leaveForm() {
    form.write({});
    preview.set(undefined);
    app.set({ editing: null, tried: null, refusal: null });
}

function edit(alert) {
    form.write(alert);
    app.set({ editing: alert.id, made: null, tried: null, refusal: null });
    renewPreview();
    queueMicrotask(() => document.getElementById('new-title')?.focus());
}

function open(id) {
    app.set({ opened: id, problem: null });
    writeQuery({ ...defaults, id }, defaults);
    history.open(id);
    queueMicrotask(() => document.getElementById('alert-title')?.focus());
}

function close() {
    app.set({ opened: null });
    writeQuery(defaults, defaults);
}

async function remove(id) {
    const sure = await confirm({ title: t('alerts.delete_title'), text: t('alerts.delete_text'), action: t('alerts.delete') });
    if (!sure) return;
    await act(() => client.request('DELETE', pathOf(id)));
    if (app.state.editing === id) leaveForm();
    close();
}

app = mount(document.getElementById('page'), view, {
    catalog,
    alerts,
    history,
    recent,
    preview,
    form,
    opened: null,
    editing: null,
    made: null,
    tried: null,
    refusal: null,
    problem: null,
    busy: false,
    mayChange: true,
    actions: {
        open,
        close,
        edit,
        remove,
        tryForm,
        leaveForm,
        unitOf,
        switch: (id, active) => act(() => client.request('PUT', pathOf(id), { body: { active } })),
        try: (id) =>
            act(async () => {
                const { data } = await client.request('POST', `${pathOf(id)}/test`, { timeoutMs: 30000 });
                toast(data.success ? t('alerts.taken') : t('alerts.not_taken', { why: data.status_code ?? data.error ?? '' }), { tone: data.success ? 'good' : 'danger' });
                await history.reload();
            }),
    },
});
async function start() {
    if ((await alerts.load()) === undefined) return;
    await currentPerson();
    app.set({ mayChange: roleIn('data') !== 'viewer' });
    recent.load();
    if ((await catalog.load()) === undefined) return;
    const { id, metric, window } = readQuery(defaults);
    form.write({ ...(metric in metrics() ? { metric, window } : {}) });
    if (id !== '' && alerts.data.some((alert) => alert.id === id)) open(id);
}
start();
for (const resource of [alerts, recent]) resource.every(everyMs);
