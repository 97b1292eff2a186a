/* The text of a source in a dialog, where no panel has room. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { html } from '../../shared/ui/lit.js';
import { documentText } from '../prose.js';
import { sourceLink } from '../source-link.js';

export function openSource({ result, text }, number) {
    const { sources, citations } = result;
    const source = sources[number - 1];
    const cited = citations.find(({ index }) => index === number);
    const quote = { answer: text, index: number, excerpt: cited?.excerpt ?? '' };
    openDialog({
        title: cited?.title ?? source.source,
        body: () => html`${sourceLink(source.source)}<div class="source-text">${documentText(source.page_content, { name: source.source, quote })}</div>`,
        actions: (close) => html`<button type="button" class="button" @click=${() => close()}>${t('dialog.close')}</button>`,
    });
}
