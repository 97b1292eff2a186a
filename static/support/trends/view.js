/* The settings that decide who answers, and the backlog, as a template. */
import { t } from '../../shared/i18n.js';
import { formatDate, formatDateTime, formatInteger, formatMilliseconds } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { addresses, isAdmin } from '../service.js';
import { settings } from './effects.js';
import { settingCard } from './setting.js';

function basis({ label_count: count, days }, reviewed) {
    if (reviewed) return html`<p class="section-note">${t('trends.by_people', { count, days })}</p>`;
    return notice({
        tone: 'info',
        title: t('trends.by_route'),
        body: html`<p>${t('trends.by_route_text')}</p>`,
        actions: html`<a class="button" data-size="small" href=${addresses.improve}>${t('trends.review')}</a>`,
    });
}

/* What suggestions are to reach; without reviewed answers there is nothing to aim at. */
function goal(page) {
    return html`<details class="disclosure" data-plain>
        <summary>${t('trends.goal')}</summary>
        <form
            class="disclosure-body button-row threshold-choice"
            @submit=${(event) => {
                event.preventDefault();
                if (!page.form.unclear()) page.actions.refresh();
            }}
        >
            ${page.form.field('risk')} ${page.form.field('confidence')}
            <button type="submit" class="button">${t('trends.refresh')}</button>
        </form>
    </details>`;
}

function ready({ analysis, choices }, page) {
    const reviewed = analysis.label_source === 'human_review';
    const { texts, busy, actions } = page;
    return html`<div class="stack">
        ${basis(analysis, reviewed)} ${reviewed ? goal(page) : null}
        ${settings.map((name) =>
            settingCard(analysis.thresholds[name], {
                reviewed,
                choice: choices.find(({ metric }) => metric === name),
                text: texts[name],
                busy,
                actions,
            }),
        )}
        <section class="card section stack" aria-labelledby="slow-title">
            <div class="section-head">
                <h2 id="slow-title">${t('trends.slow')}</h2>
                <p class="setting-now"><strong>${formatMilliseconds(analysis.thresholds.slow_trace_threshold_ms.current)}</strong></p>
            </div>
            <p>${t('trends.slow_text')}</p>
        </section>
        ${isAdmin() ? html`<p class="section-note">${t('trends.more')} <a href=${`${addresses.improve}?tab=experiments`}>${t('trends.experiments')}</a></p>` : null}
    </div>`;
}

function thresholdsPanel(page) {
    return html`<div class="stack">
        <p class="lead-text">${t('trends.intro')}</p>
        ${resourceView(page.thresholds, { skeleton: { lines: 3, height: 'chart' }, ready: (data) => ready(data, page) })}
    </div>`;
}

function traceLinks(ids) {
    if (ids.length === 0) return '–';
    return ids.slice(0, 3).map((id, at) => html`${at > 0 ? ', ' : ''}<a href=${`${addresses.admin}?${new URLSearchParams({ trace: id })}`}>${id.slice(0, 8)}</a>`);
}

/* The bands of the weekly report. */
function urgency(priority) {
    const [level, tone] = priority >= 8 ? ['high', 'danger'] : priority >= 4 ? ['medium', 'caution'] : ['low', 'plain'];
    return badge(t(`review.urgency_${level}`), tone, { dot: true });
}

/* Where each kind of problem is mended. */
const places = {
    kb_gap: `${addresses.documents}?tab=gaps`,
    freshness: `${addresses.documents}?tab=stale`,
    evaluator_drift: `${addresses.admin}?tab=evaluations`,
    thumbs_down: `${addresses.improve}?reason=thumbs_down`,
    slow_trace: `${addresses.improve}?reason=slow_trace`,
    review: `${addresses.improve}?status=confirmed_bad`,
};

const columns = () => [
    { name: 'title', title: t('trends.what'), cell: ({ title }) => html`<span dir="auto">${title}</span>` },
    { name: 'priority', title: t('trends.priority'), cell: ({ priority }) => urgency(priority) },
    { name: 'source', title: t('trends.from'), cell: ({ source }) => t(`trends.source_${source}`) },
    { name: 'frequency', title: t('trends.times'), align: 'end', cell: ({ frequency }) => formatInteger(frequency) },
    { name: 'latest_at', title: t('trends.seen'), cell: ({ latest_at: at }) => formatDateTime(at) },
    { name: 'trace_ids', title: t('trends.traces'), cell: ({ trace_ids: ids }) => traceLinks(ids) },
    { name: 'action', title: t('trends.action'), cell: ({ source }) => html`<a href=${places[source] ?? addresses.improve}>${t(`trends.action_${source}`)}</a>` },
];

function backlogReady({ week_start: from, week_end: to, items }) {
    const title = t('trends.week', { from: formatDate(from), to: formatDate(to) });
    return html`<section class="card section stack" aria-labelledby="week">
        <div class="section-head"><h2 id="week">${title}</h2></div>
        ${
            items.length === 0
                ? empty({ title: t('trends.no_items'), text: t('trends.no_items_text'), action: html`<a class="button" data-size="small" href=${addresses.improve}>${t('trends.review')}</a>` })
                : table({ caption: title, rows: items, columns: columns() })
        }
    </section>`;
}

function backlogPanel({ backlog }) {
    return html`<div class="stack">
        <p class="lead-text">${t('trends.backlog_intro')} <a href=${`${addresses.admin}?tab=evaluations`}>${t('trends.worst')}</a></p>
        ${resourceView(backlog, { skeleton: { lines: 3, height: 'card' }, ready: backlogReady })}
    </div>`;
}

export function view(page) {
    const panels = { thresholds: thresholdsPanel, backlog: backlogPanel };
    return tabs({
        id: 'trends',
        label: t('trends.title'),
        tabs: Object.keys(panels).filter((name) => name === 'thresholds' || isAdmin()).map((name) => ({ name, title: t(`trends.tab_${name}`) })),
        current: page.tab,
        onSelect: page.actions.tab,
        panel: (name) => panels[name](page),
    });
}
