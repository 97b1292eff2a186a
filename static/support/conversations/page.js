/* All conversations of the tenant: for the team, which searches, reads and deletes them. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createList } from '../../shared/ui/list.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { client, showAccount } from '../service.js';
import { columns, view } from './view.js';

const defaults = { conversation: '' };

let app = null;
const update = () => app?.update();

const list = createList(update, {
    async load(signal, { page, size, q }) {
        const query = { q, limit: size + 1, offset: (page - 1) * size };
        const { data: rows } = await client.get('/api/sessions', { query, signal });
        return { rows: rows.slice(0, size), more: rows.length > size };
    },
    columns: () => columns(open),
    filters: () => [{ name: 'q', label: t('chat.search'), kind: 'search' }],
    key: ({ session_id: id }) => id,
    caption: () => t('conversations.title'),
    empty: ({ q }) => ({ title: t(q ? 'chat.none_found' : 'chat.no_sessions') }),
});

const thread = createResource(update, async (signal, id) => (await client.get(`/api/sessions/${encodeURIComponent(id)}/history`, { signal })).data);

function follow() {
    const { conversation } = readQuery(defaults);
    app.set({ opened: conversation });
    if (conversation === '') list.start();
    else thread.open(conversation);
}

function open(id) {
    writeQuery({ conversation: id }, defaults, { step: true });
    follow();
    scrollTo(0, 0);
}

async function remove() {
    const { opened } = app.state;
    const title = thread.data?.messages[0]?.content.slice(0, 80) ?? opened.slice(0, 8);
    if (!(await confirm({ title: t('chat.delete'), text: t('chat.delete_text', { title }), action: t('chat.delete') }))) return;
    try {
        await client.delete(`/api/sessions/${encodeURIComponent(opened)}`);
        open('');
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    }
}

app = mount(document.getElementById('page'), view, { list, thread, opened: '', actions: { open, remove } });
showAccount();
follow();
onQuery(follow);
