/* Events: as they are applied, by the service's stream (read by fetch so that the key goes along); and a form to send one. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { formatTime } from '../../shared/numbers.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createLog } from '../../shared/ui/log.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { openStream } from '../../shared/ui/stream.js';
import { eventName } from '../words.js';
import { createSending } from './send.js';
import { followed, isRejected, lineOf, view } from './view.js';

/** @type {Client<'livedata'>} */
const client = createClient();
const defaults = { tab: 'live', type: '', entity: '', domain: '', event: '' };
let app = null;
let stream = null;
const update = () => app?.update();
const log = createLog(update, { limit: 1000 });
const domains = createResource(update, async (signal) => (await client.get('/v1/domains', { signal })).data);
const sending = createSending({ client, update });

/* The stream is of the whole tenant: a domain is chosen here. */
function isWanted({ entity_type: type }) {
    const wanted = app.state.filters.domain;
    const chosen = followed(domains.data?.domains ?? []).find(({ name }) => name === wanted);
    if (chosen === undefined) return true;
    const types = chosen.entities.map(({ name }) => name);
    return types.includes(type) || (type === 'payment' && types.includes('order'));
}

function received({ data: event }) {
    if (!isWanted(event)) return;
    app.state.count += 1;
    log.add({
        time: formatTime(event.processed_at),
        level: event.event_type ? eventName(event.event_type) : t('events.other'),
        tone: isRejected(event) ? 'danger' : 'plain',
        text: lineOf(event),
    });
}

function follow() {
    const { type, entity } = app.state.filters;
    stream?.close();
    const mine = openStream({
        client,
        path: '/v1/stream/events',
        options: { query: { event_type: type, entity_id: entity.trim() } },
        onEvent: (event) => mine === stream && received(event),
        onState: (connection, error = null) => queueMicrotask(() => mine === stream && app.set({ connection, error })),
    });
    stream = mine;
}

function filter(patch) {
    const filters = { ...app.state.filters, ...(patch.domain === undefined ? {} : { type: '' }), ...patch };
    writeQuery(filters, defaults);
    log.clear();
    app.set({ filters, count: 0 });
    follow();
}

/* Shows the tab that the address names. */
function show() {
    const { tab, event } = readQuery(defaults);
    app.set({ tab: tab === 'send' ? 'send' : 'live' });
    if (tab === 'send' && domains.data) sending.choose(domains.data.domains, event);
}

function go(patch) {
    writeQuery({ ...readQuery(defaults), ...patch }, defaults, { step: true });
    show();
}

/* One request to see whether a key is needed: each refusal counts against the reader's address. */
async function start() {
    await domains.load();
    if (domains.error?.kind !== 'unauthorized') follow();
    show();
}

const { tab, event: _, ...filters } = readQuery(defaults);
app = mount(document.getElementById('page'), view, {
    log,
    domains,
    sending,
    tab: tab === 'send' ? 'send' : 'live',
    count: 0,
    connection: 'connecting',
    error: null,
    filters,
    actions: { filter, go, retry: follow, start },
});
onQuery(show);
start();
