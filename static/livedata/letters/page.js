/* Dead letters: the list, and what can be done about one of them. */
import '../../shared/shell.js';
import { hasText, t } from '../../shared/i18n.js';
import { currentPerson, roleIn } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createList } from '../../shared/ui/list.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { columns, reasonText, view } from './view.js';

/** @type {Client<'livedata'>} */
const client = createClient();
let app = null;
const update = () => app?.update();
const pathOf = (id) => /** @type {const} */ (`/v1/deadletter/${encodeURIComponent(id)}`);

const stats = createResource(update, async (signal) => (await client.get('/v1/deadletter/stats', { signal })).data);
const letter = createResource(update, async (signal, id) => (await client.get(pathOf(id), { signal })).data);

const list = createList(update, {
    caption: () => t('letters.title'),
    key: ({ event_id: id }) => id,
    columns: () => columns(open),
    marked: ({ event_id: id }) => id === app?.state.opened,
    filters: () => [
        {
            name: 'reason',
            label: t('letters.reason'),
            kind: 'select',
            options: Object.keys(stats.data?.counts ?? {}).map((value) => ({ value, title: reasonText(value) })),
        },
    ],
    empty: () => ({ title: t('letters.none'), text: t('letters.none_text') }),
    load: async (signal, { page, size, reason }) => {
        const { data } = await client.get('/v1/deadletter', { query: { page, page_size: size, reason }, signal });
        return { rows: data.items, total: data.pagination.total };
    },
});

async function open(id) {
    app.set({ opened: id, draft: null, problem: null });
    const data = await letter.open(id);
    if (data === undefined) return;
    app.set({ draft: JSON.stringify(data.payload, null, 2) });
    document.getElementById('letter-title')?.focus();
}

function draftOf() {
    try {
        const payload = JSON.parse(app.state.draft);
        if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload;
    } catch {
        /* said below */
    }
    app.set({ problem: t('letters.no_object') });
    return null;
}

/* Runs `action` on the open letter; what the API says about it stands beside the payload. */
async function act(action, done) {
    app.set({ busy: true, problem: null });
    try {
        await action();
        toast(done);
        app.set({ opened: null });
        list.reload();
        stats.reload();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const key = `notice.${error.kind}`;
        app.set({ problem: error.message || t(hasText(key) ? key : 'notice.server') });
    } finally {
        app.set({ busy: false });
    }
}

function replay() {
    const payload = draftOf();
    if (payload === null) return;
    act(() => client.post(`${pathOf(app.state.opened)}/replay`, { corrected_payload: payload }), t('letters.replayed'));
}

/* Replays the event with some members changed. */
function fix(change) {
    const payload = draftOf();
    if (payload === null) return;
    act(() => client.post(`${pathOf(app.state.opened)}/replay`, { corrected_payload: { ...payload, ...change } }), t('letters.replayed'));
}

async function dismiss() {
    const sure = await confirm({ title: t('letters.dismiss_title'), text: t('letters.dismiss_text'), action: t('letters.dismiss') });
    if (sure) act(() => client.request('POST', `${pathOf(app.state.opened)}/dismiss`), t('letters.dismissed'));
}

app = mount(document.getElementById('page'), view, {
    list,
    letter,
    stats,
    opened: null,
    draft: null,
    problem: null,
    busy: false,
    mayChange: true,
    actions: { replay, fix, dismiss, write: (draft) => app.set({ draft, problem: null }), close: () => app.set({ opened: null }) },
});
list.start().then(async () => {
    stats.load();
    const { id } = readQuery({ id: '' });
    if (id !== '') open(id);
    await currentPerson();
    app.set({ mayChange: roleIn('data') !== 'viewer' });
});
