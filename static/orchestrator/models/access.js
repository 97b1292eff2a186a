/* Keys, teams, customers and their budgets: the tabs of administrators. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDate, formatDateTime, formatInteger, formatMoney } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { confirm } from '../../shared/ui/dialog.js';
import { empty } from '../../shared/ui/empty.js';
import { focusIssued, issuedSecret } from '../../shared/ui/issued.js';
import { html } from '../../shared/ui/lit.js';
import { menu } from '../../shared/ui/menu.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { attempt } from '../../experiments/attempt.js';
import { client } from '../models.js';
import { openBudgets } from './budgets.js';
import { askForCustomer, askForKey, askForTeam } from './dialogs.js';

/** @type {Record<string, (id: string) => `/api/v1/keys/${string}` | `/api/v1/teams/${string}` | `/api/v1/customers/${string}`>} */
const paths = {
    keys: (id) => `/api/v1/keys/${encodeURIComponent(id)}`,
    teams: (id) => `/api/v1/teams/${encodeURIComponent(id)}`,
    customers: (id) => `/api/v1/customers/${encodeURIComponent(id)}`,
};

async function loadAll(signal) {
    const [keys, teams, customers, budgets] = await Promise.all([
        client.get('/api/v1/keys', { signal }),
        client.get('/api/v1/teams', { signal }),
        client.get('/api/v1/customers', { signal }),
        client.get('/api/v1/budgets', { signal }),
    ]);
    return { keys: keys.data.keys, teams: teams.data.teams, customers: customers.data.customers, budgets: budgets.data.budgets };
}

/** The state of a key in one word; its team and customer are checked by the service. */
function stateOf({ active, expires_at: expires }) {
    if (!active) return badge(t('models.key_off'), 'plain');
    if (expires !== null && new Date(expires).getTime() < Date.now()) return badge(t('models.key_expired'), 'caution');
    return badge(t('models.key_active'), 'good');
}

function budgetLines(all, owner) {
    const mine = all.filter(({ owner_id: id }) => id === owner.id);
    if (mine.length === 0) return html`<span class="section-note">${t('models.no_budget')}</span>`;
    return html`<ul class="plain-list">
        ${mine.map((one) => {
            const full = one.left_usd === 0;
            return html`<li>
                ${t(`models.spent_of_${one.period}`, { spent: formatMoney(one.spent_usd, 'USD'), limit: formatMoney(one.limit_usd, 'USD') })}
                ${full ? badge(t('models.used_up'), 'danger') : null}
            </li>`;
        })}
    </ul>`;
}

function limits({ requests_per_minute: requests, tokens_per_minute: tokens }) {
    const parts = [
        requests === null ? null : t('models.requests_a_minute', { number: formatInteger(requests) }),
        tokens === null ? null : t('models.tokens_a_minute', { number: formatInteger(tokens) }),
    ].filter((part) => part !== null);
    return parts.length === 0 ? t('models.no_limit') : html`${parts.map((part, index) => html`${index > 0 ? html`<br />` : null}${part}`)}`;
}

const rowActions = (items, name) => html`<div class="row-actions">${menu({ label: t('models.actions_of', { name }), items })}</div>`;

