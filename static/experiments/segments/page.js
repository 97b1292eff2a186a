/* Segments of users: the list at /segments, each segment at an address of its own. */
import '../../shared/shell.js';
import { onLocale, t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { createList } from '../../shared/ui/list.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { createChange } from '../experiment/flag_change.js';
import { createTargeting } from '../experiment/flag_targeting.js';
import { nameThePage } from '../title.js';
import { askForSegment, askForUsers, pathOf } from './fields.js';
import { columns, filters, view } from './view.js';

/** @type {Client<'experiments'>} */
const client = createClient();
const id = new URLSearchParams(location.search).get('segment');
const app = mount(document.getElementById('page'), view, { id, list: null, segment: null, actions: {} });
const segment = createResource(app.update, async (signal) => (await client.get(pathOf(id), { signal })).data);
const users = createResource(app.update, async (signal) => (await client.get(/** @type {const} */ (`${pathOf(id)}/users`), { signal })).data);

const list = createList(app.update, {
    columns,
    filters,
    key: (row) => row.id,
    caption: () => t('segments.title'),
    empty: ({ q }) => (q ? { title: t('list.none_fits') } : { title: t('segments.none'), text: t('segments.none_text') }),
    load: async (signal, { page, size, q }) => {
        const { data } = await client.get('/api/v1/segments', { query: { q, limit: size, offset: (page - 1) * size }, signal });
        return { rows: data.segments, total: data.total };
    },
});

const rules = createTargeting(app.update, { groups: false, save: () => change.save(rules.sent()) });
const change = createChange(app.update, {
    conflict: 'segment_changed',
    seen: () => segment.data?.segment,
    begin: ({ definition }) => rules.begin({ targeting_rules: definition.rules, targeting_match: definition.match }),
    reload: () => segment.reload(),
    send: async ({ targeting_match: match, targeting_rules: given }, { definition, version }) => {
        const { data } = await client.put(pathOf(id), { ...definition, match, rules: given }, { headers: { 'If-Match': String(version) } });
        segment.set(data);
    },
    explain: rules.explain,
});

function showName() {
    if (segment.data) nameThePage(segment.data.segment.definition.name);
}

async function load() {
    await Promise.all([segment.load(), users.load()]);
    showName();
}

async function add() {
    const made = await askForSegment(client);
    if (made) location.assign(address(`/segments?segment=${encodeURIComponent(made.segment.id)}`));
}

async function rename(before) {
    const made = await askForSegment(client, before);
    if (!made) return;
    segment.set(made);
    showName();
    toast(t('segments.saved'));
}

async function changeList(before, file = null) {
    const made = await askForUsers(client, before, file);
    if (!made) return;
    segment.set({ ...segment.data, segment: made.segment });
    users.reload();
    toast(t('segments.saved'));
}

async function takeFile(before, input) {
    const [file] = input.files;
    if (file) await changeList(before, file);
    input.value = '';
}

async function remove({ id: gone, definition }) {
    if (!(await confirm({ title: t('segments.delete_title', { name: definition.name }), text: t('segments.delete_text'), action: t('segments.delete') }))) return;
    await attempt(async () => {
        await client.delete(pathOf(gone));
        location.assign(address('/segments'));
    });
}

app.set({ list, segment, users, change, rules, actions: { add, rename, changeList, takeFile, remove, load, closeRules: change.close } });
if (id === null) list.start();
else {
    onLocale(showName);
    load();
}
