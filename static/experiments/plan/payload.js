/*
 * Between the form and the payload of a project: where in the payload each field lives, and what stands
 * there when the field is empty or not asked for. What the form does not ask (guardrails, targeting rules,
 * observed results) stays as the template or the project had it.
 */
import { namesOf } from '../../shared/lists.js';
import { fields as planned } from '../calculator/fields.js';
import { bayesOf, bayesValuesOf, hybridOf, looksOf, lookValuesOf, switchbackOf, switchbackValuesOf } from './nested.js';

/** @type {(value: any) => (...names: string[]) => [string, any][]} */
const otherwise = (value) => (...names) => names.map((name) => [name, value]);
const texts = otherwise('');
const optional = otherwise(null);
const required = otherwise(undefined);

/* What conversions are called where nobody has named them: the snippets and events need a name. */
export const defaultMetric = 'conversion';

/* Block by block: names, and the values of fields that are empty; undefined lets the API say what it misses. */
export const blocks = {
    project: new Map(texts('project_name', 'domain', 'product_type', 'platform', 'market', 'project_description')),
    hypothesis: new Map(texts('change_description', 'hypothesis_statement', 'target_audience', 'business_problem', 'what_to_validate', 'desired_result')),
    setup: new Map([
        ...required('expected_daily_traffic', 'audience_share_in_test', 'variants_count', 'traffic_split'),
        ...optional('avg_cluster_size', 'icc'),
        ...texts('inclusion_criteria', 'exclusion_criteria'),
    ]),
    metrics: new Map([
        ...otherwise(defaultMetric)('primary_metric_name'),
        ...required('metric_type', 'baseline_value', 'mde_pct', 'alpha', 'power'),
        ...otherwise('increase')('direction'),
        ...otherwise('all')('conversion_window'),
        ...optional('std_dev', 'exposure_per_user', 'planned_test', 'equivalence_margin_pct', 'conversion_window_days'),
        ...optional('cuped_correlation', 'cuped_pre_experiment_std', 'numerator_metric_name', 'denominator_metric_name'),
    ]),
    constraints: new Map([
        ...otherwise(false)('seasonality_present', 'active_campaigns_present', 'returning_users_present'),
        ...otherwise(true)('long_test_possible'),
        ...otherwise(1)('n_looks'),
        ...otherwise('frequentist')('analysis_mode'),
        ...otherwise(0.95)('credibility'),
        ...optional('desired_precision', 'holdout_fraction', 'mutually_exclusive_experiments'),
        ...texts('interference_risk', 'technical_constraints', 'legal_or_ethics_constraints', 'known_risks', 'deadline_pressure'),
    ]),
};

const clustered = 'cluster';

/* What a design without a template has where the form asks nothing. */
export const blank = {
    project: {},
    hypothesis: {},
    setup: { experiment_type: 'ab', randomization_unit: 'user' },
    metrics: {},
    constraints: { hybrid: { early_share: 0.5, tuned_fraction: 0.5 } }, /* the default of the API reads at all of alpha twice */
};

function unitOf({ randomization_unit: chosen }, { randomization_unit: before }) {
    if (chosen === clustered) return clustered;
    return before === clustered || !before ? 'user' : before;
}

/* Named clusters make live results those of clusters. What the form does not ask of them stays. */
function clustersOf(values, { clusters = null, randomization_unit: before }) {
    const { randomization_unit: chosen, cluster_unit: unit } = values;
    if (chosen !== clustered) return before === clustered ? null : clusters;
    return unit ? { ...clusters, unit, switchback: switchbackOf(values, clusters?.switchback) } : null;
}

/* The first test of a metric is what the API plans when none is named. */
function testOf({ planned_test: chosen = null }, { planned_test: before = null }) {
    return chosen === 'z_test' && before === null ? null : chosen;
}

/* What makes a metric the one of the catalog that the design names. */
const identity = ['primary_metric_name', 'metric_type', 'numerator_metric_name', 'denominator_metric_name'];
const isSameMetric = (metrics, before) => identity.every((name) => (metrics[name] ?? null) === (before[name] ?? null));

/* The further goals that the form names; what it does not ask of one stays as it was. */
function goalsOf(values, before) {
    const names = namesOf(values.further_goals);
    if (!names.length) return null;
    const rates = namesOf(values.goal_rates);
    const falling = namesOf(values.goal_decrease);
    const further = names.map((name) => ({
        ...before?.further.find((goal) => goal.name === name),
        name,
        metric_type: rates.includes(name) ? 'binary' : 'continuous',
        direction: falling.includes(name) ? 'decrease' : 'increase',
    }));
    return { ...before, further, requires: values.goals_require || 'any', correction: values.goals_correction || before?.correction || 'holm', reading: values.goals_reading || 'always_valid' };
}

function goalValuesOf(goals) {
    const named = (holds) => (goals?.further ?? []).filter(holds).map(({ name }) => name).join(', ');
    return {
        further_goals: named(() => true),
        goal_rates: named(({ metric_type: type }) => type === 'binary'),
        goal_decrease: named(({ direction }) => direction === 'decrease'),
        goals_require: goals?.requires ?? 'any',
        goals_correction: goals?.correction ?? 'holm',
        goals_reading: goals?.reading ?? 'always_valid',
    };
}

/* The payload of `values`, on top of what `base` has. */
/** @returns {experiments.ExperimentPayload} */
export function payloadOf(values, base) {
    const payload = structuredClone(base);
    for (const [block, names] of Object.entries(blocks))
        for (const [name, empty] of names) payload[block] = { ...payload[block], [name]: values[name] ?? empty };
    if (payload.metrics.catalog_metric && !isSameMetric(payload.metrics, base.metrics)) payload.metrics.catalog_metric = null;
    payload.setup.randomization_unit = unitOf(values, base.setup);
    payload.setup.clusters = clustersOf(values, base.setup);
    payload.metrics.planned_test = testOf(values, base.metrics);
    payload.metrics.secondary_metrics = namesOf(values.secondary_metrics);
    payload.metrics.secondary_directions = namesOf(values.secondary_decrease).map((name) => ({ name, direction: 'decrease' }));
    payload.metrics.goals = goalsOf(values, base.metrics.goals);
    payload.metrics.bayes = bayesOf(values, base.metrics);
    payload.constraints.planned_looks = looksOf(values, base.constraints.planned_looks);
    payload.constraints.hybrid = hybridOf(values, base.constraints.hybrid);
    return payload;
}

/* What the form shows of a payload. */
export function valuesOf(payload) {
    const values = Object.fromEntries(Object.entries(blocks).flatMap(([block, names]) => [...names.keys()].map((name) => [name, payload[block][name]])));
    const falling = (payload.metrics.secondary_directions ?? []).filter(({ direction }) => direction === 'decrease');
    return {
        ...values,
        primary_metric_name: payload.metrics.primary_metric_name || defaultMetric,
        randomization_unit: payload.setup.randomization_unit,
        cluster_unit: payload.setup.clusters?.unit ?? '',
        secondary_metrics: (payload.metrics.secondary_metrics ?? []).join(', '),
        secondary_decrease: falling.map(({ name }) => name).join(', '),
        ...goalValuesOf(payload.metrics.goals),
        ...bayesValuesOf(payload.metrics.bayes),
        ...lookValuesOf(payload.constraints),
        ...switchbackValuesOf(payload.setup.clusters?.switchback),
    };
}

/* What sizing asks about. */
const sized = new Set(planned.map(({ name }) => name));
export const questionOf = (values) => Object.fromEntries(Object.entries(values).filter(([name]) => sized.has(name)));
