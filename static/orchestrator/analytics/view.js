/* The page as a template: what was spent, and how the models of the last tasks have done. */
import { t } from '../../shared/i18n.js';
import { formatFixed, formatInteger, formatPercent } from '../../shared/numbers.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { spendView } from './spend.js';

/* Over all models: success as a fraction, mean seconds weighted by executions; null without any. */
/** @param {orchestrator.Analytics} data */
export function totalsOf({ models, total_executions: executions }) {
    if (executions === 0) return { success: null, seconds: null };
    const sum = (value) => models.reduce((all, model) => all + value(model), 0);
    return {
        success: sum(({ successful }) => successful) / executions,
        seconds: sum((model) => model.avg_duration_ms * model.total_executions) / executions / 1000,
    };
}

function figure(id, name, value) {
    return html`<div class="figure"><span class="figure-label">${t(`analytics.${name}`)}</span><span class="figure-value" id=${id}>${value}</span></div>`;
}

function columns() {
    return [
        { name: 'model_id', title: t('analytics.model'), cell: (row) => html`<span class="mono">${row.model_id}</span>` },
        { name: 'total_executions', title: t('analytics.executions'), align: 'end' },
        { name: 'success_rate', title: t('analytics.success'), align: 'end', cell: (row) => formatPercent(row.success_rate, 3) },
        { name: 'avg_duration_ms', title: t('analytics.seconds'), align: 'end', cell: (row) => formatFixed(row.avg_duration_ms / 1000, 2) },
    ];
}

/** @param {string} label @param {orchestrator.ModelStatistics[]} models @param {(model: orchestrator.ModelStatistics) => number} value */
function bars(label, models, value, format) {
    return html`<section class="card section stack" aria-label=${label}>
        <h2>${label}</h2>
        ${barChart({
            label,
            bars: models.map((model) => ({ name: model.model_id, value: value(model) })),
            format,
            nameTitle: t('analytics.model'),
            valueTitle: label,
        })}
    </section>`;
}

/** @param {orchestrator.Analytics} data */
function ready(data) {
    const { success, seconds } = totalsOf(data);
    return html`<div class="stack">
        <section class="card figures" aria-label=${t('analytics.lately')}>
            ${figure('stat-total', 'executions', formatInteger(data.total_executions))}
            ${figure('stat-accounts', 'models', formatInteger(data.total_models))}
            ${figure('stat-success', 'success', success === null ? '–' : formatPercent(success, 3))}
            ${figure('stat-time', 'seconds', seconds === null ? '–' : formatFixed(seconds, 2))}
        </section>
        ${data.models.length === 0
            ? html`<p class="section-note">${t('analytics.none')}</p>`
            : html`${bars(t('analytics.executions'), data.models, (model) => model.total_executions, formatInteger)}
                  ${bars(t('analytics.seconds'), data.models, (model) => model.avg_duration_ms / 1000, (value) => formatFixed(value, 2))}
                  <section class="card section stack" aria-labelledby="all-title">
                      <h2 id="all-title">${t('analytics.all')}</h2>
                      ${table({ columns: columns(), rows: data.models, caption: t('analytics.all') })}
                  </section>
                  <section class="card section stack" aria-labelledby="top-title">
                      <h2 id="top-title">${t('analytics.top')}</h2>
                      ${table({ columns: columns(), rows: data.top_models, caption: t('analytics.top') })}
                  </section>`}
    </div>`;
}

export function view(state) {
    if (!state.spend) return html``;
    return html`<div class="stack">
        ${spendView(state)}
        <h2 class="page-part">${t('analytics.lately')}</h2>
        ${resourceView(state.analytics, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready })}
    </div>`;
}
