/* What was spent, by day and by team, key, customer, model or provider; and how models have done lately. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { download } from '../../shared/ui/download.js';
import { ApiError } from '../../shared/ui/errors.js';
import { readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { client, sayError } from '../models.js';
import { view } from './view.js';

const everyMs = 30000;
const dayMs = 86400000;
const defaults = { days: '30', by: 'model', team: '', key: '', model: '', provider: '' };

/** @type {Record<string, string>} */
let choice = readQuery(defaults);

function dayText(ago) {
    return new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
}

/* The query of the report, as the API takes it; tomorrow is today in some time zone. */
function queryOf(groups) {
    const query = new URLSearchParams({ from: dayText(Number(choice.days) - 1), to: dayText(-1), group_by: groups });
    const named = { team: 'team_id', key: 'key_id', model: 'model_id', provider: 'provider' };
    for (const [name, parameter] of Object.entries(named)) if (choice[name] !== '') query.set(parameter, choice[name]);
    return query;
}

async function read(signal, groups, query = queryOf(groups)) {
    return (await client.get('/api/v1/usage', { query: Object.fromEntries(query), signal })).data;
}

let app = null;
const update = () => app?.update();

/* What can be chosen is what was used at all, whatever is chosen now. */
const options = createResource(update, (signal) => {
    const query = new URLSearchParams({ from: dayText(89), to: dayText(-1), group_by: 'team,key,model,provider' });
    return read(signal, '', query);
});
const spend = createResource(update, async (signal) => {
    const [days, rows] = await Promise.all([read(signal, choice.by === 'day' ? 'day' : `day,${choice.by}`), read(signal, choice.by)]);
    return { by: choice.by, days, rows };
});
const analytics = createResource(update, async (signal) => (await client.get('/api/v1/analytics', { signal })).data);

const actions = {
    choose(name, value) {
        choice = { ...choice, [name]: value };
        writeQuery(choice, defaults);
        app.set({ choice });
        spend.load();
    },
    async save() {
        try {
            await download(client, `/api/v1/usage.csv?${queryOf('day,key,team,customer,model,provider')}`, { name: `${t('analytics.title')}.csv` });
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            sayError(error);
        }
    },
    refresh() {
        spend.reload();
        analytics.reload();
    },
};

app = mount(document.getElementById('page'), view, { choice, spend, options, analytics, actions });
options.load();
spend.load().then((data) => data !== undefined && spend.every(everyMs));
analytics.load().then((data) => data !== undefined && analytics.every(everyMs));
