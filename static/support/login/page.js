/* Signing in: name and password become two cookies that scripts cannot read. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createForm } from '../../shared/ui/form.js';
import { readQuery } from '../../shared/ui/query.js';
import { remember, setAccessToken } from '../../shared/ui/session.js';
import { addresses } from '../service.js';
import { view } from './view.js';
import { nextAddress, personOf } from './token.js';

/** @type {Client<'support'>} */
const client = createClient({ credentials: 'same-origin' });
const app = mount(document.getElementById('page'), view, { form: null, busy: false, error: null });

async function signIn({ username = '', password = '' }) {
    app.set({ busy: true, error: null });
    setAccessToken(null);
    try {
        const { data } = await client.post('/api/auth/login', { username, password });
        remember('person', personOf(data.access_token));
        location.assign(nextAddress(readQuery({ next: '' }).next, addresses.chat));
    } catch (error) {
        const named = app.state.form.showError(error);
        app.set({ busy: false, error: named ? null : error });
        setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector('[role="alert"]'))?.focus());
    }
}

app.state.form = createForm(app.update, {
    id: 'sign-in',
    fields: [
        { name: 'username', kind: 'text', label: () => t('login.username'), autocomplete: 'username', wide: true, maxLength: 100 },
        { name: 'password', kind: 'password', label: () => t('login.password'), autocomplete: 'current-password', wide: true, maxLength: 200 },
    ],
    onSubmit: signIn,
});
app.update();
requestAnimationFrame(() => document.getElementById('sign-in-username')?.focus());
