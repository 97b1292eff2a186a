/* What customers ask and how answers are doing, fetched again while somebody looks. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { ApiError } from '../../shared/ui/errors.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { writeArticle } from '../article.js';
import { reviewAddress } from '../review.js';
import { client, showAccount } from '../service.js';
import { view } from './view.js';

const everyMs = 30000;
const periods = ['7', '30', '90'];
const defaults = { days: '30' };
const shown = 6;

let app = null;

function daysOf() {
    const { days } = readQuery(defaults);
    return periods.includes(days) ? days : defaults.days;
}

const update = () => app?.update();
const get = async (path, options) => (await client.get(path, options)).data;

const snapshot = createResource(update, (signal) => get('/api/metrics', { signal }));
const series = createResource(update, (signal) => get('/api/analytics/series', { query: { days: daysOf(), offset_minutes: -new Date().getTimezoneOffset() }, signal }));
const topics = createResource(update, (signal) => get('/api/analytics/top-topics', { query: { days: daysOf() }, signal }));
const questions = createResource(update, (signal) => get('/api/analytics/questions', { query: { days: daysOf(), limit: shown }, signal }));

/* Opens the case of an answer. */
async function review(trace) {
    try {
        location.assign(await reviewAddress(client, trace));
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    }
}

async function write(question) {
    if (await writeArticle(client, question)) questions.reload();
}

/* What belongs to the period that the address says. */
function follow() {
    app.set({ days: daysOf() });
    for (const resource of [series, topics, questions]) resource.load();
}

function period(days) {
    writeQuery({ days }, defaults, { step: true });
    follow();
}

const actions = { write, review, period };
app = mount(document.getElementById('page'), view, { snapshot, series, topics, questions, periods, days: defaults.days, actions });
showAccount();
snapshot.every(everyMs);
snapshot.load();
follow();
onQuery(follow);
