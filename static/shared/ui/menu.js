/* A menu of actions behind a button, closed by a choice, by Escape and by a press elsewhere. */
import { icon } from './icons.js';
import { html, nothing } from './lit.js';

function itemsOf(menu) {
    return [...menu.querySelectorAll('[role="menuitem"]:not([disabled])')];
}

function close(menu, { focus = true } = {}) {
    if (!menu.open) return;
    menu.open = false;
    if (focus) menu.querySelector('summary').focus();
}

function onKey(event) {
    const menu = event.currentTarget;
    const items = itemsOf(menu);
    const at = items.indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 };
    if (event.key === 'Escape' && menu.open) {
        event.stopPropagation();
        close(menu);
    } else if (event.key in steps) {
        event.preventDefault();
        menu.open = true;
        items.at(steps[event.key] % items.length)?.focus();
    } else if (event.key === 'Tab') close(menu, { focus: false });
}

document.addEventListener('pointerdown', (event) => {
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const all = document.querySelectorAll('details.menu[open]');
    for (const menu of all) if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
});

/* items: [{title, run() or href, tone?, disabled?}]; `title` shows on the button, else three dots. */
export function menu({ label, title = null, items }) {
    const choose = (event, item) => {
        close(event.currentTarget.closest('.menu'));
        item.run?.();
    };
    return html`<details class="menu" @keydown=${onKey}>
        <summary class=${title === null ? 'button button-icon' : 'button'} data-kind=${title === null ? 'quiet' : nothing} aria-label=${label} aria-haspopup="menu">
            ${title ?? icon('more')}${title === null ? null : icon('down')}
        </summary>
        <div class="menu-items" role="menu" aria-label=${label}>
            ${items.map((item) =>
                item.href
                    ? html`<a role="menuitem" tabindex="-1" href=${item.href}>${item.title}</a>`
                    : html`<button
                          type="button"
                          role="menuitem"
                          tabindex="-1"
                          data-tone=${item.tone ?? nothing}
                          ?disabled=${item.disabled ?? false}
                          @click=${(event) => choose(event, item)}
                      >
                          ${item.title}
                      </button>`,
            )}
        </div>
    </details>`;
}
