/* Alerts as a template: the open one above the list, then the latest notifications, then a form. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { metricName, moment, timeTick, valueOf, windowName } from '../words.js';
import { deliveryBadge, noticeWord, receiverOf, ruleOf, stateBadge, valueNow } from './words.js';

/** @param {livedata.Alert & {now?: any}} alert */
const nowOf = ({ now }) => (now?.data === null || now?.value === undefined ? '–' : valueOf(now.value, now.unit));

function columns({ actions }) {
    return [
        { name: 'name', title: t('alerts.name'), cell: ({ id, name }) => html`<button type="button" class="link-button" dir="auto" @click=${() => actions.open(id)}>${name}</button>` },
        { name: 'state', title: t('alerts.state'), cell: stateBadge },
        { name: 'metric', title: t('alerts.rule'), cell: (alert) => ruleOf(alert, actions.unitOf(alert.metric)) },
        { name: 'now', title: t('alerts.value_now'), align: 'end', cell: nowOf },
        { name: 'last_triggered_at', title: t('alerts.last'), cell: ({ last_triggered_at: at }) => (at === null ? t('alerts.never') : formatAgo(at)) },
        { name: 'webhook_url', title: t('alerts.receiver_short'), cell: (alert) => html`<span dir="auto">${receiverOf(alert)}</span>` },
    ];
}

/* With the last firing of each alert where it is older than what the history keeps. */
function withLast(rows, alerts) {
    const missing = alerts
        .filter(({ id, last_triggered_at: at }) => at !== null && !rows.some((row) => row.alert_id === id && row.event_type !== 'alert.test'))
        .map(({ id, name, metric, last_triggered_at: at, webhook_url: url }) => ({
            delivery_id: `last-${id}`,
            alert_id: id,
            alert_name: name,
            metric,
            triggered_at: at,
            event_type: 'alert.triggered',
            current_value: null,
            success: true,
            status_code: url === '' ? null : 200,
        }));
    return [...rows, ...missing].toSorted((a, b) => Date.parse(b.triggered_at) - Date.parse(a.triggered_at));
}

/* Notifications, of all alerts or of one. */
function historyTable(rows, { actions }, caption, named) {
    const name = { name: 'alert_name', title: t('alerts.alert'), cell: ({ alert_id: id, alert_name: one }) => html`<button type="button" class="link-button" dir="auto" @click=${() => actions.open(id)}>${one}</button>` };
    return table({
        caption,
        columns: [
            { name: 'triggered_at', title: t('alerts.sent'), cell: ({ triggered_at: at }) => moment(at) },
            ...(named ? [name] : []),
            { name: 'event_type', title: t('alerts.notice'), cell: ({ event_type: type }) => noticeWord(type) },
            { name: 'current_value', title: t('metric.value'), align: 'end', cell: (row) => valueNow(row, actions.unitOf(row.metric)) },
            { name: 'success', title: t('alerts.delivery'), cell: deliveryBadge },
        ],
        rows,
        key: ({ delivery_id: id }) => id,
    });
}

function steps({ escalation, webhook_url: url }) {
    if (url === '') return html`<p class="section-note">${t('alerts.here_only_text')}</p>`;
    return html`<ul class="trail">
        ${escalation.map((step) => html`<li><strong>${t('alerts.level', { level: step.level, minutes: step.after_minutes })}</strong> <span dir="ltr">${step.webhook_url}</span></li>`)}
    </ul>`;
}

