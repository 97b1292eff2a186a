/*
 * The light/dark switch. The system's preference holds until the reader picks the other scheme; a
 * pick that agrees with the system is forgotten again, so that the page follows the system later.
 */

const key = 'assay.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set();

function remember(theme) {
    try {
        if (theme === null) localStorage.removeItem(key);
        else localStorage.setItem(key, theme);
    } catch {
        /* storage forbidden: the choice lasts as long as the page */
    }
}

function announce() {
    for (const listener of listeners) listener(currentTheme());
}

/* 'light' or 'dark', as the page looks now. */
export function currentTheme() {
    return document.documentElement.dataset.theme ?? (system.matches ? 'dark' : 'light');
}

export function toggleTheme() {
    const wanted = currentTheme() === 'dark' ? 'light' : 'dark';
    const followsSystem = (wanted === 'dark') === system.matches;
    if (followsSystem) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = wanted;
    remember(followsSystem ? null : wanted);
    announce();
}

/* Calls `listener` with the theme now and after each change. */
export function onTheme(listener) {
    listeners.add(listener);
    listener(currentTheme());
}

system.addEventListener('change', announce);

/* 'system', 'light' or 'dark', as the reader chose it. */
export function chosenTheme() {
    return document.documentElement.dataset.theme ?? 'system';
}

export function chooseTheme(theme) {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    remember(theme === 'system' ? null : theme);
    announce();
}
