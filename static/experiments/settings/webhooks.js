/* Webhooks: who is told of what, whether that works, and what became of each delivery. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { confirm } from '../../shared/ui/dialog.js';
import { html } from '../../shared/ui/lit.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { filterBar, table } from '../../shared/ui/table.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { actionText } from '../audit.js';
import { press } from './press.js';
import { askForWebhook } from './webhook.js';

const tones = { delivered: 'good', failed: 'danger', retrying: 'caution', pending: 'plain' };
const listed = 100; /* deliveries, the newest */
const pathOf = (id) => /** @type {const} */ (`/api/v1/webhooks/${encodeURIComponent(id)}`);
const statusBadge = (status) => badge(t(`settings.delivery_${status}`), tones[status] ?? 'plain');
const time = (at) => (at === null ? '–' : formatDateTime(at));

/** @param {experiments.WebhookDelivery} delivery */
function answerOf({ response_code: code, error_message: message, response_body: body }) {
    const said = message ?? body;
    return html`<span>${code ?? '–'} ${said ? html`<span class="section-note" dir="auto">${said}</span>` : null}</span>`;
}

const deliveryColumns = (resend) => [
    { name: 'event_id', title: t('settings.event') },
    { name: 'status', title: t('settings.state'), cell: ({ status }) => statusBadge(status) },
    { name: 'attempt_count', title: t('settings.attempts'), align: 'end', cell: ({ attempt_count: count }) => formatInteger(count) },
    { name: 'last_attempt_at', title: t('settings.last_attempt'), cell: ({ last_attempt_at: at }) => time(at) },
    { name: 'next_attempt_at', title: t('settings.next_attempt'), cell: ({ next_attempt_at: at }) => time(at) },
    { name: 'answer', title: t('settings.answer'), cell: answerOf },
    {
        name: 'actions',
        title: t('settings.actions'),
        titleHidden: true,
        cell: (delivery) => (delivery.status === 'failed' ? press(t('settings.resend'), delivery, resend, { name: delivery.event_id }) : null),
    },
];

/** @param {experiments.Webhook} hook */
function stateOf({ enabled, last_delivered_at: delivered, last_error_at: failed }) {
    if (!enabled) return badge(t('settings.off'));
    if (failed !== null && (delivered === null || failed > delivered)) return badge(t('settings.failing', { time: formatAgo(failed) }), 'danger');
    return delivered === null ? badge(t('settings.on'), 'good') : badge(t('settings.told', { time: formatAgo(delivered) }), 'good');
}

