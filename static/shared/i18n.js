/*
 * Languages of the UI. The English of all texts stands in the page itself; the catalogues of another
 * language lie over it, so that a lost one costs the language and no text. Elements name a key in
 * data-i18n (text) or data-i18n-<attribute>. Importing this module waits until the texts of the
 * current language are there.
 */

const translatedAttributes = ['aria-label', 'placeholder', 'title', 'content'];
const listeners = new Set();
const english = JSON.parse(document.getElementById('texts')?.textContent ?? '{}');
let catalogue = {};

/* The tag of the language shown. */
export function currentLocale() {
    return document.documentElement.lang;
}

/* For Intl: numbers print in Western digits, as those that come from the API do. */
export function intlLocale() {
    return `${currentLocale()}-u-nu-latn`;
}

function textOf(key, count) {
    const text = catalogue[key] ?? english[key];
    if (text === undefined || typeof text === 'string') return text;
    const tag = key in catalogue ? currentLocale() : 'en';
    return text[new Intl.PluralRules(tag).select(Number(count))] ?? text.other;
}

function written(value) {
    return typeof value === 'number'
        ? new Intl.NumberFormat(intlLocale()).format(value).replace('-', '\u2212')
        : String(value);
}

/*
 * The text of a key with {{name}} replaced; the key itself when there is none. A text with plural
 * forms ({"one": …, "other": …}) chooses by the value called `count`. Numbers are written as the
 * language does.
 */
export function t(key, values = {}) {
    const text = textOf(key, values.count) ?? key;
    return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name) =>
        name in values ? written(values[name]) : whole,
    );
}

export function hasText(key) {
    return key in english || key in catalogue;
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
    history.replaceState(history.state, '', url);
}

/* Shows the page in another language and remembers the choice. */
export async function setLocale(tag) {
    try {
        localStorage.setItem('assay.locale', tag);
    } catch {
        /* storage forbidden: the choice lasts as long as the page */
    }
    forgetAskedLocale();
    catalogue = tag === 'en' ? {} : await globalThis.assayTexts(tag);
    document.documentElement.lang = tag;
    document.documentElement.dir = globalThis.assayRightToLeft(tag) ? 'rtl' : 'ltr';
    translate(document);
    for (const listener of listeners) listener(tag);
}

if (currentLocale() !== 'en') {
    catalogue = await globalThis.assayFirstTexts;
    translate(document);
    delete document.documentElement.dataset.translating;
}
