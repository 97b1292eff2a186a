/* When the assistant answers by itself, and what to improve next. The address holds which of them is open. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { formatPercent } from '../../shared/numbers.js';
import { mount } from '../../shared/ui/app.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { addresses, client, isAdmin, showAccount } from '../service.js';
import { sourceOf } from './effects.js';
import { view } from './view.js';

const days = 30;
const defaults = { tab: 'thresholds' };

let app = null;
const update = () => app?.update();

const form = createForm(update, {
    id: 'risk',
    fields: [
        { name: 'risk', kind: 'fraction', label: () => t('trends.risk'), initial: 0.1 },
        { name: 'confidence', kind: 'fraction', label: () => t('trends.confidence'), initial: 0.95 },
    ],
});

const thresholds = createResource(update, async (signal, anew) => {
    const [analysis, choices] = await Promise.all([
        anew
            ? client.post('/api/admin/thresholds/refresh', undefined, { query: { days, ...form.values() }, signal })
            : client.get('/api/admin/thresholds/analysis', { query: { days }, signal }),
        client.get('/api/admin/thresholds/choices', { signal }),
    ]);
    return { analysis: analysis.data, choices: choices.data.choices };
});

const backlog = createResource(update, async (signal) => (await client.get('/api/admin/improvement-backlog/current', { signal })).data);

/* Shows what the address says. */
function follow() {
    const { tab } = readQuery(defaults);
    app.set({ tab: tab === 'backlog' && isAdmin() ? 'backlog' : 'thresholds' });
    if (app.state.tab === 'backlog') backlog.load();
    else thresholds.load(false);
}

function go(tab) {
    writeQuery({ tab }, defaults, { step: true });
    follow();
}

/* Does it, one at a time; what fails is said. */
async function attempt(call) {
    if (app.state.busy) return;
    app.set({ busy: true });
    try {
        await call();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    }
    app.set({ busy: false });
}

/* Shows what is in force now; the field begins anew. */
async function changed({ name }, text) {
    toast(text);
    app.set({ texts: { ...app.state.texts, [name]: undefined } });
    await thresholds.load(false);
}

const sureText = (one, value) =>
    t('trends.adopt_text', { name: t(`trends.${one.name}`), from: percent(inForce(one)), to: percent(value) });
const percent = (value) => formatPercent(value / 100, 3);
const inForce = ({ name, current }) => thresholds.data.choices.find(({ metric }) => metric === name)?.cutoff ?? current;

async function adopt(one, value) {
    if (!(await confirm({ title: t('trends.adopt'), text: sureText(one, value), action: t('trends.adopt'), tone: 'info' }))) return;
    await attempt(async () => {
        const source = sourceOf(one, value);
        await client.post('/api/admin/thresholds/choices', { metric: one.name, source, days, ...(source === 'manual' ? { cutoff: value } : {}) });
        await changed(one, t('trends.adopted_now', { value: percent(value) }));
    });
}

async function back(one) {
    await attempt(async () => {
        await client.delete(`/api/admin/thresholds/choices/${encodeURIComponent(one.name)}`);
        await changed(one, t('trends.went_back', { value: percent(one.current) }));
    });
}

/* An experiment with that value, compared with production on all cases. */
async function tryOut(name, value) {
    await attempt(async () => {
        const experiment = { name: `${t(`trends.${name}`)}: ${percent(value)}`, settings_overrides: { [name]: value } };
        const { data } = await client.post('/api/admin/experiments', experiment);
        const { data: job } = await client.post(`/api/admin/experiments/${encodeURIComponent(data.id)}/regression-run`);
        location.assign(`${addresses.improve}?${new URLSearchParams({ tab: 'runs', run: job.job_id })}`);
    });
}

const actions = {
    tab: go,
    refresh: () => thresholds.load(true),
    type: (name, text) => app.set({ texts: { ...app.state.texts, [name]: text } }),
    tryOut,
    adopt,
    back,
};

app = mount(document.getElementById('page'), view, { tab: 'thresholds', thresholds, backlog, form, texts: {}, busy: false, actions });
showAccount();
onQuery(follow);
follow();
