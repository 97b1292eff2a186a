/* A metric: its value in a period, the other periods, and its last hours. */
import { hasText, intlLocale, t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { ageOf, freshBadge, metricName as nameOf, valueOf, windowName } from '../words.js';

function choice(id, label, values, current, name, choose) {
    return html`<div class="field">
        <label class="field-label" for=${id}>${label}</label>
        <select class="select" id=${id} @change=${(event) => choose(event.target.value)}>
            ${values.map((value) => html`<option value=${value} ?selected=${value === current}>${name(value)}</option>`)}
        </select>
    </div>`;
}

const clock = (at) => new Intl.DateTimeFormat(intlLocale(), { hour: '2-digit', minute: '2-digit' }).format(new Date(at));

function trend({ trend: points, unit, metric_name: name }) {
    if (points.length < 2) return null;
    return html`<h3>${t('metric.by_hour')}</h3>
        ${barChart({
            label: t('metric.by_hour_of', { name: nameOf(name) }),
            bars: points.map(({ at, value }) => ({ name: clock(at), value })),
            format: (value) => valueOf(value, unit),
            nameTitle: t('metric.until'),
            valueTitle: t('metric.value'),
        })}`;
}

function metricResult(data, { catalog, metricName }) {
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
        ${trend(data)}
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
