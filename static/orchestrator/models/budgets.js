/* The budgets of a key, a team or a customer, in a dialog: what is spent of each, new ones, changes. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatMoney, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { attempt } from '../../experiments/attempt.js';
import { client } from '../models.js';

const periods = ['hour', 'day', 'week', 'month', 'quarter'];

const money = (name, options = {}) => ({ name, kind: 'number', label: () => t(`models.field_${name}`), affix: () => 'USD', ...options });

function limitFields() {
    return [
        money('limit_usd'),
        { name: 'alert_percents', kind: 'text', optional: true, label: () => t('models.field_alert_percents'), affix: () => '%', hint: () => t('models.alerts_hint') },
        money('extra_usd', { optional: true, hint: () => t('models.extra_hint') }),
        { name: 'extra_until', kind: 'date', optional: true, label: () => t('models.field_extra_until') },
    ];
}

const limitBody = ({ limit_usd: limit, alert_percents: alerts = '', extra_usd: extra = 0, extra_until: day }) => ({
    limit_usd: limit ?? null,
    alert_percents: String(alerts).split(/[,;%\s]+/).filter(Boolean).map(Number),
    extra_usd: extra,
    extra_until: day === undefined ? null : `${day}T23:59:59Z`,
});

function askForBudget(kind, owner) {
    return formDialog({
        id: 'budget',
        wide: true,
        title: t('models.add_budget_title', { name: owner.name }),
        action: t('models.add_budget'),
        fields: [
            { name: 'period', kind: 'select', label: () => t('models.field_period'), initial: 'month', options: () => periods.map((value) => ({ value, title: t(`models.period_${value}`) })) },
            { name: 'window', kind: 'choice', label: () => t('models.field_window'), options: () => ['calendar', 'rolling'].map((value) => ({ value, title: t(`models.window_${value}`) })) },
            ...limitFields(),
        ],
        send: (values) =>
            client.post('/api/v1/budgets', { owner_kind: kind, owner_id: owner.id, period: values.period, rolling: values.window === 'rolling', ...limitBody(values) }),
    });
}

function askForLimit(budget) {
    return formDialog({
        id: 'budget',
        wide: true,
        title: t('models.edit_budget_title', { period: t(`models.period_${budget.period}`) }),
        action: t('models.save'),
        fields: limitFields(),
        values: { ...budget, alert_percents: budget.alert_percents.join(', '), extra_usd: budget.extra_usd === 0 ? undefined : budget.extra_usd, extra_until: budget.extra_until?.slice(0, 10) },
        send: (values) => client.put(`/api/v1/budgets/${encodeURIComponent(budget.id)}`, limitBody(values)),
    });
}

function columns(reload) {
    const press = (text, run) => html`<button type="button" class="button" data-kind="quiet" data-size="small" @click=${run}>${text}</button>`;
    return [
        { name: 'period', title: t('models.field_period'), cell: (one) => html`${t(`models.period_${one.period}`)}<br /><span class="section-note">${t(one.rolling ? 'models.window_rolling' : 'models.window_calendar')}</span>` },
        {
            name: 'spent_usd',
            title: t('models.budget_spent'),
            align: 'end',
            cell: (one) => {
                const share = one.limit_usd === 0 ? null : one.spent_usd / one.limit_usd;
                return html`${formatMoney(one.spent_usd, 'USD', 4)}${share === null ? null : html` <span class="section-note">${formatPercent(share, 2)}</span>`}
                ${one.left_usd === 0 ? badge(t('models.used_up'), 'danger') : null}`;
            },
        },
        { name: 'held_usd', title: t('models.held'), align: 'end', cell: (one) => formatMoney(one.held_usd, 'USD', 4) },
        { name: 'limit_usd', title: t('models.field_limit_usd'), align: 'end', cell: (one) => html`${formatMoney(one.limit_usd, 'USD')}${one.extra_until !== null && one.extra_usd > 0 ? html`<br /><span class="section-note">+${formatMoney(one.extra_usd, 'USD')}</span>` : null}` },
        { name: 'window_until', title: t('models.resets'), cell: (one) => (one.rolling ? t('models.moves') : formatDateTime(one.window_until)) },
        {
            name: 'actions',
            title: t('models.actions'),
            titleHidden: true,
            align: 'end',
            cell: (one) =>
                html`<div class="row-actions">
                    ${press(t('models.edit'), async () => (await askForLimit(one)) && reload())}
                    ${press(t('models.delete'), async () => (await attempt(() => client.delete(`/api/v1/budgets/${encodeURIComponent(one.id)}`))) && reload())}
                </div>`,
        },
    ];
}

/* Resolves when the dialog is closed. */
export function openBudgets(kind, owner) {
    let draw = null;
    const budgets = createResource(
        () => draw?.(),
        async (signal) => (await client.get('/api/v1/budgets', { query: { owner_id: owner.id }, signal })).data.budgets,
    );
    const reload = () => budgets.reload();
    const closed = openDialog({
        title: t('models.budgets_of', { name: owner.name }),
        wide: true,
        body: (close, redraw) => {
            draw = redraw;
            return html`<div class="stack">
                <p class="section-note">${t('models.budgets_rule')}</p>
                ${resourceView(budgets, {
                    skeleton: { lines: 2, height: 'row' },
                    isEmpty: (rows) => rows.length === 0,
                    empty: { title: t('models.no_budgets'), text: t('models.no_budgets_text') },
                    ready: (rows) => table({ columns: columns(reload), rows, key: ({ id }) => id, caption: t('models.budgets') }),
                })}
                <div class="button-row">
                    <button type="button" class="button" data-kind="primary" @click=${async () => (await askForBudget(kind, owner)) && reload()}>${t('models.add_budget')}</button>
                </div>
            </div>`;
        },
    });
    budgets.load();
    return closed;
}
