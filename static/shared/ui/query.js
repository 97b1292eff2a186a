/* The state of a page that belongs in its address: what a link should bring back. */

/* The parameters of the address as an object of texts, those of `defaults` that are not there included. */
/** @returns {Record<string, string>} */
export function readQuery(defaults = {}) {
    const query = new URLSearchParams(location.search);
    const read = Object.fromEntries([...query].filter(([name]) => name in defaults));
    return { ...defaults, ...read };
}

/*
 * Puts `values` into the address; what equals its default, or is empty, is left out. `step` makes a
 * step in the history, so that the back button leads back.
 */
export function writeQuery(values, defaults = {}, { step = false } = {}) {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(values)) {
        const text = value === undefined || value === null ? '' : String(value);
        if (text === '' || text === String(defaults[name] ?? '')) url.searchParams.delete(name);
        else url.searchParams.set(name, text);
    }
    if (url.href === location.href) return;
    if (step) history.pushState(null, '', url);
    else history.replaceState(history.state, '', url);
}

/* Calls `listener` when the reader goes back or forward. */
export function onQuery(listener) {
    addEventListener('popstate', listener);
}
