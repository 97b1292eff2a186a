/*
 * What all charts stand on: a width that follows the page, axes, a legend, and a table that says the
 * same. Charts are SVG in classes, so that colours follow the scheme; axes run left to right in every
 * language.
 */
import { t } from '../../i18n.js';
import { AsyncDirective, directive, html, nothing, render, svg } from '../lit.js';
import { table } from '../table.js';

class Sized extends AsyncDirective {
    render() {
        return nothing;
    }

    /* Draws once the element has a width, and whenever that or the template has changed. */
    update(part, [draw]) {
        this.draw = draw;
        if (this.element !== part.element) {
            this.observer?.disconnect();
            this.element = part.element;
            this.observer = new ResizeObserver(() => this.redraw());
            this.observer.observe(this.element);
            /* A new element has no width until its template is in the document; the observer would draw a frame later. */
            queueMicrotask(() => this.redraw());
        } else this.redraw();
        return nothing;
    }

    redraw() {
        const width = Math.floor(this.element.clientWidth);
        if (width > 0) render(this.draw(width), this.element);
    }

    disconnected() {
        this.observer?.disconnect();
    }

    reconnected() {
        this.observer?.observe(this.element);
    }
}

/* <div ${sized((width) => template)}></div>: a template that needs to know how wide it will be. */
export const sized = directive(Sized);

/* The inside of the axes. */
export function plotArea(width, height, { left = 48, right = 14, top = 28, bottom = 40 } = {}) {
    return { width, height, left, right: width - right, top, bottom: height - bottom };
}

export function horizontalAxis(area, scale, ticks, format, title) {
    return svg`<g class="chart-axis">
        <line class="chart-base" x1=${area.left} x2=${area.right} y1=${area.bottom} y2=${area.bottom} />
        ${ticks.map(
            (tick) => svg`<line class="chart-base" x1=${scale(tick)} x2=${scale(tick)} y1=${area.bottom} y2=${area.bottom + 4} />
            <text x=${scale(tick)} y=${area.bottom + 18} text-anchor="middle">${format(tick)}</text>`,
        )}
        <text class="chart-title" x=${area.right} y=${area.bottom + 36} text-anchor="end">${title}</text>
    </g>`;
}

export function verticalAxis(area, scale, ticks, format, title) {
    return svg`<g class="chart-axis">
        ${ticks.map(
            (tick) => svg`<line class="chart-grid" x1=${area.left} x2=${area.right} y1=${scale(tick)} y2=${scale(tick)} />
            <text x=${area.left - 8} y=${scale(tick) + 4} text-anchor="end">${format(tick)}</text>`,
        )}
        <text class="chart-title" x="0" y=${area.top - 12}>${title}</text>
    </g>`;
}

/* The picture itself; its label and the table beside it carry the meaning. */
export function picture(width, height, content) {
    return svg`<svg viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} aria-hidden="true" focusable="false">
        ${content}
    </svg>`;
}

/* Names of series beside a sample of their line; one series needs none. */
export function legend(series) {
    if (series.length < 2) return null;
    return html`<ul class="chart-legend">
        ${series.map(
            ({ name }, index) =>
                html`<li>
                    <svg viewBox="0 0 24 8" width="24" height="8" aria-hidden="true">
                        <line class="chart-series" data-series=${(index % 6) + 1} x1="1" x2="23" y1="4" y2="4" />
                    </svg>
                    ${name}
                </li>`,
        )}
    </ul>`;
}

/*
 * A chart: draw(width) gives its picture; columns and rows, as table() takes them, say the same. The
 * table is folded unless `tableOpen`; `height` reserves the room before the width is known.
 */
export function chart({ label, draw, columns, rows, series = [], readout = null, tableOpen = false, height = 'medium' }) {
    return html`<figure class="chart-figure" role="group" aria-label=${label}>
        ${legend(series)} ${readout}
        <div class="chart-plot" dir="ltr" role="img" aria-label=${label} data-height=${height} ${sized(draw)}></div>
        <details class="disclosure" data-plain ?open=${tableOpen}>
            <summary>${t('chart.as_table')}</summary>
            <div class="disclosure-body">${table({ columns, rows, caption: label, plain: true })}</div>
        </details>
    </figure>`;
}
