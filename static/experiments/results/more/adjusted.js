/* Users with what was known of them before the test: differences with a shorter interval. */
import { t } from '../../../shared/i18n.js';
import { findingOfAdjusted } from '../../adjusted.js';
import { groupedByLabel, remembered, valueOf, widthOf } from '../inputs.js';
import { alpha, choice, direction, goalOf, label } from './common.js';
import { rowsOf } from './lines.js';

const before = [22, 31, 18, 40, 27, 35, 15, 29, 33, 24];
const after = { A: [1, -2, 3, 0, 2, -1, 2, -3, 1, 0], B: [6, 2, 5, 7, 3, 4, 6, 1, 5, 4] };
const example = Object.entries(after).flatMap(([arm, gains]) => gains.map((gain, index) => `${arm} ${before[index] + gain} ${index === 4 && arm === 'B' ? '-' : before[index]}`)).join('\n');
const rate = Object.entries(after).flatMap(([arm, gains]) => gains.map((gain, index) => `${arm} ${gain > 2 ? 1 : 0} ${before[index]}`)).join('\n');
const ratio = Object.entries(after).flatMap(([arm, gains]) => gains.map((gain, index) => `${arm} ${before[index] + gain} ${10 + index} ${before[index]}`)).join('\n');

const missing = /^(|-|–|na|null)$/i;

const fields = [
    choice('metric_type', (value) => t(`metric.${value}`), ['continuous', 'binary', 'count', 'ratio'], 'field.metric_type', { wide: true }),
    {
        name: 'arms',
        kind: 'textarea',
        rows: 10,
        label: label('adjust.rows'),
        hint: (values) => t(values.metric_type === 'ratio' ? 'adjust.rows_hint_ratio' : 'adjust.rows_hint'),
        wide: true,
    },
    choice('variance', (value) => t(`adjust.variance.${value}`), ['hc2', 'hc3'], 'adjust.variance', { hint: label('adjust.variance_hint') }),
    alpha,
    direction,
];

/* {groups, width} of lines of a variant, a value and covariates; the width without the variant. */
const linesIn = remembered((text) => {
    const rows = rowsOf(text);
    return { groups: groupedByLabel(rows), width: widthOf(rows) - 1 };
});

const labelsOf = (text) => linesIn(text).groups.map(([label]) => label);

function armsOf(text, ratio) {
    const { groups, width: found } = linesIn(text);
    const first = ratio ? 2 : 1;
    const width = Math.max(first + 1, found);
    const cell = (text) => (missing.test(text ?? '') ? null : valueOf(text));
    return groups.map(([, cells]) => ({
        values: cells.map(([value]) => valueOf(value ?? '')),
        ...(ratio ? { denominators: cells.map(([, value]) => valueOf(value ?? '')) } : {}),
        covariates: Array.from({ length: width - first }, (_, index) => cells.map((row) => cell(row[first + index]))),
    }));
}

function request(values) {
    const { metric_type, arms: text, variance, alpha: level } = values;
    const arms = armsOf(text, metric_type === 'ratio');
    return { path: '/api/v1/results/adjusted', body: { metric_type, arms, variance, alpha: level, ...goalOf(values) } };
}

export const adjusted = {
    fields,
    request,
    finding: (answer, { asked }) => findingOfAdjusted(answer, labelsOf(asked.arms)),
    examples: { by: 'metric_type', of: { continuous: { arms: example }, count: { arms: example }, binary: { arms: rate }, ratio: { arms: ratio } } },
};
