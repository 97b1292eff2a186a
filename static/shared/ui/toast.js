/* Short messages that something has been done; they leave by themselves and never take the focus. */
import { t } from '../i18n.js';
import { icon } from './icons.js';
import { html, render, repeat } from './lit.js';

const shownMs = 6000;
const shown = [];
let place = null;
let count = 0;

function draw() {
    if (place === null) {
        place = document.createElement('div');
        place.className = 'toasts';
        place.setAttribute('role', 'status');
        document.body.append(place);
    }
    render(
        repeat(
            shown,
            ({ id }) => id,
            (one) =>
                html`<div class="toast" data-tone=${one.tone}>
                    <span dir="auto">${one.text}</span>
                    ${one.action === null
                        ? null
                        : html`<button
                              type="button"
                              class="button"
                              data-size="small"
                              @click=${() => {
                                  dismiss(one);
                                  one.action.run();
                              }}
                          >
                              ${one.action.title}
                          </button>`}
                    <button
                        type="button"
                        class="button button-icon"
                        data-kind="quiet"
                        aria-label=${t('toast.dismiss')}
                        @click=${() => dismiss(one)}
                    >
                        ${icon('close')}
                    </button>
                </div>`,
        ),
        place,
    );
}

function dismiss(one) {
    const index = shown.indexOf(one);
    if (index >= 0) shown.splice(index, 1);
    draw();
}

/* action: {title, run()}, such as undoing; a message with an action stays twice as long. */
export function toast(text, { tone = 'good', action = null } = {}) {
    const one = { id: ++count, text, tone, action };
    shown.push(one);
    draw();
    setTimeout(() => dismiss(one), action === null ? shownMs : 2 * shownMs);
}
