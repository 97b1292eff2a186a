/* What was observed: the fields of each kind of question, its route, and the body that they make. */
import { t } from '../../shared/i18n.js';
import { formatPercent, isolated } from '../../shared/numbers.js';

export const variantNames = 'ABCDEFGHIJ';

const analysisOf = (values) => values.analysis ?? 'binary';
const only =
    (...names) =>
    (values) =>
        names.includes(analysisOf(values));
const label = (key) => () => t(key);

/* The rate that two counts make, beside the second of them. */
function rateOf(users, conversions) {
    const known = typeof users === 'number' && typeof conversions === 'number';
    const possible = known && users > 0 && conversions >= 0 && conversions <= users;
    return possible ? isolated(`= ${formatPercent(conversions / users)}`) : null;
}

function perVariant(key, initial) {
    return {
        count: (values) => Math.min(10, Math.max(2, Number(values.variants) || 2)),
        name: (index) => variantNames[index],
        label: (index) => t(key, { variant: variantNames[index] }),
        initial,
    };
}

const binaryOrder = ['control_users', 'control_conversions', 'treatment_users', 'treatment_conversions'];
const meanOrder = ['control_n', 'control_mean', 'control_std', 'treatment_n', 'treatment_mean', 'treatment_std'];

function field(name, kind, initial, key, order, extra = {}) {
    const applies = only(order === binaryOrder ? 'binary' : 'continuous');
    const spread = order.slice(order.indexOf(name) + 1);
    return { name, kind, initial, label: label(key), spread, applies, ...extra };
}

const rateAffix = (arm) => ({
    affix: (values) => rateOf(values[`${arm}_users`], values[`${arm}_conversions`]),
});

/** @type {any[]} */
export const fields = [
    {
        name: 'analysis',
        kind: 'choice',
        label: label('field.analysis'),
        labelHidden: true,
        wide: true,
        options: () => ['binary', 'continuous', 'srm'].map((value) => ({ value, title: t(`analysis.${value}`) })),
        hint: (values) => t(`hint.analysis.${analysisOf(values)}`),
    },
    field('control_users', 'count', 1000, 'field.users', binaryOrder),
    field('control_conversions', 'count', 100, 'field.conversions', binaryOrder, rateAffix('control')),
    field('treatment_users', 'count', 1000, 'field.users', binaryOrder),
    field('treatment_conversions', 'count', 130, 'field.conversions', binaryOrder, rateAffix('treatment')),
    field('control_n', 'count', 500, 'field.users', meanOrder),
    field('control_mean', 'number', 48, 'field.mean', meanOrder),
    field('control_std', 'number', 31, 'field.std_dev', meanOrder),
    field('treatment_n', 'count', 500, 'field.users', meanOrder),
    field('treatment_mean', 'number', 52.5, 'field.mean', meanOrder),
    field('treatment_std', 'number', 32, 'field.std_dev', meanOrder),
    { name: 'direction', kind: 'flag', flagValue: 'decrease', label: label('field.direction'), wide: true, applies: only('binary', 'continuous') },
    {
        name: 'alpha',
        kind: 'fraction',
        initial: 0.05,
        label: label('field.alpha'),
        hint: label('hint.alpha'),
        applies: only('binary', 'continuous'),
    },
    {
        name: 'variants',
        kind: 'select',
        label: label('field.variants_count'),
        options: [2, 3, 4, 5, 6, 7, 8, 9, 10].map((value) => ({ value, title: value })),
        applies: only('srm'),
    },
    {
        name: 'observed_counts',
        kind: 'count',
        label: label('field.actual_counts'),
        wide: true,
        list: perVariant('field.actual_counts_of', (index) => [4980, 5020][index] ?? 5000),
        applies: only('srm'),
    },
    {
        name: 'expected_fractions',
        kind: 'number',
        label: label('field.expected_split'),
        hint: label('hint.traffic_split'),
        wide: true,
        list: perVariant('field.traffic_split_of', (index, count) => (100 % count === 0 ? 100 / count : 1)),
        applies: only('srm'),
    },
];

/* Controls of an arm, by kind of question. */
export const arms = {
    binary: { control: binaryOrder.slice(0, 2), treatment: binaryOrder.slice(2) },
    continuous: { control: meanOrder.slice(0, 3), treatment: meanOrder.slice(3) },
};

/* Weights in any unit as shares of one; left alone when one of them is no number. */
function sharesOf(weights) {
    const sum = (weights ?? []).reduce((total, weight) => total + weight, 0);
    return typeof sum === 'number' && sum > 0 ? weights.map((weight) => weight / sum) : weights;
}

/* The request that the values of the form stand for: {path, body}. */
export function requestOf({ analysis, variants, direction, ...values }) {
    const goal = direction === undefined ? {} : { direction };
    if (analysis !== 'srm') return { path: '/api/v1/results', body: { metric_type: analysis, [analysis]: values, ...goal } };
    const body = { ...values, expected_fractions: sharesOf(values.expected_fractions) };
    return { path: '/api/v1/srm-check', body };
}

/* The values in a query, as far as they are there; numbers where the texts are some. */
export function valuesOf(query) {
    const number = (text) => (/^-?\d*\.?\d+(e[-+]?\d+)?$/i.test(text) ? Number(text) : text);
    return Object.fromEntries(
        fields
            .filter(({ name }) => query.has(name))
            .map(({ name, list }) => {
                const text = query.get(name);
                return [name, list ? text.split(',').map(number) : number(text)];
            }),
    );
}
