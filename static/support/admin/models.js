/* Providers of language models: which there are, which are asked, how they do. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatMoney } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { stepName } from './trace.js';

/** @param {support.Provider} provider */
function stateBadge({ active, configured, breaker }) {
    if (!configured) return badge(t('admin.key_missing'), 'caution');
    if (breaker !== 'closed') return badge(t('admin.breaker_open'), 'danger');
    return active ? badge(t('admin.provider_active'), 'good') : badge(t('admin.provider_idle'), 'plain');
}

/* The models that the profile in force asks, by what for: [role, provider's id, model]. */
function inUse({ active_profile: name, profiles }) {
    const { fast, strong, fallback } = profiles[name] ?? {};
    return Object.entries({ strong, fast, fallback }).filter(([, target]) => target).map(([role, { provider, model }]) => ({ role, provider, model }));
}

function columns(used) {
    const modelsOf = (id) => [...new Set(used.filter(({ provider }) => provider === id).map(({ model }) => model))];
    return [
        {
            name: 'label',
            title: t('admin.provider'),
            cell: ({ label, kind }) => html`<span dir="auto">${label}</span><br /><span class="section-note">${t(`admin.kind_${kind}`)}</span>`,
        },
        {
            name: 'models',
            title: t('admin.models'),
            cell: ({ id }) => html`<span class="document-text" dir="ltr">${modelsOf(id).join(', ')}</span>`,
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

/* What the settings in force use; other providers of the registry are left out. */
/** @param {support.Providers} answer */
function ready(answer) {
    const { nodes, providers } = answer;
    if (nodes.length === 0) return html`<div class="card section stack" id="models"><p>${t('admin.no_model_nodes')}</p></div>`;
    const used = inUse(answer);
    return html`<div class="card section stack" id="models">
        <dl class="facts">
            ${used.map(({ role, model }) => html`<div class="fact"><dt>${t(`admin.role_${role}`)}</dt><dd dir="ltr">${model}</dd></div>`)}
            <div class="fact"><dt>${t('admin.model_nodes')}</dt><dd>${nodes.map(stepName).join(', ')}</dd></div>
        </dl>
        ${table({ caption: t('admin.tab_models'), rows: providers.filter(({ active }) => active), columns: columns(used) })}
    </div>`;
}

export function modelsPanel(providers) {
    return resourceView(providers, { skeleton: { lines: 1, height: 'chart' }, ready });
}
