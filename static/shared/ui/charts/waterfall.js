/* What a piece of work was made of: spans of time, each under the one that began it. */
import { linearScale, ticksBetween } from '../../scale.js';
import { html, svg } from '../lit.js';
import { chart, picture } from './frame.js';

const rowHeight = 26;

/* Parents before their children, children by their start; `depth` says how deep. */
export function orderSpans(spans) {
    const known = new Set(spans.map(({ id }) => id));
    const children = Map.groupBy(spans, ({ parent }) => (known.has(parent) ? parent : null));
    const ordered = [];
    const walk = (parent, depth) => {
        for (const span of (children.get(parent) ?? []).toSorted((a, b) => a.start - b.start)) {
            ordered.push({ ...span, depth });
            walk(span.id, depth + 1);
        }
    };
    walk(null, 0);
    return ordered;
}

/* A span with a mark is light up to it, and full behind it. */
function bar(span, index, { x, format, right }) {
    const top = index * rowHeight;
    const from = x(span.start);
    const length = Math.max(2, x(span.start + span.duration) - from);
    const marked = span.mark === null || span.mark === undefined ? 0 : Math.min(length, Math.max(0, x(span.mark) - from));
    const outside = from + length + 6 + 60 > right;
    return svg`<g>
        ${marked === 0 ? null : svg`<rect class="chart-bar chart-bar-before" data-tone=${span.tone ?? 'accent'} x=${from} y=${top + 6} width=${marked} height=${rowHeight - 12} rx="2" />`}
        <rect class="chart-bar" data-tone=${span.tone ?? 'accent'} x=${from + marked} y=${top + 6} width=${Math.max(1, length - marked)} height=${rowHeight - 12} rx="2" />
        <text x=${outside ? from - 5 : from + length + 5} y=${top + 17} text-anchor=${outside && from > 60 ? 'end' : 'start'}>${format(span.duration)}</text>
    </g>`;
}

function draw({ spans, format, axis }, width) {
    const ordered = orderSpans(spans);
    const end = Math.max(...ordered.map(({ start, duration }) => start + duration), 1);
    const nameRoom = Math.min(220, width * 0.36);
    const x = linearScale([0, end], [nameRoom, width - 66]);
    const bottom = ordered.length * rowHeight + 4;
    const fits = (depth) => Math.floor((nameRoom - 12 - depth * 12) / 6.4);
    const short = (name, depth) => (name.length > fits(depth) ? `${name.slice(0, Math.max(1, fits(depth) - 1))}…` : name);
    return picture(
        width,
        bottom + 40,
        svg`${ticksBetween(0, end, width < 480 ? 2 : 5).map(
            (tick) => svg`<line class="chart-grid" x1=${x(tick)} x2=${x(tick)} y1="0" y2=${bottom} />
            <text x=${x(tick)} y=${bottom + 16} text-anchor="middle">${format(tick)}</text>`,
        )}
        <text class="chart-title" x=${width - 4} y=${bottom + 34} text-anchor="end">${axis}</text>
        ${ordered.map(
            (span, index) => svg`<text class="chart-name" x=${span.depth * 12} y=${index * rowHeight + 17}>${short(span.name, span.depth)}</text>
            ${bar(span, index, { x, format, right: width })}`,
        )}`,
    );
}

/*
 * model: label; spans [{id, parent, name, start, duration, tone?, mark?}], times in one unit from the
 * beginning, `mark` a time within the span; format(time); axis, its title; titles {name, start, duration};
 * `more` further columns of the table; onSelect(span) makes the names of the table buttons.
 */
export function waterfall(model) {
    const { titles, format, more = [], onSelect = null } = model;
    const name = (span) => html`<span class="span-name" data-depth=${Math.min(6, span.depth)}>
        ${onSelect === null
            ? span.name
            : html`<button type="button" class="link-button" @click=${() => onSelect(span)}>${span.name}</button>`}
    </span>`;
    return chart({
        label: model.label,
        draw: (width) => draw(model, width),
        height: 'auto',
        tableOpen: onSelect !== null,
        columns: [
            { name: 'name', title: titles.name, cell: name },
            { name: 'start', title: titles.start, align: 'end', cell: ({ start }) => format(start) },
            { name: 'duration', title: titles.duration, align: 'end', cell: ({ duration }) => format(duration) },
            ...more,
        ],
        rows: orderSpans(model.spans),
    });
}
