/* What another value of a setting would have done to the answers of the period, and which value they speak for. */

/* Those that decide whether an answer goes out; the page changes no others. Both are percentages. */
export const settings = ['quality_threshold', 'fact_verification_min_score'];
export const least = { quality_threshold: 1, fact_verification_min_score: 0 };
export const most = 100;

/* {value, answered, wrong: shares, or null where none would have been answered; count of those answered}. */
export function effectOf({ curve, labeled_count: all }, value) {
    const point = curve.find(({ cutoff }) => cutoff >= value);
    const answered = point?.coverage ?? 0;
    return { value, answered, wrong: point?.risk ?? null, count: Math.round(answered * all) };
}

/* A whole percentage within the bounds of the setting; null of any other text. */
export function valueOf(name, text) {
    const value = Number(text);
    return String(text).trim() !== '' && Number.isInteger(value) && value >= least[name] && value <= most ? value : null;
}

/*
 * {value, source} that reviewed answers speak for, else {reason, needed}: `best` the value in force is as good,
 * `too_few` answers are reviewed, `not_reached` no value keeps the share of wrong answers that low.
 */
export function suggestionOf(one, { inForce, reviewed }) {
    const { risk, suggested, status } = one;
    if (!reviewed || status !== 'ok') return { reason: 'too_few' };
    if (risk?.status === 'found') return risk.cutoff === inForce ? { reason: 'best' } : { value: risk.cutoff, source: 'risk' };
    if (risk?.status === 'not_reached' || suggested === null) return { reason: 'not_reached' };
    const gains = one.suggested_metrics.f1 > effectF1(one, inForce) + 0.005;
    return suggested !== inForce && gains ? { value: suggested, source: 'f1' } : { reason: 'best', needed: risk?.needed ?? null };
}

function effectF1({ curve, current, current_metrics: now }, value) {
    if (value === current) return now?.f1 ?? 0;
    return curve.find(({ cutoff }) => cutoff >= value)?.f1 ?? 0;
}

/* How the API is to store a value: what the analysis found keeps its guarantee. */
export function sourceOf(one, value) {
    if (one.risk?.status === 'found' && one.risk.cutoff === value) return 'risk';
    return one.suggested === value ? 'f1' : 'manual';
}
