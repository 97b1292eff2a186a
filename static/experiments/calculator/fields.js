/*
 * The fields of a design, under their names in the API: kind, texts, when each applies. Also the tests
 * that a metric may be planned with, and the examples that a design can start from.
 */
import { t } from '../../shared/i18n.js';
import { formatNumber, formatPercent, isolated } from '../../shared/numbers.js';

export const variantNames = 'ABCDEFGHIJ';

/* Tests per type of metric; the first is what the API plans when none is named. */
const plannedTests = {
    binary: ['z_test', 'fisher_exact'],
    continuous: ['z_test', 'mann_whitney', 'tost'],
    ratio: ['z_test'],
    count: [],
};

const typeOf = (design) => design.metric_type ?? 'binary';
const testsOf = (design) => plannedTests[typeOf(design)] ?? [];
const hasDeviation = (design) => ['continuous', 'ratio'].includes(typeOf(design));
const isCount = (design) => typeOf(design) === 'count';
const isBayesian = (design) => design.analysis_mode === 'bayesian';
const isClustered = (design) => design.randomization_unit === 'cluster';
const hasChoiceOfTest = (design) => testsOf(design).length > 1;
const testOf = (design) => design.planned_test ?? testsOf(design)[0];
const isEquivalence = (design) => hasChoiceOfTest(design) && testOf(design) === 'tost';
const canUseCuped = (design) => typeOf(design) === 'continuous' && testOf(design) === 'z_test';

/* A value of the metric as its reader knows it: a rate in percent, anything else as a number. */
export function formatMetric(metricType, value) {
    return metricType === 'binary' ? formatPercent(value) : formatNumber(value, 5);
}

function effectHint(design) {
    const { baseline_value: baseline, mde_pct: mde } = design;
    if (isEquivalence(design)) return t('hint.mde_unused');
    const falls = design.direction === 'decrease';
    const known = typeof baseline === 'number' && typeof mde === 'number' && baseline > 0 && (falls ? mde !== 0 : mde > 0);
    if (!known || (typeOf(design) === 'binary' && baseline >= 1)) return t('hint.mde_pct');
    const changed = baseline * (1 + ((falls ? -1 : 1) * Math.abs(mde)) / 100);
    return isolated(`${formatMetric(typeOf(design), baseline)} → ${formatMetric(typeOf(design), changed)}`);
}

export function sharesOf(weights) {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
}

const percentLike = 10; /* a weight of this size was meant as a percentage */

function splitHint({ traffic_split: weights = [] }) {
    const known = weights.length > 0 && weights.every((weight) => typeof weight === 'number' && weight > 0);
    if (!known) return t('hint.traffic_split');
    const parts = sharesOf(weights).map((share, index) => `${variantNames[index]} ${formatPercent(share, 3)}`);
    const text = isolated(parts.join(' · '));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return sum === 100 || Math.max(...weights) < percentLike ? text : t('hint.split_sum', { sum: formatNumber(sum), parts: text });
}

/* Equal weights that add up to 100 where that can be written without a fraction. */
function equalWeight(index, count) {
    return 100 % count === 0 ? 100 / count : 1;
}

const perVariant = (label, initial) => ({
    count: (design) => Math.min(10, Math.max(2, Number(design.variants_count) || 2)),
    name: (index) => variantNames[index],
    label: (index) => t(label, { variant: variantNames[index] }),
    initial,
});

const options = (values, text) => values.map((value) => ({ value, title: text(value) }));
const label = (key) => () => t(key);
const flag = (name, flagValue) => ({ name, kind: 'flag', flagValue, label: label(`field.${name}`), wide: true });

