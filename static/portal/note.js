/* What an area has no list of: how it is done there, in words. */
import { html } from '../shared/ui/lit.js';

/* A panel of portal/areas.js; text and action are functions, so that they follow the language. */
export function notePanel({ title, text, action = () => null }) {
    return {
        load() {},
        view: () => html`<section class="card section stack">
            <h2>${title()}</h2>
            <p class="section-note">${text()}</p>
            <div class="button-row">${action()}</div>
        </section>`,
    };
}
