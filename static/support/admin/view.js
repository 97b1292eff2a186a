/* Traces, evaluations, models and the audit log as a template. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDate, formatDateTime, formatMilliseconds, formatNumber } from '../../shared/numbers.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { modelsPanel } from './models.js';
import { routeBadge, traceView, verdictText } from './trace.js';

/* In the order in which they run. */
export const evaluators = [
    'citation_coverage',
    'answer_length_anomaly',
    'retrieval_hit_rate',
    'tool_use_efficiency',
    'refusal_detected',
    'pii_leak_suspicion',
    'language_mismatch',
];

function traceLink(id, text, onTrace) {
    return html`<a
        href=${`?${new URLSearchParams({ trace: id })}`}
        dir="auto"
        @click=${(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            onTrace(id);
        }}
        >${text}</a
    >`;
}

export function traceColumns(onTrace) {
    return [
        { name: 'question', title: t('admin.question'), cell: (row) => traceLink(row.trace_id, row.question || row.trace_id, onTrace) },
        { name: 'final_route', title: t('admin.route'), cell: (row) => routeBadge(row.final_route) },
        { name: 'final_quality', title: t('admin.quality'), align: 'end', cell: ({ final_quality: quality }) => (quality === null ? '–' : `${quality}%`) },
        {
            name: 'duration_ms',
            title: t('admin.duration'),
            align: 'end',
            cell: ({ duration_ms: ms }) => (ms === null ? '–' : formatMilliseconds(ms)),
        },
        { name: 'started_at', title: t('admin.started'), cell: (row) => formatDateTime(row.started_at) },
    ];
}

/* What is recorded, by the codes of the API. */
export const auditActions = [
    'ask', 'feedback', 'escalate', 'agent_respond', 'agent_assign', 'delete_session', 'upload', 'document_groups', 'delete_document', 'gap_resolve', 'citation_review', 'review_add', 'review_choose', 'evaluator_switch',
    'curated_rebuild', 'experiment_create', 'experiment_assign', 'regression_run', 'threshold_choose', 'threshold_unchoose', 'login', 'login_failed', 'sso_login',
    'session_ended', 'circuit_breaker_reset', 'trace_purge', 'audit_purge',
];

export function actionText(action) {
    const key = `admin.did_${action}`;
    return hasText(key) ? t(key) : action.replaceAll('_', ' ');
}

/* Details are a small JSON object. */
function detailText(detail) {
    try {
        const parts = Object.entries(JSON.parse(detail) ?? {}).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'object' ? JSON.stringify(value) : value}`);
        return parts.length === 0 ? '–' : parts.join(', ');
    } catch {
        return detail ?? '–';
    }
}

export function auditColumns() {
    return [
        { name: 'ts', title: t('admin.when'), cell: ({ ts }) => formatDateTime(ts) },
        { name: 'actor', title: t('admin.actor'), cell: ({ actor }) => html`<span dir="auto">${actor}</span>` },
        { name: 'action', title: t('admin.action'), cell: ({ action }) => actionText(action) },
        { name: 'resource', title: t('admin.resource'), cell: ({ resource }) => html`<span class="document-text" dir="auto">${resource}</span>` },
        { name: 'detail', title: t('admin.detail'), cell: ({ detail }) => html`<span class="document-text" dir="auto">${detailText(detail)}</span>` },
        { name: 'ip_address', title: t('admin.address'), cell: ({ ip_address: address }) => address ?? '–' },
    ];
}

function worst(items, onTrace) {
    return table({
        caption: t('admin.worst'),
        rows: items,
        columns: [
            { name: 'trace_id', title: t('admin.trace'), cell: (row) => traceLink(row.trace_id, row.question ?? row.trace_id.slice(0, 8), onTrace) },
            { name: 'score', title: t('admin.score'), align: 'end', cell: ({ score }) => formatNumber(score, 3) },
            { name: 'verdict', title: t('admin.verdict'), cell: ({ verdict }) => verdictText(verdict) },
            { name: 'evaluated_at', title: t('admin.when'), cell: (row) => formatDateTime(row.evaluated_at) },
        ],
    });
}

/** @param {support.Trend} trend */
function trend({ points }) {
    return lineChart({
        label: t('admin.trend'),
        series: [{ name: t('admin.score'), points: points.map(({ date, mean_score: y }) => ({ x: Date.parse(date), y })) }],
        x: { title: t('admin.day'), kind: 'time', format: (at) => formatDate(at) },
        y: { title: t('admin.score'), format: (score) => formatNumber(score, 3), min: 0, max: 1 },
    });
}

function evaluationsPanel({ evaluator, trends, actions }) {
    return html`<div class="stack">
        <div class="field evaluator-choice">
            <label class="field-label" for="evaluator">${t('admin.evaluator')}</label>
            <select class="select" id="evaluator" @change=${(event) => actions.evaluator(event.target.value)}>
                ${evaluators.map((name) => html`<option value=${name} ?selected=${name === evaluator}>${t(`admin.evaluator_${name}`)}</option>`)}
            </select>
        </div>
        ${resourceView(trends, {
            skeleton: { lines: 1, height: 'chart' },
            isEmpty: ({ trend: { points } }) => points.length === 0,
            empty: { title: t('admin.no_evaluations') },
            ready: (data) => html`<div class="stack">
                <section class="card section" aria-labelledby="trend-title">
                    <div class="section-head"><h2 id="trend-title">${t('admin.trend')}</h2></div>
                    ${trend(data.trend)}
                </section>
                <section class="card section" aria-labelledby="worst-title">
                    <div class="section-head"><h2 id="worst-title">${t('admin.worst')}</h2></div>
                    ${worst(data.worst.items, actions.trace)}
                </section>
            </div>`,
        })}
    </div>`;
}

function tracesPanel({ trace, needed, opened, step, traces, actions }) {
    if (opened === '')
        return html`<div class="card section stack">
            ${traces.view()}
            <div class="button-row">
                <button type="button" class="button" data-kind="danger" data-size="small" data-for="support:admin" @click=${actions.purge}>${t('admin.purge')}</button>
            </div>
        </div>`;
    return html`<div class="stack">
        <div class="button-row">
            <button type="button" class="button" data-size="small" id="back" @click=${() => actions.trace('')}>${t('admin.back')}</button>
        </div>
        ${resourceView(trace, { skeleton: { lines: 3, height: 'card' }, ready: (data) => traceView(data, { step, needed: needed.data ?? {}, onStep: actions.step, onReview: actions.review }) })}
    </div>`;
}

export function view(page) {
    const panels = {
        traces: () => tracesPanel(page),
        evaluations: () => evaluationsPanel(page),
        models: () => modelsPanel(page.providers),
        audit: () => html`<div class="card section">${page.audit.view()}</div>`,
    };
    return tabs({
        id: 'admin',
        label: t('admin.title'),
        tabs: Object.keys(panels).map((name) => ({ name, title: t(`admin.tab_${name}`) })),
        current: page.tab,
        onSelect: page.actions.tab,
        panel: (name) => (page.opened !== '' && name === 'traces' ? panels[name]() : html`<div class="stack"><p class="lead-text">${t(`admin.intro_${name}`)}</p>${panels[name]()}</div>`),
    });
}