export function createAccess(update) {
    const all = createResource(update, loadAll);
    let made = null;

    const reloadIf = async (done) => {
        if (await done) all.reload();
    };
    const remove = async (kind, row, text) => {
        if (!(await confirm({ title: t('models.delete_title', { name: row.name }), text, action: t('models.delete') }))) return;
        if (await attempt(() => client.delete(paths[kind](row.id)))) all.reload();
    };
    const budgetsOf = async (kind, owner) => {
        await openBudgets(kind, owner);
        all.reload();
    };

    const actions = {
        async addKey() {
            const created = await askForKey(client, all.data);
            if (created === undefined) return;
            made = created;
            all.reload();
            focusIssued();
        },
        editKey: (key) => reloadIf(askForKey(client, all.data, key)),
        async turnKey(key) {
            const { name, team_id, allowed_models, requests_per_minute, tokens_per_minute, stores_prompts, redacts_prompts, expires_at } = key;
            const body = { name, team_id, allowed_models, requests_per_minute, tokens_per_minute, stores_prompts, redacts_prompts, expires_at, active: !key.active };
            if (await attempt(() => client.put(paths.keys(key.id), body))) all.reload();
        },
        addTeam: () => reloadIf(askForTeam(client, all.data)),
        addCustomer: () => reloadIf(askForCustomer(client)),
    };

    const keyColumns = (budgets) => [
        { name: 'name', title: t('models.key'), sortable: true, cell: (key) => html`<span dir="auto">${key.name}</span> ${stateOf(key)}<br /><span class="section-note mono" dir="ltr">${key.prefix}…</span>` },
        { name: 'team_name', title: t('models.team'), cell: (key) => (key.team_name === null ? '–' : html`<span dir="auto">${key.team_name}</span>${key.customer_name === null ? null : html`<br /><span class="section-note" dir="auto">${key.customer_name}</span>`}`) },
        { name: 'allowed_models', title: t('models.allowed'), cell: (key) => (key.allowed_models.length === 0 ? t('models.all_models') : html`<span class="mono">${key.allowed_models.join(', ')}</span>`) },
        { name: 'limits', title: t('models.limits'), cell: limits },
        { name: 'budgets', title: t('models.budgets'), cell: (key) => budgetLines(budgets, key) },
        {
            name: 'last_used_at',
            title: t('models.last_used'),
            cell: (key) => html`${key.last_used_at === null ? t('models.never') : html`<time datetime=${key.last_used_at} title=${formatDateTime(key.last_used_at)}>${formatAgo(key.last_used_at)}</time>`}${key.expires_at === null ? null : html`<br /><span class="section-note">${t('models.until', { date: formatDate(key.expires_at) })}</span>`}`,
        },
        {
            name: 'actions',
            title: t('models.actions'),
            titleHidden: true,
            align: 'end',
            cell: (key) =>
                rowActions(
                    [
                        { title: t('models.edit'), run: () => actions.editKey(key) },
                        { title: t('models.budgets'), run: () => budgetsOf('key', key) },
                        { title: t(key.active ? 'models.turn_off' : 'models.turn_on'), run: () => actions.turnKey(key) },
                        { title: t('models.delete'), tone: 'danger', run: () => remove('keys', key, t('models.delete_key_text')) },
                    ],
                    key.name,
                ),
        },
    ];

    const ownerColumns = (kind, budgets, second) => [
        { name: 'name', title: t(`models.${kind}`), cell: (row) => html`<span dir="auto">${row.name}</span> ${row.active ? null : badge(t('models.key_off'), 'plain')}` },
        ...second,
        { name: 'budgets', title: t('models.budgets'), cell: (row) => budgetLines(budgets, row) },
        {
            name: 'actions',
            title: t('models.actions'),
            titleHidden: true,
            align: 'end',
            cell: (row) =>
                rowActions(
                    [
                        { title: t('models.edit'), run: () => reloadIf(kind === 'team' ? askForTeam(client, all.data, row) : askForCustomer(client, row)) },
                        { title: t('models.budgets'), run: () => budgetsOf(kind, row) },
                        { title: t('models.delete'), tone: 'danger', run: () => remove(`${kind}s`, row, t(`models.delete_${kind}_text`)) },
                    ],
                    row.name,
                ),
        },
    ];

    const section = (id, title, button, content) =>
        html`<section class="card section stack" aria-labelledby=${`${id}-title`}>
            <div class="section-head">
                <h2 id=${`${id}-title`}>${title}</h2>
                ${button}
            </div>
            ${content}
        </section>`;
    const button = (text, press) => html`<button type="button" class="button" data-kind="primary" data-size="small" ?disabled=${all.data === undefined} @click=${press}>${text}</button>`;

    function keysView() {
        return html`<div class="stack">
            ${made === null ? null : issuedSecret({ title: t('models.key_made', { name: made.name }), text: t('models.key_made_text'), secret: made.key })}
            ${section(
                'keys',
                t('models.keys'),
                button(t('models.add_key'), actions.addKey),
                resourceView(all, {
                    skeleton: { lines: 4, height: 'row' },
                    ready: ({ keys, budgets }) =>
                        keys.length === 0
                            ? empty({ title: t('models.no_keys'), text: t('models.no_keys_text') })
                            : table({ columns: keyColumns(budgets), rows: keys, key: ({ id }) => id, caption: t('models.keys') }),
                }),
            )}
        </div>`;
    }

    function ownersView() {
        const list = (kind, rows, budgets, second) =>
            rows.length === 0
                ? empty({ title: t(`models.no_${kind}s`), text: t(`models.no_${kind}s_text`) })
                : table({ columns: ownerColumns(kind, budgets, second), rows, key: ({ id }) => id, caption: t(`models.${kind}s`) });
        return html`<div class="stack">
            ${section(
                'teams',
                t('models.teams'),
                button(t('models.add_team'), actions.addTeam),
                resourceView(all, {
                    skeleton: { lines: 3, height: 'row' },
                    ready: ({ teams, keys, budgets }) =>
                        list('team', teams, budgets, [
                            { name: 'customer_name', title: t('models.customer'), cell: (team) => team.customer_name ?? '–' },
                            { name: 'keys', title: t('models.keys'), align: 'end', cell: (team) => formatInteger(keys.filter(({ team_id: id }) => id === team.id).length) },
                        ]),
                }),
            )}
            ${section(
                'customers',
                t('models.customers'),
                button(t('models.add_customer'), actions.addCustomer),
                resourceView(all, {
                    skeleton: { lines: 2, height: 'row' },
                    ready: ({ customers, teams, budgets }) =>
                        list('customer', customers, budgets, [
                            { name: 'teams', title: t('models.teams'), align: 'end', cell: (customer) => formatInteger(teams.filter(({ customer_id: id }) => id === customer.id).length) },
                        ]),
                }),
            )}
        </div>`;
    }

    return { load: () => all.load(), keysView, ownersView };
}
