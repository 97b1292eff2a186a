/* What stands where there is nothing yet: why, and what to do about it. */
import { html } from './lit.js';

/* action: a template, usually a button or a link. */
export function empty({ title, text = null, action = null }) {
    return html`<div class="empty">
        <p class="empty-title">${title}</p>
        ${text === null ? null : html`<p class="empty-text">${text}</p>`}
        ${action === null ? null : html`<div class="button-row">${action}</div>`}
    </div>`;
}
