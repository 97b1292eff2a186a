/* Lines of a label and numbers, typed or pasted from a spreadsheet. */
import { isNumber, valueOf } from '../inputs.js';

const isFigure = (cell) => isNumber(cell) || /^[-–]$/.test(cell);

/* Cells of one line: by tabs or semicolons; by blanks where numbers follow; else by commas. */
function cellsOf(line) {
    const mark = ['\t', ';'].find((one) => line.includes(one));
    if (mark !== undefined) return line.split(mark);
    const words = line.trim().split(/\s+/);
    return words.length > 1 && words.slice(1).every(isFigure) ? words : line.split(line.includes(',') ? ',' : /\s+/);
}

/* Cells of the lines of a text, without a first line that only names the columns. */
export function rowsOf(text = '') {
    const written = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    const rows = written.map((line) => cellsOf(line).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
    const headed = rows.length > 1 && !rows[0].some(isNumber) && rows[1].some(isNumber);
    return headed ? rows.slice(1) : rows;
}

/* [{label, [name]: value}]: the cells after the label under `names`, in their order; what is missing is left out. */
export function labelled(text, names) {
    return rowsOf(text).map(([label, ...cells]) => ({ label, ...Object.fromEntries(names.flatMap((name, index) => (cells[index] === undefined ? [] : [[name, valueOf(cells[index])]]))) }));
}

/* Cells of each line: numbers where they are some. */
export const lines = (text) => rowsOf(text).map((cells) => cells.map(valueOf));

/* The first cell of each line as it is written, then its numbers. */
export const keyed = (text) => rowsOf(text).map(([key, ...cells]) => [key, ...cells.map(valueOf)]);

/* Column `index` of lines; a line without it counts as empty text, which the API refuses. */
export const column = (rows, index) => rows.map((row) => row[index] ?? '');
