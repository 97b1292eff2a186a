/* Lines over a number or over time, with the area under them or a band around them where wanted. */
import { linearScale, linePath, nearestIndex, ticksBetween, timeTicks } from '../../scale.js';
import { svg } from '../lit.js';
import { chart, horizontalAxis, plotArea, verticalAxis } from './frame.js';

/**
 * @param {number[]} values
 * @param {{min?: number, max?: number}} limits
 * @returns {[number, number]}
 */
function extentOf(values, { min, max } = {}) {
    const finite = values.filter(Number.isFinite);
    const least = min ?? Math.min(...finite);
    const most = max ?? Math.max(...finite);
    return least === most ? [least - 0.5, most + 0.5] : [least, most];
}

/* Gaps stay gaps: a null value ends a stretch. */
function stretches(points) {
    const all = [[]];
    for (const point of points)
        if (Number.isFinite(point.y)) all.at(-1).push(point);
        else if (all.at(-1).length > 0) all.push([]);
    return all.filter((stretch) => stretch.length > 0);
}

function bandPath(points, x, y) {
    const upper = points.map((point) => [x(point.x), y(point.high)]);
    const lower = points.map((point) => [x(point.x), y(point.low)]).reverse();
    return `${linePath(upper)}L${linePath(lower).slice(1)}Z`;
}

function areaPath(stretch, x, y, base) {
    const outline = stretch.map((point) => [x(point.x), y(point.y)]);
    return `${linePath(outline)}L${outline.at(-1)[0].toFixed(1)} ${base}L${outline[0][0].toFixed(1)} ${base}Z`;
}

function seriesLayer(one, index, { area, x, y, filled }) {
    const number = (index % 6) + 1;
    const banded = one.points.filter(({ low, high }) => Number.isFinite(low) && Number.isFinite(high));
    return svg`<g>
        ${banded.length > 1 ? svg`<path class="chart-band" data-series=${number} d=${bandPath(banded, x, y)} />` : null}
        ${stretches(one.points).map(
            (stretch) => svg`${filled ? svg`<path class="chart-band" data-series=${number} d=${areaPath(stretch, x, y, area.bottom)} />` : null}
            ${
                stretch.length === 1
                    ? svg`<circle class="chart-point" data-series=${number} cx=${x(stretch[0].x)} cy=${y(stretch[0].y)} r="3" />`
                    : svg`<path class="chart-series" data-series=${number} d=${linePath(stretch.map((point) => [x(point.x), y(point.y)]))} />`
            }`,
        )}
    </g>`;
}

function markLayer(mark, { area, x, y }) {
    const upright = mark.x !== undefined;
    const at = upright ? x(mark.x) : y(mark.y);
    const before = upright && at > (area.left + area.right) / 2; /* behind it there may be no room */
    return svg`<g>
        <line class="chart-target"
            x1=${upright ? at : area.left} x2=${upright ? at : area.right}
            y1=${upright ? area.top : at} y2=${upright ? area.bottom : at} />
        <text class="chart-target-label" x=${upright ? at + (before ? -5 : 5) : area.right} y=${upright ? area.top + 10 : at - 5}
            text-anchor=${upright && !before ? 'start' : 'end'}>${mark.name}</text>
    </g>`;
}

/* Where the pointer is: a line, and the values there in a text of its own. */
function follow(event, scales, series, model) {
    const plot = event.currentTarget;
    const layer = plot.querySelector('.chart-cursor-layer');
    const offset = event.clientX - plot.getBoundingClientRect().left;
    const xs = series[0]?.points.map((point) => point.x) ?? [];
    if (xs.length === 0 || layer === null) return;
    const at = xs[nearestIndex(xs, scales.invert(offset))];
    const text = series
        .map((one) => ({ name: one.name, point: one.points.find((point) => point.x === at) }))
        .filter(({ point }) => Number.isFinite(point?.y))
        .map(({ name, point }) => (series.length > 1 ? `${name} ${model.y.format(point.y)}` : model.y.format(point.y)));
    const label = layer.querySelector('text');
    const right = scales.x(at) > (scales.area.left + scales.area.right) / 2;
    layer.setAttribute('visibility', 'visible');
    layer.querySelector('line').setAttribute('x1', scales.x(at));
    layer.querySelector('line').setAttribute('x2', scales.x(at));
    label.setAttribute('x', scales.x(at) + (right ? -6 : 6));
    label.setAttribute('text-anchor', right ? 'end' : 'start');
    label.textContent = `${(model.x.formatLong ?? model.x.format)(at)}: ${text.join(' · ')}`;
}

