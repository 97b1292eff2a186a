/* The heading of a page and the title of its window name the thing that it shows. */
import { t } from '../shared/i18n.js';
import { nameTitle } from '../shared/title.js';

export function nameThePage(name) {
    const shown = name || t('design.nameless');
    const heading = document.getElementById('name');
    heading.removeAttribute('data-i18n');
    heading.textContent = shown;
    nameTitle(shown);
}
