/* The page of a web site that a document was taken from, as a link. */
import { html } from '../shared/ui/lit.js';

/* null for everything else than an http or https address: most documents are files. */
export function addressOf(source) {
    return /^https?:\/\/[^\s]+$/.test(source ?? '') && URL.canParse(source) ? new URL(source).href : null;
}

export function sourceLink(source) {
    const address = addressOf(source);
    return address === null ? null : html`<p class="section-note source-link"><a href=${address} target="_blank" rel="noopener noreferrer" dir="ltr">${address}</a></p>`;
}
