/* Tabs: one of several panels in the same place. The arrow keys move between them. */
import { html, nothing, ref, repeat } from './lit.js';

function moved(key, index, count) {
    const rtl = document.documentElement.dir === 'rtl';
    const steps = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 };
    if (key === 'Home') return 0;
    if (key === 'End') return count - 1;
    return key in steps ? (index + steps[key] + count) % count : null;
}

/* A list that is wider than the screen is scrolled to its chosen tab. */
function reveal(tab) {
    requestAnimationFrame(() => {
        if (!tab?.isConnected) return;
        const list = tab.parentElement;
        const [inner, outer] = [tab.getBoundingClientRect(), list.getBoundingClientRect()];
        if (inner.left < outer.left) list.scrollLeft += inner.left - outer.left;
        else if (inner.right > outer.right) list.scrollLeft += inner.right - outer.right;
    });
}

/* tabs: [{name, title, count?}]; panel(name) is the template of the one that is shown. */
export function tabs({ id, label, tabs: all, current, onSelect, panel }) {
    const choose = (event, index) => {
        const next = moved(event.key, index, all.length);
        if (next === null) return;
        event.preventDefault();
        onSelect(all[next].name);
        queueMicrotask(() => document.getElementById(`${id}-tab-${all[next].name}`)?.focus());
    };
    return html`<div class="tabs">
        <div class="tab-list" role="tablist" aria-label=${label}>
            ${repeat(
                all,
                ({ name }) => name,
                ({ name, title, count = null }, index) =>
                    html`<button
                        type="button"
                        class="tab"
                        role="tab"
                        id=${`${id}-tab-${name}`}
                        aria-selected=${String(name === current)}
                        aria-controls=${name === current ? `${id}-panel` : nothing}
                        tabindex=${name === current ? 0 : -1}
                        ${ref(name === current ? reveal : undefined)}
                        @click=${() => onSelect(name)}
                        @keydown=${(event) => choose(event, index)}
                    >
                        ${title}${count === null ? null : html`<span class="tab-count">${count}</span>`}
                    </button>`,
            )}
        </div>
        <div class="tab-panel" role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-tab-${current}`} tabindex="0">
            ${panel(current)}
        </div>
    </div>`;
}
