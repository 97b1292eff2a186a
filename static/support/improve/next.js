/* What to do next: recommendations, curated cases that hold no more, answers whose sources have changed. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { answerText } from '../prose.js';
import { addresses } from '../service.js';
import { settings as tuned } from '../trends/effects.js';
import { settingName } from './names.js';
import { intro } from './parts.js';

const words = (text) => html`<span dir="auto">${text}</span>`;
const percent = (value) => formatPercent(value / 100, 3);

/* Why a case is stale, in words where there are any. */
function reasonOf(code) {
    const key = `improve.stale_${code}`;
    return hasText(key) ? t(key) : (code ?? '–');
}

/* The bands of the weekly report. */
function urgency(priority) {
    const [level, tone] = priority >= 8 ? ['high', 'danger'] : priority >= 4 ? ['medium', 'caution'] : ['low', 'plain'];
    return badge(t(`review.urgency_${level}`), tone, { dot: true });
}

/*
 * A recommendation as {priority, source, what, why, todo, address}; null where it gives nothing to do. Values of settings
 * come from the analysis, and only where people have reviewed the answers that it stands on.
 */
function adviceOf({ source, title, evidence, priority }, analysis) {
    if (source === 'threshold') {
        const one = tuned.map((name) => analysis.thresholds[name]).find(({ name }) => title.endsWith(` ${name}`));
        if (!one || analysis.label_source !== 'human_review' || one.suggested === one.current) return null;
        return {
            priority, source,
            what: t('improve.what_threshold', { name: settingName(one.name), from: percent(one.current), to: percent(one.suggested) }),
            why: t('improve.why_threshold', { count: one.labeled_count }),
            address: `${addresses.trends}#${one.name}`,
        };
    }
    if (source === 'regression') {
        const id = title.split(' ').at(-1);
        return { priority, source, what: t('improve.what_regression', { name: id }), why: t('improve.why_regression'), address: `?${new URLSearchParams({ tab: 'experiments', experiment: id })}` };
    }
    if (source === 'stale') return { priority, source, what: t('improve.what_stale'), why: reasonOf(evidence), address: '?tab=next#stale' };
    const [, kind, count] = /^(\w+): seen (\d+) times$/.exec(evidence) ?? [];
    const known = kind !== undefined && hasText(`improve.seen_${kind}`);
    return { priority, source, what: title, why: known ? t(`improve.seen_${kind}`, { count: Number(count) }) : evidence, address: `${addresses.trends}?tab=backlog` };
}

const whatColumns = () => [
    { name: 'what', title: t('improve.what'), cell: ({ what }) => words(what) },
    { name: 'why', title: t('improve.why'), cell: ({ why }) => words(why) },
    { name: 'priority', title: t('improve.priority'), cell: ({ priority }) => urgency(priority) },
    { name: 'todo', title: t('improve.todo'), cell: ({ source, address }) => html`<a class="button" data-size="small" href=${address}>${t(`improve.todo_${source}`)}</a>` },
];

const staleColumns = () => [
    { name: 'question', title: t('improve.case'), cell: ({ question, case_id: id }) => (question === null ? html`<code dir="ltr">${id}</code>` : words(question)) },
    { name: 'staleness_reason', title: t('improve.why'), cell: ({ staleness_reason: reason }) => reasonOf(reason) },
    { name: 'last_checked_at', title: t('improve.checked'), cell: ({ last_checked_at: at }) => (at === null ? '–' : formatDateTime(at)) },
    {
        name: 'ask',
        title: t('improve.todo'),
        cell: ({ question }) => (question === null ? '–' : html`<a class="button" data-size="small" href=${`${addresses.chat}?${new URLSearchParams({ q: question })}`}>${t('documents.ask_again')}</a>`),
    },
];

const changedColumns = (actions) => [
    { name: 'sentence', title: t('improve.said'), cell: ({ sentence }) => answerText(sentence) },
    { name: 'span', title: t('improve.stood'), cell: ({ span, doc_id: id }) => html`${answerText(span)} <span class="section-note"><bdi>${id}</bdi></span>` },
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
                return rows.length === 0 ? none : table({ caption: t(`improve.${id}`), rows, key, columns });
            },
        })}
    </section>`;
}

export function nextPanel({ recommendations, stale, changed, actions }) {
    const toReview = html`<a class="button" data-size="small" href="?tab=queue">${t('improve.to_review')}</a>`;
    return html`<div class="stack">
        ${intro('next')}
        ${list('next', recommendations, {
            note: t('improve.next_text'),
            none: empty({ title: t('improve.no_next'), text: t('improve.no_next_text'), action: toReview }),
            key: ({ source, what }) => `${source} ${what}`,
            columns: whatColumns(),
            rowsOf: ({ status, recommendations: rows, analysis }) => (status === 'disabled' ? null : rows.map((row) => adviceOf(row, analysis)).filter(Boolean)),
        })}
        ${list('stale', stale, { note: t('improve.stale_text'), none: html`<p>${t('improve.no_stale')}</p>`, key: (row) => row.case_id, columns: staleColumns(), rowsOf: ({ items }) => items })}
        ${list('sources', changed, {
            note: t('improve.sources_text'),
            none: html`<p>${t('improve.no_sources')}</p>`,
            key: ({ trace_id: trace, sentence, doc_id: document }) => `${trace} ${document} ${sentence}`,
            columns: changedColumns(actions),
            rowsOf: ({ items }) => items,
        })}
    </div>`;
}
