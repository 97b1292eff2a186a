/*
 * What can be operated in the frame around every page: the person's menu with language and color scheme, the
 * search, the access token of this tab. The frame itself is written by nginx/pages.bash. Importing this module
 * starts it.
 */
import { admission } from './admission.js';
import { currentLocale, onLocale, setLocale, t } from './i18n.js';
import { currentPerson, goToPassword, goToSignIn, hasRole, isForPeople, knownPerson, onPerson, signOut } from './person.js';
import { openPalette } from './search.js';
import { currentTheme, onTheme, toggleTheme } from './theme.js';
import { accessToken, onAccessToken, setAccessToken } from './ui/session.js';

const language = /** @type {HTMLSelectElement} */ (document.getElementById('language'));
const theme = document.getElementById('theme');
const forget = document.getElementById('forget-token');

/* The button shows the scheme that it leads to. */
function nameTheme() {
    document.getElementById('theme-text').textContent = t(currentTheme() === 'dark' ? 'shell.theme_light' : 'shell.theme_dark');
}

function showToken() {
    forget.hidden = accessToken() === null;
}

/* "Ada Lovelace" is AL, "admin" is A. */
function initials(name) {
    const words = name.trim().split(/\s+/);
    return [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => [...word][0] ?? '').join('').toLocaleUpperCase();
}

/* An area begins at the first page of its menu, or at another one for who may not see that. */
function leadToAreas() {
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = document.querySelectorAll('a[data-else]');
    for (const link of links) if (!hasRole(...link.dataset.entry.split(' '))) link.href = link.dataset.else;
}

function showPerson(person) {
    const name = person === null ? '' : person.name || person.username;
    document.getElementById('person-initials').textContent = initials(name);
    document.getElementById('who-name').textContent = name;
    document.getElementById('who-username').textContent = person !== null && name !== person.username ? person.username : '';
    if (person !== null) leadToAreas();
}

function onKey(event) {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (knownPerson() === null) return;
    event.preventDefault();
    openPalette();
}

function start() {
    language.value = currentLocale();
    language.addEventListener('change', () => setLocale(language.value));
    theme.addEventListener('click', toggleTheme);
    forget.addEventListener('click', () => {
        setAccessToken(null);
        location.reload();
    });
    document.getElementById('search-button').addEventListener('click', openPalette);
    document.getElementById('sign-out-suite').addEventListener('click', () => signOut());
    addEventListener('keydown', onKey);
    onTheme(nameTheme);
    onLocale(() => {
        language.value = currentLocale();
        nameTheme();
    });
    onAccessToken(showToken);
    onPerson(showPerson);
    showToken();
    showPerson(knownPerson());
    /* A token in this tab is another way to be somebody. */
    if (isForPeople() && accessToken() === null) currentPerson().then(admit);
}

/* Who is not signed in does that first; who was given a password changes it first. */
function admit(person) {
    if (person === null) goToSignIn();
    else if (person.must_change_password && location.pathname !== '/profile') goToPassword();
}

/* A page without the frame, for customers, loads the module with the others. */
if (language !== null) {
    start();
    await admission();
}
