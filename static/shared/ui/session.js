/*
 * Who the reader is, as far as this tab knows: access tokens live in the tab's session storage and
 * nowhere else. Below the portal all services have one origin, so names begin with the service's prefix
 * there, and tokens of two services never meet.
 */
import { ownPrefix } from '../place.js';

/* Without session storage a token lives as long as the page. */
const memory = new Map();
const listeners = new Set();

/* 'assay.token' on the port of a service, 'assay.support.token' below the portal. */
function keyOf(name, prefix = ownPrefix) {
    return `assay${prefix.replace('/', '.')}.${name}`;
}

function read(key) {
    try {
        return sessionStorage.getItem(key);
    } catch {
        return memory.get(key) ?? null;
    }
}

function write(key, value) {
    if (value === null) memory.delete(key);
    else memory.set(key, value);
    try {
        if (value === null) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, value);
    } catch {
        /* kept in the map above */
    }
}

/* Where the log of a service's database was after the reader's last write, as its answer said; null when none did. What
 * is read later is not older (docs/operate/hosts.md). */
export function dataPosition(prefix = ownPrefix) {
    return read(keyOf('position', prefix));
}

/** @param {string | null} position */
export function keepDataPosition(position, prefix = ownPrefix) {
    if (position !== null && Number(position) > Number(dataPosition(prefix) ?? 0))
        write(keyOf('position', prefix), position);
}

/* The token that requests to a service carry, the page's own by default; null when there is none. */
export function accessToken(prefix = ownPrefix) {
    return read(keyOf('token', prefix));
}

/* Keeps the token for this tab; null forgets it. Tells those who listen. */
export function setAccessToken(token) {
    write(keyOf('token'), token);
    for (const listener of listeners) listener(token);
}

/* Calls `listener` with the token after each change. */
export function onAccessToken(listener) {
    listeners.add(listener);
}

/* What a page wants to find again in this tab, as JSON: drafts, the person signed in. */
export function recall(name, fallback = null) {
    try {
        return JSON.parse(read(keyOf(name))) ?? fallback;
    } catch {
        return fallback;
    }
}

export function remember(name, value) {
    write(keyOf(name), value === null ? null : JSON.stringify(value));
}
