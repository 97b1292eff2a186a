/* People: who there is, what each may do, new ones by hand or by an invitation. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { currentPerson } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { createList } from '../../shared/ui/list.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../../experiments/attempt.js';
import { askForInvitation, askForPassword, askForPerson } from './dialogs.js';
import { columns, emptyList, invitationColumns, view } from './view.js';

const size = 25;
/** @type {Client<'accounts'>} */
const client = createClient({ service: 'accounts' });
let app = null;
const update = () => app?.update();

const pathOf = (id) => /** @type {const} */ (`/api/people/${encodeURIComponent(id)}`);

/* The API lists all people; there are seldom more than some hundred, so they are searched here. */
function matches({ username, name, email, groups }, text) {
    const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const all = [username, name, email, ...groups].filter(Boolean).join(' ').toLocaleLowerCase();
    return words.every((word) => all.includes(word));
}

const isShown = ({ is_active: active }, state) => state === '' || (state === 'active') === active;

async function load(signal, { page, q = '', state = '' }) {
    const { people } = (await client.get('/api/people', { signal })).data;
    const found = people.filter((one) => matches(one, q) && isShown(one, state));
    return { rows: found.slice((page - 1) * size, page * size), total: found.length };
}

const actions = {
    async add() {
        if (await askForPerson(client)) people.reload();
    },
    async edit(person) {
        if (!(await askForPerson(client, person))) return;
        people.reload();
        currentPerson({ again: true }); /* one may have changed one's own roles */
    },
    async invite() {
        const invited = await askForInvitation(client);
        if (invited === undefined) return;
        app.set({ invited });
        invitations.reload();
        setTimeout(() => document.getElementById('made')?.focus());
    },
    async password(person) {
        if (await askForPassword(client, person)) toast(t('people.password_set', { name: person.name || person.username }));
    },
    async turn(person) {
        const off = person.is_active;
        const name = person.name || person.username;
        if (off && !(await confirm({ title: t('people.off_title', { name }), text: t('people.off_text'), action: t('people.off') }))) return;
        await attempt(() => client.patch(pathOf(person.id), { is_active: !off }));
        people.reload();
    },
    async withdraw({ id }) {
        await attempt(() => client.delete(`/api/invitations/${encodeURIComponent(id)}`));
        invitations.reload();
    },
};

const people = createList(update, {
    load,
    size,
    sort: 'username',
    sortHere: true,
    key: ({ id }) => id,
    caption: () => t('people.title'),
    columns: () => columns(actions),
    filters: () => [
        { name: 'q', label: t('people.search'), kind: 'search' },
        { name: 'state', label: t('people.state'), kind: 'select', options: ['active', 'off'].map((value) => ({ value, title: t(`people.state_${value}`) })) },
    ],
    empty: emptyList,
});

const invitations = createResource(update, async (signal) => (await client.get('/api/invitations', { signal })).data.invitations);

await currentPerson();
app = mount(document.getElementById('page'), view, { people, invitations, invitationColumns: () => invitationColumns(actions), actions, invited: null });
people.start();
invitations.load();
