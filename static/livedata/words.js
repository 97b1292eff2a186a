/* How live data is spoken of on all pages: health, age, values and entities. */
import { hasText, t } from '../shared/i18n.js';
import { formatInteger, formatMoney, formatNumber, formatPercent, formatShortUnit } from '../shared/numbers.js';
import { badge } from '../shared/ui/badge.js';

const tones = { healthy: 'good', degraded: 'caution', at_risk: 'caution', unhealthy: 'danger', breached: 'danger' };

/* A word of health, or of a promise, with its tone. */
export function healthBadge(word) {
    const key = `health.${word}`;
    return badge(hasText(key) ? t(key) : word, tones[word] ?? 'plain', { dot: true });
}

/* An age in the unit that fits: "0.6 sec", "3 min", "2 days". */
export function ageOf(seconds) {
    if (seconds === null || seconds === undefined) return '–';
    const [unit, length] = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].find(([, size]) => seconds >= Number(size)) ?? ['second', 1];
    return formatShortUnit(seconds / Number(length), String(unit), 2);
}

/* Whether something is as fresh as was promised; says nothing where that is not known. */
export function freshBadge(stale) {
    if (stale === null || stale === undefined) return badge(t('fresh.unknown'), 'plain');
    return stale ? badge(t('fresh.stale'), 'caution', { dot: true }) : badge(t('fresh.fresh'), 'good', { dot: true });
}

/* A value of a metric in its unit. */
export function valueOf(value, unit) {
    if (value === null || value === undefined) return '–';
    if (unit === 'ratio') return formatPercent(value, 3);
    if (unit === 'count') return formatInteger(value);
    return /^[A-Z]{3}$/.test(unit ?? '') ? formatMoney(value, unit) : `${formatNumber(value)} ${unit ?? ''}`.trim();
}

/* Anything of a row or of an entity as text. */
export function plain(value) {
    if (value === null || value === undefined) return '–';
    if (typeof value === 'number') return formatNumber(value, 12);
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/* The freshness of each metric that a batch answers for: [{name, ...metric, value, seconds, window, error}]. */
/** @param {livedata.CatalogResponse} catalog @param {livedata.BatchResult[]} results */
export function metricRows(catalog, results) {
    return results.map(({ id, data, error }) => {
        const [name] = id.split('@');
        return { name, ...catalog.metrics[name], ...data, error };
    });
}

/* A batch of questions about metrics: [[name, window]] at once. */
/** @param {Client<'livedata'>} client */
export async function askMetrics(client, pairs, signal) {
    const requests = pairs.map(([name, window]) => ({ id: `${name}@${window}`, type: 'metric', params: { name, window } }));
    return (await client.post('/v1/batch', { requests }, { signal })).data.results;
}
