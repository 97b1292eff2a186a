/* The plan of an experiment as templates: its sizes, its reports, the design, the history. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatNumber, formatPercent, formatUnit } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { empty } from '../../shared/ui/empty.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { tabs } from '../../shared/ui/tabs.js';
import { planOf } from '../calculator/plan.js';
import { armsText, shortPlan } from '../calculator/result.js';
import { figure } from '../figure.js';
import { writers } from '../roles.js';

const formats = ['pdf', 'xlsx', 'csv'];
const known = (value) => value !== null && value !== undefined;
const textOr = (key, otherwise) => (hasText(key) ? t(key) : otherwise);
const percentOf = (value) => (known(value) ? formatPercent(value / 100) : '–');
const at = { name: 'created_at', title: () => t('project.when'), cell: ({ created_at: time }) => formatDateTime(time) };
const end = (name, title, cell) => ({ name, title, align: 'end', cell });

export const revisionColumns = () => [
    { ...at, title: at.title() },
    { name: 'source', title: t('project.source'), cell: ({ source }) => textOr(`project.source_${source}`, source) },
    end('mde', t('field.mde_pct'), ({ payload }) => percentOf(payload.metrics.mde_pct)),
    end('power', t('field.power'), ({ payload }) => formatPercent(payload.metrics.power)),
    end('traffic', t('field.expected_daily_traffic'), ({ payload }) => formatInteger(payload.setup.expected_daily_traffic)),
];

export const runColumns = () => [
    { ...at, title: at.title() },
    end('size', t('result.per_variant'), ({ summary }) => formatInteger(summary.sample_size_per_variant)),
    end('total', t('result.total'), ({ summary }) => formatInteger(summary.total_sample_size)),
    end('days', t('result.duration'), ({ summary }) => formatUnit(summary.estimated_duration_days, 'day')),
    end('warnings', t('project.warnings'), ({ summary }) => formatInteger(summary.warnings_count)),
];

export const exportColumns = () => [
    { ...at, title: at.title() },
    { name: 'format', title: t('project.format'), cell: ({ format }) => format.toUpperCase() },
];

/* The plan as the calculator shows it; analyses of older versions have the formula's numbers alone. */
/** @param {experiments.AnalysisRun} run */
function planOfRun({ summary, analysis }, design) {
    const { plan, ...numbers } = analysis.calculations;
    if (plan) return planOf({ traffic_split: design.payload.setup.traffic_split }, { ...numbers, plan });
    const { sample_size_per_variant: n, total_sample_size: total, estimated_duration_days: days } = summary;
    return { users: [n], even: true, looks: 0, total, days, exact: null };
}

/** @param {experiments.AnalysisRun} run */
function sizes(run, design) {
    const plan = planOfRun(run, design);
    const most = plan.looks > 1 ? '_most' : '';
    const users = plan.even ? formatInteger(plan.users[0]) : armsText(plan.users);
    const note = plan.looks > 1 ? t('result.without_looks', { n: formatInteger(plan.once) }) : plan.exact === null ? '' : t('result.exact', { n: formatInteger(plan.exact) });
    return html`<dl class="figures" id="sizes">
        ${figure(t(`result.per_variant${most}`), users, note)} ${figure(t(`result.total${most}`), formatInteger(plan.total))}
        ${figure(t(`result.duration${most}`), formatUnit(plan.days, 'day'), t('project.sized', { time: formatDateTime(run.created_at) }))}
    </dl>`;
}

/* A revision that is younger than the analysis may need other sizes. */
function planCard(plan) {
    const { busy, actions, project, run: kept } = plan;
    const design = project.data;
    const run = kept.data.newest;
    const older = run !== null && Date.parse(design.last_revision_at) > Date.parse(run.created_at);
    return html`<section class="card headline" aria-labelledby="plan-title" aria-busy=${String(busy === 'analysis')} id="plan">
        <div class="section stack">
            <h2 id="plan-title">${t('project.plan')}</h2>
            ${new URLSearchParams(location.search).has('planned')
                ? notice({
                      tone: 'good',
                      body: html`<p id="next-step">${t('project.planned')}</p>`,
                      actions: html`<button type="button" class="button" data-size="small" @click=${actions.send}>${t('project.send_events')}</button>`,
                  })
                : null}
            ${older ? notice({ tone: 'caution', body: t('project.older') }) : null}
            ${run === null ? empty({ title: t('project.unsized'), text: t('project.unsized_text') }) : null}
        </div>
        ${run === null ? null : sizes(run, design)}
        ${run === null || planOfRun(run, design).days >= 7 ? null : html`<div class="section">${shortPlan(planOfRun(run, design))}</div>`}
        <div class="section button-row">
            <button
                type="button"
                class="button"
                id="analyse"
                data-for=${writers}
                data-kind=${run === null || older ? 'primary' : nothing}
                ?disabled=${busy !== null}
                @click=${actions.analyse}
            >
                ${t(run === null ? 'project.analyse' : 'project.again')}
            </button>
        </div>
    </section>`;
}

