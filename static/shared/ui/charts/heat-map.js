/* A value for every pair of a row and a column, as the depth of a colour and as a number. */
import { svg } from '../lit.js';
import { chart, picture } from './frame.js';

const cellHeight = 28;
const head = 24;

function cell(value, { x, y, width, share, format }) {
    if (!Number.isFinite(value))
        return svg`<text class="chart-cell-text" x=${x + width / 2} y=${y + 18} text-anchor="middle">–</text>`;
    return svg`<g>
        <rect class="chart-cell" x=${x + 1} y=${y + 1} width=${Math.max(1, width - 2)} height=${cellHeight - 2} rx="2" fill-opacity=${(0.06 + 0.94 * share).toFixed(3)} />
        <text class="chart-cell-text" data-deep=${share > 0.55 ? 'true' : 'false'} x=${x + width / 2} y=${y + 18} text-anchor="middle">${width > 34 ? format(value) : ''}</text>
    </g>`;
}

function draw({ rows, columns, values, format, min, max }, width) {
    const finite = values.flat().filter(Number.isFinite);
    const least = min ?? Math.min(...finite);
    const most = max ?? Math.max(...finite);
    const nameRoom = Math.min(140, width * 0.28);
    const cellWidth = (width - nameRoom) / columns.length;
    const share = (value) => (most === least ? 0.5 : Math.min(1, Math.max(0, (value - least) / (most - least))));
    const every = Math.ceil(38 / cellWidth);
    return picture(
        width,
        head + rows.length * cellHeight,
        svg`${columns.map((name, index) =>
            index % every === 0
                ? svg`<text x=${nameRoom + (index + 0.5) * cellWidth} y="15" text-anchor="middle">${name}</text>`
                : null,
        )}
        ${rows.map(
            (name, row) => svg`<text class="chart-name" x=${nameRoom - 8} y=${head + row * cellHeight + 18} text-anchor="end">${name}</text>
            ${columns.map((_, column) =>
                cell(values[row]?.[column], {
                    x: nameRoom + column * cellWidth,
                    y: head + row * cellHeight,
                    width: cellWidth,
                    share: share(values[row]?.[column]),
                    format,
                }),
            )}`,
        )}`,
    );
}

/* model: label; rows and columns, their names; values[row][column]; format; rowTitle; min, max. */
export function heatMap(model) {
    return chart({
        label: model.label,
        draw: (width) => draw(model, width),
        height: 'auto',
        columns: [
            { name: 'name', title: model.rowTitle, cell: ({ name }) => name },
            ...model.columns.map((title, index) => ({
                name: `c${index}`,
                title,
                align: 'end',
                cell: ({ cells }) => (Number.isFinite(cells?.[index]) ? model.format(cells[index]) : '–'),
            })),
        ],
        rows: model.rows.map((name, index) => ({ name, cells: model.values[index] })),
    });
}
