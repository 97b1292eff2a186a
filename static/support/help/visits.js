/*
 * The conversations of a visitor without an account. Their ids, which nobody can guess, are his right to
 * them, so they stay in this browser. Someone who signs in has his conversations at the service instead.
 */

const name = 'assay.help';
const most = 20;

let memory = null; /* where storage is forbidden, a visit lasts as long as the page */

function read() {
    try {
        return JSON.parse(localStorage.getItem(name) ?? 'null') ?? memory ?? {};
    } catch {
        return memory ?? {};
    }
}

function write(value) {
    memory = value;
    try {
        localStorage.setItem(name, JSON.stringify(value));
    } catch {
        /* kept in `memory` */
    }
}

/* What the page shows again after a reload: the id only, the service has the rest. */
export const kept = {
    read: () => ({ session: read().current ?? null, messages: [] }),
    write({ session, messages }) {
        const visits = read();
        const others = (visits.list ?? []).filter(({ session_id: id }) => id !== session);
        const title = messages.find(({ role }) => role === 'user')?.text.slice(0, 80);
        const now = new Date().toISOString();
        const known = session !== null && messages.length > 0;
        write({ current: session, list: known ? [{ session_id: session, title, last_access: now }, ...others].slice(0, most) : (visits.list ?? []) });
    },
};

/* Newest first, in the form of the API. */
export function visits() {
    return (read().list ?? []).map((one) => ({ ...one, unread: 0 }));
}

export function forget(session) {
    const { list = [], current = null } = read();
    write({ current: current === session ? null : current, list: list.filter(({ session_id: id }) => id !== session) });
}
