/* Two arms from sums that a database adds up, or from counts per value. */
import { t } from '../../../shared/i18n.js';
import { findingOfArms } from '../result.js';
import { alpha, choice, direction, goalOf, label } from './common.js';
import { column, lines } from './lines.js';

const means = ['n', 'sum', 'sum_squares'];
const ratio = ['n', 'numerator_sum', 'denominator_sum', 'numerator_squares', 'denominator_squares', 'products'];
const inputs = { continuous: means, equivalence: means, binary: ['n', 'conversions'], count: ['events', 'exposure'], ratio };
const ranked = ['mann_whitney', 'quantile', 'trimmed_t', 'bootstrap'];
const kinds = ['continuous', 'binary', 'count', 'ratio', ...ranked, 'equivalence'];

const start = {
    control: { n: 4980, sum: 119520, sum_squares: 7171200, conversions: 412, events: 812, exposure: 4980, numerator_sum: 812, denominator_sum: 9960, numerator_squares: 1420, denominator_squares: 29880, products: 2105 },
    treatment: { n: 5020, sum: 125500, sum_squares: 7731000, conversions: 471, events: 905, exposure: 5020, numerator_sum: 905, denominator_sum: 10090, numerator_squares: 1610, denominator_squares: 30500, products: 2290 },
};
const counts = { control: '0 120\n1 80\n2 40\n3 15\n5 5', treatment: '0 100\n1 85\n2 50\n3 22\n5 8' };

const whole = ['n', 'conversions', 'events'];
const isRanked = (values) => ranked.includes(values.metric_type);

const names = [...new Set(Object.values(inputs).flat())];

function numberField(arm, name) {
    return { name: `${arm}_${name}`, kind: whole.includes(name) ? 'count' : 'number', initial: start[arm][name], label: label(`sums.${name}`), applies: (values) => (inputs[values.metric_type] ?? []).includes(name) };
}

/* Values and their counts: the API has two lists of them. */
function countsField(arm) {
    return { name: `${arm}_table`, holds: [arm], kind: 'textarea', rows: 7, initial: counts[arm], label: label(`arm.${arm}`), hint: label('sums.counts_hint'), wide: true, applies: isRanked };
}

const fieldsOf = (arm) => [...names.map((name) => numberField(arm, name)), countsField(arm)];

const fields = [
    choice('metric_type', (value) => t(`method.${value}`), kinds, 'field.test', { wide: true }),
    ...fieldsOf('control'),
    ...fieldsOf('treatment'),
    { name: 'equivalence_margin', kind: 'number', initial: 1, label: label('field.equivalence_margin'), applies: (values) => values.metric_type === 'equivalence' },
    { name: 'quantile', kind: 'fraction', initial: 0.5, label: label('field.quantile'), applies: (values) => values.metric_type === 'quantile' },
    { name: 'trim', kind: 'fraction', initial: 0.2, label: label('field.trim'), applies: (values) => values.metric_type === 'trimmed_t' },
    alpha,
    direction,
];

function armOf(values, arm) {
    if (isRanked(values)) {
        const rows = lines(values[`${arm}_table`]);
        return { values: column(rows, 0), counts: column(rows, 1) };
    }
    return Object.fromEntries(inputs[values.metric_type].flatMap((name) => (values[`${arm}_${name}`] === undefined ? [] : [[name, values[`${arm}_${name}`]]])));
}

function request(values) {
    const { metric_type, alpha: level, equivalence_margin, quantile, trim } = values;
    const more = Object.fromEntries(Object.entries({ equivalence_margin, quantile, trim }).filter(([, value]) => value !== undefined));
    return { path: '/api/v1/results/statistics', body: { metric_type, control: armOf(values, 'control'), treatment: armOf(values, 'treatment'), alpha: level, ...more, ...goalOf(values) } };
}

const group = (arm) => ({ title: () => t(`arm.${arm}`), names: fieldsOf(arm).map(({ name }) => name) });

export const sums = {
    fields,
    sections: [{ names: ['analysis', 'metric_type'] }, { groups: [group('control'), group('treatment')] }, { names: ['equivalence_margin', 'quantile', 'trim', 'alpha', 'direction'] }],
    request,
    finding: (answer, tool) => findingOfArms(answer, tool),
};
