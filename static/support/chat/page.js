/* Asking: wiring of the conversation, the earlier ones, and the source that is open. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { afterPause, mount } from '../../shared/ui/app.js';
import { confirm } from '../../shared/ui/dialog.js';
import { readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { recall, remember } from '../../shared/ui/session.js';
import { client, onlyAsks, showAccount } from '../service.js';
import { attempt, beginInField, createChat, scrollDown } from './chat.js';
import { view } from './view.js';

const healthEveryMs = 30000;
const sessionsEveryMs = 60000;
const pageSize = 50;

let app = null;
const update = () => app?.update();
const health = createResource(update, async (signal) => (await client.get('/api/health', { signal })).data);

/* One's own: agents find those of others on the page Conversations. */
const sessions = createResource(update, async (signal) => {
    const query = { mine: true, q: state.words, limit: state.size };
    return (await client.get('/api/sessions', { query, signal })).data;
});

const { conversation, actions: common } = createChat({
    app: () => app,
    client,
    kept: { read: () => recall('chat'), write: (value) => remember('chat', value) },
    changed: () => sessions.reload(),
});

const searchLater = afterPause(300, () => sessions.reload());

async function show({ session_id: id }) {
    await attempt(() => conversation.open(id));
    app.set({ opened: null, listed: false });
    setTimeout(scrollDown);
    sessions.reload();
}

async function remove({ session_id: id, title }) {
    const sure = await confirm({ title: t('chat.delete'), text: t('chat.delete_text', { title: title || id.slice(0, 8) }), action: t('chat.delete') });
    if (!sure) return;
    const deleted = await attempt(() => client.delete(`/api/sessions/${encodeURIComponent(id)}`));
    await sessions.reload();
    if (deleted && conversation.session === id) common.begin();
}

const actions = {
    ...common,
    show,
    remove,
    traces: !onlyAsks(),
    list: () => app.set({ listed: !state.listed }),
    search(words) {
        app.set({ words, size: pageSize });
        searchLater();
    },
    more() {
        app.set({ size: state.size + pageSize });
        sessions.reload();
    },
};

const asked = readQuery({ q: '', conversation: '' });
const state = { listed: false, opened: null, draft: asked.q, words: '', size: pageSize, conversation, health, sessions, actions };
app = mount(document.getElementById('page'), view, state);
showAccount();
health.load();
health.every(healthEveryMs);
sessions.load();
sessions.every(sessionsEveryMs);
if (asked.conversation === '') conversation.refresh();
else {
    show({ session_id: asked.conversation });
    writeQuery({ conversation: '' });
}
beginInField();
