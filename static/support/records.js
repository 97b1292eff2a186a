/*
 * Rows of a CSV file as the service keeps them: a line "column: value" per field, empty ones left out. They are
 * put together again as a table.
 */

const field = /^([^:\n]{1,80}): (.*)$/;

/* The fields of one text; a column that comes again begins the next row. Null where a line is none. */
function rowsOf(text) {
    /** @type {Map<string, string>[]} */
    const rows = [];
    for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
        const [, name, value] = field.exec(line) ?? [];
        if (name === undefined) return null;
        if (rows.length === 0 || rows.at(-1).has(name)) rows.push(new Map());
        rows.at(-1).set(name, value);
    }
    return rows;
}

/* {names, rows: [[value]]} of all texts; null where one of them holds anything else. */
export function recordsOf(texts) {
    const all = texts.map(rowsOf);
    if (all.some((rows) => rows === null)) return null;
    const rows = all.flat();
    const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
    return rows.length === 0 ? null : { names, rows: rows.map((row) => names.map((name) => row.get(name) ?? '')) };
}
