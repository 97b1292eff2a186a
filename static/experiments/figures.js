/* Figures of experiments as people read them: percentages with one decimal, signs and units. */
import { t } from '../shared/i18n.js';
import { formatFixed, formatNumber, formatPercent, formatUnit, isolated } from '../shared/numbers.js';

export const known = (value) => value !== null && value !== undefined;

const plus = (text, value) => isolated(value > 0 ? `+${text}` : text);

/* No p-value is zero. */
export const pText = (p) => (p < 1e-4 ? isolated(`< ${formatFixed(1e-4, 4)}`) : formatNumber(p, 2));

/* 0.1967 as 19.7%; small shares keep two digits. */
export function share(fraction) {
    const size = Math.abs(fraction);
    return size > 0 && size < 0.01 ? formatPercent(fraction, 2) : formatPercent(Math.round(fraction * 1000) / 1000, 6);
}

/* A part of a plan: what has hardly begun is not written with many digits. */
export const partOf = (fraction) => (fraction > 0 && fraction < 0.001 ? isolated(`< ${formatPercent(0.001, 1)}`) : share(fraction));

/* A relative change, in percent: 19.66 as +19.7%. */
export const relative = (percent) => plus(share(percent / 100), percent);

/* A difference in the unit of the metric: percentage points for rates. */
export function difference(value, type) {
    const text = type === 'binary' ? formatFixed(value, Math.abs(value) < 0.1 ? 3 : 2) : formatNumber(value, 4);
    return type === 'binary' ? `${plus(text, value)} ${t('unit.percentage_points')}` : plus(text, value);
}

export function interval(lower, upper, type) {
    const one = (value) => plus(type === 'binary' ? formatFixed(value, 2) : formatNumber(value, 4), value);
    const text = t('figures.range', { lower: one(lower), upper: one(upper) });
    return type === 'binary' ? `${text} ${t('unit.percentage_points')}` : text;
}

/* 0.4 days as "under a day"; otherwise whole days, or one decimal below ten. */
export function days(value) {
    if (value < 1) return t('figures.under_a_day');
    return formatUnit(value < 10 ? Math.round(value * 10) / 10 : Math.round(value), 'day');
}
