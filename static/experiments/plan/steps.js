/* The six steps: their fields, most of them those of the calculator, and the words that it does not ask for. */
import { t } from '../../shared/i18n.js';
import { fields as planned } from '../calculator/fields.js';
import { bayesFields, lookFields, switchbackFields } from './nested_fields.js';
import { defaultMetric } from './payload.js';

const nameOf = ({ name }) => name;
const label = (name) => () => t(`plan.${name}`);
const line = (name, more = {}) => ({ name, kind: 'text', label: label(name), optional: true, ...more });
const prose = (name) => ({ name, kind: 'textarea', rows: 2, label: label(name), optional: true, wide: true });
const hasSecondary = ({ secondary_metrics: names }) => Boolean(names);
const hasGoals = ({ further_goals: names }) => Boolean(names);
const wantsAny = (values) => hasGoals(values) && values.goals_require !== 'all';
const choice = (name, values, more = {}) => ({
    name,
    kind: 'select',
    label: label(name),
    options: () => values.map((value) => ({ value, title: t(`plan.${name}.${value}`) })),
    ...more,
});
const countsAfterExposure = ({ conversion_window: window }) => window === 'after_exposure';
const isClustered = ({ randomization_unit: unit }) => unit === 'cluster';
const isRatio = ({ metric_type: type }) => type === 'ratio';

/* Looks by a spending function take the place of evenly planned ones. */
const besideLooks = (field) => (field.name === 'n_looks' ? { ...field, applies: ({ planned_looks_alpha_spending: spending }) => !spending } : field);

/* In the order in which they are read: what the metric is decides about what comes after it. */
/** @type {any[]} */
export const fields = [
    { ...line('project_name'), optional: false, wide: true },
    line('domain'),
    line('product_type'),
    line('platform'),
    line('market'),
    prose('project_description'),
    ...['change_description', 'hypothesis_statement', 'target_audience', 'business_problem', 'what_to_validate', 'desired_result'].map(prose),
    ...lookFields,
    ...planned.filter(({ name }) => name !== 'actual_counts').map(besideLooks),
    { ...line('primary_metric_name'), optional: false, wide: true, initial: defaultMetric, maxLength: 100, hint: () => t('plan.metric_name_hint') },
    { ...line('numerator_metric_name'), optional: false, maxLength: 100, applies: isRatio },
    { ...line('denominator_metric_name'), optional: false, maxLength: 100, applies: isRatio },
    { ...line('secondary_metrics'), hint: () => t('plan.secondary_hint'), wide: true },
    { ...line('secondary_decrease'), hint: () => t('plan.secondary_hint'), wide: true, applies: hasSecondary },
    { ...line('further_goals'), hint: () => t('plan.secondary_hint'), wide: true },
    { ...line('goal_rates'), hint: () => t('plan.secondary_hint'), wide: true, applies: hasGoals },
    { ...line('goal_decrease'), hint: () => t('plan.secondary_hint'), wide: true, applies: hasGoals },
    choice('goals_require', ['any', 'all'], { applies: hasGoals }),
    choice('goals_correction', ['holm', 'in_order'], { applies: wantsAny }),
    choice('goals_reading', ['always_valid', 'planned_end'], { applies: hasGoals }),
    ...bayesFields,
    { name: 'conversion_window', kind: 'flag', flagValue: 'after_exposure', label: label('conversion_window'), wide: true },
    { name: 'conversion_window_days', kind: 'number', label: label('conversion_window_days'), optional: true, applies: countsAfterExposure },
    { ...line('cluster_unit'), maxLength: 100, hint: () => t('plan.cluster_unit_hint'), applies: isClustered },
    ...switchbackFields,
    prose('inclusion_criteria'),
    prose('exclusion_criteria'),
    { name: 'returning_users_present', kind: 'flag', label: label('returning_users_present'), wide: true },
    line('interference_risk'),
    line('deadline_pressure'),
    ...['technical_constraints', 'legal_or_ethics_constraints', 'known_risks'].map(prose),
];

export const steps = [
    { name: 'project', fields: ['project_name', 'domain', 'product_type', 'platform', 'market', 'project_description'] },
    { name: 'hypothesis', fields: ['change_description', 'hypothesis_statement', 'target_audience', 'business_problem', 'what_to_validate', 'desired_result'] },
    {
        name: 'metric',
        sized: true,
        fields: [
            ...['primary_metric_name', 'metric_type', 'numerator_metric_name', 'denominator_metric_name', 'baseline_value', 'mde_pct', 'direction', 'std_dev', 'exposure_per_user'],
            ...['planned_test', 'equivalence_margin_pct', 'alpha', 'power', 'cuped_correlation', 'cuped_pre_experiment_std', 'secondary_metrics', 'secondary_decrease'],
            ...['further_goals', 'goal_rates', 'goal_decrease', 'goals_require', 'goals_correction', 'goals_reading', 'conversion_window', 'conversion_window_days'],
            ...bayesFields.map(nameOf),
        ],
    },
    {
        name: 'traffic',
        sized: true,
        fields: [
            ...['expected_daily_traffic', 'audience_share_in_test', 'variants_count', 'traffic_split'],
            ...lookFields.map(nameOf),
            ...['n_looks', 'holdout_fraction', 'mutually_exclusive_experiments'],
            ...['randomization_unit', 'avg_cluster_size', 'icc', 'cluster_unit'],
            ...switchbackFields.map(nameOf),
            ...['inclusion_criteria', 'exclusion_criteria'],
        ],
    },
    {
        name: 'constraints',
        sized: true,
        fields: [
            ...['seasonality_present', 'active_campaigns_present', 'returning_users_present', 'long_test_possible', 'analysis_mode', 'desired_precision', 'credibility'],
            ...['interference_risk', 'deadline_pressure', 'technical_constraints', 'legal_or_ethics_constraints', 'known_risks'],
        ],
    },
    { name: 'review', sized: true, fields: [] },
];