function leave(event) {
    event.currentTarget.querySelector('.chart-cursor-layer')?.setAttribute('visibility', 'hidden');
}

function draw(model, width) {
    const height = Math.max(180, Math.min(320, width * 0.42));
    const area = plotArea(width, height, { left: model.y.room ?? 52 });
    const points = model.series.flatMap((one) => one.points);
    const values = points.flatMap(({ y, low, high }) => [y, low, high]);
    const [x0, x1] = extentOf(points.map((point) => point.x), model.x);
    const wanted = extentOf([...values, ...(model.marks ?? []).map((mark) => mark.y)], model.y);
    const ticks = ticksBetween(wanted[0], wanted[1], 5);
    /** @type {[number, number]} */
    const yDomain = [Math.min(wanted[0], ticks[0]), Math.max(wanted[1], ticks.at(-1))];
    const x = linearScale([x0, x1], [area.left, area.right]);
    const y = linearScale(yDomain, [area.bottom, area.top]);
    const xTicks = (model.x.kind === 'time' ? timeTicks : ticksBetween)(x0, x1, width < 480 ? 3 : 6);
    const scales = { area, x, y, filled: model.filled, invert: linearScale([area.left, area.right], [x0, x1]) };
    return svg`<svg
        viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} aria-hidden="true" focusable="false"
        @pointermove=${(event) => follow(event, scales, model.series, model)} @pointerleave=${leave}>
        ${verticalAxis(area, y, ticks, model.y.format, model.y.title)}
        ${horizontalAxis(area, x, xTicks, (tick) => model.x.format(tick, x1 - x0), model.x.title)}
        ${model.series.map((one, index) => seriesLayer(one, index, scales))}
        ${(model.marks ?? []).map((mark) => markLayer(mark, scales))}
        <g class="chart-cursor-layer" visibility="hidden">
            <line class="chart-cursor" y1=${area.top} y2=${area.bottom} />
            <text class="chart-cursor-text" y=${area.top + 10}></text>
        </g>
    </svg>`;
}

/* One row per x, one column per series. */
function twin(model) {
    const xs = [...new Set(model.series.flatMap((one) => one.points.map((point) => point.x)))].sort((a, b) => a - b);
    const value = (one, at) => one.points.find((point) => point.x === at)?.y;
    const columns = [
        { name: 'x', title: model.x.title, cell: (at) => (model.x.formatLong ?? model.x.format)(at) },
        ...model.series.map((one, index) => ({
            name: `y${index}`,
            title: one.name,
            align: 'end',
            cell: (at) => (Number.isFinite(value(one, at)) ? model.y.format(value(one, at)) : '–'),
        })),
    ];
    return { columns, rows: xs };
}

/*
 * model: label; series [{name, points [{x, y, low?, high?}] with rising x; a null y is a gap}];
 * x {title, format(value, span), formatLong?, kind: 'number' or 'time' (x in milliseconds)};
 * y {title, format, min?, max?, room?}; marks [{x or y, name}]; filled draws the area under lines;
 * table {columns, rows} instead of the values of the series.
 */
export function lineChart(model) {
    return chart({
        label: model.label,
        series: model.series,
        draw: (width) => draw(model, width),
        ...(model.table ?? twin(model)),
    });
}

export const areaChart = (model) => lineChart({ ...model, y: { min: 0, ...model.y }, filled: true });
