/* Signs in with a password or at an identity provider, and accepts an invitation. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { currentPerson, knownPerson, rememberPerson } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { nextPath } from './next.js';
import { view } from './view.js';

/** @type {Client<'accounts'>} */
const client = createClient({ service: 'accounts' });
const { invitation, problem } = readQuery({ invitation: '', problem: '' });
const state = { invitation, problem, error: null, busy: false };
let app = null;
const update = () => app?.update();

/* Where a first password has to be replaced, the profile asks for it before anything else. */
function enter(person) {
    rememberPerson(person);
    const next = nextPath();
    location.assign(person.must_change_password ? `/profile?${new URLSearchParams({ change: 'password', next })}` : next);
}

async function submit(form, request) {
    form.clearProblems();
    app.set({ busy: true, error: null, problem: '' });
    try {
        enter((await request()).data.person);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        app.set({ busy: false, error: form.showError(error) ? null : error });
    }
}

state.form = createForm(update, {
    id: 'sign-in',
    fields: [
        { name: 'username', kind: 'text', label: () => t('sign_in.username'), autocomplete: 'username' },
        { name: 'password', kind: 'password', label: () => t('sign_in.password'), autocomplete: 'current-password' },
    ],
    onSubmit: ({ username = '', password = '' }) => submit(state.form, () => client.post('/api/session', { username, password })),
});

state.acceptForm = createForm(update, {
    id: 'accept',
    fields: [
        { name: 'name', kind: 'text', label: () => t('sign_in.name'), autocomplete: 'name', optional: true },
        { name: 'username', kind: 'text', label: () => t('sign_in.username'), autocomplete: 'username' },
        { name: 'password', kind: 'password', label: () => t('sign_in.new_password'), autocomplete: 'new-password' },
    ],
    onSubmit: (values) =>
        submit(state.acceptForm, () =>
            client.post('/api/invitations/accept', { token: invitation, username: '', password: '', ...values }),
        ),
});

/* What else there is: an identity provider, the credentials of a first try. Without an answer the form works. */
state.ways = createResource(update, async (signal) => (await client.get('/api/sign-in', { signal })).data);

/* For whom the invitation is; the form begins with what it says. */
state.invited = createResource(update, async (signal) => (await client.get('/api/invitations/accept', { query: { token: invitation }, signal })).data);

async function look() {
    const invited = await state.invited.load();
    if (invited !== undefined) state.acceptForm.write({ name: invited.name, username: invited.email.split('@')[0] });
}

/* Whoever is still signed in goes on; the question is asked only if the last page knew somebody. */
if (invitation === '' && knownPerson() !== null) {
    const person = await currentPerson();
    if (person !== null) location.replace(nextPath());
}
app = mount(document.getElementById('page'), view, state);
if (invitation === '') {
    document.getElementById('sign-in-username').focus();
    state.ways.load();
} else look();
