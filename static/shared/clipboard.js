/* Copies text, and says so on the button that asked for it. */
import { html } from './dom.js';
import { t } from './i18n.js';

const thanksMs = 2000;

/* Where the clipboard is closed to the page (plain http on another host), the text is shown
 * instead. */
function showForCopying(text) {
    const area = html(
        'textarea',
        { class: 'input copy-text', readonly: true, 'aria-label': t('copy.by_hand') },
        text,
    );
    const close = html('button', { type: 'button', class: 'button' }, t('copy.close'));
    const dialog = html(
        'dialog',
        { class: 'card copy-dialog' },
        html('p', {}, t('copy.by_hand')),
        area,
        close,
    );
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    area.focus();
    area.select();
}

/* Puts `text` on the clipboard; `button` says that it has. */
export async function copyText(button, text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        showForCopying(text);
        return;
    }
    button.textContent = t('copy.done');
    setTimeout(() => {
        button.textContent = t(button.dataset.i18n);
    }, thanksMs);
}
