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

/* [{arm, value, cluster}] of the rows of both variants that have all of it. */
async function rowsOf(file, { arm, value, cluster }, labels) {
    const text = (await file.text()).replace(/^\ufeff/, '');
    const { names, rows } = tableOf(text, false);
    const read = readerOf(text);
    const [armAt, valueAt, clusterAt] = [arm, value, cluster].map((name) => names.indexOf(name));
    const all = rows.map((row) => ({ arm: labels.indexOf(row[armAt]), value: read(row[valueAt] ?? ''), cluster: row[clusterAt] ?? '' }));
    return all.filter((row) => row.arm >= 0 && row.value !== null && (clusterAt < 0 || row.cluster !== ''));
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

/* The question about two variants of a file: {path, body, users}. */
export async function questionOf(file, values, labels) {
    const rows = await rowsOf(file, values, labels);
    const [control_arm, treatment_arm] = [0, 1].map((arm) => rows.filter((row) => row.arm === arm));
    const binary = values.metric_type === 'binary';
    const both = (sums) => ({ control_arm: sums(control_arm), treatment_arm: sums(treatment_arm) });
    const { alpha, direction } = values;
    if (values.analysis === 'clustered')
        return { path: '/api/v1/results/cluster', body: { metric_type: binary ? 'binary' : 'mean', ...both(clustersOf), alpha, ...(direction === undefined ? {} : { direction }) }, users: rows.length };
    return { path: '/api/v1/results/always-valid', body: { metric: binary ? 'rate' : 'mean', ...both((arm) => momentsOf(arm, binary)), alpha }, users: rows.length };
}
