/* What was observed: the fields of each kind of data. The body that they make is in requests.js. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatPercent, isolated } from '../../shared/numbers.js';
import { linesOf, numbersOf } from './inputs.js';
import { suggested, testOf, tests } from './suggest.js';

export const variantNames = 'ABCDEFGHIJ';

const kindOf = (values) => values.analysis ?? 'binary';
const only =
    (...names) =>
    (values) =>
        names.includes(kindOf(values));
const withTest =
    (...names) =>
    (values) =>
        names.includes(testOf(values));
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

const orders = {
    binary: ['control_users', 'control_conversions', 'treatment_users', 'treatment_conversions'],
    continuous: ['control_n', 'control_mean', 'control_std', 'treatment_n', 'treatment_mean', 'treatment_std'],
    count: ['control_exposure', 'control_events', 'treatment_exposure', 'treatment_events'],
    pair_counts: ['both', 'control_only', 'treatment_only', 'neither'],
};

function field(analysis, name, kind, initial, key, extra = {}) {
    const spread = orders[analysis].slice(orders[analysis].indexOf(name) + 1);
    return { name, kind, initial, label: label(key), spread, applies: only(analysis), ...extra };
}

const rateAffix = (arm) => ({
    affix: (values) => rateOf(values[`${arm}_users`], values[`${arm}_conversions`]),
});

/* How many values, or lines of values, were read: people see at once whether a list arrived whole. */
const counted = (read) => (name) => (values) => {
    const count = read(values[name]).length;
    return [t(`hint.format.${kindOf(values)}`), count > 0 ? t('given.read', { count: formatInteger(count) }) : ''].filter(Boolean).join(' ');
};
const hintOfValues = counted(numbersOf);
const hintOfLines = counted(linesOf);

function text(name, key, initial, hint, kinds) {
    return { name, kind: 'textarea', label: label(key), initial, hint: hint(name), rows: 7, wide: kinds.includes('table'), applies: only(...kinds) };
}

/* The examples are of the kind that is chosen first; another kind has its own as soon as it is chosen. */
export const examples = {
    values: { control_values: '12.1 9.8 14.5 11.0 10.2 13.3 12.7 9.1 15.0 11.6', treatment_values: '14.2 12.9 15.8 13.1 11.7 16.4 14.9 12.2 17.0 13.6' },
    pairs: { control_values: '10 12 9 15 11 13 8 14', treatment_values: '12 15 10 16 13 13 10 17' },
    ratio: { control_arm: '2 10\n1 8\n3 12\n2 9\n1 7\n2 11', treatment_arm: '3 10\n2 8\n4 12\n3 10\n2 7\n3 11' },
    table: { table: '120 60 20\n100 75 25' },
    groups: { groups: '5.1 4.8 6.2 5.5 5.0\n6.5 7.1 6.8 7.4 6.9\n5.9 6.3 6.7 5.5 6.0' },
    times: { control_arm: '5 1\n8 1\n12 0\n3 1\n9 1\n6 1', treatment_arm: '11 1\n15 0\n7 1\n20 0\n18 1\n14 1' },
};

function testField() {
    const title = (values, value) => (value === '' ? t('given.suggested', { test: t(`method.${suggested(values).test}`) }) : t(`method.${value}`));
    return {
        name: 'test',
        kind: 'select',
        label: label('field.test'),
        wide: true,
        applies: (values) => tests[kindOf(values)].length > 1,
        options: (values) => ['', ...tests[kindOf(values)]].map((value) => ({ value, title: title(values, value) })),
        hint: (values) => (values.test === undefined ? t(`reason.${suggested(values).reason}`) : t('given.chosen', { test: t(`method.${suggested(values).test}`) })),
    };
}

const twoSided = only('binary', 'continuous', 'count', 'values', 'ratio', 'pairs', 'pair_counts');

/* What the reader has; every form of the page begins with it. */
export const analysisField = {
    name: 'analysis',
    kind: 'select',
    label: label('field.data'),
    wide: true,
    options: () => Object.keys(tests).map((value) => ({ value, title: t(`given.${value}`) })),
    hint: (values) => t(`hint.data.${kindOf(values)}`),
};