/* In the order in which they are read; a field that decides about another stands before it. */
/** @type {any[]} */
export const fields = [
    {
        name: 'metric_type',
        kind: 'choice',
        label: label('field.metric_type'),
        labelHidden: true,
        wide: true,
        options: () => options(Object.keys(plannedTests), (type) => t(`metric.${type}`)),
        hint: (design) => t(`hint.metric.${typeOf(design)}`),
    },
    {
        name: 'baseline_value',
        kind: (design) => (typeOf(design) === 'binary' ? 'fraction' : 'number'),
        initial: '4.2%',
        label: (design) => t(`field.baseline_value.${typeOf(design)}`),
        hint: (design) => t(`hint.baseline_value.${typeOf(design)}`),
    },
    { name: 'mde_pct', kind: 'percent', initial: 5, label: label('field.mde_pct'), hint: effectHint },
    flag('direction', 'decrease'),
    {
        name: 'std_dev',
        kind: 'number',
        label: label('field.std_dev'),
        hint: (design) => t(typeOf(design) === 'ratio' ? 'hint.std_dev.ratio' : 'hint.std_dev.continuous'),
        wide: true,
        applies: hasDeviation,
    },
    {
        name: 'exposure_per_user',
        kind: 'number',
        label: label('field.exposure_per_user'),
        hint: label('hint.exposure_per_user'),
        placeholder: '1',
        optional: true,
        wide: true,
        applies: isCount,
    },
    {
        name: 'planned_test',
        kind: 'select',
        label: label('field.planned_test'),
        options: (design) => options(testsOf(design), (test) => t(`test.${test}`)),
        hint: (design) => t(`hint.test.${testOf(design)}`),
        wide: true,
        applies: hasChoiceOfTest,
    },
    {
        name: 'equivalence_margin_pct',
        kind: 'percent',
        label: label('field.equivalence_margin_pct'),
        hint: label('hint.equivalence_margin_pct'),
        wide: true,
        applies: isEquivalence,
    },
    { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha'), hint: label('hint.alpha') },
    { name: 'power', kind: 'fraction', initial: 0.8, label: label('field.power'), hint: label('hint.power') },
    { name: 'expected_daily_traffic', kind: 'count', initial: 12000, label: label('field.expected_daily_traffic') },
    { name: 'audience_share_in_test', kind: 'fraction', initial: 0.6, label: label('field.audience_share_in_test') },
    {
        name: 'variants_count',
        kind: 'select',
        number: true,
        label: label('field.variants_count'),
        options: options([2, 3, 4, 5, 6, 7, 8, 9, 10], (count) => count),
    },
    {
        name: 'traffic_split',
        kind: 'number',
        label: label('field.traffic_split'),
        hint: splitHint,
        wide: (design) => Number(design.variants_count) > 2,
        list: perVariant('field.traffic_split_of', equalWeight),
    },
    { name: 'n_looks', kind: 'count', label: label('field.n_looks'), placeholder: '1', optional: true },
    { name: 'cuped_correlation', kind: 'number', label: label('field.cuped_correlation'), optional: true, applies: canUseCuped },
    { name: 'cuped_pre_experiment_std', kind: 'number', label: label('field.cuped_pre_experiment_std'), optional: true, applies: canUseCuped },
    flag('analysis_mode', 'bayesian'),
    {
        name: 'desired_precision',
        kind: 'number',
        label: label('field.desired_precision'),
        affix: (design) => t(typeOf(design) === 'binary' ? 'unit.percentage_points' : 'unit.metric'),
        applies: isBayesian,
    },
    { name: 'credibility', kind: 'fraction', label: label('field.credibility'), placeholder: () => formatPercent(0.95), optional: true, applies: isBayesian },
    flag('randomization_unit', 'cluster'),
    { name: 'avg_cluster_size', kind: 'number', label: label('field.avg_cluster_size'), applies: isClustered },
    { name: 'icc', kind: 'number', label: label('field.icc'), applies: isClustered },
    { name: 'holdout_fraction', kind: 'fraction', label: label('field.holdout_fraction'), placeholder: () => formatPercent(0), optional: true },
    { name: 'mutually_exclusive_experiments', kind: 'count', label: label('field.mutually_exclusive_experiments'), placeholder: '1', optional: true },
    {
        name: 'actual_counts',
        kind: 'count',
        label: label('field.actual_counts'),
        hint: label('hint.actual_counts'),
        optional: true,
        wide: true,
        list: perVariant('field.actual_counts_of', () => ''),
    },
    flag('seasonality_present', true),
    flag('active_campaigns_present', true),
    flag('long_test_possible', false),
];

/* What stands in the card, and what is folded away because most plans do not need it. */
export const sections = [
    { name: 'metric', fields: ['metric_type', 'baseline_value', 'mde_pct', 'direction', 'std_dev', 'exposure_per_user', 'planned_test', 'equivalence_margin_pct'] },
    { name: 'error_rates', fields: ['alpha', 'power'] },
    { name: 'traffic', fields: ['expected_daily_traffic', 'audience_share_in_test', 'variants_count', 'traffic_split'] },
    { name: 'looks', folded: true, fields: ['n_looks'], hint: 'hint.n_looks' },
    { name: 'cuped', folded: true, fields: ['cuped_correlation', 'cuped_pre_experiment_std'], hint: 'hint.cuped', applies: canUseCuped },
    { name: 'bayesian', folded: true, fields: ['analysis_mode', 'desired_precision', 'credibility'] },
    { name: 'clusters', folded: true, fields: ['randomization_unit', 'avg_cluster_size', 'icc'] },
    { name: 'allocation', folded: true, fields: ['holdout_fraction', 'mutually_exclusive_experiments'] },
    { name: 'counts', folded: true, fields: ['actual_counts'] },
    { name: 'context', folded: true, fields: ['seasonality_present', 'active_campaigns_present', 'long_test_possible'] },
];

/* Starting points, one for each kind of question; what they leave out is the form's own default. */
export const presets = [
    { name: 'conversion', design: {} },
    {
        name: 'order_value',
        design: {
            metric_type: 'continuous',
            baseline_value: 48,
            std_dev: 31,
            mde_pct: 3,
            expected_daily_traffic: 2400,
            audience_share_in_test: 1,
            cuped_correlation: 0.55,
            cuped_pre_experiment_std: 29,
        },
    },
    {
        name: 'click_through',
        design: {
            metric_type: 'ratio',
            baseline_value: 0.05,
            std_dev: 0.09,
            mde_pct: 5,
            expected_daily_traffic: 5000,
            audience_share_in_test: 0.5,
        },
    },
    {
        name: 'contacts',
        design: {
            metric_type: 'count',
            baseline_value: 0.3,
            mde_pct: 20,
            expected_daily_traffic: 400,
            audience_share_in_test: 0.5,
        },
    },
    {
        name: 'equivalence',
        design: {
            metric_type: 'continuous',
            planned_test: 'tost',
            baseline_value: 100,
            std_dev: 20,
            mde_pct: 5,
            equivalence_margin_pct: 2,
            expected_daily_traffic: 1000,
            audience_share_in_test: 0.25,
        },
    },
    { name: 'weekly_looks', design: { n_looks: 6 } },
];
