/* How service levels are spoken of on the pages: names, what each promises, and where a person can do something about it. */
import { t } from '../shared/i18n.js';
import { formatNumber, formatPercent, formatShortUnit, isolated } from '../shared/numbers.js';
import { address } from '../shared/place.js';
import { ageOf, metricName, typeName } from './words.js';

/* Seconds in the unit that fits them: "45 sec", "1.5 min", "1 hr". */
export const spanOf = (seconds) => isolated(ageOf(seconds, 3));

/* What a level is about: an entity, a metric, or all events. */
/** @param {livedata.SloStatus} level */
function subjectOf({ entity, metric }) {
    if (entity) return typeName(entity);
    return metric ? metricName(metric) : t('level.all_events');
}

/** @param {livedata.SloStatus} level */
function boundsOf({ minimum, maximum }) {
    const [least, most] = [minimum, maximum].map((bound) => (bound === null || bound === undefined ? null : isolated(formatNumber(bound))));
    if (least !== null && most !== null) return t('level.between', { least, most });
    return least === null ? t('level.at_most', { most }) : t('level.at_least', { least });
}

/* "Reading: newest event at most 60 sec old, 99 % of the time." */
/** @param {livedata.SloStatus} level */
export function objectiveOf(level) {
    const target = isolated(formatPercent(level.target));
    const what = isolated(subjectOf(level));
    if (level.measurement === 'p95_latency_ms') return t('level.latency', { target, time: isolated(formatShortUnit(level.threshold, 'millisecond')) });
    if (level.measurement === 'freshness_seconds') return t('level.freshness', { what, target, time: spanOf(level.threshold) });
    if (level.measurement === 'metric_value') return t('level.metric', { what, target, bounds: boundsOf(level), time: spanOf(level.every_seconds) });
    return t('level.errors', { what, target });
}

/* Where a person can do something about a level: [{text, href}]. */
/** @param {livedata.SloStatus} level */
export function waysOut({ measurement, entity, metric }) {
    const explore = metric ? [{ text: t('level.open_metric'), href: address(`/explorer?${new URLSearchParams({ tab: 'metric', metric })}`) }] : [];
    if (measurement === 'error_rate_percent') return [{ text: t('level.open_failed'), href: address('/dead-letters') }];
    if (measurement === 'metric_value') return [...explore, { text: t('metric.watch'), href: address(`/alerts?${new URLSearchParams({ metric })}`) }];
    if (measurement === 'p95_latency_ms') return [{ text: t('level.open_usage'), href: address('/keys') }];
    const type = entity ? [{ text: t('level.open_entity'), href: address(`/explorer?${new URLSearchParams({ type: entity })}`) }] : [];
    return [{ text: t('level.open_events'), href: address('/events') }, ...type, ...explore];
}

/* The place of a level on the page of service levels. */
export const levelAddress = (name) => address(`/service-levels#level-${name}`);

/* Points of a chart: the remaining budget as a share; null is a gap. */
/** @param {livedata.SloSeries} series */
export function budgetPoints({ points }) {
    return points.map(({ at, error_budget_remaining: left }) => ({ x: Date.parse(at), y: left ?? null }));
}
