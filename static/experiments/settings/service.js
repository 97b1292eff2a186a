/* The service itself: whether it is ready, what it has done since it started, and how it is set up. */
import { t } from '../../shared/i18n.js';
import { formatBytes, formatDateTime, formatInteger, formatMilliseconds, formatShortUnit, formatUnit } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { ApiError } from '../../shared/ui/errors.js';
import { html } from '../../shared/ui/lit.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { figure } from '../figure.js';
import { createPurge } from './purge.js';

const secondsPerDay = 86400;
const known = (value) => value !== null && value !== undefined;
const or = (value, write) => (known(value) ? write(value) : '–');
const code = (value) => html`<span class="mono key-text" dir="ltr">${or(value, String)}</span>`;
const yes = (value) => t(value ? 'settings.yes' : 'settings.no');
const days = (count) => (count > 0 ? formatUnit(count, 'day') : t('settings.forever'));

const checkColumns = () => [
    { name: 'name', title: t('settings.check'), cell: ({ name }) => code(name) },
    { name: 'ok', title: t('settings.state'), cell: ({ ok }) => (ok ? badge(t('settings.fine'), 'good') : badge(t('settings.broken'), 'danger')) },
    { name: 'detail', title: t('settings.detail'), cell: ({ detail }) => code(detail) },
];

/* Groups of facts, each a list of names and values. */
/** @param {experiments.Diagnostics} all */
function groups({ storage, auth, guards, network, webhooks, retention, llm, ...all }) {
    return {
        service: [
            ['settings.version', code(`${all.app_version} ${all.app_git_sha}`)],
            ['settings.environment', code(all.environment)],
            ['settings.started', formatDateTime(all.started_at)],
            ['settings.advice', code(llm.provider)],
        ],
        storage: [
            ['settings.journal', code(storage.journal_mode)],
            ['settings.schema', or(storage.schema_version, formatInteger)],
            ['settings.size', or(storage.db_size_bytes, formatBytes)],
            ['settings.disk_free', or(storage.disk_free_bytes, formatBytes)],
            ['settings.writable', yes(storage.write_probe_ok)],
        ],
        access: [
            ['settings.mode', code(auth.mode)],
            ['settings.session', code(auth.session_source)],
            ['settings.may_write', yes(auth.session_can_write)],
            ['settings.admin', yes(auth.admin_token_enabled)],
            ['settings.client', code(network.resolved_client)],
        ],
        guards: [
            ['settings.rate', guards.rate_limit_enabled ? `${formatInteger(guards.rate_limit_requests)} / ${formatShortUnit(guards.rate_limit_window_seconds, 'second')}` : t('settings.off')],
            ['settings.body', formatBytes(guards.max_request_body_bytes)],
            ['settings.backup_size', formatBytes(guards.max_workspace_body_bytes)],
            ['settings.confined', yes(guards.confined_files && guards.confined_calls)],
        ],
        deliveries: [
            ['settings.delivery_pending', or(webhooks.pending, formatInteger)],
            ['settings.delivery_retrying', or(webhooks.retrying, formatInteger)],
            ['settings.delivery_delivered', or(webhooks.delivered, formatInteger)],
            ['settings.delivery_failed', or(webhooks.failed, formatInteger)],
            ['settings.oldest', or(webhooks.oldest_due_age_seconds, (seconds) => formatShortUnit(seconds, 'second'))],
        ],
        retention: [
            ['settings.keep_exposures', days(retention.exposures_days)],
            ['settings.keep_conversions', days(retention.conversions_days)],
            ['settings.keep_audit', days(retention.audit_days)],
            ['settings.keep_deliveries', days(retention.webhook_deliveries_days)],
        ],
    };
}

/** @param {experiments.Diagnostics} diagnostics */
function runtime({ runtime: done, uptime_seconds: uptime }) {
    const lasted = uptime >= secondsPerDay ? formatUnit(uptime / secondsPerDay, 'day') : formatMilliseconds(uptime * 1000);
    return html`<dl class="figures">
        ${figure(t('settings.uptime'), lasted)}
        ${figure(t('settings.requests'), formatInteger(done.total_requests), t('settings.refused', { count: formatInteger(done.client_error_responses) }))}
        ${figure(t('settings.errors'), formatInteger(done.server_error_responses))}
        ${figure(t('settings.p99'), or(done.process_time_ms_p99, formatMilliseconds), t('settings.p50', { time: or(done.process_time_ms_p50, formatMilliseconds) }))}
    </dl>`;
}

/** @param {Client<'experiments'>} client */
export function createService(update, client) {
    /* Not ready is an answer, not a failure. */
    async function readiness(signal) {
        try {
            return (await client.get('/readyz', { signal })).data;
        } catch (error) {
            if (!(error instanceof ApiError) || !error.body?.checks) throw error;
            return /** @type {experiments.Readiness} */ (error.body);
        }
    }

    const state = createResource(update, async (signal) => {
        const { data: diagnostics } = await client.get('/api/v1/diagnostics', { signal });
        return { diagnostics, ready: await readiness(signal) };
    });

    const purge = createPurge(update, client, () => state.reload());

    const whole = ({ diagnostics, ready }) => html`<div class="stack">
        <section class="card headline" aria-labelledby="service-title" id="service">
            <div class="section section-head">
                <h2 id="service-title">${t('settings.tab_service')}</h2>
                ${ready.status === 'ready' ? badge(t('settings.ready'), 'good', { dot: true }) : badge(t('settings.not_ready'), 'danger', { dot: true })}
            </div>
            ${runtime(diagnostics)}
            <div class="section button-row">
                <button type="button" class="button" data-size="small" @click=${() => state.reload()}>${t('settings.refresh')}</button>
            </div>
        </section>
        <section class="card section stack" aria-labelledby="checks-title" id="checks">
            <h2 id="checks-title">${t('settings.checks')}</h2>
            ${table({ caption: t('settings.checks'), columns: checkColumns(), rows: ready.checks, key: ({ name }) => name })}
        </section>
        ${Object.entries(groups(diagnostics)).map(
            ([group, facts]) =>
                html`<section class="card section stack" aria-labelledby=${`group-${group}`}>
                    <h2 id=${`group-${group}`}>${t(`settings.group_${group}`)}</h2>
                    <dl class="facts">${facts.map(([name, value]) => html`<div class="fact"><dt>${t(name)}</dt><dd>${value}</dd></div>`)}</dl>
                    ${group === 'retention' ? purge.view(diagnostics) : null}
                </section>`,
        )}
    </div>`;

    return {
        load: () => state.load(),
        view: () => resourceView(state, { quiet: true, skeleton: { lines: 3, height: 'card' }, ready: whole }),
    };
}
