/* Which test suits the data, and why. The reader can choose another one of the same kind of data. */
import { linesOf, numbersOf } from './inputs.js';

/*
 * The tests of each kind of data, as the API calls them; welch is `continuous` over the values. Kinds without tests have
 * a form of their own (more/).
 */
export const tests = {
    binary: ['binary', 'fisher_exact', 'boschloo_exact', 'barnard_exact'],
    continuous: ['continuous', 'equivalence'],
    count: ['count'],
    values: ['welch', 'bootstrap', 'mann_whitney', 'quantile', 'trimmed_t', 'rates'],
    ratio: ['ratio'],
    pairs: ['paired_t', 'wilcoxon', 'mcnemar'],
    pair_counts: ['mcnemar'],
    table: ['chi_square', 'g_test'],
    groups: ['welch_anova', 'kruskal_wallis'],
    times: ['log_rank', 'fleming_harrington', 'cox'],
    srm: ['srm'],
    sums: [],
    arms: [],
    adjusted: [],
    clusters: [],
    switchback: [],
    always_valid: [],
    bayes: [],
};

export const valuesMax = 1000; /* per arm, of the tests that read every value */
const exactMax = 200; /* users of both arms, of the unconditional exact tests */
const few = 30;
const expectedMin = 5; /* users of a cell that the normal approximation asks for */

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const moment = (values, center, power) => mean(values.map((value) => (value - center) ** power));

/* Mean, standard deviation (divisor n - 1) and number of values. */
export function summaryOf(values) {
    const center = mean(values);
    const n = values.length;
    return { mean: center, std: Math.sqrt((moment(values, center, 2) * n) / (n - 1)), n };
}

function skewness(values) {
    const center = mean(values);
    const spread = moment(values, center, 2);
    return spread > 0 ? moment(values, center, 3) / spread ** 1.5 : 0;
}

const isBinary = (values) => values.length > 0 && values.every((value) => value === 0 || value === 1);
const numeric = (values) => values.filter((value) => typeof value === 'number');

/* Kohavi's rule: the mean of 355 s² values of skewness s is near enough to normal. */
const isSkewed = (values) => Math.abs(skewness(values)) > 1 && values.length < 355 * skewness(values) ** 2;

function ofRates({ control_users: n1, control_conversions: x1, treatment_users: n2, treatment_conversions: x2 }) {
    const all = n1 + n2;
    const rate = (x1 + x2) / all;
    const least = Math.min(n1, n2) * Math.min(rate, 1 - rate);
    if (!(least < expectedMin)) return ['binary', 'large_counts'];
    return all <= exactMax ? ['boschloo_exact', 'tiny_counts'] : ['fisher_exact', 'small_counts'];
}

function ofValues({ control_values: control, treatment_values: treatment }) {
    const arms = [control, treatment].map((text) => numeric(numbersOf(text)));
    if (arms.every(isBinary)) return ['rates', 'zeros_and_ones'];
    if (arms.some((values) => values.length > valuesMax)) return ['welch', 'many_values'];
    if (!arms.some(isSkewed)) return ['welch', 'regular_values'];
    return arms.some((values) => values.length < few) ? ['mann_whitney', 'few_skewed_values'] : ['bootstrap', 'skewed_values'];
}

function ofPairs({ control_values: control, treatment_values: treatment }) {
    const [before, after] = [control, treatment].map((text) => numeric(numbersOf(text)));
    if (isBinary(before) && isBinary(after)) return ['mcnemar', 'binary_pairs'];
    const differences = after.map((value, index) => value - before[index]).filter(Number.isFinite);
    return differences.length < few && isSkewed(differences) ? ['wilcoxon', 'skewed_pairs'] : ['paired_t', 'regular_pairs'];
}

function ofGroups({ groups }) {
    const skewed = linesOf(groups).map(numeric).some((values) => values.length < few && isSkewed(values));
    return skewed ? ['kruskal_wallis', 'skewed_groups'] : ['welch_anova', 'regular_groups'];
}

const rules = {
    binary: ofRates,
    continuous: ({ equivalence_margin: margin }) => (margin === undefined ? ['continuous', 'summaries'] : ['equivalence', 'margin']),
    values: ofValues,
    pairs: ofPairs,
    groups: ofGroups,
    table: () => ['chi_square', 'table'],
    times: () => ['log_rank', 'times'],
};

/* {test, reason}: the test that fits the values of the form; the reason is null where there is one test only. */
export function suggested(values) {
    const kind = values.analysis ?? 'binary';
    const [test, reason] = rules[kind]?.(values) ?? [tests[kind][0] ?? null, null];
    return { test, reason };
}

/* The test that is to be asked for: the one that was chosen, or the suggested one. */
export const testOf = (values) => values.test ?? suggested(values).test;

/* Rates of values that are 0 or 1. */
export function ratesOf(control, treatment) {
    const count = (values) => values.reduce((sum, value) => sum + value, 0);
    return {
        control_users: control.length,
        control_conversions: count(control),
        treatment_users: treatment.length,
        treatment_conversions: count(treatment),
    };
}
