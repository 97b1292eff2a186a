/*
 * What to tell people of a plan, out of the API's answer: the users that really enter the test, up to
 * its last look, in the split that was asked for. Pure arithmetic on the answer, no texts.
 */
import { sharesOf } from './fields.js';

function known(value) {
    return value !== null && value !== undefined;
}

function isEven(weights) {
    return weights.every((weight) => weight === weights[0]);
}

/** @param {experiments.CalculationResults} results */
function perDay({ allocated_daily_traffic: allocated, effective_daily_traffic: effective }) {
    return allocated ?? effective;
}

/* Days until the slowest variant has `n` users: what the API does for the planned size. */
/** @param {experiments.CalculationResults} results */
export function daysFor(n, design, results) {
    return Math.ceil(n / (perDay(results) * Math.min(...sharesOf(design.traffic_split))) - 1e-9);
}

/* Days until even arms have `n` users each, whatever the split that was asked for. */
/** @param {experiments.CalculationResults} results */
export function daysOfEven(n, design, results) {
    return Math.ceil((n * design.traffic_split.length) / perDay(results) - 1e-9);
}

/* Even arms: the verified size where the API gives one, with room for all looks. */
/** @param {experiments.Calculation} answer */
function evenPlan(design, answer) {
    const { results, sequential_adjusted_sample_size: most } = answer;
    const once = results.verified_sample_size ?? results.sample_size_per_variant;
    const factor = answer.sequential_inflation_factor ?? 1;
    const looks = known(most);
    const n = looks ? Math.max(most, Math.ceil(once * factor - 1e-9)) : once;
    const planned = looks ? answer.sequential_duration_days : results.estimated_duration_days;
    const asPlanned = n === (looks ? most : results.sample_size_per_variant);
    return { users: design.traffic_split.map(() => n), days: asPlanned ? planned : daysFor(n, design, results), once };
}

/* Uneven arms: what the API says of the ratio, with room for all looks. */
/** @param {experiments.Calculation} answer */
function unevenPlan(design, answer) {
    const { allocation, verified_sample_size: verified, sample_size_per_variant: plain } = answer.results;
    const factor = answer.sequential_inflation_factor ?? 1;
    const once = verified ?? plain;
    if (!allocation) {
        const shares = sharesOf(design.traffic_split);
        const total = (once * factor) / Math.min(...shares);
        return { users: shares.map((share) => Math.ceil(total * share - 1e-9)), days: daysFor(once * factor, design, answer.results), once, evenSized: true };
    }
    const given = allocation.verified_users_per_variant ?? allocation.users_per_variant;
    const days = allocation.verified_duration_days ?? allocation.estimated_duration_days;
    return {
        users: given.map((n) => Math.ceil(n * factor - 1e-9)),
        days: factor === 1 ? days : Math.ceil(days * factor - 1e-9),
        once,
    };
}

/*
 * {users, per variant; total; days; weeks, whole ones; even; evenTotal, of even arms; once, per
 * variant without looks; looks, whether there are any; evenSized: sized as if arms were even, which
 * takes more users than the ratio needs; verified, whether the test that will be run has the power}.
 */
/** @param {experiments.Calculation} answer */
export function planOf(design, answer) {
    const even = isEven(design.traffic_split);
    const plan = even ? evenPlan(design, answer) : unevenPlan(design, answer);
    const factor = answer.sequential_inflation_factor ?? 1;
    return {
        evenSized: false,
        ...plan,
        even,
        total: plan.users.reduce((sum, n) => sum + n, 0),
        evenTotal: Math.ceil(plan.once * factor - 1e-9) * design.traffic_split.length,
        weeks: Math.ceil(plan.days / 7),
        looks: (answer.sequential_boundaries ?? []).length,
        verified: even && known(answer.results.verified_sample_size),
    };
}
