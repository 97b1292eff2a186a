/* Why an answer went to the customer or to the team, in a sentence: its scores against the settings in force. */
import { t } from '../../shared/i18n.js';
import { formatPercent } from '../../shared/numbers.js';

const share = (percent) => formatPercent(percent / 100, 3);

/* Scores of the answer, in percent, with the setting that each has to reach. */
function scores(trace, needed) {
    const state = trace.steps.at(-1)?.state ?? {};
    const facts = state.fact_verification_skipped ? null : (state.factuality_score ?? null);
    return [
        { name: 'quality', value: trace.final_quality, least: needed.quality_threshold },
        { name: 'relevance', value: trace.final_relevance === null ? null : 100 * trace.final_relevance, least: needed.quality_threshold },
        { name: 'facts', value: facts, least: needed.fact_verification_min_score },
    ].filter(({ value, least }) => typeof value === 'number' && typeof least === 'number');
}

/**
 * needed: the values of the settings by name; without them, or where they have changed since, the sentence says the
 * outcome only.
 *
 * @param {any} trace
 * @param {Record<string, any>} needed
 */
export function reasonOf(trace, needed) {
    const route = trace.final_route;
    if (!route) return null;
    if (route === 'timeout' || route === 'error_escalation') return t(`admin.why_${route}`);
    const all = scores(trace, needed);
    const low = all.find(({ value, least }) => value < least - 1e-9);
    if (route === 'human') return low ? t(`admin.why_${low.name}`, { value: share(low.value), least: share(low.least) }) : t('admin.why_human');
    const [quality] = all;
    return quality?.name === 'quality' && !low ? t('admin.why_auto_scored', { value: share(quality.value), least: share(quality.least) }) : t('admin.why_auto');
}
