/* A metric: its value in a period, the other periods, and its course over time. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { ageOf, freshBadge, metricName as nameOf, timeTick, valueOf, windowName } from '../words.js';

function choice(id, label, values, current, name, choose) {
    return html`<div class="field">
        <label class="field-label" for=${id}>${label}</label>
        <select class="select" id=${id} @change=${(event) => choose(event.target.value)}>
            ${values.map((value) => html`<option value=${value} ?selected=${value === current}>${name(value)}</option>`)}
        </select>
    </div>`;
}

const periods = ['day', 'week', 'month'];

/* The metric over time as a line, with the thresholds of its alerts. */
function overTime({ trend, unit, metric_name: name }, { period, metricName, window, actions }) {
    if (trend === null) return null;
    const points = trend.points.map(({ at, value }) => ({ x: Date.parse(at), y: value }));
    const title = t('metric.over_time_of', { name: nameOf(name) });
    return html`<section class="stack" id="over-time" aria-labelledby="over-time-title">
        <h3 id="over-time-title">${t('metric.over_time')}</h3>
        ${choice('period', t('metric.period'), periods, period, (one) => t(`metric.period_${one}`), (one) => actions.go({ metric: metricName, window, period: one }))}
        ${points.filter(({ y }) => y !== null).length < 2
            ? html`<p class="section-note">${t('metric.no_values')}</p>`
            : lineChart({
                  label: title,
                  series: [{ name: nameOf(name), points }],
                  x: { title: t('metric.time'), kind: 'time', format: timeTick, formatLong: formatDateTime },
                  y: { title: nameOf(name), format: (value) => valueOf(value, unit), room: 84, min: Math.min(0, ...points.map(({ y }) => y ?? 0)) },
                  marks: trend.marks.map(({ name: alert, threshold }) => ({ y: threshold, name: alert })),
              })}
    </section>`;
}

function metricResult(data, page) {
    const { catalog, metricName } = page;
    const { description } = catalog.data.metrics[metricName];
    const about = `metric_about.${metricName}`;
    const { freshness_seconds: seconds, stale } = data.meta;
    return html`<section class="card section stack" aria-labelledby="metric-title" id="metric-result">
        <div class="section-head">
            <h2 id="metric-title">${nameOf(data.metric_name)}</h2>
            ${freshBadge(stale)}
        </div>
        <p class="section-note" dir="auto">${hasText(about) ? t(about) : description}</p>
        <p><bdi class="figure-value" id="metric-value">${valueOf(data.value, data.unit)}</bdi> <bdi class="section-note">${windowName(data.window)}</bdi></p>
        ${seconds === null || seconds === undefined ? null : html`<p class="section-note" data-trust>${t('fresh.of', { age: ageOf(seconds) })}</p>`}
        <dl class="facts" id="metric-windows">
            ${data.windows.map(({ window, value, unit }) => html`<div class="fact"><dt>${windowName(window)}</dt><dd>${valueOf(value, unit)}</dd></div>`)}
        </dl>
        ${overTime(data, page)}
        <div class="button-row">
            <a class="button" href=${address(`/alerts?${new URLSearchParams({ metric: metricName, window: data.window })}`)}>${t('metric.watch')}</a>
        </div>
    </section>`;
}

export function metricPanel(page) {
    const { catalog, metric, metricName, window, actions } = page;
    if (metricName === null) return null;
    const { metrics } = catalog.data;
    return html`<div class="stack">
        <div class="card section">
            <div class="field-grid">
                ${choice('metric', t('metric.name'), Object.keys(metrics), metricName, nameOf, (name) => actions.go({ metric: name }))}
                ${choice('window', t('metric.window'), metrics[metricName].available_windows, window, windowName, (one) => actions.go({ metric: metricName, window: one }))}
            </div>
        </div>
        ${resourceView(metric, { skeleton: { lines: 1, height: 'chart' }, ready: (data) => metricResult(data, page) })}
    </div>`;
}
