/* A word with a tone: danger, caution, info, good or plain. The word carries the meaning. */
import { html } from './lit.js';

export function badge(text, tone = 'plain', { dot = false } = {}) {
    return html`<span class="badge" data-tone=${tone}
        >${dot ? html`<span class="status-dot" aria-hidden="true"></span>` : null}${text}</span
    >`;
}
