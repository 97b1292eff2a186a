/*
 * Files of events: read as CSV (comma, semicolon or tab) or as lines of JSON, and turned into the
 * records that the API takes. Nothing here knows the page.
 */

const separators = [',', ';', '\t'];

/* The separator that the first line has most of, outside quotes. */
function separatorOf(text) {
    const first = text.slice(0, text.search(/\r?\n|$/)).replace(/"[^"]*"/g, '');
    return separators.map((one) => [first.split(one).length, one]).sort((a, b) => b[0] - a[0])[0][1];
}

/* Rows of cells (RFC 4180): quoted cells may hold separators, line ends and doubled quotes. */
export function readCsv(text) {
    const separator = separatorOf(text);
    const cell = new RegExp(`(?: *"((?:[^"]|"")*)" *|((?! *")[^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, 'gy');
    const rows = [[]];
    while (cell.lastIndex < text.length) {
        const found = cell.exec(text);
        if (found === null) throw new SyntaxError('a quote is not closed');
        rows.at(-1).push(found[1] === undefined ? found[2].trim() : found[1].replaceAll('""', '"'));
        if (found[3] !== separator) rows.push([]);
    }
    return rows.filter((row) => row.some((one) => one !== ''));
}

/* {columns, rows}: rows are objects by column. A file of JSON has one object per line, or one list. */
export function readFile(source) {
    const text = source.replace(/^\uFEFF/, '');
    const start = text.trimStart();
    if (start.startsWith('{') || start.startsWith('[')) {
        const rows = start.startsWith('[') ? JSON.parse(start) : start.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
        return { columns: [...new Set(rows.slice(0, 1000).flatMap((row) => Object.keys(row)))], rows };
    }
    const [head = [], ...body] = readCsv(text);
    return { columns: head, rows: body.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? '']))) };
}

const guesses = {
    user_id: /^(user|visitor|customer|client|account|anonymous|unit|device|subject)?[ _-]?id$|^(user|visitor|customer|uid)$/i,
    variation: /vari(ant|ation)|^arm$|^group$|bucket|treatment/i,
    metric: /^(metric|event|event[ _-]?name|goal|name|type)$/i,
    value: /^(value|amount|revenue|price|total|sum)$/i,
    occurred_at: /(^|_)(at|time|timestamp|date|ts)$|^(occurred|created)/i,
    idempotency_key: /idempot|^(order|event|transaction)[ _-]?id$/i,
};

export const fieldsOf = (kind) => (kind === 'exposures' ? ['user_id', 'variation', 'occurred_at'] : ['user_id', 'metric', 'value', 'occurred_at', 'idempotency_key']);

/* The column for each field, '' where none looks like it; no column is taken twice. */
export function guessColumns(kind, columns) {
    const left = [...columns];
    return Object.fromEntries(
        fieldsOf(kind).map((field) => {
            const found = left.find((name) => guesses[field].test(name)) ?? '';
            if (found !== '') left.splice(left.indexOf(found), 1);
            return [field, found];
        }),
    );
}

/* The kind of records that the columns look like. */
export const guessKind = (columns) => (columns.some((name) => guesses.variation.test(name)) ? 'exposures' : 'conversions');

const controlNames = /^(0|a|control|original|baseline|default)$/i;

/* Which arm each value of the column stands for: numbers as they are, else the control first. */
export function guessArms(rows, column, arms) {
    const values = [...new Set(rows.map((row) => String(row[column] ?? '')))].filter((value) => value !== '').slice(0, 50);
    if (values.every((value) => /^\d+$/.test(value) && Number(value) < arms)) return Object.fromEntries(values.map((value) => [value, Number(value)]));
    const sorted = values.toSorted((a, b) => Number(controlNames.test(b)) - Number(controlNames.test(a)) || a.localeCompare(b));
    return Object.fromEntries(sorted.map((value, index) => [value, Math.min(index, arms - 1)]));
}

const number = (text) => (typeof text === 'number' ? text : Number(String(text).trim()));

/* ISO 8601 as it is; digits alone are seconds or milliseconds. */
const moment = (value) => (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value);

/* One record, or null where the row says nothing. `line` makes a file that is sent twice count once. */
export function recordOf(row, { kind, columns, arms, metric }, key) {
    const cell = (field) => (columns[field] ? row[columns[field]] : undefined);
    const user = String(cell('user_id') ?? '').trim();
    const at = cell('occurred_at');
    const time = at === undefined || at === '' || at === null ? {} : { occurred_at: moment(at) };
    if (user === '') return null;
    if (kind === 'exposures') {
        const index = arms[String(cell('variation') ?? '')];
        return index === undefined ? null : { user_id: user, variation_index: index, ...time };
    }
    const value = cell('value');
    const given = cell('idempotency_key');
    return {
        user_id: user,
        metric: String(cell('metric') ?? '').trim() || metric,
        value: value === undefined || value === '' ? 1 : number(value),
        idempotency_key: given === undefined || given === '' ? key : String(given),
        ...time,
    };
}
