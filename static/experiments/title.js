/* The title of a page names the thing that it shows, in the heading and in the browser's tab. */
import { t } from '../shared/i18n.js';

export function nameThePage(name) {
    const shown = name || t('design.nameless');
    const heading = document.getElementById('name');
    heading.removeAttribute('data-i18n');
    heading.textContent = shown;
    document.querySelector('title').removeAttribute('data-i18n');
    document.title = `${shown} · Assay`;
}
