/* The operator desk: tickets that people have to answer, newest first. */
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

const everyMs = 30000;
const defaults = { ticket: '', status: 'open' };
const everything = 'all'; /* in the address, because what is empty is left out */

let app = null;
const update = () => app?.update();

const list = createResource(update, async (signal, status) => {
    const { data } = await client.get('/api/agent/tickets', { query: { status }, signal });
    return data.tickets;
});
const ticket = createResource(update, async (signal, id) => (await client.get(`/api/agent/tickets/${encodeURIComponent(id)}`, { signal })).data);

const form = createForm(update, {
    id: 'respond',
    fields: [{ name: 'response', kind: 'textarea', label: () => t('desk.response'), rows: 5, maxLength: 5000, wide: true }],
    onSubmit: send,
});

async function send({ response }) {
    if (!response) return;
    app.set({ sending: true });
    try {
        await client.post(`/api/agent/tickets/${encodeURIComponent(app.state.opened)}/respond`, { response });
        toast(t('desk.sent'));
        form.write();
        ticket.reload();
        list.reload();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!form.showError(error)) toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    } finally {
        app.set({ sending: false });
    }
}

function follow() {
    const { ticket: opened, status } = readQuery(defaults);
    const wanted = status === everything ? '' : status;
    const moved = opened !== app.state.opened;
    app.set({ opened, status: wanted });
    list.load(wanted);
    if (opened === '' || !moved) return;
    form.write();
    ticket.open(opened).then(() => document.getElementById('ticket-title')?.focus());
}

function go(patch) {
    writeQuery({ ...readQuery(defaults), ...patch }, defaults, { step: true });
    follow();
}

const actions = {
    open: (id) => go({ ticket: id }),
    status: (status) => go({ status: status || everything }),
    draft: (text) => form.write({ response: text }),
};

app = mount(document.getElementById('page'), view, { list, ticket, form, opened: '', status: 'open', sending: false, actions });
showAccount();
follow();
list.every(everyMs);
onQuery(follow);
