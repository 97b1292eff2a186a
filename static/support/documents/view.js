/* The documents as a template: what is uploaded, what became of it, what there is. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatBytes } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { tabs } from '../../shared/ui/tabs.js';
import { addresses, isAdmin } from '../service.js';
import { stateOf, unreadOf } from './outcomes.js';

const tones = { indexed: 'good', replaced: 'good', same: 'plain', partial: 'caution', working: 'info', waiting: 'info', again: 'caution', failed: 'danger' };

/* Leads to the chat with a question begun about the document. */
function askLink(title) {
    const question = t('documents.question', { title });
    return `${addresses.chat}?${new URLSearchParams({ q: `${question} ` })}`;
}

/* Why a file cannot be searched, and what to do about it. */
function whyText(kind, text) {
    if (/no text content/.test(text)) return t('documents.why_no_text');
    if (/indexing failed/.test(text)) return t('documents.why_indexing');
    const [, reason] = /ingestion failed: (.*)/s.exec(text) ?? [];
    if (reason) return t('documents.why_ingestion', { reason });
    return kind === 'failed' ? t('documents.why_ingestion', { reason: text }) : text;
}

function outcome(item) {
    const state = stateOf(item), unread = unreadOf(item);
    return html`<li class="outcome">
        <span class="outcome-name" dir="auto">${item.name}</span>
        ${badge(t(`documents.state_${state.kind}`), tones[state.kind], { dot: true })}
        ${state.version ? html`<span class="section-note">${t('documents.version_n', { version: state.version })}</span>` : null}
        ${state.chunks ? html`<span class="section-note">${t('documents.chunks_n', { count: state.chunks })}</span>` : null}
        ${state.text ? html`<p class="outcome-why" dir="auto">${whyText(state.kind, state.text)}</p>` : null}
        ${unread ? html`<p class="outcome-why" dir="auto">${t('documents.unread', unread)}</p>` : null}
        ${['indexed', 'replaced', 'same'].includes(state.kind) ? html`<a href=${askLink(item.name)}>${t('documents.ask')}</a>` : null}
    </li>`;
}

function listOf(categories) {
    return html`<span class="button-row">${(categories ?? []).map((name) => badge(name))}</span>`;
}

export function columns(actions) {
    return [
        {
            name: 'title',
            title: t('documents.name'),
            cell: (row) => html`<button type="button" class="link-button" dir="auto" @click=${() => actions.open(row)}>${row.title}</button>${row.title === row.doc_id ? null : html`<br /><span class="section-note mono">${row.doc_id}</span>`}`,
        },
        { name: 'groups', title: t('documents.groups'), cell: ({ groups }) => (groups.length > 0 ? listOf(groups) : t('documents.everyone')) },
        { name: 'categories', title: t('documents.categories'), cell: ({ categories }) => listOf(categories) },
        { name: 'version', title: t('documents.version'), align: 'end' },
        { name: 'chunk_count', title: t('documents.chunks'), align: 'end' },
        { name: 'size_bytes', title: t('documents.size'), align: 'end', cell: (row) => formatBytes(row.size_bytes) },
        { name: 'last_updated', title: t('documents.updated'), cell: (row) => formatAgo(row.last_updated) },
        {
            name: 'actions',
            title: t('documents.actions'),
            titleHidden: true,
            cell: (row) => html`<span class="button-row">
                <a class="button" data-size="small" href=${askLink(row.title)}>${t('documents.ask')}</a>
                <button type="button" class="button" data-kind="quiet" data-size="small" data-for="support:admin" aria-label=${t('documents.groups_name', { name: row.title })} @click=${() => actions.share(row)}>
                    ${t('documents.groups_edit')}
                </button>
                <button type="button" class="button" data-kind="quiet" data-size="small" data-for="support:admin" aria-label=${t('documents.delete_name', { name: row.title })} @click=${() => actions.remove(row)}>
                    ${t('documents.delete')}
                </button>
            </span>`,
        },
    ];
}

/* What is not found by meaning yet, and to administrators why nothing is. */
function meaningNote(vectors) {
    if (vectors?.state === 'working') return html`<p class="section-note" role="status">${t('documents.meaning_working', { done: vectors.embedded, all: vectors.chunks })}</p>`;
    if (!isAdmin() || !['none', 'away'].includes(vectors?.state)) return null;
    return html`<p class="section-note">${t(`documents.meaning_${vectors.state}`)}</p>`;
}

function documentsPanel(parts, vectors) {
    const outcomes = parts.outcomes.items();
    return html`<div class="stack">
        ${parts.upload.view({ id: 'files', label: t('documents.drop'), hint: t('documents.hint') })}
        ${outcomes.length === 0
            ? null
            : html`<section class="card section" aria-labelledby="outcomes-title">
                  <h2 id="outcomes-title">${t('documents.outcomes')}</h2>
                  <ul class="outcomes" aria-live="polite">${outcomes.map(outcome)}</ul>
              </section>`}
        <section class="card section" aria-labelledby="documents-title" id="documents">
            <div class="section-head"><h2 id="documents-title">${t('documents.all')}</h2></div>
            ${meaningNote(vectors)} ${parts.list.view()}
        </section>
    </div>`;
}

function knowledgePanel(parts, name) {
    return html`<section class="card section stack" id=${name}>
        <p class="section-note">${t(`documents.${name}_text`)}</p>
        ${parts[name].view()}
    </section>`;
}

export function view({ parts, tab, vectors }) {
    if (!parts) return html``;
    if (!isAdmin()) return documentsPanel(parts, vectors);
    return tabs({
        id: 'knowledge',
        label: t('documents.title'),
        current: tab,
        onSelect: parts.select,
        tabs: ['documents', 'gaps', 'drafts', 'stale'].map((name) => ({ name, title: t(`documents.tab_${name}`) })),
        panel: (name) => (name === 'documents' ? documentsPanel(parts, vectors) : knowledgePanel(parts, name)),
    });
}
