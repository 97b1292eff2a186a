/*
 * What every page of the support service shares: the client that signs in by cookie, who is signed
 * in as far as this tab knows, and the way to the sign-in page. No token is kept by scripts: the
 * cookies are out of their reach.
 */
import { onLocale, t } from '../shared/i18n.js';
import { address } from '../shared/place.js';
import { createClient } from '../shared/ui/client.js';
import { icon } from '../shared/ui/icons.js';
import { html, render } from '../shared/ui/lit.js';
import { recall, remember } from '../shared/ui/session.js';

const page = (name) => address(`/static/${name}.html`);

/* Where the pages are that others lead to. */
export const addresses = {
    chat: page('chat'),
    login: page('login'),
    documents: page('documents'),
    admin: page('admin'),
    trends: page('trends'),
};

/* The name and role that the last sign-in of this tab was for; null where another tab did it. */
export function person() {
    return recall('person');
}

/* Whether the reader is known to be one who may only ask. */
export function onlyAsks() {
    return person()?.role === 'viewer';
}

/* Leaves for the sign-in page, which leads back here. */
export function goToSignIn() {
    const here = location.pathname + location.search;
    location.assign(`${addresses.login}?${new URLSearchParams({ next: here })}`);
}

/* A request that meets a 401 ends on the sign-in page, so whoever waits for it waits for ever. */
function leave() {
    goToSignIn();
    return new Promise(() => {});
}

/** @type {Client<'support'>} */
export const client = createClient({ credentials: 'same-origin', renew: leave });

async function signOut() {
    await client.post('/api/auth/logout', {}).catch(() => {});
    remember('person', null);
    remember('chat', null);
    location.assign(addresses.login);
}

/* Puts who is signed in, and the way out, into the header. */
export function showAccount() {
    const place = document.getElementById('site-account');
    const draw = () =>
        render(
            html`<button type="button" class="button account" data-kind="quiet" data-size="small" id="sign-out" @click=${signOut}>
                ${icon('leave')}<span class="account-text"
                    >${person()?.name ? t('account.sign_out_name', { name: person().name }) : t('account.sign_out')}</span
                >
            </button>`,
            place,
        );
    onLocale(draw);
    draw();
}
