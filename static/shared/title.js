/* The title of the window names the thing that the page shows: "Checkout button · Assay". */
import { t } from './i18n.js';

const longest = 80;
const title = document.querySelector('title');
const own = { key: title.dataset.i18n, text: title.textContent };

/* name: what people call the thing, which a change of language keeps; null gives the page its own title back. */
export function nameTitle(name) {
    if (name) {
        delete title.dataset.i18n;
        const short = name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
        title.textContent = `${short} · Assay`;
    } else if (own.key) {
        title.dataset.i18n = own.key;
        title.textContent = t(own.key);
    } else title.textContent = own.text;
}
