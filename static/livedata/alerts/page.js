/* Alerts: the list, a form for a new one, and what can be done about one of them. */
import '../../shared/shell.js';
import { hasText, t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { view } from './view.js';

const conditions = ['above', 'below', 'change_pct'];
/** @type {Client<'livedata'>} */
const client = createClient();
let app = null;
const update = () => app?.update();
const pathOf = (id) => /** @type {const} */ (`/v1/alerts/${encodeURIComponent(id)}`);

const catalog = createResource(update, async (signal) => (await client.get('/v1/catalog', { signal })).data);
const alerts = createResource(update, async (signal) => (await client.get('/v1/alerts', { signal })).data.alerts);
const history = createResource(update, async (signal, id) => (await client.get(`${pathOf(id)}/history`, { signal })).data.history);

const metrics = () => catalog.data?.metrics ?? {};
const windowsOf = (name) => metrics()[name]?.available_windows ?? ['1h'];

const form = createForm(update, {
    id: 'alert',
    fields: [
        { name: 'name', kind: 'text', label: () => t('alerts.name'), maxLength: 200 },
        { name: 'metric', kind: 'select', label: () => t('metric.name'), options: () => Object.keys(metrics()).map((value) => ({ value, title: value })) },
        { name: 'window', kind: 'select', label: () => t('metric.window'), initial: '1h', options: ({ metric }) => windowsOf(metric).map((value) => ({ value, title: value })) },
        {
            name: 'condition',
            kind: 'select',
            label: () => t('alerts.condition'),
            options: () => conditions.map((value) => ({ value, title: t(`alerts.condition_${value}`) })),
        },
        { name: 'threshold', kind: 'number', label: () => t('alerts.threshold') },
        { name: 'cooldown_minutes', kind: 'count', label: () => t('alerts.cooldown'), initial: 30 },
        { name: 'webhook_url', kind: 'url', label: () => t('alerts.receiver'), placeholder: 'https://', wide: true },
    ],
    onSubmit: create,
});

function fail(error) {
    if (!(error instanceof ApiError)) throw error;
    const key = `notice.${error.kind}`;
    app.set({ problem: error.message || t(hasText(key) ? key : 'notice.server') });
}

/* Runs `action`, and says what went wrong where it was asked for. */
async function act(action) {
    app.set({ busy: true, problem: null });
    try {
        await action();
        await alerts.reload();
    } catch (error) {
        fail(error);
    } finally {
        app.set({ busy: false });
    }
}

async function create(values) {
    app.set({ busy: true });
    form.clearProblems();
    try {
        const { data } = await client.post('/v1/alerts', values);
        app.set({ made: data });
        form.write({});
        await alerts.reload();
        document.getElementById('made')?.focus();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        app.set({ refusal: form.showError(error) ? null : error });
    } finally {
        app.set({ busy: false });
    }
}

function open(id) {
    app.set({ opened: id, problem: null });
    history.open(id);
    queueMicrotask(() => document.getElementById('alert-title')?.focus());
}

async function remove(id) {
    const sure = await confirm({ title: t('alerts.delete_title'), text: t('alerts.delete_text'), action: t('alerts.delete') });
    if (!sure) return;
    await act(() => client.request('DELETE', pathOf(id)));
    app.set({ opened: null });
}

app = mount(document.getElementById('page'), view, {
    catalog,
    alerts,
    history,
    form,
    opened: null,
    made: null,
    refusal: null,
    problem: null,
    busy: false,
    actions: {
        open,
        remove,
        close: () => app.set({ opened: null }),
        switch: (id, active) => act(() => client.request('PUT', pathOf(id), { body: { active } })),
        try: (id) =>
            act(async () => {
                const { data } = await client.request('POST', `${pathOf(id)}/test`, { timeoutMs: 30000 });
                toast(data.success ? t('alerts.taken') : t('alerts.not_taken', { why: data.error }), { tone: data.success ? 'good' : 'danger' });
                await history.reload();
            }),
    },
});
alerts.load().then(async (data) => {
    if (data !== undefined && (await catalog.load()) !== undefined) form.write({});
});
