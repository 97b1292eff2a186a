/* Segments of users as templates: the list, and one segment with its rules, its list and its uses. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { targetingFacts } from '../experiment/flag_targeting.js';
import { partCard } from '../finding.js';
import { writers } from '../roles.js';

const pathOf = (id) => address(`/segments?segment=${encodeURIComponent(id)}`);

export const filters = () => [{ name: 'q', label: t('list.search'), kind: 'search' }];

export const columns = () => [
    {
        name: 'name',
        title: t('segments.name'),
        cell: ({ id, definition }) => html`<a data-name href=${pathOf(id)} dir="auto">${definition.name}</a>
            ${definition.description ? html`<p class="section-note list-hypothesis" dir="auto">${definition.description}</p>` : null}`,
    },
    { name: 'users', title: t('segments.listed'), align: 'end', cell: ({ user_count: count }) => formatInteger(count) },
    { name: 'rules', title: t('segments.rules'), align: 'end', cell: ({ definition }) => formatInteger(definition.rules.length) },
    { name: 'uses', title: t('segments.uses'), align: 'end', cell: ({ use_count: count }) => formatInteger(count) },
    { name: 'updated', title: t('list.updated'), cell: ({ updated_at: at }) => formatDateTime(at) },
];

function listView({ list, actions }) {
    if (!list) return html``;
    return html`<div class="stack">
        <div class="button-row"><button type="button" class="button" data-kind="primary" id="new-segment" data-for=${writers} @click=${actions.add}>${t('segments.new')}</button></div>
        <section class="card section" aria-label=${t('segments.title')}>${list.view()}</section>
    </div>`;
}

function usesTable(uses) {
    if (uses.length === 0) return empty({ title: t('segments.unused'), text: t('segments.unused_text') });
    return table({
        caption: t('segments.used_by'),
        columns: [
            {
                name: 'project_name',
                title: t('list.experiment'),
                cell: ({ project_id: id, project_name: name, is_archived: archived }) =>
                    archived ? html`<span dir="auto">${name}</span> (${t('state.archived')})` : html`<a href=${address(`/live/${encodeURIComponent(id)}`)} dir="auto">${name}</a>`,
            },
        ],
        rows: uses,
    });
}

const smallButton = (id, text, act) => html`<button type="button" class="button" data-size="small" data-for=${writers} id=${id} @click=${act}>${text}</button>`;

function rulesCard({ definition }, { change, rules, actions }) {
    const saved = /** @type {any} */ ({ targeting_rules: definition.rules, targeting_match: definition.match });
    return html`<section class="card section stack" aria-labelledby="rules-title" id="rules">
        <div class="section-head">
            <h2 id="rules-title">${t('segments.rules')}</h2>
            ${change.isOpen ? null : smallButton('edit-rules', t('segments.edit_rules'), change.open)}
        </div>
        ${definition.rules.length === 0 ? html`<p class="section-note">${t('segments.no_rules')}</p>` : targetingFacts(saved)}
        ${change.isOpen
            ? html`${change.notice()}
              ${rules.view(html`<div class="button-row">
                  <button type="submit" class="button" data-kind="primary" ?disabled=${change.busy}>${t(change.overtaken ? 'experiment.overtaken_save' : 'segments.save')}</button>
                  <button type="button" class="button" @click=${actions.closeRules}>${t('confirm.cancel')}</button>
              </div>`)}`
            : null}
    </section>`;
}

function listCard(segment, { users, actions }) {
    return html`<section class="card section stack" aria-labelledby="list-title" id="list">
        <div class="section-head">
            <h2 id="list-title">${t('segments.list')}</h2>
            ${smallButton('change-list', t('segments.change_list'), () => actions.changeList(segment))}
        </div>
        <p id="list-count">${t('segments.list_count', { count: formatInteger(segment.user_count) })}</p>
        <label class="field">
            <span class="field-label">${t('segments.from_file')}</span>
            <input type="file" id="list-file" data-for=${writers} accept=".csv,.txt,text/csv,text/plain" @change=${(event) => actions.takeFile(segment, event.target)} />
        </label>
        ${resourceView(users, {
            quiet: true,
            skeleton: { lines: 2, height: 'line' },
            ready: ({ users: shown, more }) => html`<ul class="rule-list" id="list-users">${shown.map((user) => html`<li><code dir="auto">${user}</code></li>`)}</ul>
                ${more ? html`<p class="section-note">${t('segments.more_users')}</p>` : null}`,
        })}
    </section>`;
}

function segmentView({ segment, uses }, page) {
    const { actions } = page;
    return html`<div class="stack">
        <p><a href=${address('/segments')}>${t('segments.all')}</a></p>
        ${segment.definition.description ? html`<p class="prose" dir="auto">${segment.definition.description}</p>` : null}
        <div class="button-row">
            <button type="button" class="button" id="rename-segment" data-for=${writers} @click=${() => actions.rename(segment)}>${t('segments.rename')}</button>
            <button type="button" class="button" id="delete-segment" data-for=${writers} ?disabled=${segment.use_count > 0} @click=${() => actions.remove(segment)}>${t('segments.delete')}</button>
        </div>
        ${segment.use_count > 0 ? html`<p class="field-hint">${t('segments.in_use')}</p>` : null} ${listCard(segment, page)} ${rulesCard(segment, page)} ${partCard('uses', t('segments.used_by'), usesTable(uses))}
    </div>`;
}

export function view(page) {
    const { segment, actions } = page;
    if (page.id === null) return listView(page);
    if (!segment) return html``;
    return resourceView(segment, {
        quiet: true,
        skeleton: { lines: 3, height: 'card' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.load) : errorNotice(error, { retry: actions.load })),
        ready: (data) => segmentView(data, page),
    });
}
