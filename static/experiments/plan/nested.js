/*
 * Parts of a design that are objects of their own, as fields of the form: planned looks, posteriors, and groups that take
 * turns. What the form does not ask of one stays as it was.
 */
import { numbersIn } from '../tools/words.js';

/* Metrics that live statistics have posteriors of. */
export const hasPosterior = ({ metric_type: type = 'binary' }) => type === 'binary' || type === 'continuous';

/* How the form is read before its end: '', a spending function, or this. */
export const readAnyTime = 'hybrid';

/** @type {(values: Record<string, any>) => boolean} */
export const hasLooks = ({ planned_looks_alpha_spending: kind }) => Boolean(kind) && kind !== readAnyTime;

/* Readings at any time and a test at the end, null where they are not chosen. */
export function hybridOf({ planned_looks_alpha_spending: kind, hybrid_early_share: share }, before) {
    return kind === readAnyTime ? { ...before, early_share: share ?? 0.5 } : null;
}

/* Looks by a spending function, null where none is chosen. */
export function looksOf(values, before) {
    const { planned_looks_alpha_spending: spending, planned_looks_futility: futility = 'none' } = values;
    if (!hasLooks(values)) return null;
    const beta = { beta_spending: values.planned_looks_beta_spending, beta_parameter: values.planned_looks_beta_parameter ?? null };
    return {
        ...before,
        alpha_spending: spending,
        alpha_parameter: values.planned_looks_alpha_parameter ?? null,
        futility,
        ...(futility === 'none' ? {} : beta),
        information_fractions: numbersIn(values.planned_looks_information_fractions),
    };
}

export const lookValuesOf = ({ planned_looks: looks, hybrid }) => ({
    planned_looks_alpha_spending: looks?.alpha_spending ?? (hybrid ? readAnyTime : ''),
    hybrid_early_share: hybrid?.early_share,
    planned_looks_alpha_parameter: looks?.alpha_parameter,
    planned_looks_information_fractions: looks?.information_fractions.join(' '),
    planned_looks_futility: looks?.futility,
    planned_looks_beta_spending: looks?.beta_spending,
    planned_looks_beta_parameter: looks?.beta_parameter,
});

const priors = { binary: ['a', 'b'], continuous: ['mean', 'n', 'std', 'degrees'] };

function priorOf(values) {
    if (values.bayes !== 'own') return null;
    return Object.fromEntries(priors[values.metric_type ?? 'binary'].map((name) => [name, values[`bayes_prior_${name}`]]));
}

/* Settings of posteriors; of a metric that has none they stay while its type does. */
export function bayesOf(values, { bayes = null, metric_type: before }) {
    if (!hasPosterior(values)) return values.metric_type === before ? bayes : null;
    if (!values.bayes) return null;
    return { ...bayes, prior: priorOf(values), credibility: values.bayes_credibility ?? 0.95, loss_threshold: values.bayes_loss_threshold ?? null };
}

export const bayesValuesOf = (bayes) => ({
    bayes: !bayes ? '' : bayes.prior ? 'own' : 'flat',
    ...Object.fromEntries(Object.values(priors).flat().map((name) => [`bayes_prior_${name}`, bayes?.prior?.[name]])),
    bayes_credibility: bayes?.credibility,
    bayes_loss_threshold: bayes?.loss_threshold,
});

/* A moment of UTC as people write it, and as the API does. */
export const shownTime = (moment) => moment.replace('T', ' ').replace(/(Z|\+00:00)$/, '');
export const sentTime = (text) => text?.replace(/^(\S+)\s+(?=\d)/, '$1T').replace(/T\d\d:\d\d$/, '$&:00').replace(/T[\d:.]+$/, '$&Z');

/* The schedule of groups that take turns, null where they do not. */
export function switchbackOf(values, before) {
    if (!values.switchback) return null;
    return {
        ...before,
        starts_at: sentTime(values.switchback_starts_at),
        period_minutes: values.switchback_period_minutes,
        periods: values.switchback_periods,
        washout_minutes: values.switchback_washout_minutes ?? 0,
    };
}

export const switchbackValuesOf = (switchback) => ({
    switchback: switchback ? true : undefined,
    switchback_starts_at: switchback ? shownTime(switchback.starts_at) : undefined,
    switchback_period_minutes: switchback?.period_minutes,
    switchback_periods: switchback?.periods,
    switchback_washout_minutes: switchback?.washout_minutes,
});
