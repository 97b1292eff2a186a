/*
 * Who is signed in at the portal. Name and roles, which are no secret, stay in the local storage, so that the
 * next page shows the right menu at its first paint; whether they still hold is asked once per page. On the
 * services' own ports nobody is signed in this way.
 */
import { isUnderPortal, portalAddress } from './place.js';

const key = 'assay.person';
const listeners = new Set();
let person = stored();
let asked = null;

function stored() {
    try {
        return JSON.parse(localStorage.getItem(key));
    } catch {
        return null;
    }
}

/* Keeps the person for the next page and marks this one; null forgets. */
export function rememberPerson(found) {
    person = found;
    try {
        if (found === null) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(found));
    } catch {
        /* storage forbidden: the menu is right once the session has been read */
    }
    globalThis.assayMarkRoles(found);
    for (const listener of listeners) listener(found);
}

/* A failure other than 401 says nothing about the session: the person of the last page stays. */
async function ask() {
    if (!isUnderPortal) return null;
    try {
        const response = await fetch(portalAddress('/accounts/api/session'), { headers: { Accept: 'application/json' }, cache: 'no-store' });
        if (response.status === 401) rememberPerson(null);
        else if (response.ok) rememberPerson((await response.json()).person);
    } catch {
        return person;
    }
    return person;
}

/**
 * @typedef {{ id: string, username: string, name: string | null, email: string | null, tenant: string,
 *     roles: Record<string, string | null>, is_active: boolean, must_change_password?: boolean }} Person
 */

/** The person signed in; null when there is none. `again` asks anew. @returns {Promise<Person | null>} */
export function currentPerson({ again = false } = {}) {
    if (again) asked = null;
    asked ??= ask();
    return asked;
}

/** What is known without asking. @returns {Person | null} */
export function knownPerson() {
    return person;
}

/* The role in an area (experiments, support, models, data, suite), as far as known; null for none. */
export function roleIn(area) {
    return person?.roles?.[area] ?? null;
}

/* Whether the person has one of the roles, each written as in pages.json: 'support:agent'. */
export function hasRole(...roles) {
    return roles.some((role) => {
        const [area, name] = role.split(':');
        return roleIn(area) === name;
    });
}

/* Calls `listener` with the person after each change. */
export function onPerson(listener) {
    listeners.add(listener);
}

/* Whether the page is for people who are signed in: below the portal those are all that do not say otherwise. */
export function isForPeople() {
    return isUnderPortal && !('public' in document.body.dataset) && document.getElementById('person-menu') !== null;
}

/* Leaves for the page that signs in and leads back here; never resolves. */
export function goToSignIn() {
    const next = location.pathname + location.search;
    location.assign(portalAddress(`/sign-in?${new URLSearchParams({ next })}`));
    return new Promise(() => {});
}

/* Leaves for the page that changes a password that was given, where nothing else answers before, and then leads back. */
export function goToPassword() {
    const next = location.pathname + location.search;
    location.assign(portalAddress(`/profile?${new URLSearchParams({ change: 'password', next })}`));
    return new Promise(() => {});
}

/* What this tab keeps of the person's work. */
function forgetTab() {
    try {
        for (const name of Object.keys(sessionStorage)) if (name.startsWith('assay.')) sessionStorage.removeItem(name);
    } catch {
        /* nothing was kept */
    }
}

/* Ends the session (all of the person's with `everywhere`, personal tokens too with `endTokens`), then shows the
 * sign-in page. */
export async function signOut({ everywhere = false, endTokens = false } = {}) {
    const query = everywhere ? `?everywhere=true&end_tokens=${endTokens}` : '';
    let provider = null;
    try {
        const response = await fetch(portalAddress(`/accounts/api/session${query}`), { method: 'DELETE', headers: { 'Content-Type': 'application/json' } });
        provider = (await response.json().catch(() => ({}))).provider_sign_out ?? null;
    } catch {
        /* without an answer the cookie may live on; the sign-in page says who is signed in */
    }
    forgetTab();
    rememberPerson(null);
    location.assign(provider ?? portalAddress('/sign-in'));
}
