/*
 * Two charts drawn as SVG: power against sample size, and the boundaries of a sequential design.
 * Both fill their container and are redrawn with it. Axes run left to right in every language.
 */
import { html, svg } from './dom.js';
import { isolated } from './numbers.js';
import { linePath, linearScale, nearestIndex, niceTicks } from './scale.js';

const minimumHeight = 200;

function plotArea(width, height, margin) {
    return {
        width,
        height,
        left: margin.left,
        right: width - margin.right,
        top: margin.top,
        bottom: height - margin.bottom,
    };
}

/* Runs `draw(width)` now and whenever the container has become wider or narrower. */
function drawWithWidth(container, draw) {
    let drawn = 0;
    const redraw = () => {
        const width = Math.floor(container.clientWidth);
        if (width > 0 && width !== drawn) {
            drawn = width;
            draw(width);
        }
    };
    container.observer?.disconnect();
    container.observer = new ResizeObserver(redraw);
    container.observer.observe(container);
    redraw();
}

function horizontalAxis(area, scale, ticks, format, title) {
    return svg(
        'g',
        { class: 'chart-axis' },
        svg('line', {
            x1: area.left,
            x2: area.right,
            y1: area.bottom,
            y2: area.bottom,
            class: 'chart-base',
        }),
        ticks.map((tick) => [
            svg('line', {
                x1: scale(tick),
                x2: scale(tick),
                y1: area.bottom,
                y2: area.bottom + 4,
                class: 'chart-base',
            }),
            svg(
                'text',
                { x: scale(tick), y: area.bottom + 18, 'text-anchor': 'middle' },
                format(tick),
            ),
        ]),
        svg(
            'text',
            { x: area.right, y: area.bottom + 36, 'text-anchor': 'end', class: 'chart-title' },
            title,
        ),
    );
}

function verticalAxis(area, scale, ticks, format, title) {
    return svg(
        'g',
        { class: 'chart-axis' },
        ticks.map((tick) => [
            svg('line', {
                x1: area.left,
                x2: area.right,
                y1: scale(tick),
                y2: scale(tick),
                class: 'chart-grid',
            }),
            svg(
                'text',
                { x: area.left - 8, y: scale(tick) + 4, 'text-anchor': 'end' },
                format(tick),
            ),
        ]),
        svg('text', { x: 0, y: area.top - 12, class: 'chart-title' }, title),
    );
}

/* The part of the curve up to the planned point, closed towards the axis. */
function areaPath(points, planned, area, x, y) {
    const before = points
        .filter((point) => point.x < planned.x)
        .map((point) => [x(point.x), y(point.y)]);
    const outline = [...before, [x(planned.x), y(planned.y)]];
    const first = outline[0][0];
    return `${linePath(outline)}L${x(planned.x).toFixed(1)} ${area.bottom}L${first.toFixed(1)} ${area.bottom}Z`;
}

function powerLayers(model, area, x, y) {
    const { points, planned, target, format } = model;
    const plannedX = x(planned.x);
    return [
        svg('path', { class: 'chart-area', d: areaPath(points, planned, area, x, y) }),
        svg('line', {
            class: 'chart-target',
            x1: area.left,
            x2: area.right,
            y1: y(target),
            y2: y(target),
        }),
        svg('line', {
            class: 'chart-drop',
            x1: plannedX,
            x2: plannedX,
            y1: y(planned.y),
            y2: area.bottom,
        }),
        svg('path', {
            class: 'chart-line',
            d: linePath(points.map((point) => [x(point.x), y(point.y)])),
        }),
        svg(
            'text',
            { class: 'chart-target-label', x: area.right, y: y(target) + 16, 'text-anchor': 'end' },
            `${model.labels.target} ${isolated(format.y(target))}`,
        ),
        svg('circle', { class: 'chart-planned', cx: plannedX, cy: y(planned.y), r: 5 }),
    ];
}

/* What a pointer, or the arrow keys, stand on. Returns show(index). */
function cursorLayer(model, area, x, y) {
    const line = svg('line', { class: 'chart-cursor', y1: area.top, y2: area.bottom });
    const dot = svg('circle', { class: 'chart-cursor-dot', r: 4 });
    const layer = svg('g', { class: 'chart-cursor-layer', visibility: 'hidden' }, line, dot);
    const show = (index) => {
        const point = model.points[index];
        line.setAttribute('x1', x(point.x));
        line.setAttribute('x2', x(point.x));
        dot.setAttribute('cx', x(point.x));
        dot.setAttribute('cy', y(point.y));
        layer.setAttribute('visibility', 'visible');
    };
    const hide = () => layer.setAttribute('visibility', 'hidden');
    return { layer, show, hide };
}

const keySteps = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
};

function indexAfterKey(key, index, last) {
    if (key === 'Home') return 0;
    if (key === 'End') return last;
    return key in keySteps ? Math.min(last, Math.max(0, index + keySteps[key])) : null;
}

