/*
 * What can be operated in the frame around every page: language, colour scheme, the access token of
 * this tab. The frame itself is written by nginx/pages.bash. Importing this module starts it.
 */
import { currentLocale, onLocale, setLocale, t } from './i18n.js';
import { currentTheme, onTheme, toggleTheme } from './theme.js';
import { accessToken, onAccessToken, setAccessToken } from './ui/session.js';

const language = /** @type {HTMLSelectElement} */ (document.getElementById('language'));
const theme = document.getElementById('theme');
const forget = document.getElementById('forget-token');

/* The button shows the scheme that it leads to. */
function nameTheme() {
    const label = t(currentTheme() === 'dark' ? 'shell.theme_light' : 'shell.theme_dark');
    theme.setAttribute('aria-label', label);
    theme.setAttribute('title', label);
}

function showToken() {
    forget.hidden = accessToken() === null;
}

language.value = currentLocale();
language.addEventListener('change', () => setLocale(language.value));
theme.addEventListener('click', toggleTheme);
forget.addEventListener('click', () => {
    setAccessToken(null);
    location.reload();
});
onTheme(nameTheme);
onLocale(() => {
    language.value = currentLocale();
    nameTheme();
});
onAccessToken(showToken);
showToken();
