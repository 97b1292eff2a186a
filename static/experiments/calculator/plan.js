/*
 * What to tell people of a plan: the API's own choice (`plan` of the answer), which the page of a project and
 * reports show too.
 */
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

/* Days until even arms have `n` users each, whatever the split that was asked for. */
/** @param {experiments.CalculationResults} results */
export function daysOfEven(n, design, results) {
    return Math.ceil((n * design.traffic_split.length) / perDay(results) - 1e-9);
}

/* Days until all arms together have `total` users. */
/** @param {experiments.CalculationResults} results */
export function daysOfAll(total, results) {
    return Math.ceil(total / perDay(results) - 1e-9);
}

/*
 * {users, per variant; total; days; weeks, whole ones; even; evenTotal, of even arms; once, per variant of
 * even arms without looks; looks, how many there are; exact, the verified size where it is another one}.
 */
/** @param {Pick<experiments.Calculation, 'plan' | 'results' | 'sequential_inflation_factor'> & { sequential_boundaries: object[] }} answer */
export function planOf(design, answer) {
    const { plan, results, sequential_boundaries: boundaries, sequential_inflation_factor: factor } = answer;
    const even = isEven(design.traffic_split);
    const looks = (boundaries ?? []).length;
    const exact = results.verified_sample_size;
    return {
        users: plan.users_per_variant,
        total: plan.total_sample_size,
        days: plan.estimated_duration_days,
        weeks: Math.ceil(plan.estimated_duration_days / 7),
        even,
        evenTotal: Math.ceil(plan.even_sample_size * (factor ?? 1) - 1e-9) * design.traffic_split.length,
        once: plan.even_sample_size,
        looks,
        exact: even && looks <= 1 && known(exact) && exact !== plan.even_sample_size ? exact : null,
    };
}
