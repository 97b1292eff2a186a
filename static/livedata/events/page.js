/* Events as they are applied: the service's stream, read by fetch so that the key goes along. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { formatTime } from '../../shared/numbers.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createLog } from '../../shared/ui/log.js';
import { readQuery, writeQuery } from '../../shared/ui/query.js';
import { openStream } from '../../shared/ui/stream.js';
import { eventName } from '../words.js';
import { lineOf, view } from './view.js';

const client = createClient();
const defaults = { type: '', entity: '' };
let app = null;
let stream = null;
const log = createLog(() => app?.update(), { limit: 1000 });

function received({ data: event }) {
    app.state.count += 1;
    log.add({ time: formatTime(event.processed_at), level: event.event_type ? eventName(event.event_type) : t('events.other'), text: lineOf(event) });
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
    const filters = { ...app.state.filters, ...patch };
    writeQuery(filters, defaults);
    log.clear();
    app.set({ filters, count: 0 });
    follow();
}

app = mount(document.getElementById('page'), view, {
    log,
    count: 0,
    connection: 'connecting',
    error: null,
    filters: readQuery(defaults),
    actions: { filter, retry: follow },
});
follow();
