/* The explorer as a template: three ways to ask, one under each tab. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime, formatMilliseconds } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { ageOf, freshBadge, healthBadge, plain, valueOf } from '../words.js';

const examples = ['revenue', 'products', 'conversion', 'stock'];

/* How far an answer can be relied on: its age, whether that is as promised, the health of what says so. */
function trust(seconds, meta) {
    return html`<p class="asked section-note" data-trust>
        ${seconds === null || seconds === undefined ? null : t('fresh.of', { age: ageOf(seconds) })} ${freshBadge(meta.stale)}
        ${meta.health ? html`${t('status.health')} ${healthBadge(meta.health)}` : null}
    </p>`;
}

function facts(data) {
    return html`<dl class="facts">
        ${Object.entries(data).map(([name, value]) => html`<div class="fact"><dt class="mono">${name}</dt><dd dir="auto">${plain(value)}</dd></div>`)}
    </dl>`;
}

function trail(title, rows) {
    return rows.length === 0
        ? null
        : html`<section class="card section" aria-label=${title}>
              <div class="section-head"><h3>${title}</h3></div>
              <ol class="trail">${rows}</ol>
          </section>`;
}

const moment = (at) => html`<time datetime=${at}>${formatDateTime(at)}</time>`;

function timeline({ stage_history: stages, pipeline_trail: steps }) {
    return [
        trail(t('explorer.timeline'), stages.map(({ status, at }) => html`<li>${badge(status, 'info')} ${moment(at)}</li>`)),
        trail(
            t('explorer.trail'),
            steps.map(
                ({ event_type: type, topic, latency_ms: latency, processed_at: at }) =>
                    html`<li>${type} <span class="mono">${topic}</span> ${latency === null ? null : formatMilliseconds(latency)} ${moment(at)}</li>`,
            ),
        ),
    ];
}

function layer({ layer: name, system, table_or_topic: place, processed_at: at, quality_score: quality }) {
    const key = `layer.${name}`;
    return html`<li>
        <strong>${hasText(key) ? t(key) : name}</strong> ${system} <span class="mono">${place}</span>
        ${quality === null ? null : t('explorer.quality', { value: plain(quality) })} ${at === null ? null : moment(at)}
    </li>`;
}

function entityResult(data) {
    return html`<div class="stack" id="entity-result">
        <section class="card section" aria-labelledby="entity-title">
            <div class="section-head">
                <h2 id="entity-title" dir="ltr">${data.entity_id}</h2>
                ${data.status ? badge(data.status, 'info') : null}
            </div>
            ${trust(data.freshness_seconds, data.meta)} ${facts(data.data)}
        </section>
        ${data.timeline === null ? null : timeline(data.timeline)}
        ${data.lineage === null ? null : trail(t('explorer.lineage'), data.lineage.lineage.map(layer))}
    </div>`;
}

function entityPanel({ entityForm, found, entity, id, actions }) {
    return html`<div class="stack">
        <div class="card section">${entityForm.view(null, { label: t('explorer.entity'), action: t('explorer.show') })}</div>
        ${id === ''
            ? resourceView(found, {
                  skeleton: { lines: 4, height: 'row' },
                  isEmpty: ({ results }) => results.length === 0,
                  ready: ({ results }) => html`<section class="card section" aria-labelledby="found-title">
                      <div class="section-head"><h2 id="found-title">${t('explorer.some')}</h2></div>
                      <ul class="plain-list" id="found">
                          ${results.map(
                              ({ id: one, entity_type: type, snippet }) => html`<li>
                                  <button type="button" class="link-button" @click=${() => actions.go({ type, id: one })}>${one}</button>
                                  <span class="section-note" dir="auto">${snippet}</span>
                              </li>`,
                          )}
                      </ul>
                  </section>`,
              })
            : resourceView(entity, { skeleton: { lines: 2, height: 'card' }, ready: entityResult })}
    </div>`;
}

function choice(id, label, values, current, choose) {
    return html`<div class="field">
        <label class="field-label" for=${id}>${label}</label>
        <select class="select" id=${id} @change=${(event) => choose(event.target.value)}>
            ${values.map((value) => html`<option value=${value} ?selected=${value === current}>${value}</option>`)}
        </select>
    </div>`;
}

function metricResult(data, { catalog, metricName }) {
    const { description, source_events: events } = catalog.data.metrics[metricName];
    return html`<section class="card section stack" aria-labelledby="metric-title" id="metric-result">
        <h2 id="metric-title">${data.metric_name}</h2>
        <p class="section-note" dir="auto">${description}</p>
        <p class="figure-value" id="metric-value">${valueOf(data.value, data.unit)}</p>
        ${trust(data.meta.freshness_seconds, data.meta)}
        ${barChart({
            label: t('metric.by_window', { name: data.metric_name }),
            bars: data.windows.filter(({ value }) => Number.isFinite(value)).map(({ window, value }) => ({ name: window, value })),
            format: (value) => valueOf(value, data.unit),
            nameTitle: t('metric.window'),
            valueTitle: t('metric.value'),
        })}
        <p class="section-note">${t('metric.moved_by')} <span class="mono">${events.join(', ')}</span></p>
    </section>`;
}

