/* A block of code or of anything else that is copied as it stands. */
import { copyButton } from './copy.js';
import { html } from './lit.js';

/* language names what it is, for readers; label names the block for screen readers. */
export function codeblock(text, { language = '', label = language || 'code' } = {}) {
    return html`<figure class="codeblock">
        <figcaption><span>${language}</span>${copyButton({ text: () => text })}</figcaption>
        <pre tabindex="0" role="group" aria-label=${label} dir="ltr"><code>${text}</code></pre>
    </figure>`;
}
