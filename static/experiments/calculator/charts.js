/* The two pictures of a plan: power by sample size, and the boundaries of a sequential design. */
import { t } from '../../shared/i18n.js';
import { formatCompact, formatNumber, formatPercent, isolated } from '../../shared/numbers.js';
import { linearScale, linePath, nearestIndex, niceTicks } from '../../shared/scale.js';
import { horizontalAxis, picture, plotArea, sized, verticalAxis } from '../../shared/ui/charts/frame.js';
import { html, svg } from '../../shared/ui/lit.js';

const keySteps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

function indexAfterKey(key, index, last) {
    if (key === 'Home') return 0;
    if (key === 'End') return last;
    return key in keySteps ? Math.min(last, Math.max(0, index + keySteps[key])) : null;
}

/* The part of the curve up to the planned point, closed towards the axis. */
function areaPath(points, planned, area, x, y) {
    const before = points.filter((point) => point.x < planned.x).map((point) => [x(point.x), y(point.y)]);
    const outline = [...before, [x(planned.x), y(planned.y)]];
    return `${linePath(outline)}L${x(planned.x).toFixed(1)} ${area.bottom}L${outline[0][0].toFixed(1)} ${area.bottom}Z`;
}

function curveScales(points, width) {
    const height = Math.max(200, Math.min(300, width * 0.42));
    const area = plotArea(width, height, { left: 46, right: 14, top: 30, bottom: 44 });
    const most = points.at(-1).x;
    return {
        area,
        most,
        x: linearScale([0, most], [area.left, area.right]),
        y: linearScale([0, 1], [area.bottom, area.top]),
        invert: linearScale([area.left, area.right], [0, most]),
    };
}

function drawCurve({ points, planned, target, users, at }, width) {
    const { area, most, x, y } = curveScales(points, width);
    const cursor = at === null ? null : points[at];
    const percent = (value) => formatPercent(value, 3);
    return picture(
        width,
        area.height,
        svg`${verticalAxis(area, y, [0, 0.2, 0.4, 0.6, 0.8, 1], percent, t('field.power'))}
        ${horizontalAxis(area, x, niceTicks(most, width < 480 ? 4 : 7), formatCompact, users)}
        <path class="chart-area" d=${areaPath(points, planned, area, x, y)} />
        <line class="chart-target" x1=${area.left} x2=${area.right} y1=${y(target)} y2=${y(target)} />
        <line class="chart-drop" x1=${x(planned.x)} x2=${x(planned.x)} y1=${y(planned.y)} y2=${area.bottom} />
        <path class="chart-line" d=${linePath(points.map((point) => [x(point.x), y(point.y)]))} />
        <text class="chart-target-label" x=${area.right} y=${y(target) + 16} text-anchor="end">
            ${t('chart.target')} ${isolated(percent(target))}
        </text>
        <circle class="chart-planned" cx=${x(planned.x)} cy=${y(planned.y)} r="5" />
        ${cursor === null
            ? null
            : svg`<g class="chart-cursor-layer">
                  <line class="chart-cursor" x1=${x(cursor.x)} x2=${x(cursor.x)} y1=${area.top} y2=${area.bottom} />
                  <circle class="chart-cursor-dot" cx=${x(cursor.x)} cy=${y(cursor.y)} r="4" />
              </g>`}`,
    );
}

/*
 * The power curve as a slider: pointer and keys move along it. points [{x, y}] rising in x; planned
 * {x, y} on the same curve; target in 0..1; users, the title of its axis; at, the index the reader is at, null at rest; onMove(index or null);
 * describe(point) a sentence for screen readers.
 */
export function powerCurve({ points, planned, target, users, at, onMove, describe }) {
    const nearest = nearestIndex(points.map((point) => point.x), planned.x);
    const index = at ?? nearest;
    const onKey = (event) => {
        const next = indexAfterKey(event.key, index, points.length - 1);
        if (next === null) return;
        event.preventDefault();
        onMove(next);
    };
    const onPointer = (event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const { invert } = curveScales(points, Math.floor(box.width));
        onMove(nearestIndex(points.map((point) => point.x), invert(event.clientX - box.left)));
    };
    return html`<div
        class="chart-plot"
        dir="ltr"
        role="slider"
        tabindex="0"
        aria-label=${`${t('field.power')}: ${users}`}
        aria-valuemin="0"
        aria-valuemax=${points.length - 1}
        aria-valuenow=${index}
        aria-valuetext=${describe(at === null ? planned : points[index])}
        @keydown=${onKey}
        @pointermove=${onPointer}
        @pointerleave=${() => onMove(null)}
        @blur=${() => onMove(null)}
        ${sized((width) => drawCurve({ points, planned, target, users, at }, width))}
    ></div>`;
}

function boundaryTicks(highest) {
    const positive = niceTicks(highest, 3).slice(1);
    return [...positive.map((tick) => -tick).reverse(), 0, ...positive];
}

/* The region beyond both boundaries, where a look stops the test. */
function stopRegion(points, area, edge) {
    const first = points[0][0].toFixed(1);
    return `${linePath(points)}L${area.right} ${points.at(-1)[1].toFixed(1)}L${area.right} ${edge}L${first} ${edge}Z`;
}

function drawBoundaries(looks, width) {
    const highest = Math.max(...looks.map((look) => look.z)) * 1.12;
    const area = plotArea(width, 220, { left: 40, right: 14, top: 28, bottom: 44 });
    const x = linearScale([0, 1], [area.left, area.right]);
    const y = linearScale([-highest, highest], [area.bottom, area.top]);
    const upper = looks.map((look) => [x(look.x), y(look.z)]);
    const lower = looks.map((look) => [x(look.x), y(-look.z)]);
    return picture(
        width,
        area.height,
        svg`${verticalAxis(area, y, boundaryTicks(highest), (value) => formatNumber(value, 3), t('chart.z'))}
        ${horizontalAxis(area, x, [0, 0.25, 0.5, 0.75, 1], (value) => formatPercent(value), t('chart.information'))}
        <path class="chart-stop" d=${stopRegion(upper, area, area.top)} />
        <path class="chart-stop" d=${stopRegion(lower, area, area.bottom)} />
        <line class="chart-base" x1=${area.left} x2=${area.right} y1=${y(0)} y2=${y(0)} />
        <path class="chart-line" d=${linePath(upper)} />
        <path class="chart-line" d=${linePath(lower)} />
        ${looks.length > 24
            ? null
            : [...upper, ...lower].map(([cx, cy]) => svg`<circle class="chart-look" cx=${cx} cy=${cy} r="3.5" />`)}`,
    );
}

/* Sequential boundaries: looks [{x: share of the data, z: boundary > 0}]. The table carries the numbers. */
export function boundaryChart(looks) {
    return html`<div
        class="chart-plot"
        dir="ltr"
        role="img"
        aria-label=${t('chart.boundaries_label')}
        ${sized((width) => drawBoundaries(looks, width))}
    ></div>`;
}
