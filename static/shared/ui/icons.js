/* Icons of 20 by 20 units, drawn with the pen of the text that they stand beside. */
import { html, svg } from './lit.js';

const paths = {
    close: ['M5 5l10 10M15 5 5 15'],
    check: ['m4.5 10.5 3.5 3.5 7.5-8'],
    copy: ['M7.5 7.5h8v8h-8z', 'M12.5 7.5v-3h-8v8h3'],
    more: ['M5 10h.01M10 10h.01M15 10h.01'],
    up: ['m5.5 12 4.5-4.5L14.5 12'],
    down: ['m5.5 8 4.5 4.5L14.5 8'],
    next: ['m8 5.5 4.5 4.5L8 14.5'],
    previous: ['M12 5.5 7.5 10l4.5 4.5'],
    upload: ['M10 13.5v-9M6 8l4-4 4 4', 'M3.5 13v3.5h13V13'],
    download: ['M10 4v9M6 9.5l4 4 4-4', 'M3.5 13v3.5h13V13'],
    file: ['M5 2.5h6.5L15 6v11.5H5Z', 'M11.5 2.5V6H15'],
    search: ['M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z', 'm13 13 4 4'],
    refresh: ['M16 5v4h-4', 'M15.6 9A6 6 0 1 0 16 11.5'],
    stop: ['M5.5 5.5h9v9h-9z'],
    send: ['M3.5 10h11M10 5l5 5-5 5'],
    plus: ['M10 4v12M4 10h12'],
    leave: ['M11 4H4.5v12H11', 'M9 10h7.5M13.5 7l3 3-3 3'],
    thumb_up: ['M6.5 9v7.5h-3V9Z', 'M6.5 9.5 9.5 3c1.6 0 2.3 1 2 2.6L11 8.5h4.2c1 0 1.6.8 1.3 1.8l-1.3 4.9c-.2.8-.8 1.3-1.6 1.3H6.5'],
    thumb_down: ['M6.5 11V3.5h-3V11Z', 'M6.5 10.5 9.5 17c1.6 0 2.3-1 2-2.6l-.5-2.9h4.2c1 0 1.6-.8 1.3-1.8l-1.3-4.9c-.2-.8-.8-1.3-1.6-1.3H6.5'],
    person: ['M10 3.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z', 'M4 16.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5'],
    list: ['M7 5h9.5M7 10h9.5M7 15h9.5M3.5 5h.01M3.5 10h.01M3.5 15h.01'],
};

/* An icon says nothing to a screen reader: the control that holds it has a name. */
export function icon(name) {
    return html`<svg
        class="icon"
        data-icon=${name}
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
    >
        ${paths[name].map((d) => svg`<path d=${d} />`)}
    </svg>`;
}
