/* The figures of the metrics page: where each stands in the API's answer, and what is still good. */

/* limit: worse beyond it; near: the last stretch before it; higher: whether more is better. */
export const cards = [
    { name: 'p50', group: 'latency', member: 'p50_sec', unit: 'seconds', limit: 6 },
    { name: 'p95', group: 'latency', member: 'p95_sec', unit: 'seconds', limit: 12 },
    { name: 'p99', group: 'latency', member: 'p99_sec', unit: 'seconds', limit: 20 },
    { name: 'quality', group: 'quality', member: 'avg_quality', unit: 'percent', limit: 65, higher: true },
    { name: 'low_quality', group: 'quality', member: 'low_quality_share_pct', unit: 'percent' },
    { name: 'escalation', group: 'escalation', member: 'rate_pct', unit: 'percent', limit: 35 },
    { name: 'thumbs_down', group: 'feedback', member: 'thumbs_down_rate_pct', unit: 'percent', limit: 20 },
    { name: 'failures', group: 'errors', member: 'likely_failure_rate_pct', unit: 'percent', limit: 5 },
    { name: 'traces', group: 'escalation', member: 'total_traces', unit: 'number' },
];

const nearWhenLower = 0.8;
const nearWhenHigher = 1.1;

/* good, caution or danger; plain where there is no value or no limit. */
/** @param {{ limit?: number, higher?: boolean }} card */
export function toneOf({ limit, higher = false }, value) {
    if (value === null || value === undefined || limit === undefined) return 'plain';
    if (higher) return value < limit ? 'danger' : value < nearWhenHigher * limit ? 'caution' : 'good';
    return value > limit ? 'danger' : value > nearWhenLower * limit ? 'caution' : 'good';
}

/* [{…card, value, tone, window}] of the answer. */
/** @param {support.Metrics} snapshot */
export function figuresOf(snapshot) {
    return cards.map((card) => {
        const group = snapshot[card.group] ?? {};
        const value = group[card.member] ?? null;
        return { ...card, value, tone: toneOf(card, value), window: group.window ?? '' };
    });
}