/* Pointer and keys move the cursor; leaving returns to the planned point. */
function followReader(plot, model, drawing) {
    const xs = model.points.map((point) => point.x);
    const plannedIndex = nearestIndex(xs, model.planned.x);
    let index = plannedIndex;
    const show = (next) => {
        index = next;
        drawing.cursor.show(index);
        plot.setAttribute('aria-valuenow', index);
        plot.setAttribute('aria-valuetext', model.describe(model.points[index]));
        model.readout(model.points[index]);
    };
    const leave = () => {
        index = plannedIndex;
        drawing.cursor.hide();
        model.readout(model.points[plannedIndex]);
    };
    plot.onpointermove = (event) => {
        const box = plot.getBoundingClientRect();
        show(nearestIndex(xs, drawing.invert(event.clientX - box.left)));
    };
    plot.onpointerleave = leave;
    plot.onblur = leave;
    plot.onkeydown = (event) => {
        const next = indexAfterKey(event.key, index, xs.length - 1);
        if (next === null) return;
        event.preventDefault();
        show(next);
    };
    plot.setAttribute('aria-valuenow', index);
    plot.setAttribute('aria-valuetext', model.describe(model.points[index]));
    model.readout(model.points[index]);
}

function drawPower(model, width) {
    const height = Math.max(minimumHeight, Math.min(300, width * 0.42));
    const area = plotArea(width, height, { left: 46, right: 14, top: 30, bottom: 44 });
    const maximum = model.points.at(-1).x;
    const x = linearScale([0, maximum], [area.left, area.right]);
    const y = linearScale([0, 1], [area.bottom, area.top]);
    const cursor = cursorLayer(model, area, x, y);
    const drawing = svg(
        'svg',
        {
            viewBox: `0 0 ${width} ${height}`,
            width,
            height,
            'aria-hidden': 'true',
            focusable: 'false',
        },
        verticalAxis(area, y, [0, 0.2, 0.4, 0.6, 0.8, 1], model.format.y, model.labels.y),
        horizontalAxis(
            area,
            x,
            niceTicks(maximum, width < 480 ? 4 : 7),
            model.format.xTick,
            model.labels.x,
        ),
        powerLayers(model, area, x, y),
        cursor.layer,
    );
    return { drawing, cursor, invert: linearScale([area.left, area.right], [0, maximum]) };
}

/*
 * Draws the power curve into `container`. model: points [{x, y}] rising in x with y in 0..1;
 * planned {x, y}; target in 0..1; format {y, xTick}; labels {x, y, target, chart}; describe(point)
 * a sentence for screen readers; readout(point) is called with the point the reader is at, first
 * the planned one.
 */
export function drawPowerCurve(container, model) {
    const plot = html('div', {
        class: 'chart-plot',
        dir: 'ltr',
        role: 'slider',
        tabindex: 0,
        'aria-label': model.labels.chart,
        'aria-valuemin': 0,
        'aria-valuemax': model.points.length - 1,
    });
    const hadFocus = container.contains(document.activeElement);
    container.replaceChildren(plot);
    drawWithWidth(container, (width) => {
        const drawn = drawPower(model, width);
        plot.replaceChildren(drawn.drawing);
        followReader(plot, model, drawn);
    });
    if (hadFocus) plot.focus({ preventScroll: true });
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

function boundaryLayers(looks, area, x, y) {
    const upper = looks.map((look) => [x(look.x), y(look.z)]);
    const lower = looks.map((look) => [x(look.x), y(-look.z)]);
    return [
        svg('path', { class: 'chart-stop', d: stopRegion(upper, area, area.top) }),
        svg('path', { class: 'chart-stop', d: stopRegion(lower, area, area.bottom) }),
        svg('line', { class: 'chart-base', x1: area.left, x2: area.right, y1: y(0), y2: y(0) }),
        svg('path', { class: 'chart-line', d: linePath(upper) }),
        svg('path', { class: 'chart-line', d: linePath(lower) }),
        looks.length > 24
            ? []
            : [...upper, ...lower].map(([cx, cy]) =>
                  svg('circle', { class: 'chart-look', cx, cy, r: 3.5 }),
              ),
    ];
}

/*
 * Draws sequential boundaries: looks [{x: information fraction, z: boundary > 0}]; format {x, y};
 * labels {x, y, chart}. A picture only: the table beside it carries the numbers.
 */
export function drawBoundaries(container, { looks, format, labels }) {
    const picture = html('div', {
        class: 'chart-plot',
        dir: 'ltr',
        role: 'img',
        'aria-label': labels.chart,
    });
    container.replaceChildren(picture);
    const highest = Math.max(...looks.map((look) => look.z)) * 1.12;
    drawWithWidth(container, (width) => {
        const area = plotArea(width, minimumHeight + 20, {
            left: 40,
            right: 14,
            top: 28,
            bottom: 44,
        });
        const x = linearScale([0, 1], [area.left, area.right]);
        const y = linearScale([-highest, highest], [area.bottom, area.top]);
        picture.replaceChildren(
            svg(
                'svg',
                {
                    viewBox: `0 0 ${width} ${area.height}`,
                    width,
                    height: area.height,
                    'aria-hidden': 'true',
                    focusable: 'false',
                },
                verticalAxis(area, y, boundaryTicks(highest), format.y, labels.y),
                horizontalAxis(area, x, [0, 0.25, 0.5, 0.75, 1], format.x, labels.x),
                boundaryLayers(looks, area, x, y),
            ),
        );
    });
}
