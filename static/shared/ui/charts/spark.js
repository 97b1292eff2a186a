/* A small line without axes, for a trend beside its number. What it shows is also said in words. */
import { t } from '../../i18n.js';
import { html, svg } from '../lit.js';

const width = 240;
const height = 48;
const edge = 3;

/*
 * points: [{label, value}], oldest first, value null where there is none; label: what is drawn; format(value);
 * range: the values at the lower and the upper edge, else the least and the most of the points.
 * Two points are the least that make a line.
 */
export function sparkline({ points, label, format, range = null }) {
    const known = points.filter(({ value }) => value !== null);
    if (known.length < 2) return html`<p class="spark-none">${t('chart.too_few')}</p>`;
    const values = known.map(({ value }) => value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const [lower, upper] = range ?? [least, most];
    const x = (index) => edge + (index * (width - 2 * edge)) / (points.length - 1);
    const y = (value) => (upper === lower ? height / 2 : height - edge - ((value - lower) * (height - 2 * edge)) / (upper - lower));
    const path = points
        .map(({ value }, index) => (value === null ? null : `${x(index).toFixed(1)} ${y(value).toFixed(1)}`))
        .filter((point) => point !== null);
    const text = t('chart.spark', { label, first: format(values[0]), last: format(values.at(-1)), least: format(least), most: format(most) });
    return html`<figure class="spark">
        <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${text}>
            ${svg`<path class="spark-line" d=${`M${path.join('L')}`} />`}
        </svg>
        <figcaption class="spark-label"><span>${label}</span><span>${points[0].label} – ${points.at(-1).label}</span></figcaption>
    </figure>`;
}
