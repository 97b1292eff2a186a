/* Values that people paste or upload: numbers in any of the usual layouts, one arm or both at once. */
import { readNumber } from '../../shared/ui/units.js';

export const isNumber = (cell) => readNumber(cell) !== null;

/* What is no number stays as it is written, so that the API can say which value is wrong. */
export const valueOf = (cell) => readNumber(cell)?.value ?? cell;

/* Commas separate cells where they make no number, as in 1,2,3; in 1,5 one stands for the point. */
function cellsOfWord(word) {
    const bare = word.replace(/,$/, '');
    return isNumber(bare) || !bare.includes(',') ? [bare] : bare.split(',').filter((cell) => cell !== '');
}

const wordsOf = (text) => text.split(/[\s;]+/).filter(Boolean).flatMap(cellsOfWord);

const keptTexts = 8;

/* `read`, which keeps its last answers: a form reads its texts for every field that depends on them. */
export function remembered(read) {
    const answers = new Map();
    return (text = '') => {
        if (!answers.has(text)) {
            if (answers.size >= keptTexts) answers.delete(answers.keys().next().value);
            answers.set(text, read(text));
        }
        return answers.get(text);
    };
}

const readNumbers = (text) => wordsOf(text).map(valueOf);

/* All values of a text, whatever stands between them. */
export const numbersOf = remembered(readNumbers);

/* The values of each line that has some. */
export const linesOf = remembered((text) => text.split(/\r?\n/).map(readNumbers).filter((line) => line.length > 0));

/* Column `index` of lines of two values; a line that has none counts as empty text, which the API refuses. */
export const columnOf = (lines, index) => lines.map((line) => line[index] ?? '');

const yes = new Set(['1', 'true', 'yes', 'y', 'event']);
const no = new Set(['0', 'false', 'no', 'n', 'censored']);

/* Whether the event was seen, as the second of two values says. */
export function seenOf(value) {
    const text = String(value).toLowerCase();
    if (yes.has(text)) return true;
    return no.has(text) ? false : value;
}

/* Cells of a pasted or uploaded table: by tabs, semicolons or commas, whichever its first line has. */
function tableOf(text) {
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/).filter((line) => line.trim() !== '');
    const separator = ['\t', ';', ','].find((mark) => lines[0]?.includes(mark)) ?? /\s+/;
    const rows = lines.map((line) => line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
    const headed = rows.length > 1 && !rows[0].some(isNumber) && rows[1].some(isNumber);
    return headed ? rows.slice(1) : rows;
}

const perArm = { values: 1, pairs: 1, ratio: 2, times: 2 };
const fieldsOf = { values: ['control_values', 'treatment_values'], pairs: ['control_values', 'treatment_values'], ratio: ['control_arm', 'treatment_arm'], times: ['control_arm', 'treatment_arm'] };
const joined = (rows) => rows.map((row) => row.join('\t')).join('\n');

/* [label, cells] of rows by the label that they begin with: the control first, if one is called so. */
export function groupedByLabel(rows) {
    const groups = new Map();
    for (const [label, ...cells] of rows) {
        if (!groups.has(label)) groups.set(label, []);
        groups.get(label).push(cells);
    }
    const isControl = (entry) => /^(control|a|baseline|base|off|0)$/i.test(entry[0]);
    return [...groups].sort((one, other) => Number(isControl(other)) - Number(isControl(one)));
}

/* The most cells of any row. */
export const widthOf = (rows) => rows.reduce((most, row) => Math.max(most, row.length), 0);

const byLabel = (rows) => groupedByLabel(rows).map(([, cells]) => cells);

function groupsOf(rows) {
    if (rows.every(([label, ...cells]) => !isNumber(label) && cells.length === 1)) return byLabel(rows).map((cells) => cells.flat().join(' '));
    return Array.from({ length: widthOf(rows) }, (_, index) => rows.map((row) => row[index] ?? '').filter(Boolean).join(' '));
}

function armsOf(kind, rows) {
    const width = perArm[kind];
    const labelled = kind !== 'pairs' && rows.every((row) => row.length === width + 1 && !isNumber(row[0]));
    if (labelled) return byLabel(rows);
    if (rows.some((row) => row.length < 2 * width)) return null;
    const all = [0, width].map((from) => rows.map((row) => row.slice(row.length - 2 * width + from).slice(0, width)));
    return all.map((arm) => arm.filter((cells) => cells.some(Boolean)));
}

/*
 * The texts of the fields that a table stands for, by the kind of data: {name: text}; null where it is no table of
 * more than one column. A table of values with a label per row and more than two labels is one of several groups.
 */
export function spreadOver(kind, text) {
    const rows = tableOf(text);
    if (rows.length === 0) return null;
    if (kind === 'table') return { table: joined(rows.map((row) => row.filter(isNumber))) };
    if (kind === 'groups') return { groups: groupsOf(rows).join('\n') };
    if (!(kind in perArm)) return null;
    const arms = armsOf(kind, rows);
    if (arms === null) return null;
    if (arms.length !== 2) return kind === 'values' ? { analysis: 'groups', groups: groupsOf(rows).join('\n') } : null;
    return Object.fromEntries(fieldsOf[kind].map((name, index) => [name, joined(arms[index])]));
}
