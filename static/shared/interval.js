/* A confidence interval as a bar against zero. The numbers stand beside it; this is the picture. */
import { html, svg } from './dom.js';
import { linearScale, niceStep } from './scale.js';

const height = 96;
const margin = 18;
const axisY = 62;

function domainOf(lower, upper, estimate) {
    const least = Math.min(0, lower, estimate);
    const most = Math.max(0, upper, estimate);
    const room = (most - least) * 0.08 || 1;
    return [least - room, most + room];
}

function ticksOf([least, most], count) {
    const step = niceStep(most - least, count);
    const first = Math.ceil(least / step);
    const last = Math.floor(most / step);
    return Array.from({ length: last - first + 1 }, (_, index) =>
        Number(((first + index) * step).toPrecision(12)),
    );
}

function axis(x, width, ticks, format) {
    return [
        svg('line', { class: 'chart-base', x1: margin, x2: width - margin, y1: axisY, y2: axisY }),
        ticks.map((tick) => [
            svg('line', {
                class: 'chart-base',
                x1: x(tick),
                x2: x(tick),
                y1: axisY,
                y2: axisY + 4,
            }),
            svg('text', { x: x(tick), y: axisY + 18, 'text-anchor': 'middle' }, format(tick)),
        ]),
    ];
}

function bar(x, { lower, upper, estimate }) {
    const y = 34;
    return [
        svg('line', { class: 'interval-bar', x1: x(lower), x2: x(upper), y1: y, y2: y }),
        [lower, upper].map((end) =>
            svg('line', { class: 'interval-end', x1: x(end), x2: x(end), y1: y - 7, y2: y + 7 }),
        ),
        svg('circle', { class: 'chart-planned', cx: x(estimate), cy: y, r: 6 }),
    ];
}

/* interval {lower, upper, estimate}; format(value) for the axis; label for screen readers. */
export function drawInterval(container, interval, { format, label }) {
    const picture = html('div', {
        class: 'chart-plot',
        dir: 'ltr',
        role: 'img',
        'aria-label': label,
    });
    const draw = () => {
        const width = Math.floor(container.clientWidth);
        if (width === 0) return;
        const domain = domainOf(interval.lower, interval.upper, interval.estimate);
        const x = linearScale(domain, [margin, width - margin]);
        picture.replaceChildren(
            svg(
                'svg',
                {
                    viewBox: `0 0 ${width} ${height}`,
                    width,
                    height,
                    'aria-hidden': 'true',
                    focusable: 'false',
                },
                axis(x, width, ticksOf(domain, width < 480 ? 4 : 8), format),
                svg('line', { class: 'interval-zero', x1: x(0), x2: x(0), y1: 8, y2: axisY }),
                bar(x, interval),
            ),
        );
    };
    container.replaceChildren(picture);
    container.observer?.disconnect();
    container.observer = new ResizeObserver(draw);
    container.observer.observe(container);
}
