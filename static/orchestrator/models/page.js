/* The models, how busy they are and whether they answer; and who may call them: keys, teams, customers. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { formatMilliseconds, formatMoney } from '../../shared/numbers.js';
import { currentPerson, isForPeople, roleIn } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../../experiments/attempt.js';
import { client, loadModels, sayError } from '../models.js';
import { createAccess } from './access.js';
import { askForModel, askForModelKey } from './dialogs.js';
import { view } from './view.js';

const everyMs = 5000;
const defaults = { tab: 'models' };

let app = null;
const update = () => app?.update();
const models = createResource(update, loadModels);

/* How busy models are stands in the details of one component of the readiness. */
const load = createResource(update, async (signal) => {
    const { components } = (await client.get('/api/v1/readiness', { signal })).data;
    return components.find(({ name }) => name === 'execution-router')?.details;
});

async function refresh() {
    try {
        models.set((await client.post('/api/v1/models/refresh', {}, { timeoutMs: 60000 })).data);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        sayError(error);
    }
}

/* What the last trial of a model said, by its id. */
const trials = new Map();

async function test({ id, display_name: name }) {
    trials.set(id, { busy: true });
    update();
    try {
        const trial = (await client.post(`/api/v1/models/${encodeURIComponent(id)}/test`, {}, { timeoutMs: 180000 })).data;
        trials.set(id, trial);
        const took = trial.duration_ms === null ? '' : formatMilliseconds(trial.duration_ms);
        const cost = trial.cost_usd === null ? '' : formatMoney(trial.cost_usd, 'USD', 6);
        if (trial.succeeded) toast(t('models.test_good', { name, details: [took, cost].filter(Boolean).join(' · ') }));
        else toast(t('models.test_bad', { name, message: trial.failure_message ?? trial.failure_code }), { tone: 'danger' });
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        trials.delete(id);
        sayError(error);
    }
    update();
}

/* All processes read the models again within this time. */
const settleMs = 6000;

async function addModel() {
    const added = await askForModel(client);
    if (added === undefined) return;
    toast(t('models.model_added', { name: added.id }));
    setTimeout(() => models.reload(), settleMs);
}

async function changeModelKey(row) {
    if ((await askForModelKey(client, row)) === undefined) return;
    toast(t('models.key_saved', { name: row.display_name }));
    setTimeout(() => models.reload(), settleMs);
}

async function removeModel({ id, display_name: name }) {
    if (!(await confirm({ title: t('models.delete_title', { name }), text: t('models.remove_text'), action: t('models.delete') }))) return;
    if (await attempt(() => client.delete(`/api/v1/models/${encodeURIComponent(id)}`))) setTimeout(() => models.reload(), settleMs);
}

const access = createAccess(update);
let tab = readQuery(defaults).tab;

function open(name) {
    tab = name;
    writeQuery({ tab }, defaults);
    if (tab !== 'models') access.load();
    app.set({ tab });
}

await currentPerson();
const mayManage = !isForPeople() || roleIn('models') === 'admin';
if (!mayManage) tab = 'models';
app = mount(document.getElementById('page'), view, { models, load, trials, access, tab, mayManage, actions: { refresh, test, open, addModel, changeModelKey, removeModel } });
if (tab !== 'models') access.load();
models.load().then((data) => {
    if (data === undefined) return;
    load.load();
    load.every(everyMs);
});
