/* A secret that is shown a single time, when it was made. */
import { copyButton } from './copy.js';
import { html } from './lit.js';
import { notice } from './notice.js';

/* A page brings it into sight with focusIssued(). */
export function issuedSecret({ title, text, secret }) {
    return html`<div id="made" tabindex="-1">
        ${notice({
            tone: 'good',
            title,
            body: html`<p>${text}</p>
                <p><code class="key-text" dir="ltr">${secret}</code></p>`,
            actions: copyButton({ text: () => secret }),
        })}
    </div>`;
}

export function focusIssued() {
    setTimeout(() => document.getElementById('made')?.focus());
}
