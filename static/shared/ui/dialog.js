/* Dialogs on the platform's own <dialog>: one that holds anything, and one that asks for a yes. */
import { t } from '../i18n.js';
import { html, nothing, render } from './lit.js';
import { icon } from './icons.js';

let opened = 0;

/*
 * Opens a dialog and resolves to what close(value) was given; undefined when it was dismissed.
 * body(close, draw) is its template, drawn again by draw(); actions(close) its buttons; wide makes
 * room for tables.
 */
export function openDialog({ title, body, actions = null, wide = false, tone = null }) {
    const id = `dialog-${++opened}`;
    const dialog = document.createElement('dialog');
    dialog.className = 'card dialog';
    dialog.setAttribute('aria-labelledby', `${id}-title`);
    dialog.toggleAttribute('data-wide', wide);
    if (tone) dialog.dataset.tone = tone;
    document.body.append(dialog);
    let value;
    const close = (result) => {
        value = result;
        dialog.close();
    };
    const draw = () =>
        render(
            html`<div class="dialog-head">
                    <h2 id=${`${id}-title`}>${title}</h2>
                    <button
                        type="button"
                        class="button button-icon"
                        data-kind="quiet"
                        aria-label=${t('dialog.close')}
                        @click=${() => close()}
                    >
                        ${icon('close')}
                    </button>
                </div>
                <div class="dialog-body">${body(close, draw)}</div>
                ${actions === null ? nothing : html`<div class="dialog-actions">${actions(close)}</div>`}`,
            dialog,
        );
    draw();
    dialog.showModal();
    /** @type {HTMLElement | null} */
    const first = dialog.querySelector('[autofocus]') ?? dialog.querySelector('.dialog-body :is(input, select, textarea)');
    first?.focus();
    return new Promise((resolve) => {
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(value);
        });
    });
}

/*
 * Asks before something that cannot be undone: true when the reader says yes. `type` is a text that
 * has to be typed first, for what hurts most.
 */
export async function confirm({ title, text, action, tone = 'danger', type = null }) {
    let typed = '';
    let redraw = null;
    const answer = await openDialog({
        title,
        tone,
        body: (close, draw) => {
            redraw = draw;
            return html`<p>${text}</p>
                ${type === null
                    ? null
                    : html`<div class="field">
                          <label class="field-label" for="confirm-type">${t('confirm.type', { text: type })}</label>
                          <input
                              class="input"
                              id="confirm-type"
                              autocomplete="off"
                              @input=${(event) => {
                                  typed = event.target.value;
                                  redraw();
                              }}
                          />
                      </div>`}`;
        },
        actions: (close) =>
            html`<button type="button" class="button" autofocus @click=${() => close(false)}>${t('confirm.cancel')}</button>
                <button
                    type="button"
                    class="button"
                    data-kind=${tone === 'danger' ? 'danger' : 'primary'}
                    ?disabled=${type !== null && typed.trim() !== type}
                    @click=${() => close(true)}
                >
                    ${action}
                </button>`,
    });
    return answer === true;
}
