/* Estimates with their intervals, one under the other, against a line of no effect. */
import { linearScale, ticksBetween } from '../../scale.js';
import { svg } from '../lit.js';
import { chart, picture } from './frame.js';

const rowHeight = 34;

function rowLayer({ name, estimate, lower, upper, tone }, index, { x, nameRoom, domain }) {
    const y = index * rowHeight + rowHeight / 2;
    const inside = (value) => x(Math.min(domain[1], Math.max(domain[0], value)));
    const end = (value) =>
        Number.isFinite(value) && value >= domain[0] && value <= domain[1]
            ? svg`<line class="interval-end" x1=${x(value)} x2=${x(value)} y1=${y - 6} y2=${y + 6} />`
            : null;
    return svg`<g class="chart-row" data-tone=${tone ?? 'accent'}>
        ${nameRoom > 0 ? svg`<text class="chart-name" x=${nameRoom - 10} y=${y + 4} text-anchor="end">${name}</text>` : null}
        <line class="interval-bar" x1=${inside(lower ?? -Infinity)} x2=${inside(upper ?? Infinity)} y1=${y} y2=${y} />
        ${end(lower)} ${end(upper)}
        <circle class="chart-planned" cx=${inside(estimate)} cy=${y} r="5" />
    </g>`;
}

/** @returns {[number, number]} */
function domainOf(rows, zero, marks) {
    const values = rows.flatMap(({ estimate, lower, upper }) => [estimate, lower, upper]);
    const all = [...values, zero, ...marks.map(({ value }) => value)].filter(Number.isFinite);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const room = (most - least) * 0.06 || 1;
    return [least - room, most + room];
}

function draw({ rows, zero = 0, marks = [], format, title }, width) {
    const named = rows.length > 1;
    const nameRoom = named ? Math.min(170, width * 0.32) : 0;
    const domain = domainOf(rows, zero, marks);
    const x = linearScale(domain, [nameRoom + 10, width - 24]);
    const bottom = rows.length * rowHeight + 4;
    return picture(
        width,
        bottom + 44,
        svg`<line class="chart-base" x1=${nameRoom + 10} x2=${width - 24} y1=${bottom} y2=${bottom} />
        ${ticksBetween(domain[0], domain[1], width < 480 ? 3 : 7).map(
            (tick) => svg`<line class="chart-base" x1=${x(tick)} x2=${x(tick)} y1=${bottom} y2=${bottom + 4} />
            <text x=${x(tick)} y=${bottom + 18} text-anchor="middle">${format(tick)}</text>`,
        )}
        <text class="chart-title" x=${width - 24} y=${bottom + 36} text-anchor="end">${title}</text>
        <line class="interval-zero" x1=${x(zero)} x2=${x(zero)} y1="2" y2=${bottom} />
        ${marks.map(({ value }) => svg`<line class="chart-drop" x1=${x(value)} x2=${x(value)} y1="2" y2=${bottom} />`)}
        ${rows.map((row, index) => rowLayer(row, index, { x, nameRoom, domain }))}`,
    );
}

/*
 * model: label; rows [{name, estimate, lower, upper (null: open), tone?}]; zero, the value of no
 * effect; marks [{value, name}]; format; title of the axis; titles {name, estimate, lower, upper}.
 */
export function forestPlot(model) {
    const written = (value) => (Number.isFinite(value) ? model.format(value) : '–');
    const column = (name) => ({ name, title: model.titles[name], align: 'end', cell: (row) => written(row[name]) });
    return chart({
        label: model.label,
        draw: (width) => draw(model, width),
        height: 'auto',
        columns: [{ name: 'name', title: model.titles.name }, column('estimate'), column('lower'), column('upper')],
        rows: model.rows,
    });
}
