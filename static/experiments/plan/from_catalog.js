/*
 * What a metric of the catalog brings into a design, by the role that it gets. `metrics` is the block of the design;
 * each function gives the block with the metric in it, or the key of a text that says why it cannot have the role.
 */
import { known } from '../figures.js';

export const guardrailsMax = 3;
export const roles = ['goal', 'secondary', 'guardrail'];

const without = (list, name) => (list ?? []).filter((one) => one.name !== name);

/*
 * Everything that the metric decides, also where it leaves a member open; what was said of the goal before goes with it.
 * Numbers stay where both are of one kind.
 */
/** @param {any} metrics @param {experiments.MetricDefaults} defaults */
export function withGoal(metrics, defaults) {
    const { primary_metric_name: before, metric_type: kind } = metrics;
    const ofKind = (defaults.metric_type === kind ? [] : ['baseline_value', 'planned_test', 'bayes']).map((name) => [name, null]);
    const open = ['std_dev', 'numerator_metric_name', 'denominator_metric_name', 'conversion_window_days'].map((name) => [name, null]);
    return {
        ...metrics,
        ...Object.fromEntries([...ofKind, ...open]),
        ...defaults,
        metric_rules: without(metrics.metric_rules, before),
        robust_metrics: [...without(metrics.robust_metrics, before), ...(defaults.robust_metrics ?? [])],
    };
}

/* Its own window and cap, where it has them. */
function rulesWith(rules, { event_name: name, window_days: days, upper_cap: cap, kind }) {
    const others = (rules ?? []).filter((rule) => rule.name !== name);
    if (!known(days) && !known(cap)) return others;
    const window = known(days) ? { conversion_window: 'after_exposure', conversion_window_days: days } : {};
    return [...others, { name, ...window, ...(known(cap) && kind !== 'binary' ? { upper_cap: cap } : {}) }];
}

function asSecondary(metrics, definition) {
    const { event_name: name, direction } = definition;
    const directions = without(metrics.secondary_directions, name);
    return {
        ...metrics,
        secondary_metrics: [...(metrics.secondary_metrics ?? []), name],
        secondary_directions: direction === 'decrease' ? [...directions, { name, direction }] : directions,
        metric_rules: rulesWith(metrics.metric_rules, definition),
    };
}

/* Harm is a move against the direction of the metric; the margin is its smallest worthwhile effect. */
function guardrailOf({ event_name: name, kind, direction, baseline_value: baseline, std_dev: deviation, minimum_effect_pct: effect }) {
    const moments = kind === 'binary' ? { baseline_rate: baseline * 100 } : { baseline_mean: baseline, std_dev: deviation };
    return {
        name,
        metric_type: kind === 'binary' ? 'binary' : 'continuous',
        ...moments,
        direction: direction === 'decrease' ? 'increase_is_bad' : 'decrease_is_bad',
        ...(known(effect) ? { non_inferiority_margin_pct: effect } : {}),
    };
}

const asGuardrail = (metrics, definition) => ({
    ...metrics,
    guardrail_metrics: [...(metrics.guardrail_metrics ?? []), guardrailOf(definition)],
    metric_rules: rulesWith(metrics.metric_rules, definition),
});

export function withoutGuardrail(metrics, name) {
    return { ...metrics, guardrail_metrics: without(metrics.guardrail_metrics, name), metric_rules: without(metrics.metric_rules, name) };
}

/* Names that the design has in a role beside the goal. */
const namesBeside = ({ goals, guardrail_metrics: guardrails, secondary_metrics: secondary }) => [...(secondary ?? []), ...[...(goals?.further ?? []), ...(guardrails ?? [])].map(({ name }) => name)];

function objection(metrics, role, { event_name: name, kind, livedata = null, baseline_value: baseline, std_dev: deviation }) {
    if (namesBeside(metrics).includes(name)) return 'plan.catalog_already';
    if (role === 'goal') return null;
    if (name === metrics.primary_metric_name) return 'plan.catalog_already';
    if (known(livedata)) return 'plan.catalog_livedata';
    if (kind === 'ratio') return 'plan.catalog_ratio';
    if (role === 'secondary') return null;
    if ((metrics.guardrail_metrics ?? []).length >= guardrailsMax) return 'plan.catalog_full';
    return known(baseline) && (kind === 'binary' || known(deviation)) ? null : 'plan.catalog_no_baseline';
}

/* {metrics} of the design with the metric in the role, or {objection}. */
/** @param {any} metrics @param {string} role @param {experiments.CatalogMetricReply} answer */
export function withMetric(metrics, role, { metric, defaults }) {
    const against = objection(metrics, role, metric.definition);
    if (against !== null) return { objection: against };
    if (role === 'goal') return { metrics: withGoal(metrics, defaults) };
    return { metrics: role === 'secondary' ? asSecondary(metrics, metric.definition) : asGuardrail(metrics, metric.definition) };
}
