/* Prompts as a template: the list, and one prompt with its versions, a trial and the code of a call. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger } from '../../shared/numbers.js';
import { apiAddress } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { diffView, messageText, variableList } from './parts.js';
import { groupsOf, snippets, variablesOf } from './template.js';

const versionText = (version) => t('prompts.version_number', { version: formatInteger(version) });

function columns({ actions }) {
    return [
        {
            name: 'name',
            title: t('prompts.name'),
            cell: ({ name }) =>
                html`<a
                    class="mono"
                    dir="ltr"
                    href=${`?name=${encodeURIComponent(name)}`}
                    @click=${(event) => {
                        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                        event.preventDefault();
                        actions.open(name);
                    }}
                    >${name}</a
                >`,
        },
        { name: 'production', title: t('prompts.in_production'), cell: ({ production }) => (production === null ? '–' : versionText(production.version)) },
        { name: 'variables', title: t('prompts.variables'), cell: ({ production, versions }) => html`<span class="mono" dir="ltr">${variablesOf((production ?? versions[0]).messages).join(', ') || '–'}</span>` },
        { name: 'versions', title: t('prompts.versions'), align: 'end', cell: ({ versions }) => formatInteger(versions.length) },
        { name: 'created_at', title: t('prompts.changed'), cell: ({ versions }) => formatDateTime(versions[0].created_at) },
    ];
}

function listView(page) {
    const { templates, actions } = page;
    return html`<section class="card section stack" aria-labelledby="prompts-title">
        <div class="section-head">
            <h2 id="prompts-title">${t('prompts.all')}</h2>
            <button type="button" class="button" data-kind="primary" data-size="small" id="add-prompt" @click=${() => actions.write(null)}>${t('prompts.add')}</button>
        </div>
        ${resourceView(templates, {
            skeleton: { lines: 3, height: 'row' },
            ready: (rows) =>
                rows.length === 0
                    ? empty({ title: t('prompts.none'), text: t('prompts.none_text') })
                    : table({ columns: columns(page), rows: groupsOf(rows), key: ({ name }) => name, caption: t('prompts.title') }),
        })}
    </section>`;
}

function versionPicker(group, shown, { actions }) {
    return html`<div class="field">
        <label class="visually-hidden" for="version">${t('prompts.version')}</label>
        <select class="select" id="version" data-size="small" @change=${(event) => actions.show(Number(event.target.value))}>
            ${group.versions.map(({ version, production }) => html`<option value=${version} ?selected=${version === shown.version}>${production ? t('prompts.version_in_production', { version: formatInteger(version) }) : versionText(version)}</option>`)}
        </select>
    </div>`;
}

function codeView(shown, { trial, snippet, actions }) {
    const code = snippets({ name: shown.name, version: shown.version, variables: variablesOf(shown.messages), model: trial.chosen() ?? 'MODEL', base: apiAddress('/v1') });
    return html`<section class="card section stack" aria-labelledby="code-title">
        <h2 id="code-title">${t('prompts.code')}</h2>
        <p class="section-note">${t('prompts.code_text')}</p>
        ${tabs({
            id: 'code',
            label: t('prompts.code'),
            tabs: [{ name: 'curl', title: 'curl' }, { name: 'python', title: 'Python' }],
            current: snippet,
            onSelect: actions.snippet,
            panel: (name) => codeblock(code[name], { language: name, label: t('prompts.code') }),
        })}
    </section>`;
}

function detail(group, page) {
    const { version, trial, actions } = page;
    const shown = group.versions.find((one) => one.version === version) ?? group.production ?? group.versions[0];
    const before = group.versions.find((one) => one.version === shown.version - 1);
    return html`<div class="stack" id="prompt">
        <section class="card section stack" aria-labelledby="prompt-title">
            <div class="section-head">
                <h2 id="prompt-title" class="mono" dir="ltr">${group.name}</h2>
                ${versionPicker(group, shown, page)} ${shown.production ? badge(t('prompts.in_production'), 'good') : null}
            </div>
            <p class="section-note">${t('prompts.written', { time: formatDateTime(shown.created_at), by: shown.created_by ?? '–' })}</p>
            ${shown.messages.map(({ role, content }) => html`<div class="prompt-message"><h3 class="field-label">${t(`prompts.role_${role}`)}</h3>${messageText(content)}</div>`)}
            ${variableList(shown.messages)}
            <div class="button-row">
                <button type="button" class="button" data-kind="primary" data-size="small" id="new-version" @click=${() => actions.write(shown)}>${t('prompts.new_version')}</button>
                ${shown.production ? null : html`<button type="button" class="button" data-size="small" id="promote" @click=${() => actions.promote(shown)}>${t('prompts.promote')}</button>`}
                <button type="button" class="button" data-kind="quiet" data-size="small" id="delete-prompt" @click=${() => actions.remove(group.name)}>${t('prompts.delete')}</button>
            </div>
        </section>
        ${before === undefined ? null : html`<section class="card section">${diffView(before, shown.messages)}</section>`}
        ${trial.view(shown)} ${codeView(shown, page)}
    </div>`;
}

export function view(page) {
    const { templates, opened, editor, actions } = page;
    if (editor === null && opened === '') return listView(page);
    return html`<div class="stack">
        <div class="button-row"><button type="button" class="button" data-size="small" id="back" @click=${() => actions.open('')}>${t('prompts.back')}</button></div>
        ${editor !== null
            ? editor.view()
            : resourceView(templates, {
                  skeleton: { lines: 3, height: 'card' },
                  ready: (rows) => {
                      const group = groupsOf(rows).find(({ name }) => name === opened);
                      return group === undefined ? empty({ title: t('prompts.gone'), text: t('prompts.gone_text') }) : detail(group, page);
                  },
              })}
    </div>`;
}
