/* The text of a document in a dialog, passage by passage, as answers cite it. */
import { t } from '../../shared/i18n.js';
import { formatDateTime } from '../../shared/numbers.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { html } from '../../shared/ui/lit.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { documentText, rowsText } from '../prose.js';
import { sourceLink } from '../source-link.js';

const size = 50;

function passage({ index, page, heading, text }, name) {
    return html`<section class="preview-passage">
        <p class="section-note">${t('documents.passage', { number: index + 1 })}${page === null ? '' : ` · ${t('documents.page_n', { page })}`}${heading ? html` · <span dir="auto">${heading}</span>` : null}</p>
        ${documentText(text, { name })}
    </section>`;
}

/* The rows of a CSV file are one table, other documents passages. */
function passages(shown, { source, file_type: type }) {
    const table = type === 'csv' ? rowsText(shown.map(({ text }) => text)) : null;
    return table ?? shown.map((one) => passage(one, type === 'csv' ? '' : source));
}

export function preview(client, { doc_id: id, title }) {
    let redraw = () => {};
    let shown = [];
    const text = createResource(() => redraw(), async (signal, offset) => {
        const { data } = await client.get(`/api/documents/${encodeURIComponent(id)}`, { query: { limit: size, offset }, signal });
        shown = offset === 0 ? data.passages : [...shown, ...data.passages];
        return data;
    });
    text.load(0);
    return openDialog({
        title,
        body: (close, draw) => {
            redraw = draw;
            return html`<div class="preview" tabindex="0" role="region" aria-label=${title}>${resourceView(text, {
                quiet: true,
                skeleton: { lines: 4, height: 'row' },
                ready: ({ document: about }) => html`<p class="section-note">${t('documents.version_n', { version: about.version })} · ${formatDateTime(about.last_updated)}</p>
                    ${sourceLink(about.source)}
                    ${shown.length === 0 ? html`<p>${t('documents.no_text')}</p>` : passages(shown, about)}
                    ${shown.length < about.chunk_count
                        ? html`<button type="button" class="button" @click=${() => text.load(shown.length)}>${t('chat.more')}</button>`
                        : null}`,
            })}</div>`;
        },
        actions: (close) => html`<button type="button" class="button" @click=${() => close()}>${t('dialog.close')}</button>`,
    });
}
