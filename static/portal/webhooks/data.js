/* Webhooks of live data: which events go where, a try of each, and its last deliveries. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { focusIssued, issuedSecret } from '../../shared/ui/issued.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../../experiments/attempt.js';
import { press } from '../../experiments/settings/press.js';

const pathOf = (id) => /** @type {const} */ (`/v1/webhooks/${encodeURIComponent(id)}`);
const listOf = (text) => {
    const all = (text ?? '').split(/[\s,]+/).filter(Boolean);
    return all.length > 0 ? all : null;
};
const joined = (list) => (list === null ? t('webhooks.all') : html`<span dir="ltr">${list.join(', ')}</span>`);

/** @param {livedata.WebhookFilters} filters */
function filterText({ event_types: types, entity_ids: ids, min_amount: amount }) {
    return html`${joined(types)}
        ${ids === null ? null : html`<br /><span class="section-note" dir="ltr">${ids.join(', ')}</span>`}
        ${amount === null ? null : html`<br /><span class="section-note">${t('webhooks.amount_from', { amount })}</span>`}`;
}

const deliveryColumns = () => [
    { name: 'delivered_at', title: t('webhooks.when'), cell: ({ delivered_at: at }) => formatDateTime(at) },
    { name: 'event_type', title: t('webhooks.event'), cell: ({ event_type: type }) => html`<span class="mono" dir="ltr">${type}</span>` },
    {
        name: 'success',
        title: t('webhooks.result'),
        cell: ({ success, status_code: code }) => badge(`${t(success ? 'webhooks.delivered' : 'webhooks.failed')}${code ? ` · ${code}` : ''}`, success ? 'good' : 'danger'),
    },
    { name: 'attempt', title: t('webhooks.attempt'), align: 'end', cell: ({ attempt: count }) => formatInteger(count) },
    { name: 'error', title: t('webhooks.error'), cell: ({ error }) => error ?? '–' },
];

export function createDataWebhooks(update) {
    /** @type {Client<'livedata'>} */
    const client = createClient({ service: 'livedata' });
    let made = null;
    let problem = null;
    let open = null;
    let busy = false;

    const hooks = createResource(update, async (signal) => (await client.get('/v1/webhooks', { signal })).data.webhooks);
    const logs = createResource(update, async (signal, id) => (await client.get(`${pathOf(id)}/logs`, { signal })).data.logs);

    const form = createForm(update, {
        id: 'data-webhook',
        fields: [
            { name: 'url', kind: 'url', label: () => t('webhooks.target'), placeholder: 'https://', wide: true },
            { name: 'event_types', kind: 'text', label: () => t('webhooks.types'), hint: () => t('webhooks.types_hint'), placeholder: 'order, payment.failed', optional: true },
            { name: 'min_amount', kind: 'number', label: () => t('webhooks.amount'), optional: true },
        ],
        onSubmit: create,
    });

    async function create({ url = '', event_types: types, min_amount: amount = null }) {
        busy = true;
        problem = null;
        form.clearProblems();
        try {
            const filters = { event_types: listOf(types), entity_ids: null, min_amount: amount };
            made = (await client.post('/v1/webhooks', { url, filters })).data;
            form.write({});
            focusIssued();
            hooks.reload();
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) problem = error;
        } finally {
            busy = false;
            update();
        }
    }

    function show(hook) {
        open = hook;
        logs.open(hook.id);
        setTimeout(() => document.getElementById('logs-title')?.focus());
    }

    async function test(hook) {
        await attempt(async () => {
            const { data } = await client.request('POST', `${pathOf(hook.id)}/test`);
            toast(t(data.success ? 'webhooks.test_delivered' : 'webhooks.test_failed'), { tone: data.success ? 'good' : 'danger' });
        });
        show(hook);
    }

    async function remove(hook) {
        const sure = await confirm({ title: t('webhooks.delete_title'), text: t('webhooks.delete_text', { url: hook.url }), action: t('webhooks.delete') });
        if (!sure) return;
        await attempt(() => client.delete(pathOf(hook.id)));
        if (open?.id === hook.id) open = null;
        hooks.reload();
    }

    const columns = () => [
        { name: 'url', title: t('webhooks.target'), cell: ({ url }) => html`<span class="key-text" dir="ltr">${url}</span>` },
        { name: 'filters', title: t('webhooks.events'), cell: ({ filters }) => filterText(filters) },
        { name: 'created_at', title: t('webhooks.created'), cell: ({ created_at: at }) => formatDateTime(at) },
        {
            name: 'actions',
            title: t('webhooks.actions'),
            titleHidden: true,
            cell: (hook) =>
                html`<div class="button-row">
                    ${press(t('webhooks.deliveries'), hook, show, { name: hook.url })} ${press(t('webhooks.test'), hook, test, { name: hook.url })}
                    ${press(t('webhooks.delete'), hook, remove, { kind: 'danger', name: hook.url })}
                </div>`,
        },
    ];

    function deliveries() {
        return html`<section class="card section stack" aria-labelledby="logs-title" id="logs">
            <h2 id="logs-title" tabindex="-1">${t('webhooks.deliveries_of')} <span class="key-text" dir="ltr">${open.url}</span></h2>
            ${resourceView(logs, {
                skeleton: { lines: 3, height: 'row' },
                isEmpty: (rows) => rows.length === 0,
                empty: { title: t('webhooks.no_deliveries') },
                ready: (rows) => table({ caption: t('webhooks.deliveries_of'), columns: deliveryColumns(), rows, key: ({ delivery_id: id }) => id }),
            })}
        </section>`;
    }

    return {
        load: () => hooks.load(),
        view: () => html`<div class="stack">
            ${made === null ? null : issuedSecret({ title: t('webhooks.made'), text: t('webhooks.once'), secret: made.secret })}
            ${problem === null ? null : errorNotice(problem)}
            <section class="card section" aria-labelledby="data-hooks-title" id="data-hooks">
                <h2 id="data-hooks-title">${t('webhooks.title')}</h2>
                ${resourceView(hooks, {
                    skeleton: { lines: 3, height: 'row' },
                    isEmpty: (rows) => rows.length === 0,
                    empty: { title: t('webhooks.none'), text: t('webhooks.none_text') },
                    ready: (rows) => table({ caption: t('webhooks.title'), columns: columns(), rows, key: ({ id }) => id }),
                })}
            </section>
            ${open === null ? null : deliveries()}
            <section class="card section stack" aria-labelledby="new-hook-title">
                <h2 id="new-hook-title">${t('webhooks.new')}</h2>
                ${form.view(null, { label: t('webhooks.new'), action: t('webhooks.create'), busy })}
            </section>
        </div>`,
    };
}
