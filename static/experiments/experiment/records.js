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
    user_id: /^(user|visitor|customer|client|account|anonymous|unit|device|subject)?[ _-]?id$|^(user|visitor|customer|uid|who)$/i,
    variation: /vari(ant|ation)|^arm$|^group$|bucket|treatment/i,
    metric: /^(metric|event|event[ _-]?name|goal|name|type|what|action|kpi)$/i,
    value: /^(value|amount|revenue|price|total|sum)$/i,
    occurred_at: /(^|_)(at|time|timestamp|date|ts)$|^(occurred|created|when)/i,
    idempotency_key: /idempot|^(order|event|transaction)[ _-]?id$/i,
};
const looked = 1000; /* rows that a guess looks at */

export const fieldsOf = (kind) => (kind === 'exposures' ? ['user_id', 'variation', 'occurred_at'] : ['user_id', 'metric', 'value', 'occurred_at', 'idempotency_key']);

const textOf = (value) => String(value ?? '').trim();

/* The column that holds names of metrics that the plan has, '' where none does. */
export function metricColumn(columns, rows, metrics) {
    const first = rows.slice(0, looked);
    const hits = columns.map((name) => first.filter((row) => metrics.includes(textOf(row[name]))).length);
    const most = Math.max(0, ...hits);
    return most === 0 ? '' : columns[hits.indexOf(most)];
}

/* The column for each field, '' where none looks like it; no column is taken twice. What the cells hold counts more than a name. */
export function guessColumns(kind, columns, rows = [], metrics = []) {
    const content = kind === 'conversions' ? metricColumn(columns, rows, metrics) : '';
    const left = columns.filter((name) => name !== content);
    return Object.fromEntries(
        fieldsOf(kind).map((field) => {
            if (field === 'metric' && content !== '') return [field, content];
            const found = left.find((name) => guesses[field].test(name)) ?? '';
            if (found !== '') left.splice(left.indexOf(found), 1);
            return [field, found];
        }),
    );
}

/* The kind of records that the columns look like; names of metrics in the cells are conversions. */
export function guessKind(columns, rows = [], metrics = []) {
    if (metricColumn(columns, rows, metrics) !== '') return 'conversions';
    return columns.some((name) => guesses.variation.test(name)) ? 'exposures' : 'conversions';
}

const controlNames = /^(0|a|control|ctrl|control[ _-]?group|original|baseline|base|default|old|existing|current|before|variant[ _-]?a|alt|bestehend|kontroll(e|gruppe)|contr[oô]le|контроль|对照组?)$/i;
const shownArms = 50;

/*
 * Which arm each value of the column stands for. Numbers of arms are as they are. Of names, one that
 * means the control is a proposal that a person confirms; without one nothing is guessed (null).
 */
export function guessArms(rows, column, arms) {
    const values = [...new Set(rows.map((row) => textOf(row[column])))].filter((value) => value !== '').slice(0, shownArms);
    if (values.every((value) => /^\d+$/.test(value) && Number(value) < arms)) return Object.fromEntries(values.map((value) => [value, Number(value)]));
    const controls = values.filter((value) => controlNames.test(value));
    if (controls.length !== 1) return Object.fromEntries(values.map((value) => [value, null]));
    const others = values.filter((value) => value !== controls[0]).toSorted((a, b) => a.localeCompare(b));
    return Object.fromEntries([controls[0], ...others].map((value, index) => [value, index < arms ? index : null]));
}

/* Whether the values are the numbers of the arms themselves, so that there is nothing to ask. */
export const areNumbers = (arms) => Object.entries(arms).every(([value, arm]) => value === String(arm));

const number = (text) => (typeof text === 'number' ? text : Number(String(text).trim()));

/* ISO 8601 as it is; digits alone are seconds or milliseconds. */
const moment = (value) => (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value);

const iso = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?$/i;
const isMoment = (value) => typeof value === 'number' || /^\d+(\.\d+)?$/.test(textOf(value)) || iso.test(textOf(value));
const isEmpty = (value) => value === undefined || value === null || value === '';

/* Why a row cannot be taken: 'user', 'variant', 'name', 'value' or 'time'; null where it can. */
export function reasonOf(row, { kind, columns, arms, metric, known = [], onlyKnown = false }) {
    const cell = (field) => (columns[field] ? row[columns[field]] : undefined);
    if (textOf(cell('user_id')) === '') return 'user';
    if (!isEmpty(cell('occurred_at')) && !isMoment(cell('occurred_at'))) return 'time';
    if (kind === 'exposures') return typeof arms[textOf(cell('variation'))] === 'number' ? null : 'variant';
    if (onlyKnown && !known.includes(textOf(cell('metric')) || metric)) return 'name';
    return isEmpty(cell('value')) || Number.isFinite(number(cell('value'))) ? null : 'value';
}

/* One record, or null where the row cannot be taken. `key` makes a file that is sent twice count once. */
export function recordOf(row, mapping, key) {
    const { kind, columns, arms, metric } = mapping;
    if (reasonOf(row, mapping) !== null) return null;
    const cell = (field) => (columns[field] ? row[columns[field]] : undefined);
    const user = textOf(cell('user_id'));
    const at = cell('occurred_at');
    const time = isEmpty(at) ? {} : { occurred_at: moment(at) };
    if (kind === 'exposures') return { user_id: user, variation_index: arms[textOf(cell('variation'))], ...time };
    const value = cell('value');
    const given = cell('idempotency_key');
    return {
        user_id: user,
        metric: textOf(cell('metric')) || metric,
        value: isEmpty(value) ? 1 : number(value),
        idempotency_key: isEmpty(given) ? key : String(given),
        ...time,
    };
}

const usersOf = (records) => new Set(records.map(({ user_id: user }) => user));

/* What the rows would do: how many are taken, why others are not, and whom they are about. */
export function consequence(rows, mapping) {
    const taken = rows.map((row) => recordOf(row, mapping, '')).filter((record) => record !== null);
    const skipped = Object.entries(Object.groupBy(rows, (row) => reasonOf(row, mapping) ?? '')).filter(([reason]) => reason !== '');
    const by = (key) => [...Map.groupBy(taken, key)].map(([name, records]) => ({ name, rows: records.length, users: usersOf(records).size }));
    return {
        taken: taken.length,
        skipped: skipped.map(([reason, { length }]) => ({ reason, count: length })),
        users: usersOf(taken).size,
        arms: mapping.kind === 'exposures' ? by(({ variation_index: arm }) => arm).toSorted((a, b) => a.name - b.name) : [],
        converting: mapping.kind === 'conversions' ? usersOf(taken.filter(({ metric }) => metric === mapping.metric)).size : 0,
    };
}

/* The names of metrics in the file, the most frequent first; those of the plan are known. */
export function namesIn(rows, { columns, known }) {
    if (!columns.metric) return [];
    const names = Map.groupBy(rows, (row) => textOf(row[columns.metric]));
    names.delete('');
    return [...names].map(([name, { length }]) => ({ name, rows: length, known: known.includes(name) })).toSorted((a, b) => b.rows - a.rows);
}
