/* Scales and ticks of charts: pure arithmetic, no elements. */

/* Steps of 1, 2, 2.5 or 5 times a power of ten, about `count` of them up to `maximum`. */
export function niceStep(maximum, count) {
    const raw = maximum / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= raw * (1 - 1e-9));
    return factor * power;
}

/* 0, step, 2 step… up to and including `maximum`. */
export function niceTicks(maximum, count) {
    if (!(maximum > 0) || !Number.isFinite(maximum)) return [0];
    const step = niceStep(maximum, count);
    const last = Math.floor(maximum / step + 1e-9);
    return Array.from({ length: last + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/* A function from [d0, d1] to [r0, r1]. */
export function linearScale([d0, d1], [r0, r1]) {
    const slope = d1 === d0 ? 0 : (r1 - r0) / (d1 - d0);
    return (value) => r0 + (value - d0) * slope;
}

/* Index of the item of rising `values` that is nearest to `wanted`. */
export function nearestIndex(values, wanted) {
    let best = 0;
    values.forEach((value, index) => {
        if (Math.abs(value - wanted) < Math.abs(values[best] - wanted)) best = index;
    });
    return best;
}

/* An SVG path through points in pixels. */
export function linePath(points) {
    return points
        .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
        .join('');
}

/* Round values between `least` and `most`, about `count` of them. */
export function ticksBetween(least, most, count) {
    if (!(most > least)) return [least];
    const step = niceStep(most - least, count);
    const first = Math.ceil(least / step - 1e-9);
    const last = Math.floor(most / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, index) =>
        Number(((first + index) * step).toPrecision(12)),
    );
}

const timeSteps = [
    1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600,
    2592000, 7776000, 31536000,
].map((seconds) => seconds * 1000);

/* Moments at full minutes, hours or days of the reader's clock, about `count` of them. */
export function timeTicks(least, most, count) {
    const step = timeSteps.find((candidate) => (most - least) / candidate <= count) ?? timeSteps.at(-1);
    const offset = new Date(least).getTimezoneOffset() * 60000;
    const first = Math.ceil((least - offset) / step) * step + offset;
    const ticks = [];
    for (let at = first; at <= most && ticks.length < 50; at += step) ticks.push(at);
    return ticks;
}
