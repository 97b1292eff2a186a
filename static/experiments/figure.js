/* One figure of a list of figures: its name, its value, and a note. */
import { html } from '../shared/ui/lit.js';

export function figure(label, value, note = /** @type {any} */ ('')) {
    return html`<div class="figure">
        <dt class="figure-label">${label}</dt>
        <dd class="figure-value">${value}</dd>
        <dd class="figure-note">${note}</dd>
    </div>`;
}