export function createWebhooks(update, operator) {
    const { client } = operator;
    let open = null; /* whose deliveries are shown */
    let status = '';

    const hooks = createResource(update, async (signal) => (await client.get('/api/v1/webhooks', { signal })).data.subscriptions);
    const deliveries = createResource(update, async (signal, id) => {
        const query = { limit: listed, status };
        return (await client.get(`${pathOf(id)}/deliveries`, { query, signal })).data;
    });

    function reload() {
        hooks.reload();
        if (open !== null) deliveries.reload();
    }

    function show(hook) {
        open = hook;
        deliveries.open(hook.id);
        setTimeout(() => document.getElementById('deliveries-title')?.focus());
    }

    async function edit(hook = null) {
        await attempt(async () => {
            const { keys } = (await client.get('/api/v1/keys')).data;
            if (await askForWebhook(client, keys, hook)) reload();
        });
    }

    async function test(hook) {
        await attempt(async () => {
            const { data } = await client.request('POST', `${pathOf(hook.id)}/test`);
            const arrived = data.status === 'delivered';
            toast(t(arrived ? 'settings.test_arrived' : 'settings.test_failed', { code: data.response_code ?? '–' }), { tone: arrived ? 'good' : 'danger' });
        });
        show(hook);
        hooks.reload();
    }

    async function resend({ id }) {
        await attempt(() => client.request('POST', `${pathOf(open.id)}/deliveries/${encodeURIComponent(id)}/resend`));
        deliveries.reload();
    }

    async function turn({ id, enabled }) {
        await attempt(() => client.patch(pathOf(id), { enabled: !enabled }));
        reload();
    }

    async function remove({ id, name }) {
        const sure = await confirm({ title: t('settings.delete_title', { name }), text: t('settings.delete_webhook_text'), action: t('settings.delete') });
        if (!sure) return;
        await attempt(() => client.delete(pathOf(id)));
        if (open?.id === id) open = null;
        reload();
    }

    const columns = () => [
        {
            name: 'name',
            title: t('settings.name'),
            cell: ({ name, target_url: url }) => html`<span dir="auto">${name}</span><br /><span class="section-note key-text" dir="ltr">${url}</span>`,
        },
        {
            name: 'event_filter',
            title: t('settings.events'),
            cell: ({ event_filter: kinds }) => (kinds.length === 0 ? t('settings.all_events') : kinds.map(actionText).join(', ')),
        },
        { name: 'scope', title: t('settings.of'), cell: ({ scope }) => t(`settings.of_${scope}`) },
        { name: 'state', title: t('settings.state'), cell: stateOf },
        {
            name: 'actions',
            title: t('settings.actions'),
            titleHidden: true,
            cell: (hook) =>
                html`<div class="button-row">
                    ${press(t('settings.deliveries'), hook, show)} ${press(t('settings.test'), hook, test)} ${press(t('settings.edit'), hook, edit)}
                    ${press(t(hook.enabled ? 'settings.turn_off' : 'settings.turn_on'), hook, turn)}
                    ${press(t('settings.delete'), hook, remove, { kind: 'danger' })}
                </div>`,
        },
    ];

    const filters = () => [
        {
            name: 'status',
            label: t('settings.state'),
            kind: 'select',
            options: Object.keys(tones).map((value) => ({ value, title: t(`settings.delivery_${value}`) })),
        },
    ];

    function deliveriesCard() {
        const title = t('settings.deliveries_of', { name: open.name });
        const filter = (patch) => {
            status = patch.status;
            deliveries.reload();
        };
        return html`<section class="card section stack" aria-labelledby="deliveries-title" id="deliveries">
            <h2 id="deliveries-title" tabindex="-1" dir="auto">${title}</h2>
            <p class="section-note">${t('settings.deliveries_note')}</p>
            ${filterBar({ filters: filters(), values: { status }, onFilter: filter })}
            ${resourceView(deliveries, {
                skeleton: { lines: 4, height: 'row' },
                isEmpty: ({ deliveries: rows }) => rows.length === 0,
                empty: { title: t('settings.no_deliveries') },
                ready: ({ deliveries: rows }) => table({ caption: title, columns: deliveryColumns(resend), rows, key: ({ id }) => id }),
            })}
            <div class="button-row">
                <button type="button" class="button" data-size="small" @click=${() => deliveries.reload()}>${t('settings.refresh')}</button>
            </div>
        </section>`;
    }

    return {
        load: () => operator.known() && hooks.load(),
        view: () =>
            operator.view(hooks, {
                skeleton: { lines: 4, height: 'row' },
                ready: (rows) => html`<div class="stack">
                    <div class="button-row">
                        <button type="button" class="button" data-kind="primary" id="new-webhook" @click=${() => edit()}>${t('settings.new_webhook')}</button>
                    </div>
                    <section class="card section" aria-labelledby="webhooks-title" id="webhooks">
                        <div class="section-head"><h2 id="webhooks-title">${t('settings.tab_webhooks')}</h2></div>
                        ${rows.length === 0
                            ? html`<p class="section-note">${t('settings.no_webhooks')}</p>`
                            : table({ caption: t('settings.tab_webhooks'), columns: columns(), rows, key: ({ id }) => id })}
                    </section>
                    ${open === null ? null : deliveriesCard()}
                </div>`,
            }),
    };
}
