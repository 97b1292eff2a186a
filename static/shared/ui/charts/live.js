/*
 * Series that grow while one looks: drawn by uPlot on a canvas, which is fetched when the first such
 * chart is shown. A table beside it says the newest values.
 */
import { onLocale, t } from '../../i18n.js';
import { onTheme } from '../../theme.js';
import { html, ref } from '../lit.js';
import { table } from '../table.js';
import { legend } from './frame.js';

const newest = 10; /* rows of the table */
const vendor = new URL('../../../vendor/uplot-1.6.32/', import.meta.url);
let library = null;

/* The library and its style sheet, once. */
function loadLibrary() {
    library ??= import(new URL('uPlot.esm.js', vendor).href).then(({ default: uPlot }) => uPlot);
    if (document.querySelector('link[data-uplot]') === null) {
        const sheet = document.createElement('link');
        sheet.rel = 'stylesheet';
        sheet.href = new URL('uPlot.min.css', vendor).href;
        sheet.dataset.uplot = '';
        document.head.append(sheet);
    }
    return library;
}

/* A canvas knows no custom properties: colours are read off elements that have them. */
function coloursOf(place, count) {
    const probe = document.createElement('span');
    place.append(probe);
    const read = (className, index = 0) => {
        probe.className = className;
        probe.dataset.series = String((index % 6) + 1);
        return getComputedStyle(probe).color;
    };
    const colours = {
        ink: read('chart-ink'),
        line: read('chart-line-colour'),
        series: Array.from({ length: count }, (_, index) => read('chart-series-colour', index)),
    };
    probe.remove();
    return colours;
}

const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [1, 2]];

function axisOf(colours, format) {
    const stroke = colours.ink;
    const grid = { stroke: colours.line, width: 1 };
    return { stroke, grid, ticks: grid, font: '11px system-ui', values: (_, ticks) => ticks.map(format) };
}

/*
 * series: [{name}]; limit: points kept; format(value) and formatTime(milliseconds); label names the
 * chart. push(milliseconds, values) adds a point, a null value leaves a gap.
 */
export function createLiveChart(update, { label, series, limit = 300, format, formatTime, height = 220 }) {
    const data = [[], ...series.map(() => [])];
    let place = null;
    let plot = null;
    let observer = null;

    function options(colours) {
        const drawn = series.map(({ name }, index) => ({
            label: name,
            stroke: colours.series[index],
            dash: dashes[index % 6],
            width: 2,
            points: { show: false },
        }));
        return {
            width: Math.max(160, place.clientWidth),
            height,
            legend: { show: false },
            cursor: { drag: { x: false, y: false } },
            scales: { x: { time: false } },
            axes: [axisOf(colours, formatTime), { ...axisOf(colours, format), size: 60 }],
            series: [{}, ...drawn],
        };
    }

    async function draw() {
        const here = place;
        if (here === null) return;
        const uPlot = await loadLibrary();
        if (place !== here) return;
        plot?.destroy();
        plot = new uPlot(options(coloursOf(place, series.length)), data, place);
    }

    function show(element) {
        if ((element ?? null) === place) return;
        observer?.disconnect();
        place = element ?? null;
        if (place === null) {
            plot?.destroy();
            plot = null;
            return;
        }
        observer = new ResizeObserver(() => plot?.setSize({ width: Math.max(160, place.clientWidth), height }));
        observer.observe(place);
        draw();
    }

    onTheme(() => draw());
    onLocale(() => draw());

    function latest() {
        const from = Math.max(0, data[0].length - newest);
        return data[0].slice(from).map((at, index) => ({ at, values: series.map((_, one) => data[one + 1][from + index]) })).reverse();
    }

    const columns = () => [
        { name: 'at', title: t('chart.time'), cell: ({ at }) => formatTime(at) },
        ...series.map(({ name }, index) => ({
            name: `v${index}`,
            title: name,
            align: 'end',
            cell: ({ values }) => (Number.isFinite(values[index]) ? format(values[index]) : '–'),
        })),
    ];

    return {
        push(at, values) {
            data[0].push(at);
            series.forEach((_, index) => data[index + 1].push(values[index] ?? null));
            if (data[0].length > limit) for (const column of data) column.shift();
            plot?.setData(data);
            update();
        },
        size: () => data[0].length,

        view: () => html`<figure class="chart-figure" role="group" aria-label=${label}>
            ${legend(series)}
            <div class="chart-live" dir="ltr" role="img" aria-label=${label} ${ref(show)}></div>
            <details class="disclosure" data-plain>
                <summary>${t('chart.as_table')}</summary>
                <div class="disclosure-body">
                    ${table({ columns: columns(), rows: latest(), caption: label, plain: true })}
                </div>
            </details>
        </figure>`,
    };
}
