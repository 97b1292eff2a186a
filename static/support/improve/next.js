/* What to do next: recommendations, curated cases that hold no more, answers whose sources have changed. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime, formatNumber } from '../../shared/numbers.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { addresses } from '../service.js';

const places = {
    backlog: `${addresses.trends}?tab=backlog`,
    threshold: addresses.trends,
    regression: '?tab=experiments',
    stale: '?tab=next#stale',
};

const words = (text) => html`<span dir="auto">${text}</span>`;

/* Why a case is stale, in words where there are any. */
function reasonOf(code) {
    const key = `improve.stale_${code}`;
    return hasText(key) ? t(key) : html`<code dir="ltr">${code ?? '–'}</code>`;
}

const whatColumns = () => [
    { name: 'priority', title: t('improve.priority'), align: 'end', cell: ({ priority }) => formatNumber(priority, 3) },
    { name: 'title', title: t('improve.what'), cell: ({ title }) => words(title) },
    { name: 'source', title: t('improve.from'), cell: ({ source }) => html`<a href=${places[source]}>${t(`improve.from_${source}`)}</a>` },
    { name: 'action', title: t('improve.todo'), cell: ({ source }) => t(`improve.todo_${source}`) },
    { name: 'evidence', title: t('improve.why'), cell: ({ evidence, source }) => (source === 'stale' ? reasonOf(evidence) : words(evidence)) },
];

const staleColumns = () => [
    { name: 'case_id', title: t('improve.case'), cell: ({ case_id: id }) => html`<code dir="ltr">${id}</code>` },
    { name: 'staleness_reason', title: t('improve.why'), cell: ({ staleness_reason: reason }) => reasonOf(reason) },
    { name: 'last_checked_at', title: t('improve.checked'), cell: ({ last_checked_at: at }) => (at === null ? '–' : formatDateTime(at)) },
];

const changedColumns = (actions) => [
    { name: 'sentence', title: t('improve.said'), cell: ({ sentence }) => words(sentence) },
    { name: 'span', title: t('improve.stood'), cell: ({ span, doc_id: id }) => html`${words(span)} <code class="section-note" dir="ltr">${id}</code>` },
    { name: 'changed_at', title: t('improve.changed'), cell: ({ changed_at: at }) => formatDateTime(at) },
    {
        name: 'seen',
        title: t('improve.todo'),
        titleHidden: true,
        cell: ({ trace_id: id }) =>
            html`<span class="button-row">
                <a href=${`${addresses.admin}?${new URLSearchParams({ trace: id })}`}>${t('improve.trace')}</a>
                <button type="button" class="button" data-size="small" @click=${() => actions.seen(id)}>${t('improve.seen')}</button>
            </span>`,
    },
];

function list(id, resource, { note, none, key, columns, rowsOf }) {
    return html`<section class="card section stack" aria-labelledby=${`${id}-title`} id=${id}>
        <h2 id=${`${id}-title`}>${t(`improve.${id}`)}</h2>
        <p class="section-note">${note}</p>
        ${resourceView(resource, {
            skeleton: { lines: 3, height: 'row' },
            ready: (data) => {
                const rows = rowsOf(data);
                if (rows === null) return notice({ tone: 'info', body: t('improve.switched_off') });
                return rows.length === 0 ? html`<p>${none}</p>` : table({ caption: t(`improve.${id}`), rows, key, columns });
            },
        })}
    </section>`;
}

export function nextPanel({ recommendations, stale, changed, actions }) {
    return html`<div class="stack">
        ${list('next', recommendations, {
            note: t('improve.next_text'),
            none: t('improve.no_next'),
            key: ({ source, title }) => `${source} ${title}`,
            columns: whatColumns(),
            rowsOf: ({ status, recommendations: rows }) => (status === 'disabled' ? null : rows),
        })}
        ${list('stale', stale, { note: t('improve.stale_text'), none: t('improve.no_stale'), key: (row) => row.case_id, columns: staleColumns(), rowsOf: ({ items }) => items })}
        ${list('sources', changed, {
            note: t('improve.sources_text'),
            none: t('improve.no_sources'),
            key: ({ trace_id: trace, sentence, doc_id: document }) => `${trace} ${document} ${sentence}`,
            columns: changedColumns(actions),
            rowsOf: ({ items }) => items,
        })}
    </div>`;
}
