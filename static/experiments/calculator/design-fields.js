/*
 * The fields of a design, under their names in the API: how each is read and when it applies. Also
 * the tests that a metric may be planned with, and the examples that a design can start from.
 */

/* Tests per type of metric; the first is what the API plans when none is named. */
export const plannedTests = {
    binary: ['z_test', 'fisher_exact'],
    continuous: ['z_test', 'mann_whitney', 'tost'],
    ratio: ['z_test'],
    count: [],
};

const always = () => true;
const hasDeviation = (design) =>
    design.metric_type === 'continuous' || design.metric_type === 'ratio';
const isCount = (design) => design.metric_type === 'count';
const isBayesian = (design) => design.analysis_mode === 'bayesian';
const isClustered = (design) => design.randomization_unit === 'cluster';
const hasChoiceOfTest = (design) => (plannedTests[design.metric_type] ?? []).length > 1;
const isEquivalence = (design) => hasChoiceOfTest(design) && design.planned_test === 'tost';
const canUseCuped = (design) =>
    design.metric_type === 'continuous' && (design.planned_test ?? 'z_test') === 'z_test';

/* In the order in which they appear; a field that decides about another stands before it. */
export const fields = [
    { name: 'metric_type', kind: 'choice', applies: always },
    { name: 'baseline_value', kind: 'decimal', applies: always },
    { name: 'mde_pct', kind: 'decimal', applies: always },
    { name: 'std_dev', kind: 'decimal', applies: hasDeviation },
    { name: 'exposure_per_user', kind: 'decimal', applies: isCount },
    { name: 'planned_test', kind: 'choice', applies: hasChoiceOfTest },
    { name: 'equivalence_margin_pct', kind: 'decimal', applies: isEquivalence },
    { name: 'alpha', kind: 'decimal', applies: always },
    { name: 'power', kind: 'decimal', applies: always },
    { name: 'expected_daily_traffic', kind: 'integer', applies: always },
    { name: 'audience_share_in_test', kind: 'decimal', applies: always },
    { name: 'variants_count', kind: 'integer', applies: always },
    { name: 'traffic_split', kind: 'decimals', applies: always },
    { name: 'n_looks', kind: 'integer', applies: always },
    { name: 'cuped_correlation', kind: 'decimal', applies: canUseCuped },
    { name: 'cuped_pre_experiment_std', kind: 'decimal', applies: canUseCuped },
    { name: 'analysis_mode', kind: 'flag', flagValue: 'bayesian', applies: always },
    { name: 'desired_precision', kind: 'decimal', applies: isBayesian },
    { name: 'credibility', kind: 'decimal', applies: isBayesian },
    { name: 'randomization_unit', kind: 'flag', flagValue: 'cluster', applies: always },
    { name: 'avg_cluster_size', kind: 'decimal', applies: isClustered },
    { name: 'icc', kind: 'decimal', applies: isClustered },
    { name: 'holdout_fraction', kind: 'decimal', applies: always },
    { name: 'mutually_exclusive_experiments', kind: 'integer', applies: always },
    { name: 'actual_counts', kind: 'integers', applies: always },
    { name: 'seasonality_present', kind: 'flag', flagValue: true, applies: always },
    { name: 'active_campaigns_present', kind: 'flag', flagValue: true, applies: always },
    { name: 'long_test_possible', kind: 'flag', flagValue: false, applies: always },
];

export const fieldNames = fields.map((field) => field.name);

/* Fields that hold a fraction and show it as percent beside the input. */
export const fractions = [
    'alpha',
    'power',
    'audience_share_in_test',
    'credibility',
    'holdout_fraction',
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
