/*
 * Tables as answers quote them: rows with a header and without the line of dashes, a citation after the last
 * bar, one row alone. They become tables of Markdown, or a line where there is one row only.
 */

const row = /^\s*\|.*\|/;
const dashes = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*$/;
const fence = /^\s*(?:```|~~~)/;

/* "| a | b | [1]" → "| a | b [1] |". */
function closed(line) {
    const [, cells, rest] = /^(\s*\|.*?)\s*\|\s*((?:\[\d{1,3}\]\s*)*)[.]?\s*$/.exec(line) ?? [null, line, ''];
    return rest.trim() === '' ? line : `${cells} ${rest.trim()} |`;
}

function cellsOf(line) {
    return line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());
}

/* One table after another with the same header is one. */
function completed(lines, headerBefore) {
    const rows = lines.map(closed);
    if (rows.length === 1) return { lines: [cellsOf(rows[0]).filter(Boolean).join(' · ')], header: null };
    const [header, ...rest] = rows;
    const under = rest.filter((line) => !dashes.test(line));
    if (headerBefore === header) return { lines: under, header, joins: true };
    return { lines: ['', header, `|${cellsOf(header).map(() => ' --- |').join('')}`, ...under, ''], header };
}

function joined(lines) {
    const result = [];
    let last = null; /* the header of a table that nothing has followed yet */
    for (let at = 0; at < lines.length; ) {
        if (!row.test(lines[at])) {
            if (lines[at].trim() !== '') last = null;
            result.push(lines[at++]);
            continue;
        }
        let to = at;
        while (to < lines.length && row.test(lines[to])) to++;
        const table = completed(lines.slice(at, to), last);
        if (table.joins) while (result.at(-1)?.trim() === '') result.pop();
        result.push(...table.lines);
        if (table.joins) result.push('');
        last = table.header;
        at = to;
    }
    return result;
}

/* Code between fences stays as it is. */
export function completeTables(text) {
    if (!text.includes('|')) return text;
    const parts = [[]];
    let code = false;
    for (const line of text.split('\n')) {
        const bound = fence.test(line);
        if (bound && !code) parts.push([]);
        parts.at(-1).push(line);
        if (bound && code) parts.push([]);
        if (bound) code = !code;
    }
    return parts.flatMap((part) => (fence.test(part[0] ?? '') ? part : joined(part))).join('\n');
}
