/*
 * Analyses that have no route for files: the rows are read in the browser, two variants are added up, and the sums are
 * the question. Numbers are read as the service reads those of files: a decimal comma where no commas separate fields.
 */
import { delimiterOf, isMissing, tableOf } from './head.js';

export const rowsMaxBytes = 64 * 1024 * 1024; /* of a file that the browser reads as a whole */

function readerOf(text) {
    const comma = !text.trimStart().startsWith('{') && delimiterOf(text) !== ',';
    return (cell) => {
        const number = Number(comma ? cell.replace(',', '.') : cell);
        if (/^(true|false)$/i.test(cell)) return Number(/^true$/i.test(cell));
        return isMissing(cell) || !Number.isFinite(number) ? null : number;
    };
}

const isBit = ({ value }) => value === 0 || value === 1;

/*
 * {usable, rows, bad_rows}: [{arm, value, cluster}] of the rows of both variants, and how many rows there are, with those
 * that lack any of it. Rows of other variants are none of either.
 */
async function rowsOf(file, { arm, value, cluster, metric_type: type }, labels) {
    const text = (await file.text()).replace(/^\ufeff/, '');
    const { names, rows } = tableOf(text, false);
    const read = readerOf(text);
    const [armAt, valueAt, clusterAt] = [arm, value, cluster].map((name) => names.indexOf(name));
    const asked = rows.filter((row) => isMissing(row[armAt] ?? '') || labels.includes(row[armAt]));
    const all = asked.map((row) => ({ arm: labels.indexOf(row[armAt]), value: read(row[valueAt] ?? ''), cluster: row[clusterAt] ?? '' }));
    const usable = all.filter((row) => row.arm >= 0 && row.value !== null && (clusterAt < 0 || row.cluster !== '') && (type !== 'binary' || isBit(row)));
    return { usable, rows: all.length, bad_rows: all.length - usable.length };
}

/* A row per cluster: users, sum and sum of squares. */
function clustersOf(rows) {
    const groups = new Map();
    for (const { cluster, value } of rows) {
        const group = groups.get(cluster) ?? { users: 0, sum: 0, squares: 0 };
        groups.set(cluster, { users: group.users + 1, sum: group.sum + value, squares: group.squares + value * value });
    }
    const all = [...groups.values()];
    return { clusters: [...groups.keys()], users: all.map(({ users }) => users), sums: all.map(({ sum }) => sum), sums_of_squares: all.map(({ squares }) => squares) };
}

function momentsOf(rows, binary) {
    const n = rows.length;
    const sum = rows.reduce((total, { value }) => total + value, 0);
    if (binary) return { n, conversions: sum };
    const mean = sum / n;
    return { n, mean, std: Math.sqrt(rows.reduce((total, { value }) => total + (value - mean) ** 2, 0) / (n - 1)) };
}

/* The question about two variants of a file: {path, body, users, rows, bad_rows}. */
export async function questionOf(file, values, labels) {
    const { usable, ...counts } = await rowsOf(file, values, labels);
    const [control_arm, treatment_arm] = [0, 1].map((arm) => usable.filter((row) => row.arm === arm));
    const binary = values.metric_type === 'binary';
    const both = (sums) => ({ control_arm: sums(control_arm), treatment_arm: sums(treatment_arm) });
    const { alpha, direction } = values;
    const read = { users: usable.length, ...counts };
    if (values.analysis === 'clustered')
        return { path: '/api/v1/results/cluster', body: { metric_type: binary ? 'binary' : 'mean', ...both(clustersOf), alpha, ...(direction === undefined ? {} : { direction }) }, ...read };
    return { path: '/api/v1/results/always-valid', body: { metric: binary ? 'rate' : 'mean', ...both((arm) => momentsOf(arm, binary)), alpha }, ...read };
}
