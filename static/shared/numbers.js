/*
 * Numbers as people write and read them. Reading accepts the decimal marks and digits of the seven
 * languages; writing uses the reader's separators, with Western digits throughout because the texts
 * that come from the API use them.
 */
import { currentLocale } from './i18n.js';

function intlLocale() {
    return `${currentLocale()}-u-nu-latn`;
}

const formats = new Map();

function numberFormat(options) {
    const key = intlLocale() + JSON.stringify(options);
    if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(intlLocale(), options));
    return formats.get(key);
}

/* The minus of typography, as wide as the plus. */
function written(options, value) {
    return numberFormat(options).format(value).replace('-', '\u2212');
}

/* Keeps signs and units at their numbers inside text that runs from right to left. */
export function isolated(text) {
    return document.documentElement.dir === 'rtl' ? `\u2066${text}\u2069` : text;
}

export function formatInteger(value) {
    return written({ maximumFractionDigits: 0 }, value);
}

/* Up to `digits` significant digits, none of them padding. */
export function formatNumber(value, digits = 6) {
    return written({ maximumSignificantDigits: digits }, value);
}

export function formatFixed(value, decimals) {
    return written({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }, value);
}

/* A fraction as percent: 0.042 as 4.2 %. */
export function formatPercent(fraction, digits = 4) {
    return written({ style: 'percent', maximumSignificantDigits: digits }, fraction);
}

export function formatCompact(value) {
    return written({ notation: 'compact', maximumSignificantDigits: 3 }, value);
}

/* "41 days", "5.9 weeks" in the reader's grammar; unit: day, week, year, second. */
export function formatUnit(value, unit) {
    return written({ style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }, value);
}

export function formatDate(date) {
    return new Intl.DateTimeFormat(intlLocale(), { dateStyle: 'medium' }).format(date);
}

function westernDigits(text) {
    return text
        .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
        .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
        .replace(/\u066b/g, '.')
        .replace(/[\u066c\s'\u2019]/g, '')
        .replace(/\u2212/g, '-');
}

/* One mark is the decimal one; of two kinds, the last is, and the other groups thousands. */
function plainDecimal(text) {
    const [, whole, mark, fraction] = /^(.*?)([.,])([^.,]*)$/.exec(text) ?? [null, text, '', ''];
    const single = !/[.,]/.test(whole);
    const grouped =
        /^[-+]?\d{1,3}(?:\.\d{3})+$|^[-+]?\d{1,3}(?:,\d{3})+$/.test(whole) && !whole.includes(mark);
    return single || grouped ? `${whole.replace(/[.,]/g, '')}${mark && '.'}${fraction}` : text;
}

/* Groups of three digits are thousands where no fraction is expected, where they repeat, and
 * where the language writes them so. */
function isGrouped(text, integer) {
    const [, first, mark] = /^[-+]?(\d{1,3})(?:([.,])\d{3})(?:\2\d{3})*$/.exec(text) ?? [];
    if (mark === undefined || first.startsWith('0')) return false;
    return (
        integer ||
        text.indexOf(mark) !== text.lastIndexOf(mark) ||
        (mark === ',' && currentLocale() === 'en')
    );
}

/*
 * Reads a number; returns the trimmed text itself when it is none, so that the API can say what is
 * wrong with it. `integer`: groups of three digits are thousands. "4.2%" is 0.042.
 */
export function parseNumber(text, { integer = false } = {}) {
    const trimmed = text.trim();
    let plain = westernDigits(trimmed);
    const percent = /[%\u066a]$/.test(plain);
    if (percent) plain = plain.slice(0, -1);
    plain = isGrouped(plain, integer) ? plain.replace(/[.,]/g, '') : plainDecimal(plain);
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return trimmed;
    const value = Number(plain);
    return percent ? Number((value / 100).toPrecision(15)) : value;
}