/** @param {livedata.Alert} alert */
function changeButtons(alert, { busy, actions }) {
    return html`<button type="button" class="button" id="edit" data-for="data:operator data:admin" ?disabled=${busy} @click=${() => actions.edit(alert)}>${t('alerts.edit')}</button>
        ${alert.webhook_url === ''
            ? null
            : html`<button type="button" class="button" id="try" data-for="data:operator data:admin" ?disabled=${busy} @click=${() => actions.try(alert.id)}>${t('alerts.try')}</button>`}
        <button type="button" class="button" id="switch" data-for="data:operator data:admin" ?disabled=${busy} @click=${() => actions.switch(alert.id, !alert.active)}>
            ${alert.active ? t('alerts.switch_off') : t('alerts.switch_on')}
        </button>
        <button type="button" class="button" data-kind="danger" id="delete" data-for="data:operator data:admin" ?disabled=${busy} @click=${() => actions.remove(alert.id)}>${t('alerts.delete')}</button>`;
}

/** @param {livedata.Alert} alert */
function opened(alert, page) {
    const { history, problem, mayChange, actions } = page;
    return html`<section class="card section stack" id="alert-open" aria-labelledby="alert-title">
        <div class="section-head">
            <h2 id="alert-title" tabindex="-1" dir="auto">${alert.name}</h2>
            ${stateBadge(alert)}
        </div>
        <p>${ruleOf(alert, actions.unitOf(alert.metric))}</p>
        <p class="section-note">${t('alerts.value_now')}: ${nowOf(alert)}${alert.fired_at === null ? null : ` · ${t('alerts.since', { time: formatDateTime(alert.fired_at) })}`}</p>
        ${alert.undelivered === null
            ? null
            : html`<p class="field-error" id="undelivered">${t('alerts.undelivered')}: ${alert.undelivered.error ?? ''} · ${formatAgo(alert.undelivered.since)}</p>`}
        ${steps(alert)} ${problem === null ? null : html`<p class="field-error" role="alert">${problem}</p>`}
        <div class="button-row">
            ${mayChange ? changeButtons(alert, page) : null}
            <button type="button" class="button" @click=${actions.close}>${t('dialog.close')}</button>
        </div>
        ${mayChange ? null : html`<p class="section-note">${t('alerts.read_only')}</p>`}
        <h3>${t('alerts.history')}</h3>
        ${resourceView(history, {
            skeleton: { lines: 3, height: 'row' },
            isEmpty: (rows) => withLast(rows, [alert]).length === 0,
            empty: { title: t('alerts.no_history') },
            ready: (rows) => historyTable(withLast(rows, [alert]), page, t('alerts.history'), false),
        })}
    </section>`;
}

/** @param {livedata.NewAlert} made */
function madeNotice({ name, secret, webhook_url: url }) {
    return html`<div id="made" tabindex="-1">
        ${notice({
            tone: 'good',
            title: t('alerts.made', { name }),
            body:
                url === ''
                    ? html`<p>${t('alerts.here_only_text')}</p>`
                    : html`<p>${t('alerts.secret_once')}</p>
                          <p><code class="key-text" dir="ltr">${secret}</code></p>`,
            actions: url === '' ? null : copyButton({ text: () => secret }),
        })}
    </div>`;
}

/* The metric at the end of each window of the last week, against the threshold. */
function lastWeek({ metric, unit, window, condition, threshold, last_week: week }, actions) {
    if (!week || week.points.length < 2) return null;
    const label = t('metric.over_time_of', { name: metricName(metric) });
    const format = (value) => valueOf(value, unit ?? actions.unitOf(metric));
    return html`<div id="last-week" class="stack">
        ${lineChart({
            label,
            series: [{ name: metricName(metric), points: week.points.map(({ at, value }) => ({ x: Date.parse(at), y: value })) }],
            x: { title: t('metric.time'), kind: 'time', format: timeTick, formatLong: formatDateTime },
            y: { title: metricName(metric), format, room: 84, min: Math.min(0, ...week.points.map(({ value }) => value ?? 0)) },
            marks: condition === 'change_pct' ? [] : [{ y: threshold, name: t('alerts.threshold') }],
        })}
        <p class="section-note">${t('alerts.week_checked', { window: windowName(window), time: formatDateTime(week.from) })}</p>
    </div>`;
}

