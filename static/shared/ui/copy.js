/* Puts text on the clipboard, and says so on the button that asked for it. */
import { t } from '../i18n.js';
import { openDialog } from './dialog.js';
import { icon } from './icons.js';
import { html, nothing } from './lit.js';

const thanksMs = 2000;

/* Where the clipboard is closed to the page (plain http on another host), the text is shown. */
function showForCopying(text) {
    openDialog({
        title: t('copy.by_hand'),
        body: () =>
            html`<textarea
                class="input copy-text"
                readonly
                aria-label=${t('copy.by_hand')}
                .value=${text}
                @focus=${(event) => event.target.select()}
            ></textarea>`,
    });
}

/* Copies `text` for `button`, which is marked data-done for a while. */
export async function copyText(button, text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        showForCopying(text);
        return;
    }
    button.toggleAttribute('data-done', true);
    setTimeout(() => button.toggleAttribute('data-done', false), thanksMs);
}

/* A button that copies what text() gives; it has both of its words in it, so that its width stays. */
export function copyButton({ text, title = null, size = 'small', id = null }) {
    return html`<button
        type="button"
        class="button copy-button"
        id=${id ?? nothing}
        data-size=${size}
        @click=${(event) => copyText(event.currentTarget, text())}
    >
        <span class="copy-ask">${title ?? html`${icon('copy')}${t('copy.ask')}`}</span>
        <span class="copy-done" role="status">${t('copy.done')}</span>
    </button>`;
}
