/* Alerts as a template: the open one above the list, a new one below it. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatNumber } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

const tones = { ok: 'good', firing: 'danger', sustained: 'danger', resolved: 'good', suppressed: 'caution', no_data: 'plain' };
const signs = { above: '>', below: '<', change_pct: 'Δ%' };

/** @param {livedata.Alert} alert */
function stateBadge({ active, state }) {
    return active ? badge(t(`alerts.state_${state}`), tones[state] ?? 'plain', { dot: true }) : badge(t('alerts.off'), 'plain');
}

/* "revenue > 1,000 · 1h" */
/** @param {livedata.Alert} alert */
function ruleOf({ metric, condition, threshold, window }) {
    return html`<span dir="ltr">${metric} ${signs[condition]} ${formatNumber(threshold)} · ${window}</span>`;
}

function columns(open) {
    return [
        { name: 'name', title: t('alerts.name'), cell: ({ id, name }) => html`<button type="button" class="link-button" dir="auto" @click=${() => open(id)}>${name}</button>` },
        { name: 'state', title: t('alerts.state'), cell: stateBadge },
        { name: 'metric', title: t('alerts.rule'), cell: ruleOf },
        { name: 'last_triggered_at', title: t('alerts.last'), cell: ({ last_triggered_at: at }) => (at === null ? '–' : formatAgo(at)) },
    ];
}

function historyColumns() {
    return [
        { name: 'triggered_at', title: t('alerts.sent'), cell: ({ triggered_at: at }) => formatDateTime(at) },
        { name: 'event_type', title: t('alerts.notice'), cell: ({ event_type: type }) => html`<span dir="ltr">${type}</span>` },
        { name: 'current_value', title: t('metric.value'), align: 'end', cell: ({ current_value: value }) => (value === null ? '–' : formatNumber(value)) },
        {
            name: 'success',
            title: t('alerts.delivery'),
            cell: ({ success, status_code: status, error }) => badge(success ? t('alerts.taken') : (error ?? String(status)), success ? 'good' : 'danger'),
        },
    ];
}

/** @param {livedata.Alert} alert */
function opened(alert, { history, busy, problem, actions }) {
    return html`<section class="card section stack" id="alert-open" aria-labelledby="alert-title">
        <div class="section-head">
            <h2 id="alert-title" tabindex="-1" dir="auto">${alert.name}</h2>
            ${stateBadge(alert)}
        </div>
        <p>${ruleOf(alert)}</p>
        ${alert.undelivered === null ? null : html`<p class="field-error" id="undelivered">${t('alerts.undelivered')}: ${alert.undelivered.error} · ${formatAgo(alert.undelivered.since)}</p>`}
        <ul class="trail">
            ${alert.escalation.map(
                (step) => html`<li><strong>${t('alerts.level', { level: step.level, minutes: step.after_minutes })}</strong> <span dir="ltr">${step.webhook_url}</span></li>`,
            )}
        </ul>
        ${problem === null ? null : html`<p class="field-error" role="alert">${problem}</p>`}
        <div class="button-row">
            <button type="button" class="button" id="try" ?disabled=${busy} @click=${() => actions.try(alert.id)}>${t('alerts.try')}</button>
            <button type="button" class="button" id="switch" ?disabled=${busy} @click=${() => actions.switch(alert.id, !alert.active)}>
                ${alert.active ? t('alerts.switch_off') : t('alerts.switch_on')}
            </button>
            <button type="button" class="button" data-kind="danger" id="delete" ?disabled=${busy} @click=${() => actions.remove(alert.id)}>${t('alerts.delete')}</button>
            <button type="button" class="button" @click=${actions.close}>${t('dialog.close')}</button>
        </div>
        <h3>${t('alerts.history')}</h3>
        ${resourceView(history, {
            skeleton: { lines: 3, height: 'row' },
            isEmpty: (rows) => rows.length === 0,
            empty: { title: t('alerts.no_history') },
            ready: (rows) => table({ caption: t('alerts.history'), columns: historyColumns(), rows, key: ({ delivery_id: id }) => id }),
        })}
    </section>`;
}

/** @param {livedata.NewAlert} made */
function madeNotice({ name, secret }) {
    return html`<div id="made" tabindex="-1">
        ${notice({
            tone: 'good',
            title: t('alerts.made', { name }),
            body: html`<p>${t('alerts.secret_once')}</p>
                <p><code class="key-text" dir="ltr">${secret}</code></p>`,
            actions: copyButton({ text: secret }),
        })}
    </div>`;
}

export function view(page) {
    const { alerts, catalog, form, made, refusal, busy, actions } = page;
    const open = alerts.data?.find(({ id }) => id === page.opened);
    return html`<div class="stack">
        ${made === null ? null : madeNotice(made)} ${open ? opened(open, page) : null}
        <section class="card section" aria-label=${t('alerts.title')} id="alerts">
            ${resourceView(alerts, {
                skeleton: { lines: 4, height: 'row' },
                isEmpty: (rows) => rows.length === 0,
                empty: { title: t('alerts.none'), text: t('alerts.none_text') },
                ready: (rows) => table({ caption: t('alerts.title'), columns: columns(actions.open), rows, key: ({ id }) => id }),
            })}
        </section>
        ${catalog.data === undefined
            ? null
            : html`<section class="card section stack" aria-labelledby="new-title">
                  <h2 id="new-title">${t('alerts.new')}</h2>
                  ${refusal === null ? null : errorNotice(refusal)} ${form.view(null, { label: t('alerts.new'), action: t('alerts.create'), busy })}
              </section>`}
    </div>`;
}