/** @type {any[]} */
export const fields = [
    analysisField,
    field('binary', 'control_users', 'count', 1000, 'field.users'),
    field('binary', 'control_conversions', 'count', 100, 'field.conversions', rateAffix('control')),
    field('binary', 'treatment_users', 'count', 1000, 'field.users'),
    field('binary', 'treatment_conversions', 'count', 130, 'field.conversions', rateAffix('treatment')),
    field('continuous', 'control_n', 'count', 500, 'field.users'),
    field('continuous', 'control_mean', 'number', 48, 'field.mean'),
    field('continuous', 'control_std', 'number', 31, 'field.std_dev'),
    field('continuous', 'treatment_n', 'count', 500, 'field.users'),
    field('continuous', 'treatment_mean', 'number', 52.5, 'field.mean'),
    field('continuous', 'treatment_std', 'number', 32, 'field.std_dev'),
    field('count', 'control_exposure', 'number', 1000, 'field.exposure'),
    field('count', 'control_events', 'count', 210, 'field.events'),
    field('count', 'treatment_exposure', 'number', 1000, 'field.exposure'),
    field('count', 'treatment_events', 'count', 254, 'field.events'),
    text('control_values', 'arm.control', examples.values.control_values, hintOfValues, ['values', 'pairs']),
    text('treatment_values', 'arm.treatment', examples.values.treatment_values, hintOfValues, ['values', 'pairs']),
    text('control_arm', 'arm.control', examples.ratio.control_arm, hintOfLines, ['ratio', 'times']),
    text('treatment_arm', 'arm.treatment', examples.ratio.treatment_arm, hintOfLines, ['ratio', 'times']),
    text('table', 'field.table', examples.table.table, hintOfLines, ['table']),
    { ...text('groups', 'field.groups', examples.groups.groups, hintOfLines, ['groups']), wide: true },
    field('pair_counts', 'both', 'count', 310, 'field.both'),
    field('pair_counts', 'control_only', 'count', 40, 'field.control_only'),
    field('pair_counts', 'treatment_only', 'count', 65, 'field.treatment_only'),
    field('pair_counts', 'neither', 'count', 585, 'field.neither'),
    {
        name: 'equivalence_margin',
        kind: 'number',
        optional: true,
        label: label('field.equivalence_margin'),
        hint: label('hint.equivalence_margin'),
        wide: true,
        applies: only('continuous'),
    },
    testField(),
    { name: 'quantile', kind: 'fraction', initial: 0.5, label: label('field.quantile'), applies: withTest('quantile') },
    { name: 'trim', kind: 'fraction', initial: 0.2, label: label('field.trim'), applies: withTest('trimmed_t') },
    { name: 'fh_rho', kind: 'number', initial: 1, label: label('field.fh_rho'), hint: label('hint.fh_rho'), applies: withTest('fleming_harrington') },
    { name: 'fh_gamma', kind: 'number', initial: 0, label: label('field.fh_gamma'), hint: label('hint.fh_gamma'), applies: withTest('fleming_harrington') },
    {
        name: 'alpha',
        kind: 'fraction',
        initial: 0.05,
        label: label('field.alpha'),
        hint: (values) => (twoSided(values) ? t('hint.alpha') : null),
        applies: (values) => kindOf(values) !== 'srm',
    },
    { name: 'direction', kind: 'flag', flagValue: 'decrease', label: label('field.direction'), wide: true, applies: twoSided },
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

/* Controls of an arm, by kind of data. */
export const arms = Object.fromEntries(
    ['binary', 'continuous', 'count'].map((analysis) => {
        const names = orders[analysis];
        return [analysis, { control: names.slice(0, names.length / 2), treatment: names.slice(names.length / 2) }];
    }),
);

/* Fields of values that people paste or upload, by kind of data. */
export const lists = {
    values: ['control_values', 'treatment_values'],
    pairs: ['control_values', 'treatment_values'],
    ratio: ['control_arm', 'treatment_arm'],
    times: ['control_arm', 'treatment_arm'],
    table: ['table'],
    groups: ['groups'],
};

export const pairCounts = orders.pair_counts;
