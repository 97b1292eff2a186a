/* Providers of language models: which there are, which are asked, how they do. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatMoney } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

/** @param {support.Provider} provider */
function stateBadge({ active, configured, breaker }) {
    if (!configured) return badge(t('admin.key_missing'), 'caution');
    if (breaker !== 'closed') return badge(t('admin.breaker_open'), 'danger');
    return active ? badge(t('admin.provider_active'), 'good') : badge(t('admin.provider_idle'), 'plain');
}

function columns() {
    return [
        {
            name: 'label',
            title: t('admin.provider'),
            cell: ({ label, protocol, base_url: url }) =>
                html`<span dir="auto">${label}</span><br /><span class="mono document-text" dir="ltr">${url ?? protocol}</span>`,
        },
        {
            name: 'models',
            title: t('admin.models'),
            cell: ({ models }) => html`<span class="mono document-text" dir="ltr">${models.map(({ name }) => name).join(', ')}</span>`,
        },
        { name: 'state', title: t('admin.provider_state'), cell: stateBadge },
        {
            name: 'last_success_at',
            title: t('admin.last_success'),
            cell: ({ last_success_at: at }) => (at === null ? '–' : formatDateTime(at)),
        },
        { name: 'usage', title: t('admin.last_minute'), align: 'end', cell: ({ usage_1m: used }) => formatInteger(used.requests) },
        { name: 'cost', title: t('admin.cost_day'), align: 'end', cell: ({ cost_24h_usd: cost }) => formatMoney(cost, 'USD', 4) },
    ];
}

/** @param {support.Providers} answer */
function ready({ active_profile: profile, nodes, providers }) {
    return html`<div class="card section stack" id="models">
        <p>${t('admin.profile')}: <strong class="mono" dir="ltr">${profile}</strong></p>
        <p>
            ${nodes.length === 0
                ? t('admin.no_model_nodes')
                : html`${t('admin.model_nodes')}: <span class="mono document-text" dir="ltr">${nodes.join(', ')}</span>`}
        </p>
        ${table({ caption: t('admin.tab_models'), rows: providers, columns: columns() })}
    </div>`;
}

export function modelsPanel(providers) {
    return resourceView(providers, { skeleton: { lines: 1, height: 'chart' }, ready });
}
