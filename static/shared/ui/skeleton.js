/* The outline of what is on its way, as tall as what will stand there, so that nothing jumps. */
import { t } from '../i18n.js';
import { html } from './lit.js';

/* lines: how many lines of text; height: 'line', 'row', 'card' or 'chart'. */
export function skeleton({ lines = 3, height = 'line' } = {}) {
    return html`<div class="skeleton" aria-hidden="true">
            ${Array.from({ length: lines }, () => html`<span data-height=${height}></span>`)}
        </div>
        <p class="visually-hidden" role="status">${t('state.loading')}</p>`;
}
