/* The inbox: questions that wait for a person, who works on them, and replies to them. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { nameTitle } from '../../shared/title.js';
import { afterPause, mount } from '../../shared/ui/app.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { recall, remember } from '../../shared/ui/session.js';
import { openStream } from '../../shared/ui/stream.js';
import { toast } from '../../shared/ui/toast.js';
import { client, isReviewer, showAccount, showInboxCount } from '../service.js';
import { sendToReview } from '../review.js';
import { view } from './view.js';

const everyMs = 60000; /* beside the stream, which says at once what is new */
const size = 25;
const everything = 'all'; /* in the address, because what is empty is left out */
const defaults = { ticket: '', status: 'waiting', assignee: '', q: '', page: '1' };

let app = null;
const update = () => app?.update();

const list = createResource(update, async (signal, { status, assignee, q, page }) => {
    const query = { status: status === everything ? '' : status, assignee, q, limit: size, offset: (Number(page) - 1) * size };
    return (await client.get('/api/agent/tickets', { query, signal })).data;
});
const ticket = createResource(update, async (signal, id) => (await client.get(`/api/agent/tickets/${encodeURIComponent(id)}`, { signal })).data);
const counts = createResource(update, async (signal) => (await client.get('/api/agent/tickets/counts', { signal })).data);
const team = createResource(update, async (signal) => (await client.get('/api/agent/people', { signal })).data.people);

const form = createForm(update, {
    id: 'respond',
    fields: [{ name: 'response', kind: 'textarea', label: () => t('inbox.response'), rows: 5, maxLength: 5000, wide: true }],
    onSubmit: send,
});

/* What fails at the API is said; the page stays as it is. */
async function attempt(action) {
    try {
        return await action();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!form.showError(error)) toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
        return undefined;
    }
}

async function send({ response }) {
    const id = app.state.opened;
    if (!response) return;
    app.set({ sending: true });
    const sent = await attempt(() => client.post(`/api/agent/tickets/${encodeURIComponent(id)}/respond`, { response }));
    app.set({ sending: false });
    if (!sent) return;
    toast(t('inbox.sent'));
    remember(`reply.${id}`, null);
    form.write();
    ticket.reload();
    reload();
}

async function assign(assignee) {
    const done = await attempt(() => client.post(`/api/agent/tickets/${encodeURIComponent(app.state.opened)}/assign`, { assignee: assignee || null }));
    if (!done) return;
    ticket.reload();
    reload();
}

async function reload() {
    list.reload();
    const data = await counts.reload();
    if (data) showInboxCount(data);
}

/* A reply that is being written is found again after a look at another question. */
function keepDraft() {
    const { opened } = app.state;
    if (opened !== '') remember(`reply.${opened}`, /** @type {HTMLTextAreaElement} */ (document.getElementById('respond-response'))?.value || null);
}

function follow() {
    const values = readQuery(defaults);
    const moved = values.ticket !== app.state.opened;
    app.set({ values, opened: values.ticket });
    list.load(values);
    if (values.ticket === '') nameTitle(null);
    if (values.ticket === '' || !moved) return;
    form.write({ response: recall(`reply.${values.ticket}`) ?? '' });
    ticket.open(values.ticket).then((shown) => {
        nameTitle(shown?.ticket.user_question);
        document.getElementById('ticket-title')?.focus();
    });
}

function go(patch) {
    keepDraft();
    writeQuery({ ...readQuery(defaults), ...patch }, defaults, { step: true });
    follow();
}

const searchLater = afterPause(300, (q) => go({ q, page: '1' }));
const actions = {
    open: (id) => go({ ticket: id }),
    filter: ({ q, ...patch }) => {
        if (q !== undefined && Object.keys(patch).length > 0) go({ q: '', status: defaults.status, assignee: '', page: '1' });
        else if (q === undefined) go({ ...patch, page: '1', ...(patch.status === '' ? { status: everything } : {}) });
        else searchLater(q);
    },
    page: (page) => go({ page: String(page) }),
    draft: (text) => form.write({ response: text }),
    assign,
    review: isReviewer() ? (trace) => attempt(() => sendToReview(client, trace)) : null,
};

app = mount(document.getElementById('page'), view, { list, ticket, counts, team, form, size, opened: '', values: defaults, sending: false, actions });
showAccount();
counts.load();
team.load();
follow();
list.every(everyMs);
onQuery(follow);
addEventListener('pagehide', keepDraft);
openStream({
    client,
    path: '/api/agent/events',
    onMissed: () => list.reload(),
    onEvent({ data }) {
        reload();
        if (data.ticket_id === app.state.opened && !app.state.sending) ticket.reload();
    },
});
