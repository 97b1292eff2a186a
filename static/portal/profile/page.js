/* The person's own page: password, sessions, personal tokens, language and theme. */
import '../../shared/shell.js';
import { currentLocale, onLocale, setLocale, t } from '../../shared/i18n.js';
import { currentPerson, signOut } from '../../shared/person.js';
import { chosenTheme, chooseTheme, onTheme } from '../../shared/theme.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { focusIssued } from '../../shared/ui/issued.js';
import { readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../../experiments/attempt.js';
import { nextPath } from '../sign_in/next.js';
import { askSignOut } from './sign_out.js';
import { view } from './view.js';

/** @type {Client<'accounts'>} */
const client = createClient({ service: 'accounts' });
let app = null;
const update = () => app?.update();
const person = await currentPerson();
const mustChange = readQuery({ change: '' }).change === 'password' || person?.must_change_password === true;

const sessions = createResource(update, async (signal) => (await client.get('/api/sessions', { signal })).data.sessions);
const tokens = createResource(update, async (signal) => (await client.get('/api/tokens', { signal })).data.tokens);

const programs = createResource(update, async (signal) => (await client.get('/api/oauth/grants', { signal })).data.grants);

async function submit(form, request, done) {
    app.set({ busy: true, problem: null });
    form.clearProblems();
    try {
        done((await request()).data);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!form.showError(error)) app.set({ problem: { form, error } });
    } finally {
        app.set({ busy: false });
    }
}

const passwordForm = createForm(update, {
    id: 'password',
    fields: [
        { name: 'current', kind: 'password', label: () => t('profile.current'), autocomplete: 'current-password' },
        { name: 'new', kind: 'password', label: () => t('profile.new'), autocomplete: 'new-password' },
        { name: 'end_tokens', kind: 'flag', label: () => t('profile.end_tokens'), hint: () => t('profile.end_tokens_hint'), applies: hasTokens },
    ],
    onSubmit: ({ current = '', new: chosen = '', end_tokens: ends = false }) =>
        submit(passwordForm, () => client.put('/api/password', { current, new: chosen, end_tokens: ends || !hasTokens() }), passwordChanged),
});
passwordForm.write({ end_tokens: true });

/* Without tokens there is nothing to ask. */
function hasTokens() {
    return (tokens.data ?? []).length > 0;
}

/* Whoever had to change it first goes on to the page that was asked for. */
function passwordChanged() {
    passwordForm.write({ end_tokens: true });
    toast(t('profile.changed'));
    showLists();
    if (!mustChange) return;
    const next = readQuery({ next: '' }).next;
    if (next !== '') location.assign(nextPath());
    writeQuery({ change: '', next: '' });
    app.set({ mustChange: false });
}

/* Nothing but the password is answered while it has to be changed. */
async function showLists() {
    app.set({ person: await currentPerson({ again: true }) });
    sessions.reload();
    tokens.reload();
    programs.reload();
}

const tokenForm = createForm(update, {
    id: 'token',
    fields: [
        { name: 'name', kind: 'text', label: () => t('profile.token_name'), placeholder: 'CI', maxLength: 100 },
        {
            name: 'expires_in_days',
            kind: 'select',
            initial: 90,
            label: () => t('profile.token_expiry'),
            options: () => [30, 90, 365, ''].map((days) => ({ value: days, title: days === '' ? t('profile.token_forever') : t('profile.days', { count: days }) })),
        },
        { name: 'read_only', kind: 'flag', label: () => t('profile.token_read_only') },
    ],
    onSubmit: (values) =>
        submit(tokenForm, () => client.post('/api/tokens', { name: '', ...values }), (made) => {
            app.set({ made });
            tokenForm.write({});
            tokens.reload();
            focusIssued();
        }),
});

const actions = {
    async end({ id, is_current: isCurrent }) {
        if (isCurrent) return signOut();
        await attempt(() => client.delete(`/api/sessions/${encodeURIComponent(id)}`));
        return sessions.reload();
    },
    async everywhere() {
        const answer = await askSignOut({ hasTokens: hasTokens() });
        if (answer !== undefined) await signOut({ everywhere: true, endTokens: answer.endTokens });
    },
    async revoke({ id, name }) {
        const sure = await confirm({ title: t('profile.revoke_title', { name }), text: t('profile.revoke_text'), action: t('profile.revoke') });
        if (!sure) return;
        await attempt(() => client.delete(`/api/tokens/${encodeURIComponent(id)}`));
        tokens.reload();
    },
    async endProgram({ id, client_name: name }) {
        const sure = await confirm({ title: t('profile.revoke_title', { name }), text: t('profile.program_end_text'), action: t('profile.revoke') });
        if (!sure) return;
        await attempt(() => client.delete(`/api/oauth/grants/${encodeURIComponent(id)}`));
        programs.reload();
    },
    language: setLocale,
    theme: chooseTheme,
};

app = mount(document.getElementById('page'), view, {
    person,
    sessions,
    tokens,
    programs,
    passwordForm,
    tokenForm,
    actions,
    mustChange,
    language: currentLocale,
    chosenTheme,
    made: null,
    problem: null,
    busy: false,
});
onTheme(update);
onLocale(update);
if (!person?.must_change_password) {
    sessions.load();
    tokens.load();
    programs.load();
}
if (mustChange) document.getElementById('password-current').focus();
