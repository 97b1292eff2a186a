/* The text of a source in a dialog, where no panel has room. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { html } from '../../shared/ui/lit.js';
import { markedParts } from './passage.js';

export function openSource({ result, text }, number) {
    const { sources, citations } = result;
    const source = sources[number - 1];
    const cited = citations.find(({ index }) => index === number);
    const parts = markedParts(source.page_content, { answer: text, index: number, excerpt: cited?.excerpt ?? '' });
    openDialog({
        title: cited?.title ?? source.source,
        body: () => html`<div class="inbox-quote" dir="auto">${parts.map((part) => (part.marked ? html`<mark>${part.text}</mark>` : part.text))}</div>`,
        actions: (close) => html`<button type="button" class="button" @click=${() => close()}>${t('dialog.close')}</button>`,
    });
}
