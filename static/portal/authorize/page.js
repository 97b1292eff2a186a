/* A program asks a person to let it in (OAuth 2.1): its request is in the address of the page. */
import '../../shared/shell.js';
import { currentPerson } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { view } from './view.js';

/** @type {Client<'accounts'>} */
const client = createClient({ service: 'accounts' });
let app = null;
const update = () => app?.update();

/* What the standard defines; programs may add members of their own, which mean nothing here. */
const names = ['client_id', 'redirect_uri', 'response_type', 'code_challenge', 'code_challenge_method', 'scope', 'state', 'resource'];
const given = readQuery(Object.fromEntries(names.map((name) => [name, ''])));
const question = { client_id: given.client_id, redirect_uri: given.redirect_uri, ...Object.fromEntries(names.filter((name) => given[name] !== '').map((name) => [name, given[name]])) };
/* Somebody who came here by hand, and no program. */
const isEmpty = given.client_id === '' || given.redirect_uri === '';

const asked = createResource(update, async (signal) => (await client.get('/api/oauth/authorization', { query: question, signal })).data);

/* An address of another scheme opens the program, and the page stays. */
async function decide(allow) {
    app.set({ busy: true, error: null });
    try {
        const { data } = await client.post('/api/oauth/authorization', { ...question, allow, write: allow && app.state.write });
        app.set({ busy: false, done: true });
        location.assign(data.redirect_to);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        app.set({ busy: false, error });
    }
}

const actions = { decide, choose: (write) => app.set({ write }) };

const person = await currentPerson();
app = mount(document.getElementById('page'), view, { person, asked, actions, isEmpty, write: false, busy: false, done: false, error: null });
if (!isEmpty) asked.load();
