/* How live data is spoken of on all pages: names, health, age, values and entities. */
import { hasText, intlLocale, t } from '../shared/i18n.js';
import { formatDateTime, formatInteger, formatMoney, formatNumber, formatPercent, formatShortUnit, formatUnit } from '../shared/numbers.js';
import { address } from '../shared/place.js';
import { badge } from '../shared/ui/badge.js';
import { html } from '../shared/ui/lit.js';

const tones = { healthy: 'good', degraded: 'caution', at_risk: 'caution', unhealthy: 'danger', breached: 'danger' };

/* A word of health, or of a service level, with its tone. */
export function healthBadge(word) {
    const key = `health.${word}`;
    return badge(hasText(key) ? t(key) : word, tones[word] ?? 'plain', { dot: true });
}

/* An age in the unit that fits: "0.6 sec", "3 min", "2 days". */
export function ageOf(seconds, digits = 2) {
    if (seconds === null || seconds === undefined) return '–';
    const [unit, length] = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].find(([, size]) => seconds >= Number(size)) ?? ['second', 1];
    return formatShortUnit(seconds / Number(length), String(unit), digits);
}

/* Whether something is as fresh as was promised; says nothing where that is not known. */
export function freshBadge(stale) {
    if (stale === null || stale === undefined) return badge(t('fresh.unknown'), 'plain');
    return stale ? badge(t('fresh.stale'), 'caution', { dot: true }) : badge(t('fresh.fresh'), 'good', { dot: true });
}

/* Whether all events up to now are in what is shown: it changed just now, or nothing is wrong with the service. */
export function currentBadge(health, stale) {
    return stale === false || health === 'healthy' ? badge(t('fresh.current'), 'good', { dot: true }) : badge(t('fresh.behind'), 'caution', { dot: true });
}

/* A value of a metric in its unit. */
export function valueOf(value, unit) {
    if (value === null || value === undefined) return '–';
    if (unit === 'ratio') return formatPercent(value, 3);
    if (unit === 'count') return formatInteger(value);
    return /^[A-Z]{3}$/.test(unit ?? '') ? formatMoney(value, unit) : `${formatNumber(value)} ${unit ?? ''}`.trim();
}

/* "avg_order_value" as "Avg order value": for names that no text knows. */
function readable(name) {
    const words = String(name).replaceAll(/[_.]+/g, ' ').trim();
    return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

const textOr = (key, name) => (hasText(key) ? t(key) : readable(name));

export const metricName = (name) => textOr(`metric_name.${name}`, name);
export const domainName = (name) => textOr(`domain.${name}`, name);
export const typeName = (type) => textOr(`entity.${type}`, type);
export const attributeName = (name) => textOr(`attribute.${name}`, name);
export const levelName = (name) => textOr(`promise.${name}`, name);
export const stateWord = (value) => textOr(`word.${value}`, value);
export const eventName = (type) => textOr(`event_type.${String(type).replaceAll('.', '_')}`, type);

/* "24h" as "24 hours". */
export function windowName(window) {
    const [, count, letter] = /^(\d+)([smhd])$/.exec(window) ?? [];
    if (count === undefined) return textOr(`window.${window}`, window);
    return formatUnit(Number(count), { s: 'second', m: 'minute', h: 'hour', d: 'day' }[letter]);
}

const stateTones = { pending: 'caution', confirmed: 'info', shipped: 'info', delivered: 'good', cancelled: 'plain' };

export const stateBadge = (value) => badge(stateWord(value), stateTones[value] ?? 'plain');

const prefixes = { 'ORD-': 'order', 'USR-': 'user', 'PROD-': 'product', 'SES-': 'session' };

/* The type of the entity that an id belongs to; null where it does not say so. */
export function typeOfId(id) {
    return Object.entries(prefixes).find(([prefix]) => id.toUpperCase().startsWith(prefix))?.[1] ?? null;
}

/** @param {string} type @param {string} id */
export const entityAddress = (type, id) => address(`/explorer?${new URLSearchParams({ type, id })}`);

/* Where an event that was rejected can be corrected. */
export const letterAddress = (id) => address(`/dead-letters?${new URLSearchParams({ id })}`);

const idTypes = { order_id: 'order', user_id: 'user', product_id: 'product', session_id: 'session' };
const money = new Set(['total_amount', 'total_spent', 'price', 'unit_price', 'revenue', 'avg_order_value', 'amount', 'spent']);
const shares = new Set(['conversion_rate', 'error_rate']);
const states = new Set(['status', 'funnel_stage']);

/* Anything of a row or of an entity as text; a list as its items, an object as "name: value". */
export function plain(value) {
    if (value === null || value === undefined) return '–';
    if (typeof value === 'number') return formatNumber(value, 12);
    if (typeof value === 'boolean') return t(value ? 'word.yes' : 'word.no');
    if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(plain).join(', ');
    if (typeof value === 'object') return Object.entries(value).map(([name, one]) => `${attributeName(name)}: ${plain(one)}`).join(', ');
    return String(value);
}

export const moment = (at) => html`<time datetime=${at}>${formatDateTime(at)}</time>`;

/* A tick of an axis of time: the hour within a day, else the date. */
export function timeTick(at, span) {
    const form = span > 1.5 * 86400000 ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit' };
    return new Intl.DateTimeFormat(intlLocale(), /** @type {any} */ (form)).format(new Date(at));
}

/* The value of a field as people read it; `row` gives its currency, `currency` is that of the shop. */
export function cellOf(name, value, row, currency) {
    if (value === null || value === undefined || value === '') return '–';
    if (idTypes[name]) return html`<a href=${entityAddress(idTypes[name], value)} dir="ltr">${value}</a>`;
    if (name.endsWith('_at') && !Number.isNaN(Date.parse(value))) return moment(value);
    if (name === 'duration_seconds') return ageOf(value);
    if (states.has(name)) return stateBadge(value);
    if (typeof value === 'number' && money.has(name)) return valueOf(value, row.currency ?? currency ?? '');
    if (typeof value === 'number' && shares.has(name)) return formatPercent(value, 3);
    return html`<span dir="auto">${plain(value)}</span>`;
}

/* Whether a column stands at the end of its cells. */
export const isAmount = (name, value) => typeof value === 'number' && !idTypes[name];

/* The currency of the shop: the unit of the first metric that has one. */
/** @param {livedata.CatalogResponse} catalog */
export function currencyOf(catalog) {
    return Object.values(catalog?.metrics ?? {}).find(({ unit }) => /^[A-Z]{3}$/.test(unit))?.unit ?? '';
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
