/*
 * The customer's page: ask, read the sources, hand over to a person, read the reply. It works for people
 * who are signed in and, where HELP_VISITOR_TENANT allows it, for everybody; alone or in the frame that
 * widget.js puts into another site.
 */
import { t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';
import { recall, remember } from '../../shared/ui/session.js';
import { attempt, beginInField, createChat, scrollDown } from '../chat/chat.js';
import { isEmbedded, tellParent } from './embed.js';
import { view } from './view.js';
import { forget, kept, visits } from './visits.js';

const everyMs = 60000;

/** @type {Client<'support'>} */
const client = createClient({ credentials: 'same-origin' });

let app = null;
const mine = { read: () => (state.who === 'person' ? recall('help') : kept.read()), write: keep };

function keep(value) {
    if (state.who === 'person') remember('help', { session: value.session, messages: [] });
    else if (state.who === 'visitor') kept.write(value);
}

/* Whose page it is: 'person' is signed in, 'visitor' may ask without, 'nobody' has to sign in. */
async function findOut() {
    try {
        state.list = (await client.get('/api/sessions', { query: { mine: true } })).data;
        return 'person';
    } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
    }
    try {
        await client.get('/api/sessions/none/history');
    } catch (error) {
        if (error instanceof ApiError && error.status === 401) return 'nobody';
        if (error instanceof ApiError && error.status !== 404) throw error;
    }
    return 'visitor';
}

async function list() {
    if (state.who === 'visitor') app.set({ list: visits() });
    else if (state.who === 'person') {
        const answer = await client.get('/api/sessions', { query: { mine: true } }).catch(() => null);
        if (answer) app.set({ list: answer.data });
    }
    tellParent('resize', { unread: state.list.reduce((sum, { unread }) => sum + unread, 0) });
}

async function show({ session_id: id }) {
    await attempt(() => conversation.open(id));
    app.set({ listed: false, opened: null });
    setTimeout(scrollDown);
    list();
}

async function remove({ session_id: id }) {
    if (state.who === 'visitor') forget(id);
    else await attempt(() => client.delete(`/api/sessions/${encodeURIComponent(id)}`));
    if (conversation.session === id) common.begin();
    list();
}

const state = { who: 'unknown', error: null, list: /** @type {any[]} */ ([]), listed: false, opened: null, draft: '', embedded: isEmbedded };
const { conversation, actions: common } = createChat({ app: () => app, client, kept: mine, changed: list });
const actions = {
    ...common,
    show,
    remove,
    list: () => app.set({ listed: !state.listed }),
    close_frame: () => tellParent('close'),
    sign_in: address(`/static/login.html?${new URLSearchParams({ next: location.pathname })}`),
    start,
};

async function start() {
    app.set({ error: null });
    try {
        app.set({ who: await findOut() });
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        app.set({ error });
        return;
    }
    if (state.who === 'nobody' && !isEmbedded) {
        location.replace(actions.sign_in);
        return;
    }
    conversation.session = mine.read()?.session ?? null;
    await conversation.refresh();
    await list();
    beginInField();
}

app = mount(document.getElementById('page'), view, Object.assign(state, { conversation, actions }));
document.title = t('help.page_title');
start();
setInterval(() => {
    if (document.visibilityState === 'visible') list();
}, everyMs);
