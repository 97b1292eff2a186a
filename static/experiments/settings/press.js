/* A small button of a row; screen readers hear which row it is about. */
import { html, nothing } from '../../shared/ui/lit.js';

export function press(title, row, action, { kind = null, name = row.name } = {}) {
    return html`<button
        type="button"
        class="button"
        data-size="small"
        data-kind=${kind ?? nothing}
        aria-label=${`${title}: ${name}`}
        @click=${() => action(row)}
    >
        ${title}
    </button>`;
}
