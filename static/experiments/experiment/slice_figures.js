/* Figures of segments: rates are shares in the answers and percentage points on the page. */
import { formatNumber } from '../../shared/numbers.js';
import { difference, interval, known, share } from '../figures.js';

export const scaleOf = (unit) => (unit === 'rate' ? 100 : 1);
const typeOf = (unit) => (unit === 'rate' ? 'binary' : 'plain');

export function sliceValue(value, unit) {
    if (!known(value)) return '–';
    return unit === 'rate' ? share(value) : formatNumber(value, 4);
}

export function sliceEffect({ effect, ci_lower: lower, ci_upper: upper, unit }) {
    const ends = known(lower) && known(upper) ? [lower, upper] : [effect];
    return difference(scaleOf(unit) * effect, typeOf(unit), ends.map((end) => scaleOf(unit) * end));
}

export function sliceInterval(lower, upper, unit) {
    if (!known(lower) || !known(upper)) return '–';
    return interval(scaleOf(unit) * lower, scaleOf(unit) * upper, typeOf(unit));
}
