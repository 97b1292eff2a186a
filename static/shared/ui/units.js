/*
 * What has been typed into a field, read by the kind of quantity that the field stands for. A unit is
 * part of the field: in one that stands for percent, "5%" and "5" are the same.
 *
 *   percent    the API's number is in percent: 5 means 5 %
 *   fraction   the API's number is between 0 and 1; people write "4.2%", or 0.042
 *   count      a whole number
 *   number     any number
 */
import { currentLocale } from '../i18n.js';
import { formatInteger, formatNumber, formatPercent, isolated } from '../numbers.js';

/* They say nothing in a number, and stay out of what is typed. */
const directionMarks = /[\u061c\u200e\u200f\u2066-\u2069]/g;

/* Digits and marks of Arabic and Persian as Western ones; the minus of typography as the plain one. */
function western(text) {
    return text
        .replace(directionMarks, '')
        .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
        .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
        .replace(/\u066b/g, '.')
        .replace(/\u066c/g, "'")
        .replace(/\u066a/g, '%')
        .replace(/\u2212/g, '-');
}

/* Blanks and apostrophes only between groups of three digits; any other leaves the text no number. */
function withoutBlanks(text) {
    const grouped = /^([-+]?)(\d{1,3})((?:([ \u00a0\u202f\u2009'\u2019])\d{3})(?:\4\d{3})*)((?:[.,]\d*)?)$/.exec(text);
    if (grouped === null) return text;
    return grouped[1] + grouped[2] + grouped[3].replace(/\D/g, '') + grouped[5];
}

/* Groups of three are thousands where no fraction is expected, where they repeat, and where the
 * language writes them so. */
function areThousands(text, whole) {
    const [, first, mark] = /^[-+]?(\d{1,3})(?:([.,])\d{3})(?:\2\d{3})*$/.exec(text) ?? [];
    if (mark === undefined || first.startsWith('0')) return false;
    const repeated = text.indexOf(mark) !== text.lastIndexOf(mark);
    return whole || repeated || (mark === ',' && currentLocale() === 'en');
}

/* One mark is the decimal one; of two kinds the last is, and the other groups thousands. */
function withPoint(text) {
    const [, front, mark, fraction] = /^(.*?)([.,])([^.,]*)$/.exec(text) ?? [null, text, '', ''];
    const single = !/[.,]/.test(front);
    const grouped = /^[-+]?\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(front) && !front.includes(mark);
    return single || grouped ? `${front.replace(/[.,]/g, '')}${mark && '.'}${fraction}` : text;
}

/* {value, percent} of a text that is a number, with or without a percent sign; null of any other. */
export function readNumber(text, { whole = false } = {}) {
    const [, digits, sign] = /^(.*?)\s*(%?)$/s.exec(western(text.trim()));
    let plain = withoutBlanks(digits);
    plain = areThousands(plain, whole) ? plain.replace(/[.,]/g, '') : withPoint(plain);
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return null;
    return { value: Number(plain), percent: sign === '%' };
}

/* Without the noise of binary fractions: 4.2 % is 0.042. */
function hundredth(value) {
    return Number((value / 100).toPrecision(15));
}

function percentText(value) {
    return formatPercent(hundredth(value), 12);
}

const writers = {
    percent: percentText,
    fraction: (value) => formatPercent(value, 12),
    count: formatInteger,
    number: (value) => formatNumber(value, 15),
};

/* A value of the API as a reader of the field would type it. */
export function writeQuantity(value, kind) {
    if (typeof value !== 'number' || !(kind in writers)) return String(value ?? '');
    return writers[kind](value).replace(directionMarks, '');
}

/* Says what has been understood, where that is not what stands there already. */
function echoOf(text, value, kind) {
    const understood = writers[kind](value);
    const bare = (written) => western(written).replace(/[\s\u00a0\u202f%]/g, '');
    const asTyped = bare(text) === bare(understood) || /^[-+]?\d+$/.test(text.trim());
    if (kind === 'fraction') return bare(text) === bare(understood) && western(text).includes('%') ? '' : understood;
    return asTyped ? '' : understood;
}

function question(value, kind) {
    return { value, text: writeQuantity(value, kind) };
}

function readFraction(text, { value, percent }) {
    if (percent) return { value: hundredth(value), echo: echoOf(text, hundredth(value), 'fraction') };
    if (value > 1 && value <= 100) return { value, question: question(hundredth(value), 'fraction') };
    return { value, echo: value >= 0 && value <= 1 ? echoOf(text, value, 'fraction') : '' };
}

/* In a field of percent a small number without a sign may have been meant as a fraction. */
function readPercent(text, { value, percent }) {
    const meant = Number((value * 100).toPrecision(15));
    const doubtful = !percent && value !== 0 && Math.abs(value) < 0.5;
    return { value, echo: doubtful ? percentText(value) : '', hint: doubtful ? question(meant, 'percent') : null };
}

/*
 * What a text means in a field of this kind:
 *   value     for the API: a number; the trimmed text where it is none, so that the API can say what
 *             is wrong with it; undefined where nothing was typed
 *   echo      what was understood, where the text does not say it by itself, else ''
 *   question  {value, text}: what was probably meant; as it stands the value is not to be used
 *   hint      {value, text}: what may have been meant; the value can be used
 */
export function readQuantity(text, kind) {
    const blank = { value: undefined, echo: '', question: null, hint: null };
    const trimmed = text.trim();
    if (trimmed === '') return blank;
    if (!(kind in writers)) return { ...blank, value: trimmed };
    const read = readNumber(trimmed, { whole: kind === 'count' });
    if (read === null) return { ...blank, value: trimmed };
    if (kind === 'fraction') return { ...blank, ...readFraction(trimmed, read) };
    if (kind === 'percent') return { ...blank, ...readPercent(trimmed, read) };
    if (read.percent && kind === 'count') return { ...blank, value: trimmed };
    if (read.percent) return { ...blank, value: hundredth(read.value), echo: writers.number(hundredth(read.value)) };
    return { ...blank, value: read.value, echo: echoOf(trimmed, read.value, kind) };
}

/* What an echo shows: an equals sign before the quantity, held together in text from right to left. */
export function echoText(echo) {
    return isolated(`= ${echo}`);
}

/* The cells of a pasted row or column of a spreadsheet; null of anything else. */
export function pastedCells(text) {
    const cells = text.replace(/[\r\n]+$/, '').split(/\t|\r\n|\n/).map((cell) => cell.trim());
    return cells.length > 1 && cells.every((cell) => cell !== '') ? cells : null;
}
