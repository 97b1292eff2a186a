/* The request that the values of the form stand for: {path, body}. */
import { columnOf, linesOf, numbersOf, seenOf } from './inputs.js';
import { ratesOf, summaryOf, testOf } from './suggest.js';

const allNumbers = (values) => values.every((value) => typeof value === 'number');

/* Weights in any unit as shares of one; left alone when one of them is no number. */
function sharesOf(weights) {
    const sum = (weights ?? []).reduce((total, weight) => total + weight, 0);
    return typeof sum === 'number' && sum > 0 ? weights.map((weight) => weight / sum) : weights;
}

const results = (metric_type, block, inside, goal) => ({ path: '/api/v1/results', body: { metric_type, [block]: inside, ...goal } });

function rates({ test: _, ...inside }, test, goal) {
    return results(test, 'binary', inside, goal);
}

function summaries({ test: _, equivalence_margin, ...inside }, test, goal) {
    const margin = test === 'equivalence' ? { equivalence_margin } : {};
    return results(test, 'continuous', { ...inside, ...margin }, goal);
}

/* Means and rates of the values are computed here, so that their number has no limit; where one is no number, all go
 * to the API, which says which one. */
function values({ control_values, treatment_values, alpha, quantile, trim }, test, goal) {
    const [control, treatment] = [numbersOf(control_values), numbersOf(treatment_values)];
    const ranked = { control_values: control, treatment_values: treatment, alpha };
    if (!allNumbers(control) || !allNumbers(treatment) || control.length < 2 || treatment.length < 2)
        return results('mann_whitney', 'ranked', ranked, goal);
    if (test === 'rates') return results('binary', 'binary', { ...ratesOf(control, treatment), alpha }, goal);
    if (test === 'quantile') return results('quantile', 'ranked', { ...ranked, quantile }, goal);
    if (test === 'trimmed_t') return results('trimmed_t', 'ranked', { ...ranked, trim }, goal);
    if (test !== 'welch') return results(test, 'ranked', ranked, goal);
    const of = (arm, all) => Object.entries(summaryOf(all)).map(([name, value]) => [`${arm}_${name}`, value]);
    return results('continuous', 'continuous', { ...Object.fromEntries([...of('control', control), ...of('treatment', treatment)]), alpha }, goal);
}

function ratio({ control_arm, treatment_arm, alpha }, _, goal) {
    const arm = (text) => ({ numerators: columnOf(linesOf(text), 0), denominators: columnOf(linesOf(text), 1) });
    return { path: '/api/v1/results/ratio', body: { control_arm: arm(control_arm), treatment_arm: arm(treatment_arm), alpha, ...goal } };
}

function pairs({ control_values, treatment_values, alpha }, test, goal) {
    const body = { test_type: test, control_values: numbersOf(control_values), treatment_values: numbersOf(treatment_values), alpha, ...goal };
    return { path: '/api/v1/results/paired', body };
}

function pairCounts({ both, control_only, treatment_only, neither, alpha }, test, goal) {
    return { path: '/api/v1/results/paired', body: { test_type: test, counts: { both, control_only, treatment_only, neither }, alpha, ...goal } };
}

function table({ table: text, alpha }, test) {
    return { path: '/api/v1/results/categorical', body: { table: linesOf(text), alpha, test_type: test } };
}

function groups({ groups: text, alpha }, test) {
    return { path: '/api/v1/results/omnibus', body: { test_type: test, groups: linesOf(text), alpha } };
}

function times({ control_arm, treatment_arm, alpha, fh_rho, fh_gamma }, test) {
    const arm = (text) => ({ durations: columnOf(linesOf(text), 0), events_observed: columnOf(linesOf(text), 1).map(seenOf) });
    const weights = test === 'fleming_harrington' ? { fh_rho, fh_gamma } : {};
    return { path: '/api/v1/results/survival', body: { control_arm: arm(control_arm), treatment_arm: arm(treatment_arm), alpha, test_type: test, ...weights } };
}

function split({ variants: _, ...inside }) {
    return { path: '/api/v1/srm-check', body: { ...inside, expected_fractions: sharesOf(inside.expected_fractions) } };
}

const makers = { binary: rates, continuous: summaries, values, ratio, pairs, pair_counts: pairCounts, table, groups, times, srm: split };

export function requestOf({ analysis = 'binary', direction, ...inside }) {
    const goal = direction === undefined ? {} : { direction };
    const test = testOf({ analysis, ...inside });
    if (analysis === 'count') return results('count', 'count', inside, goal);
    return makers[analysis](inside, test, goal);
}
