/* Columns of what the knowledge base lacks: gaps, drafts, documents that nobody has checked for long. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDate, formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';

const tones = { pending: 'caution', published: 'good', rejected: 'plain' };

/* The service names a topic by its words, after "Missing topic:". */
function topicOf({ topic_summary: summary }) {
    return summary.replace(/^Missing topic: /, '');
}

export function gapColumns({ resolveGap, writeGap }) {
    return [
        { name: 'topic_summary', title: t('documents.gap_topic'), cell: (row) => html`<span dir="auto">${topicOf(row)}</span>` },
        {
            name: 'sample_questions',
            title: t('documents.gap_samples'),
            cell: ({ sample_questions: questions }) => html`<ul class="plain-list">${[...new Set(questions ?? [])].slice(0, 3).map((one) => html`<li dir="auto">${one}</li>`)}</ul>`,
        },
        { name: 'question_count', title: t('documents.gap_count'), align: 'end', cell: (row) => formatInteger(row.question_count) },
        { name: 'created_at', title: t('documents.gap_found'), cell: (row) => formatDate(row.created_at) },
        {
            name: 'actions',
            title: t('documents.actions'),
            titleHidden: true,
            cell: (row) =>
                row.resolved_at
                    ? badge(t('documents.gap_done'), 'good')
                    : html`<span class="button-row">
                          <button type="button" class="button" data-size="small" @click=${() => writeGap(row)}>${t('documents.write')}</button>
                          <button type="button" class="button" data-kind="quiet" data-size="small" @click=${() => resolveGap(row)}>${t('documents.gap_resolve')}</button>
                      </span>`,
        },
    ];
}

export function draftColumns({ editDraft, decide }) {
    return [
        {
            name: 'topic',
            title: t('documents.gap_topic'),
            cell: (row) => html`<button type="button" class="link-button" dir="auto" @click=${() => editDraft(row)}>${row.topic}</button>`,
        },
        { name: 'status', title: t('documents.state'), cell: ({ status }) => badge(t(`documents.draft_${status}`), tones[status] ?? 'plain') },
        { name: 'created_at', title: t('documents.created'), cell: (row) => formatAgo(row.created_at) },
        {
            name: 'actions',
            title: t('documents.actions'),
            titleHidden: true,
            cell: (row) =>
                row.status !== 'pending'
                    ? null
                    : html`<span class="button-row">
                          <button type="button" class="button" data-size="small" @click=${() => editDraft(row)}>${t('documents.edit')}</button>
                          <button type="button" class="button" data-size="small" @click=${() => decide(row, 'publish')}>${t('documents.publish')}</button>
                          <button type="button" class="button" data-kind="quiet" data-size="small" @click=${() => decide(row, 'reject')}>${t('documents.reject')}</button>
                      </span>`,
        },
    ];
}

export function staleColumns({ open, checked }) {
    return [
        {
            name: 'title',
            title: t('documents.name'),
            cell: (row) => html`<button type="button" class="link-button" dir="auto" @click=${() => open(row)}>${row.title}</button>`,
        },
        { name: 'citation_count', title: t('documents.citations'), align: 'end', cell: (row) => formatInteger(row.citation_count) },
        { name: 'last_updated', title: t('documents.updated'), cell: (row) => formatDate(row.last_updated) },
        { name: 'last_cited_at', title: t('documents.last_cited'), cell: (row) => (row.last_cited_at ? formatAgo(row.last_cited_at) : '–') },
        {
            name: 'actions',
            title: t('documents.actions'),
            titleHidden: true,
            cell: (row) => html`<button type="button" class="button" data-size="small" @click=${() => checked(row)}>${t('documents.mark_checked')}</button>`,
        },
    ];
}
