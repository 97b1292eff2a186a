/* The title of the window names the thing that the page shows: "Checkout button · Assay". */

/* name: what people call the thing; null leaves the title of the page. */
export function nameTitle(name) {
    if (!name) return;
    delete document.querySelector('title').dataset.i18n; /* a change of language keeps the name */
    document.title = `${name} · Assay`;
}
