/* Where thresholds should lie, and what to improve next. The address holds which of them is open. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { client, showAccount } from '../service.js';
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
    app.set({ tab: tab === 'backlog' ? 'backlog' : 'thresholds' });
    if (app.state.tab === 'backlog') backlog.load();
    else thresholds.load(false);
}

function go(tab) {
    writeQuery({ tab }, defaults, { step: true });
    follow();
}

/* Does it, says so, and shows what is in force now. */
async function change(call) {
    try {
        await call();
        toast(t('trends.done'));
        thresholds.load(false);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    }
}

const actions = {
    tab: go,
    refresh: () => thresholds.load(true),
    choose: (metric, source) => change(() => client.post('/api/admin/thresholds/choices', { metric, source, days })),
    unchoose: (metric) => change(() => client.delete(`/api/admin/thresholds/choices/${encodeURIComponent(metric)}`)),
};

app = mount(document.getElementById('page'), view, { tab: 'thresholds', thresholds, backlog, form, actions });
showAccount();
onQuery(follow);
follow();
