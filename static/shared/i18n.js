/*
 * Languages of the UI. The page's own English text is the source: elements name a key in data-i18n
 * (text) or data-i18n-<attribute>, and another language replaces what stands there. Importing this
 * module waits until the catalogue of the current language is loaded.
 */

export const locales = [
    { tag: 'en', name: 'English' },
    { tag: 'ru', name: 'Русский' },
    { tag: 'de', name: 'Deutsch' },
    { tag: 'es', name: 'Español' },
    { tag: 'fr', name: 'Français' },
    { tag: 'zh', name: '中文' },
    { tag: 'ar', name: 'العربية' },
];

const translatedAttributes = ['aria-label', 'placeholder', 'title', 'content'];
const rightToLeft = ['ar'];
const listeners = new Set();
let catalogue = {};

async function loadCatalogue(tag) {
    try {
        const response = await fetch(`/shared/locales/${tag}.json`);
        if (response.ok) catalogue = await response.json();
    } catch {
        /* keep what is shown: the page's English is complete without a catalogue */
    }
}

/* The tag of the language shown: one of `locales`. */
export function currentLocale() {
    return document.documentElement.lang;
}

/* The text of a key with {{name}} replaced; the key itself when there is none. */
export function t(key, values = {}) {
    const text = catalogue[key] ?? key;
    return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name) =>
        name in values ? String(values[name]) : whole,
    );
}

export function hasText(key) {
    return key in catalogue;
}

/* Puts the current language into every marked element below `root`. */
export function translate(root) {
    for (const element of root.querySelectorAll('[data-i18n]'))
        if (hasText(element.dataset.i18n)) element.textContent = t(element.dataset.i18n);
    for (const name of translatedAttributes)
        for (const element of root.querySelectorAll(`[data-i18n-${name}]`)) {
            const key = element.getAttribute(`data-i18n-${name}`);
            if (hasText(key)) element.setAttribute(name, t(key));
        }
}

/* Calls `listener` after each change of language. */
export function onLocale(listener) {
    listeners.add(listener);
}

function forgetAskedLocale() {
    const url = new URL(location.href);
    if (!url.searchParams.has('lang')) return;
    url.searchParams.delete('lang');
    history.replaceState(null, '', url);
}

/* Shows the page in another language and remembers the choice. */
export async function setLocale(tag) {
    try {
        localStorage.setItem('assay.locale', tag);
    } catch {
        /* storage forbidden: the choice lasts as long as the page */
    }
    forgetAskedLocale();
    await loadCatalogue(tag);
    document.documentElement.lang = tag;
    document.documentElement.dir = rightToLeft.includes(tag) ? 'rtl' : 'ltr';
    translate(document);
    for (const listener of listeners) listener(tag);
}

await loadCatalogue(currentLocale());
translate(document);
delete document.documentElement.dataset.translating;
