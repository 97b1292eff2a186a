/* Keys and tenants as a template. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatFixed, formatInteger, formatMilliseconds, formatPercent, formatShortUnit } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { issuedSecret } from '../../shared/ui/issued.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { askForSecret } from '../../shared/ui/secret.js';
import { table } from '../../shared/ui/table.js';
import { healthBadge, typeName } from '../words.js';

function adminForm(refused, use) {
    return askForSecret({
        id: 'admin-key',
        title: t(refused ? 'keys.admin_refused' : 'keys.admin_title'),
        hint: t('keys.admin_hint'),
        label: t('keys.admin_key'),
        refused,
        use,
    });
}

/** @param {livedata.Key} key */
function typesOf({ allowed_entity_types: types }) {
    return types === null ? t('keys.all_types') : types.map(typeName).join(', ');
}

/** @param {livedata.Key} key */
function rotating({ rotation_phase: phase, old_key_active_until: until }) {
    return phase === 'grace_period' ? badge(t('keys.old_until', { time: formatAgo(until) }), 'caution') : badge(t('keys.one_key'), 'plain');
}

function keyColumns(busy, actions) {
    return [
        { name: 'name', title: t('keys.name'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
        { name: 'tenant', title: t('keys.tenant') },
        { name: 'allowed_entity_types', title: t('keys.types'), cell: typesOf },
        { name: 'rate_limit_rpm', title: t('keys.rate'), align: 'end', cell: ({ rate_limit_rpm: rate }) => formatInteger(rate) },
        { name: 'requests_last_24h', title: t('keys.requests'), align: 'end', cell: ({ requests_last_24h: count }) => formatInteger(count ?? 0) },
        { name: 'rotation_phase', title: t('keys.rotation'), cell: rotating },
        {
            name: 'actions',
            title: t('keys.actions'),
            titleHidden: true,
            cell: ({ key_id: id, name, rotation_phase: phase }) =>
                html`<div class="button-row">
                    ${phase === 'grace_period'
                        ? html`<button type="button" class="button" data-size="small" ?disabled=${busy} @click=${() => actions.revoke(id)}>${t('keys.revoke')}</button>`
                        : html`<button type="button" class="button" data-size="small" ?disabled=${busy} @click=${() => actions.rotate(id, name)}>${t('keys.rotate')}</button>`}
                    <button type="button" class="button" data-size="small" data-kind="danger" ?disabled=${busy} @click=${() => actions.remove(id, name)}>${t('keys.delete')}</button>
                </div>`,
        },
    ];
}

const share = (value) => (value === null || value === undefined ? '–' : formatPercent(value, 3));

function tenantColumns() {
    return [
        { name: 'tenant', title: t('keys.tenant') },
        { name: 'total_requests', title: t('keys.requests'), align: 'end', cell: ({ total_requests: count }) => formatInteger(count) },
        { name: 'error_rate', title: t('keys.errors'), align: 'end', cell: ({ error_rate: rate }) => share(rate) },
        { name: 'cache_hit_rate', title: t('keys.cached'), align: 'end', cell: ({ cache_hit_rate: rate }) => share(rate) },
        { name: 'avg_duration_ms', title: t('keys.duration'), align: 'end', cell: ({ avg_duration_ms: ms }) => formatMilliseconds(ms) },
    ];
}

const figure = (name, label, value) =>
    html`<div class="figure" data-figure=${name}>
        <span class="figure-label">${label}</span>
        <span>${value}</span>
    </div>`;

/* Figures of the last minute; connections are counted on PostgreSQL only. */
function summaryView({ health, qps, configured_keys: configured, cache, rate_limit_backend: limits, pool }) {
    const engine = pool.engine === 'postgres' ? 'PostgreSQL' : 'SQLite';
    const where = (backend) => t(backend === 'shared_memory' ? 'keys.shared_memory' : 'keys.no_cache');
    return html`<div class="figures">
        ${figure('health', t('status.health'), healthBadge(health.status))} ${figure('qps', t('keys.qps'), formatFixed(qps, 2))}
        ${figure('keys', t('keys.configured'), formatInteger(configured))} ${figure('cache', t('keys.cache'), where(cache.backend))}
        ${figure('ttl', t('keys.entity_ttl'), formatShortUnit(cache.entity_ttl_seconds, 'second'))}
        ${figure('limits', t('keys.limits'), where(limits))}
        ${figure('pool', t('component.db_pool'), pool.size === null ? engine : `${engine}, ${t('keys.held', { held: formatInteger(pool.held), limit: formatInteger(pool.limit) })}`)}
    </div>`;
}

export function view({ keys, tenants, summary, form, isKnown, made, problem, busy, actions }) {
    const refused = keys.error?.kind === 'unauthorized';
    if (!isKnown || refused) return adminForm(refused, actions.use);
    return html`<div class="stack">
        ${made === null ? null : issuedSecret({ title: t('keys.made', { name: made.name }), text: t('keys.once'), secret: made.key })} ${problem === null ? null : errorNotice(problem)}
        <section class="card section stack" aria-labelledby="keys-title" id="keys">
            <h2 id="keys-title">${t('keys.keys')}</h2>
            ${resourceView(keys, {
                skeleton: { lines: 4, height: 'row' },
                isEmpty: (rows) => rows.length === 0,
                empty: { title: t('keys.none'), text: t('keys.none_text') },
                ready: (rows) => table({ caption: t('keys.keys'), columns: keyColumns(busy, actions), rows, key: ({ key_id: id }) => id }),
            })}
        </section>
        <section class="card section stack" aria-labelledby="new-title">
            <h2 id="new-title">${t('keys.new')}</h2>
            ${form.view(
                html`<div class="field-grid">${['name', 'tenant', 'rate_limit_rpm'].map((name) => form.field(name))}</div>
                    <fieldset class="field">
                        <legend class="field-label">${t('keys.types')}</legend>
                        <div class="examples">${form.names.filter((name) => name.startsWith('type_')).map((name) => form.field(name))}</div>
                        <p class="field-hint">${t('keys.types_hint')}</p>
                    </fieldset>
                    <div class="button-row"><button type="submit" class="button" data-kind="primary" ?disabled=${busy}>${t('keys.create')}</button></div>`,
                { label: t('keys.new'), busy },
            )}
        </section>
        <section class="card section stack" aria-labelledby="tenants-title" id="tenants">
            <h2 id="tenants-title">${t('keys.tenants')}</h2>
            ${resourceView(tenants, {
                skeleton: { lines: 3, height: 'row' },
                isEmpty: (rows) => rows.length === 0,
                empty: { title: t('keys.no_use') },
                ready: (rows) => table({ caption: t('keys.tenants'), columns: tenantColumns(), rows, key: ({ tenant }) => tenant }),
            })}
        </section>
        <details class="card disclosure" id="summary">
            <summary>${t('keys.service')}</summary>
            ${resourceView(summary, { quiet: true, skeleton: { lines: 2, height: 'row' }, ready: summaryView })}
        </details>
    </div>`;
}
