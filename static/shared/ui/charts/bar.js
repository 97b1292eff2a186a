/* Bars beside their names: amounts of things of a kind. */
import { linearScale } from '../../scale.js';
import { svg } from '../lit.js';
import { chart, picture } from './frame.js';

const rowHeight = 30;

function bar({ name, value, tone }, index, { x, nameRoom, format }) {
    const top = index * rowHeight;
    const from = Math.min(x(0), x(value));
    const room = Math.abs(x(value) - x(0));
    return svg`<g>
        <text class="chart-name" x=${nameRoom - 8} y=${top + 19} text-anchor="end">${name}</text>
        <rect class="chart-bar" data-tone=${tone ?? 'accent'} x=${from} y=${top + 6} width=${Math.max(1, room)} height=${rowHeight - 12} rx="2" />
        <text x=${Math.max(x(0), x(value)) + 6} y=${top + 19}>${format(value)}</text>
    </g>`;
}

function shortened(name, room) {
    const fits = Math.floor(room / 6.5);
    return name.length > fits ? `${name.slice(0, Math.max(1, fits - 1))}…` : name;
}

function draw({ bars, format, max }, width) {
    const nameRoom = Math.min(180, width * 0.34);
    const values = bars.map(({ value }) => value);
    const x = linearScale(
        [Math.min(0, ...values), max ?? Math.max(0, ...values, Number.MIN_VALUE)],
        [nameRoom, width - 76],
    );
    const named = bars.map((one) => ({ ...one, name: shortened(one.name, nameRoom) }));
    return picture(
        width,
        bars.length * rowHeight + 4,
        svg`${named.map((one, index) => bar(one, index, { x, nameRoom, format }))}
        <line class="chart-base" x1=${x(0)} x2=${x(0)} y1="0" y2=${bars.length * rowHeight} />`,
    );
}

/* model: label; bars [{name, value, tone?}]; format(value); nameTitle, valueTitle of the table; max. */
export function barChart(model) {
    return chart({
        label: model.label,
        draw: (width) => draw(model, width),
        height: 'auto',
        columns: [
            { name: 'name', title: model.nameTitle },
            { name: 'value', title: model.valueTitle, align: 'end', cell: ({ value }) => model.format(value) },
        ],
        rows: model.bars,
    });
}
