/* "Start here": shown in this browser until the person puts it away. */

const key = 'assay.started';

export function isStartDismissed() {
    try {
        return localStorage.getItem(key) !== null;
    } catch {
        return false;
    }
}

export function dismissStart() {
    try {
        localStorage.setItem(key, new Date().toISOString());
    } catch {
        /* storage forbidden: it comes back with the next page */
    }
}
