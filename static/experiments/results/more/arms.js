/* Several arms against one control, with the errors of all comparisons held together. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent, isolated } from '../../../shared/numbers.js';
import { badge } from '../../../shared/ui/badge.js';
import { table } from '../../../shared/ui/table.js';
import { difference, interval, pText } from '../../figures.js';
import { partCard } from '../../finding.js';
import { alpha, choice, label } from './common.js';
import { labelled } from './lines.js';

const columns = { binary: ['users', 'conversions'], mean: ['users', 'mean', 'std'] };
const texts = { binary: { arms: 'A 9000 430\nB 5000 270\nC 5000 301' }, mean: { arms: 'A 2000 48.1 31.2\nB 1000 49.0 30.5\nC 1000 52.4 32.8' } };

const fields = [
    choice('metric_type', (value) => t(`several.metric.${value}`), ['binary', 'mean'], 'field.metric_type', { wide: true }),
    { name: 'arms', kind: 'textarea', rows: 6, label: label('several.arms'), hint: (values) => t(`several.arms_hint.${values.metric_type}`), wide: true },
    choice('correction', (value) => t(`several.correction.${value}`), ['dunnett', 'holm', 'bonferroni', 'none'], 'several.correction', { hint: (values) => t(`several.hint.${values.correction}`), wide: true }),
    choice('alternative', (value) => t(`several.alternative.${value}`), ['two_sided', 'greater', 'less'], 'several.alternative'),
    choice('variances', (value) => t(`several.variances.${value}`), ['pooled', 'unequal'], 'several.variances', { applies: (values) => values.metric_type === 'mean' }),
    alpha,
];

function request({ arms, analysis: _, ...values }) {
    return { path: '/api/v1/results/arms', body: { ...values, arms: labelled(arms, columns[values.metric_type]) } };
}

const typeOf = ({ body }) => (body.metric_type === 'binary' ? 'binary' : 'plain');
const nameOf = (row, index) => row.label ?? 'ABCDEFGHIJ'[index + 1];

/* One-sided intervals are open at one end. */
function rangeText({ ci_lower: lower, ci_upper: upper }, type) {
    if (lower === null) return t('several.at_most', { value: difference(upper, type) });
    return upper === null ? t('several.at_least', { value: difference(lower, type) }) : interval(lower, upper, type);
}

function comparisonsTable(answer, type) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return table({
        caption: t('several.comparisons'),
        plain: true,
        columns: [
            { name: 'name', title: t('split.variant'), cell: (row) => row.name },
            end('effect', t('observed.effect'), (row) => difference(row.effect, type, [row.ci_lower ?? row.effect, row.ci_upper ?? row.effect])),
            end('interval', t('observed.interval'), (row) => rangeText(row, type)),
            end('p', t('observed.p_value'), (row) => pText(row.p_value)),
            end('adjusted', t('several.adjusted_p'), (row) => pText(row.adjusted_p_value)),
            end('found', t('several.result'), (row) => badge(t(row.is_significant ? 'several.differs' : 'several.open'), row.is_significant ? 'good' : 'plain')),
        ],
        rows: answer.comparisons.map((row, index) => ({ ...row, name: nameOf(row, index) })),
    });
}

/** @param {experiments.ArmsReply} answer */
function finding(answer, { question }) {
    const type = typeOf(question);
    const found = answer.comparisons.filter(({ is_significant: significant }) => significant);
    const key = found.length > 0 ? 'several.found' : 'several.none';
    const names = answer.comparisons.flatMap((row, index) => (row.is_significant ? [isolated(nameOf(row, index))] : [])).join(', ');
    const values = { count: formatInteger(found.length), all: formatInteger(answer.comparisons.length), names, alpha: formatPercent(answer.alpha) };
    const title = t('several.intervals', { level: formatPercent(1 - answer.alpha) });
    return {
        verdict: { tone: found.length > 0 ? 'good' : 'plain', title: t(key, values), text: t(answer.correction === 'none' ? 'several.uncorrected' : `${key}_text`, values) },
        interval: {
            title,
            label: title,
            axis: type === 'binary' ? t('observed.axis_points') : t('observed.effect'),
            rows: answer.comparisons.map((row, index) => ({ name: nameOf(row, index), estimate: row.effect, lower: row.ci_lower, upper: row.ci_upper })),
            facts: [[t('several.critical'), formatNumber(answer.comparisons[0].critical_value, 4)]],
        },
        parts: [partCard('comparisons', t('several.comparisons'), comparisonsTable(answer, type))],
    };
}

export const arms = { fields, request, finding, examples: { by: 'metric_type', of: texts } };
