/* The models as a template: what each can do, how busy it is, what has been spent; and the tabs of keys. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatMoney } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { menu } from '../../shared/ui/menu.js';
import { resourceView } from '../../shared/ui/resource.js';
import { skeleton } from '../../shared/ui/skeleton.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';

const tones = { observed_available: 'good', observed_unverified: 'info', observed_unavailable: 'danger' };

/* A model that cannot be called says why; whether a browser's model is there is known only when it was seen. */
function availability(row) {
    if (!row.callable) return html`${badge(t('models.not_connected'), 'plain')}<br /><span class="section-note">${row.why_not_callable}</span>`;
    return badge(t(`models.${row.availability_status}`), tones[row.availability_status] ?? 'good');
}

const withoutName = { other: 'models.provider_other_short' };

/* Of a stored key the last characters are shown, if it is long enough. */
function kind(row) {
    if (row.adapter_kind === 'browser') return t('models.by_browser', { provider: row.provider });
    const name = row.was_added ? t(withoutName[row.provider] ?? `models.provider_${row.provider}`) : row.provider;
    if ((row.key_ending ?? null) === null) return name;
    return html`${name}<br /><span class="section-note">${row.key_ending === '' ? t('models.has_key') : t('models.key_ends', { ending: row.key_ending })}</span>`;
}

/* The result of a test stands beside its button until the next one. */
function trialCell(row, trials, actions) {
    const trial = trials.get(row.id);
    const { test, changeModelKey, removeModel } = actions;
    const items = [
        { title: t('models.change_key'), run: () => changeModelKey(row) },
        { title: t('models.delete'), tone: 'danger', run: () => removeModel(row) },
    ];
    return html`<div class="row-actions">
        ${trial === undefined || trial.busy ? null : badge(t(trial.succeeded ? 'models.answers' : 'models.fails'), trial.succeeded ? 'good' : 'danger')}
        <button type="button" class="button" data-size="small" ?disabled=${trial?.busy} @click=${() => test(row)}>${t(trial?.busy ? 'models.testing' : 'models.test')}</button>
        ${row.was_added ? menu({ label: t('models.actions_of', { name: row.display_name }), items }) : null}
    </div>`;
}

function columns(load, trials, actions) {
    return [
        { name: 'display_name', title: t('models.name'), cell: (row) => html`${row.display_name}<br /><span class="section-note mono">${row.id}</span>` },
        { name: 'adapter_kind', title: t('models.kind'), cell: kind },
        { name: 'availability_status', title: t('models.availability'), cell: availability },
        {
            name: 'busy',
            title: t('models.busy'),
            align: 'end',
            cell: (row) => t('models.busy_of', { busy: load?.active_by_model[row.id] ?? 0, limit: row.concurrency_limit, waiting: load?.waiting_by_model[row.id] ?? 0 }),
        },
        { name: 'timeout_seconds', title: t('models.timeout'), align: 'end' },
        {
            name: 'price',
            title: t('models.price'),
            align: 'end',
            cell: (row) =>
                row.usd_per_1000_input === null
                    ? '–'
                    : `${formatMoney(row.usd_per_1000_input, 'USD', 5)} / ${formatMoney(row.usd_per_1000_output, 'USD', 5)}`,
        },
        { name: 'test', title: t('models.test'), titleHidden: true, align: 'end', cell: (row) => trialCell(row, trials, actions) },
    ];
}

function spend({ spend: day }) {
    const share = (value) => (value === null ? '–' : formatMoney(value, 'USD', 4));
    return html`<section class="card figures" aria-label=${t('models.spend')}>
        ${[['spent', day.usd], ['held', day.held_usd], ['limit', day.limit]].map(
            ([name, value]) => html`<div class="figure"><span class="figure-label">${t(`models.${name}`)}</span><span class="figure-value">${share(value)}</span></div>`,
        )}
    </section>`;
}

function modelsView({ models, load, trials, mayManage, actions }) {
    return html`<div class="stack">
        ${load.data !== undefined ? spend(load.data) : load.error ? null : skeleton({ lines: 1, height: 'card' })}
        <section class="card section stack" aria-labelledby="models-title">
            <div class="section-head">
                <h2 id="models-title">${t('models.all')}</h2>
                <div class="button-row">
                    <button type="button" class="button" data-size="small" id="refresh" @click=${actions.refresh}>${t('models.refresh')}</button>
                    ${mayManage ? html`<button type="button" class="button" data-kind="primary" data-size="small" id="add-model" @click=${actions.addModel}>${t('models.add_model')}</button>` : null}
                </div>
            </div>
            ${resourceView(models, {
                skeleton: { lines: 6, height: 'row' },
                ready: (data) =>
                    html`${table({ columns: columns(load.data, trials, actions), rows: data.models, key: ({ id }) => id, caption: t('models.all') })}
                        <p class="section-note">${t('models.checked', { time: formatDateTime(data.last_checked), source: data.source })}</p>`,
            })}
        </section>
    </div>`;
}

/** @param {{ models: Resource<orchestrator.Models>, load: any, trials: Map<string, any>, access: any, tab: string, mayManage: boolean, actions: any }} state */
export function view(state) {
    if (!state.models) return html``;
    if (!state.mayManage) return modelsView(state);
    const panels = { models: () => modelsView(state), keys: state.access.keysView, owners: state.access.ownersView };
    return tabs({
        id: 'access',
        label: t('models.title'),
        tabs: Object.keys(panels).map((name) => ({ name, title: t(`models.tab_${name}`) })),
        current: state.tab in panels ? state.tab : 'models',
        onSelect: state.actions.open,
        panel: (name) => panels[name](),
    });
}