function reportsCard({ run: kept, busy, actions }) {
    const run = kept.data.newest;
    return html`<section class="card section stack" aria-labelledby="reports-title" id="reports">
        <div class="section-head"><h2 id="reports-title">${t('project.reports')}</h2></div>
        <p class="section-note" id="reports-note">${t(run === null ? 'project.reports_need' : 'project.reports_note')}</p>
        <div class="button-row">
            ${formats.map(
                (format) =>
                    html`<button
                        type="button"
                        class="button"
                        aria-describedby="reports-note"
                        ?disabled=${run === null || busy !== null}
                        @click=${() => actions.report(format)}
                    >
                        ${t('project.download', { format: format.toUpperCase() })}
                    </button>`,
            )}
        </div>
    </section>`;
}

const catalogLink = ({ id, version }) => html`<a href=${address(`/catalog/${encodeURIComponent(id)}`)}>${t('project.catalog_version', { version })}</a>`;

function designCard({ project, id, actions }) {
    const { hypothesis, metrics, setup, constraints } = project.data.payload;
    const type = metrics.metric_type;
    const words = [
        [t('project.hypothesis'), hypothesis.hypothesis_statement],
        [t('project.change'), hypothesis.change_description],
        [t('project.audience'), hypothesis.target_audience],
    ];
    const facts = [
        [t('project.metric'), html`<span dir="auto">${metrics.primary_metric_name}</span>`],
        ...(metrics.catalog_metric ? [[t('project.catalog_metric'), catalogLink(metrics.catalog_metric)]] : []),
        [t('field.metric_type'), t(`metric.${type}`)],
        [t(`field.baseline_value.${type}`), type === 'binary' ? formatPercent(metrics.baseline_value) : formatNumber(metrics.baseline_value)],
        [t('field.mde_pct'), percentOf(metrics.mde_pct)],
        ...(metrics.direction === 'decrease' ? [[t('field.direction'), '✓']] : []),
        [t('field.alpha'), formatPercent(metrics.alpha)],
        [t('field.power'), formatPercent(metrics.power)],
        [t('field.expected_daily_traffic'), formatInteger(setup.expected_daily_traffic)],
        [t('field.audience_share_in_test'), formatPercent(setup.audience_share_in_test)],
        [t('field.traffic_split'), html`<span dir="ltr">${setup.traffic_split.map((share) => formatNumber(share)).join(' : ')}</span>`],
        [t('field.n_looks'), formatInteger(constraints.n_looks)],
    ];
    return html`<section class="card section stack" aria-labelledby="design-title">
        <div class="section-head">
            <h2 id="design-title">${t('project.design')}</h2>
            <div class="button-row">
                <button type="button" class="button" data-size="small" id="keep-template" data-for=${writers} @click=${actions.keep}>${t('project.keep_template')}</button>
                <a class="button" data-size="small" id="revise" data-for=${writers} href=${address(`/design?project=${encodeURIComponent(id)}`)}>${t('project.revise')}</a>
            </div>
        </div>
        <dl class="stack">
            ${words.filter(([, text]) => text).map(([name, text]) => html`<div><dt class="section-note">${name}</dt><dd dir="auto">${text}</dd></div>`)}
        </dl>
        <dl class="facts">${facts.map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    </section>`;
}

/* `plan` is of createPlan. */
export function planView(plan) {
    if (!plan.project.data) return html``;
    return resourceView(plan.run, {
        quiet: true,
        skeleton: { lines: 3, height: 'card' },
        ready: () => html`<div class="stack">${planCard(plan)} ${designCard(plan)}</div>`,
    });
}

export function planReports(plan) {
    return plan.run.data === undefined ? html`` : reportsCard(plan);
}

export function planHistory({ lists, shown, actions }) {
    return html`<section class="card section" aria-labelledby="plan-changes-title" id="plan-changes">
        <div class="section-head"><h2 id="plan-changes-title">${t('project.history')}</h2></div>
        ${tabs({
            id: 'plan-changes',
            label: t('project.history'),
            tabs: Object.keys(lists).map((name) => ({ name, title: t(`project.${name}`) })),
            current: shown,
            onSelect: actions.show,
            panel: (name) => lists[name].view(),
        })}
    </section>`;
}
