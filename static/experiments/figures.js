/* Figures of experiments as people read them: percentages with one decimal, signs and units. */
import { t } from '../shared/i18n.js';
import { formatFixed, formatNumber, formatPercent, formatUnit, isolated } from '../shared/numbers.js';

export const known = (value) => value !== null && value !== undefined;

const plus = (text, value) => isolated(value > 0 ? `+${text}` : text);

/* With a sign, for the marks of an axis. */
export const signed = (value) => plus(formatNumber(value, 3), value);

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

/*
 * Decimals of a difference, as the texts of the API have them: two, or as many as two significant digits
 * of small ones need, or none from 1000 on. `size` is the largest of the numbers that are shown together.
 */
function decimalsOf(size) {
    if (size >= 1000) return 0;
    return size >= 0.1 || size === 0 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(size)));
}

const withUnit = (text, type) => (type === 'binary' ? `${text} ${t('unit.percentage_points')}` : text);

/* A difference in the unit of the metric: percentage points for rates. An estimate has the decimals of its interval `ends`. */
export function difference(value, type, ends = [value]) {
    return withUnit(plus(formatFixed(value, decimalsOf(Math.max(...ends.map(Math.abs)))), value), type);
}

export function interval(lower, upper, type) {
    const decimals = decimalsOf(Math.max(Math.abs(lower), Math.abs(upper)));
    const one = (value) => plus(formatFixed(value, decimals), value);
    return withUnit(t('figures.range', { lower: one(lower), upper: one(upper) }), type);
}

/* 0.4 days as "under a day"; otherwise whole days, or one decimal below ten. */
export function days(value) {
    if (value < 1) return t('figures.under_a_day');
    return formatUnit(value < 10 ? Math.round(value * 10) / 10 : Math.round(value), 'day');
}