function metricPanel(page) {
    const { catalog, metric, metricName, window, actions } = page;
    if (metricName === null) return null;
    const { metrics } = catalog.data;
    return html`<div class="stack">
        <div class="card section">
            <div class="field-grid">
                ${choice('metric', t('metric.name'), Object.keys(metrics), metricName, (name) => actions.go({ metric: name }))}
                ${choice('window', t('metric.window'), metrics[metricName].available_windows, window, (one) => actions.go({ metric: metricName, window: one }))}
            </div>
        </div>
        ${resourceView(metric, { skeleton: { lines: 1, height: 'chart' }, ready: (data) => metricResult(data, page) })}
    </div>`;
}

function rowsTable(rows) {
    const names = Object.keys(rows[0] ?? {});
    return rows.length === 0
        ? html`<p>${t('explorer.no_rows')}</p>`
        : table({
              caption: t('explorer.answer'),
              columns: names.map((name) => ({ name, title: name, align: typeof rows[0][name] === 'number' ? 'end' : 'start', cell: (row) => plain(row[name]) })),
              rows,
          });
}

function answerView(data, { actions }) {
    const { explained, metadata } = data;
    return html`<div class="stack" id="answer">
        <section class="card section stack" aria-labelledby="answer-title">
            <h2 id="answer-title" dir="auto">${data.question}</h2>
            <p id="interpretation" lang="en" dir="ltr">${data.interpretation}</p>
            ${rowsTable(data.rows)}
            ${data.next_cursor
                ? html`<div class="button-row"><button type="button" class="button" @click=${() => actions.page(data.next_cursor)}>${t('pager.next')}</button></div>`
                : null}
            <p class="section-note">
                ${metadata.data_freshness_seconds === null ? null : t('fresh.of', { age: ageOf(metadata.data_freshness_seconds) })}
                ${t('status.health')} ${healthBadge(metadata.health)} · ${formatMilliseconds(metadata.execution_time_ms)}
            </p>
        </section>
        <section class="card section stack" aria-labelledby="sql-title">
            <div class="section-head"><h3 id="sql-title">${t('explorer.sql')}</h3>${badge(t('guard.passed'), 'good', { dot: true })}</div>
            <p class="section-note">${t('guard.tables')} <span class="mono">${explained.tables_accessed.join(', ')}</span></p>
            ${explained.warning ? notice({ tone: 'caution', body: html`<p>${explained.warning}</p>` }) : null}
            ${codeblock(data.sql, { language: 'SQL' })}
        </section>
    </div>`;
}

function refusal(error, retry) {
    if (error.kind === 'unauthorized') return tokenForm(error, retry);
    const titles = { unsafe_query: t('guard.refused'), untranslatable: t('guard.not_understood') };
    return errorNotice(error, { title: titles[error.code] ?? null, retry: error.code in titles ? null : retry });
}

function questionPanel(page) {
    const { questionForm, answer, actions } = page;
    const asked = answer.data !== undefined || answer.error !== null || answer.busy;
    return html`<div class="stack">
        <div class="card section">
            ${questionForm.view(null, { label: t('explorer.question'), action: t('explorer.ask'), busy: answer.busy })}
            <div class="examples">
                ${examples.map((name) => {
                    const text = t(`example.${name}`);
                    return html`<button type="button" class="button" data-size="small" @click=${() => actions.go({ question: text })}>${text}</button>`;
                })}
            </div>
        </div>
        ${asked
            ? resourceView(answer.error === null ? answer : { ...answer, data: undefined }, {
                  skeleton: { lines: 2, height: 'card' },
                  failed: refusal,
                  ready: (data) => answerView(data, page),
              })
            : null}
    </div>`;
}

const panels = { entity: entityPanel, metric: metricPanel, question: questionPanel };

export function view(page) {
    const { catalog, tab, actions } = page;
    return resourceView(catalog, {
        skeleton: { lines: 2, height: 'card' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.start) : errorNotice(error, { retry: actions.start })),
        ready: () =>
            tabs({
                id: 'explorer',
                label: t('explorer.title'),
                tabs: Object.keys(panels).map((name) => ({ name, title: t(`explorer.tab_${name}`) })),
                current: tab in panels ? tab : 'entity',
                onSelect: (name) => actions.go({ tab: name }),
                panel: (name) => panels[name](page),
            }),
    });
}
