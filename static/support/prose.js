/*
 * Texts of answers and documents as people read them: Markdown with its tables and lists, rows of a CSV file
 * as a table, anything else line by line.
 */
import { t } from '../shared/i18n.js';
import { html } from '../shared/ui/lit.js';
import { markdown } from '../shared/ui/markdown.js';
import { completeTables } from '../shared/ui/markdown-tables.js';
import { citedParts, markedRanges, partsOf } from './chat/passage.js';
import { recordsOf } from './records.js';

const plainFiles = ['txt', 'pdf', 'json'];
const extensionOf = (name) => /\.(\w{1,5})$/.exec(name ?? '')?.[1].toLowerCase() ?? '';

/* Marks of citations as small numbers, where no source can be opened. */
const numbered = (piece) => citedParts(piece).map((part) => (typeof part === 'number' ? html`<sup class="citation-past">${part}</sup>` : part));

/* What the service answered; `text` as of markdown(). */
export function answerText(content, { text = numbered } = {}) {
    return markdown(completeTables(content), { text });
}

/* What a person wrote, line by line. */
export function replyText(content) {
    return markdown(completeTables(content), { breaks: true });
}

function marked(parts) {
    return parts.map((part) => (part.marked ? html`<mark>${part.text}</mark>` : part.text));
}

function recordTable({ names, rows }) {
    return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${t('documents.rows')}>
        <table class="table">
            <thead>
                <tr>${names.map((name) => html`<th scope="col" dir="auto">${name}</th>`)}</tr>
            </thead>
            <tbody>
                ${rows.map((row) => html`<tr>${row.map((value) => html`<td dir="auto">${value}</td>`)}</tr>`)}
            </tbody>
        </table>
    </div>`;
}

/* Texts of one CSV file, a row or more each, as one table; null where they are none. */
export function rowsText(texts) {
    const records = recordsOf(texts);
    return records === null ? null : recordTable(records);
}

/* An excerpt that ends within a sentence says that it goes on. */
export function excerptText(excerpt, name) {
    const ends = /[.!?。！？؟…:;|)\]"”»`]\s*$/.test(excerpt);
    return documentText(ends ? excerpt : `${excerpt.trimEnd()}…`, { name });
}

/*
 * A text of the file `name`. `quote` = {answer, index, excerpt}: what an answer took from it is marked.
 */
export function documentText(content, { name = '', quote = null } = {}) {
    const extension = extensionOf(name);
    const table = extension === 'csv' ? rowsText([content]) : null;
    if (table !== null) return table;
    const ranges = quote === null ? [] : markedRanges(content, quote);
    if (plainFiles.includes(extension)) return html`<div class="plain-text" dir="auto">${marked(partsOf(content, ranges))}</div>`;
    return markdown(ranges.length === 0 ? completeTables(content) : content, { breaks: true, marked: ranges });
}
