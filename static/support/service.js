/*
 * What every page of the support service shares: the client that signs in by cookie, who is signed
 * in as far as this tab knows, and the way to the sign-in page. No token is kept by scripts: the
 * cookies are out of their reach.
 */
import { onLocale, t } from '../shared/i18n.js';
import { goToSignIn as goToPortalSignIn, roleIn } from '../shared/person.js';
import { address, isUnderPortal } from '../shared/place.js';
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
    improve: page('improve'),
    metrics: page('metrics'),
    conversations: address('/conversations'),
    inbox: address('/agent'),
};

/* The name and role that the last sign-in of this tab was for; null where another tab did it. */
export function person() {
    return recall('person');
}

/* The role of the reader, as far as this tab knows; null for nobody. */
function role() {
    return roleIn('support') ?? person()?.role ?? null;
}

/* Whether the reader is known to be one who may only ask. */
export function onlyAsks() {
    return role() === 'viewer';
}

/* Whether the reader is known to work in the support team. */
export function isAgent() {
    return ['agent', 'reviewer', 'admin'].includes(role());
}

/* Whether the reader is known to judge answers. */
export function isReviewer() {
    return ['reviewer', 'admin'].includes(role());
}

/* Whether the reader is known to look after documents and settings; unknown readers may try. */
export function isAdmin() {
    return role() === null || role() === 'admin';
}

/* Leaves for the sign-in page, which leads back here. */
export function goToSignIn() {
    if (isUnderPortal) {
        goToPortalSignIn();
        return;
    }
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

/* How many questions wait for the team: beside the inbox in the menu. */
export function showInboxCount({ waiting }) {
    const link = document.querySelector(`#site-nav a[href="${addresses.inbox}"]`);
    if (link === null) return;
    const draw = () => render(waiting > 0 ? html`<span class="nav-count" title=${t('inbox.waiting', { count: waiting })}>${waiting}</span>` : null, place);
    const place = link.parentElement.querySelector('.nav-count-place') ?? link.parentElement.appendChild(document.createElement('span'));
    place.className = 'nav-count-place';
    draw();
}

async function countInbox() {
    if (!isAgent()) return;
    const answer = await client.get('/api/agent/tickets/counts').catch(() => null);
    if (answer) showInboxCount(answer.data);
}

/* Puts who is signed in, and the way out, into the header; below the portal the frame does that. */
export function showAccount() {
    countInbox();
    if (isUnderPortal) return;
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
