/*
 * The first rows of a file of users, read in the browser, so that people can say which column is what. The service
 * reads the file by the same rules: names in the first line of CSV, or one JSON object per line.
 */
import { readNumber } from '../../../shared/ui/units.js';

const headBytes = 256 * 1024;
const missing = /^(|null|none|n\/a|na|nan)$/i;

export const isMissing = (cell) => missing.test(cell);

const delimiters = [',', ';', '\t'];

const withoutMark = (text) => text.replace(/^\ufeff/, '');

/* What the first line has most of, outside of quotes. */
export function delimiterOf(text) {
    const line = text.split(/\r?\n/, 1)[0].replace(/"[^"]*"/g, '');
    const counts = delimiters.map((mark) => line.split(mark).length);
    return delimiters[counts.indexOf(Math.max(...counts))];
}

/*
 * Records of CSV; a quoted field may hold delimiters, line breaks and doubled quotes. Only runs of characters repeat in the
 * expression: alternatives that repeat need room for each character, and there is none for a cell of megabytes.
 */
function recordsOf(text, delimiter) {
    const quoted = '"[^"]*(?:""[^"]*)*"';
    const plain = `[^${delimiter}\\r\\n]*(?:\\r(?!\\n)[^${delimiter}\\r\\n]*)*`;
    const field = new RegExp(`(${quoted}|${plain})(${delimiter}|\\r?\\n|$)`, 'y');
    const records = [];
    let record = [];
    while (field.lastIndex < text.length) {
        const [, cell, end] = field.exec(text) ?? [null, text.slice(field.lastIndex), ''];
        record.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell.trim());
        if (end === delimiter) continue;
        records.push(record);
        record = [];
        if (end === '') break;
    }
    return records.filter((cells) => cells.some((cell) => cell !== ''));
}

function objectsOf(text) {
    const parsed = text.split(/\r?\n/).map((line) => {
        try {
            return JSON.parse(line);
        } catch {
            return null;
        }
    });
    return parsed.filter((object) => object !== null && typeof object === 'object' && !Array.isArray(object));
}

const cellText = (value) => (value === null || value === undefined ? '' : String(value));

function tableOfObjects(objects) {
    const names = [...new Set(objects.flatMap(Object.keys))];
    return { names, rows: objects.map((object) => names.map((name) => cellText(object[name]))) };
}

function tableOfText(text, cut) {
    const records = recordsOf(text, delimiterOf(text));
    return { names: records[0] ?? [], rows: records.slice(1, cut ? -1 : undefined) };
}

function columnOf(name, values) {
    const given = values.filter((value) => !isMissing(value));
    return {
        name,
        labels: [...new Set(given)],
        isNumeric: given.length > 0 && given.every((value) => readNumber(value) !== null),
        isBinary: given.length > 0 && given.every((value) => /^(0|1|true|false)$/i.test(value)),
    };
}

/* {names, rows} of a text; the last row of a cut one is left out, for it may be half a row. */
export const tableOf = (text, cut) => (text.trimStart().startsWith('{') ? tableOfObjects(objectsOf(text)) : tableOfText(text, cut));

/* {names, rows, columns [{name, labels, isNumeric, isBinary}]} of the beginning of a file. */
export async function headOf(file) {
    const cut = file.size > headBytes;
    const text = withoutMark(new TextDecoder().decode(await file.slice(0, headBytes).arrayBuffer()));
    const { names, rows } = tableOf(text, cut);
    const columns = names.map((name, index) => columnOf(name, rows.map((row) => row[index] ?? '')));
    return { names, rows, columns };
}

const armName = /^(arm|variant|variation|group|treatment|bucket|branch)/i;
const valueName = /revenue|value|amount|convert|conversion|order|spend|purchase|clicks?$|outcome/i;
const beforeName = /before|^pre|_pre|previous|prior|past|baseline|history/i;
const keyName = /(^|_)(id|uuid|user|email)$/i;

const named = (columns, pattern) => columns.filter(({ name }) => pattern.test(name));

/* {arm, value, covariates}: the names of the columns that look like them; people correct the guess. */
export function guessOf({ columns }) {
    const labelled = columns.filter(({ labels, name }) => labels.length >= 2 && labels.length <= 10 && !keyName.test(name));
    const arm = named(labelled, armName)[0] ?? labelled.find(({ isNumeric }) => !isNumeric) ?? labelled[0] ?? columns[0];
    const numeric = columns.filter((column) => column !== arm && column.isNumeric && !keyName.test(column.name));
    const covariates = named(numeric, beforeName);
    const outcomes = numeric.filter((column) => !covariates.includes(column));
    const value = named(outcomes, valueName)[0] ?? outcomes[0] ?? columns.find((column) => column !== arm) ?? arm;
    return { arm: arm?.name, value: value?.name, isBinary: value?.isBinary ?? false, covariates: covariates.map(({ name }) => name) };
}