/* "Now: 12.7 %. The alert would fire." */
function previewView({ preview, actions }) {
    const { data, error } = preview;
    if (error !== null || !data) return html`<p class="section-note" id="preview" role="status">${error ? error.message : t('alerts.preview_hint')}</p>`;
    const known = data.triggered !== null;
    const verdict = known ? t(data.triggered ? 'alerts.would_fire' : 'alerts.would_not') : t('alerts.no_value');
    return html`<p id="preview" role="status">
            ${metricName(data.metric)}: <strong>${valueNow(data, data.unit ?? actions.unitOf(data.metric))}</strong>
            ${badge(verdict, known && data.triggered ? 'danger' : known ? 'good' : 'plain', { dot: true })}
            ${data.last_week ? badge(data.last_week.fired === 0 ? t('alerts.week_never') : t('alerts.week_fired', { count: data.last_week.fired }), data.last_week.fired === 0 ? 'good' : 'caution') : null}
        </p>
        ${lastWeek(data, actions)}`;
}

function triedView({ tried }) {
    if (tried === null) return null;
    return html`<p id="tried" role="status">${badge(tried.success ? t('alerts.test_taken') : t('alerts.not_taken', { why: tried.status_code ?? tried.error ?? '' }), tried.success ? 'good' : 'danger')}</p>`;
}

function formView(page) {
    const { form, editing, refusal, busy, actions } = page;
    const title = t(editing === null ? 'alerts.new' : 'alerts.edit_title');
    return html`<section class="card section stack" aria-labelledby="new-title" data-for="data:operator data:admin">
        <h2 id="new-title" tabindex="-1">${title}</h2>
        ${refusal === null ? null : errorNotice(refusal)}
        ${form.view(
            html`<div class="field-grid">${form.names.map((name) => form.field(name))}</div>
                ${previewView(page)} ${triedView(page)}
                <div class="button-row">
                    <button type="submit" class="button" data-kind="primary" ?disabled=${busy}>${t(editing === null ? 'alerts.create' : 'alerts.save')}</button>
                    ${form.values().webhook_url
                        ? html`<button type="button" class="button" id="try-form" ?disabled=${busy} @click=${actions.tryForm}>${t('alerts.try')}</button>`
                        : null}
                    ${editing === null ? null : html`<button type="button" class="button" id="leave" @click=${actions.leaveForm}>${t('alerts.cancel')}</button>`}
                </div>`,
            { label: title },
        )}
    </section>`;
}

function recentView(page) {
    return html`<section class="card section stack" id="recent" aria-labelledby="recent-title">
        <h2 id="recent-title">${t('alerts.recent')}</h2>
        ${resourceView(page.recent, {
            quiet: true,
            skeleton: { lines: 3, height: 'row' },
            isEmpty: (rows) => withLast(rows, page.alerts.data).length === 0,
            empty: { title: t('alerts.no_history'), text: t('alerts.no_history_text') },
            ready: (rows) => historyTable(withLast(rows, page.alerts.data), page, t('alerts.recent'), true),
        })}
    </section>`;
}

export function view(page) {
    const { alerts, catalog, made } = page;
    const open = alerts.data?.find(({ id }) => id === page.opened);
    return html`<div class="stack">
        ${made === null ? null : madeNotice(made)} ${open ? opened(open, page) : null}
        <section class="card section" aria-label=${t('alerts.title')} id="alerts">
            ${resourceView(alerts, {
                quiet: true,
                skeleton: { lines: 4, height: 'row' },
                isEmpty: (rows) => rows.length === 0,
                empty: { title: t('alerts.none'), text: t('alerts.none_text') },
                ready: (rows) => table({ caption: t('alerts.title'), columns: columns(page), rows, key: ({ id }) => id }),
            })}
        </section>
        ${catalog.data === undefined ? null : html`${page.mayChange ? formView(page) : null} ${recentView(page)}`}
    </div>`;
}
