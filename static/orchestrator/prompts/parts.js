/* Parts of templates that several views show. */
import { t } from '../../shared/i18n.js';
import { html } from '../../shared/ui/lit.js';
import { diffLines, linesOf, partsOf, variablesOf } from './template.js';

const signs = { same: '', removed: '−', added: '+' };

export function messageText(content) {
    return html`<p class="prompt-text" dir="auto">${partsOf(content).map(({ text, name }) => (name === null ? text : html`<span class="prompt-variable" dir="ltr">${text}</span>`))}</p>`;
}

export function variableList(messages) {
    const names = variablesOf(messages);
    return html`<p class="section-note" id="variables">
        ${names.length === 0 ? t('prompts.no_variables') : html`${t('prompts.variables')}: ${names.map((name, index) => html`${index > 0 ? ', ' : ''}<span class="mono" dir="ltr">${name}</span>`)}`}
    </p>`;
}

/* What messages change in a version: removed and added lines have signs, not only colors. */
export function diffView(before, messages) {
    const nameOfRole = (role) => t(`prompts.role_${role}`);
    const rows = diffLines(linesOf(before.messages, nameOfRole), linesOf(messages, nameOfRole));
    const isSame = rows.every(({ kind }) => kind === 'same');
    return html`<section class="stack" aria-labelledby="diff-title">
        <h3 id="diff-title">${t('prompts.changes', { version: before.version })}</h3>
        ${isSame
            ? html`<p class="section-note" id="diff">${t('prompts.no_changes')}</p>`
            : html`<ol class="diff" id="diff">
                  ${rows.map(
                      ({ kind, text }) => html`<li class="diff-line" data-kind=${kind}>
                          <span class="diff-sign" aria-hidden="true">${signs[kind]}</span>
                          <span>${kind === 'same' ? null : html`<span class="visually-hidden">${t(`prompts.line_${kind}`)}: </span>`}<bdi>${text}</bdi></span>
                      </li>`,
                  )}
              </ol>`}
    </section>`;
}
