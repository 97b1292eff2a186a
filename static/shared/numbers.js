/*
 * Numbers as people write and read them. Reading accepts the decimal marks and digits of the seven
 * languages; writing uses the reader's separators, with Western digits throughout because the texts
 * that come from the API use them.
 */
import { currentLocale, intlLocale } from './i18n.js';

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

/* "41 days" in short: "41 d", "250 ms". unit: day, hour, minute, second, millisecond, byte, percent. */
export function formatShortUnit(value, unit, digits = 3) {
    return written(
        { style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: digits },
        value,
    );
}

/* Sizes of files: "1.4 MB". */
export function formatBytes(bytes) {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
    const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
    return formatShortUnit(bytes / 1000 ** power, units[power]);
}

/* How long something took, from milliseconds: "250 ms", "1.4 sec", "3 min". */
export function formatMilliseconds(ms) {
    if (ms < 1000) return formatShortUnit(ms, 'millisecond');
    if (ms < 60000) return formatShortUnit(ms / 1000, 'second');
    return formatShortUnit(ms / 60000, 'minute');
}

/* An amount of money: currency is its three-letter code. */
export function formatMoney(value, currency = 'USD', digits = 2) {
    const text = written({ style: 'currency', currency, maximumFractionDigits: digits }, value);
    return text.replace(/\p{L}\$$/u, '$&\u200e'); /* from right to left "US$" would else be shown as "$US" */
}

/** @type {{unit: Intl.RelativeTimeFormatUnit, length: number}[]} */
const agoUnits = [
    { unit: 'day', length: 86400 },
    { unit: 'hour', length: 3600 },
    { unit: 'minute', length: 60 },
    { unit: 'second', length: 1 },
];

/* "3 minutes ago", "in 2 days": from now to `date`. */
export function formatAgo(date, now = Date.now()) {
    const seconds = (new Date(date).getTime() - now) / 1000;
    const { unit, length } = agoUnits.find((one) => Math.abs(seconds) >= one.length) ?? agoUnits.at(-1);
    const format = new Intl.RelativeTimeFormat(intlLocale(), { numeric: 'auto' });
    return format.format(Math.round(seconds / length), unit);
}

export function formatDateTime(date) {
    return new Intl.DateTimeFormat(intlLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
        new Date(date),
    );
}

export function formatTime(date) {
    return new Intl.DateTimeFormat(intlLocale(), { timeStyle: 'medium' }).format(new Date(date));
}

export function formatDate(date) {
    return new Intl.DateTimeFormat(intlLocale(), { dateStyle: 'medium' }).format(new Date(date));
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
