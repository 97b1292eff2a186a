/* Writing a prompt: a new one, or the next version of one, beside what it changes. */
import { t } from '../../shared/i18n.js';
import { ApiError } from '../../shared/ui/errors.js';
import { icon } from '../../shared/ui/icons.js';
import { html, live } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { client } from '../models.js';
import { diffView, variableList } from './parts.js';

const roles = ['system', 'developer', 'user', 'assistant'];

/* last: the version that this one follows, null for a new prompt; onSaved(template); onCancel(). */
export function createEditor(update, { last = null, onSaved, onCancel }) {
    const draft = {
        name: last?.name ?? '',
        messages: (last?.messages ?? [{ role: 'system', content: '' }, { role: 'user', content: '' }]).map((one) => ({ ...one })),
        production: false,
    };
    let busy = false;
    let failure = null;

    const isComplete = () => draft.name !== '' && draft.messages.length > 0 && draft.messages.every(({ content }) => content.trim() !== '');

    function change(index, patch) {
        Object.assign(draft.messages[index], patch);
        update();
    }

    async function save(event) {
        event.preventDefault();
        busy = true;
        failure = null;
        update();
        try {
            const body = { name: draft.name.trim(), messages: draft.messages, production: draft.production };
            onSaved((await client.post('/api/v1/templates', body)).data);
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            failure = error;
        } finally {
            busy = false;
            update();
        }
    }

    const messageField = ({ role, content }, index) => html`<div class="prompt-message">
        <div class="prompt-head">
            <select class="select" data-size="small" id=${`role-${index}`} aria-label=${t('prompts.role_of', { number: index + 1 })} @change=${(event) => change(index, { role: event.target.value })}>
                ${roles.map((one) => html`<option value=${one} ?selected=${one === role}>${t(`prompts.role_${one}`)}</option>`)}
            </select>
            ${draft.messages.length === 1
                ? null
                : html`<button type="button" class="button button-icon" data-kind="quiet" data-size="small" aria-label=${t('prompts.remove_message', { number: index + 1 })} @click=${() => { draft.messages.splice(index, 1); update(); }}>${icon('close')}</button>`}
        </div>
        <textarea class="input" id=${`content-${index}`} rows="4" dir="auto" aria-label=${t('prompts.text_of', { number: index + 1 })} .value=${live(content)} @input=${(event) => change(index, { content: event.target.value })}></textarea>
    </div>`;

    return {
        view: () => html`<form class="card section stack" id="editor" aria-labelledby="editor-title" @submit=${save}>
            <h2 id="editor-title">${last === null ? t('prompts.add') : t('prompts.next_version', { version: last.version + 1, name: last.name })}</h2>
            ${failure === null ? null : errorNotice(failure)}
            ${last !== null
                ? null
                : html`<div class="field">
                      <label class="field-label" for="prompt-name">${t('prompts.name')}</label>
                      <input class="input" id="prompt-name" maxlength="100" autocomplete="off" aria-describedby="prompt-name-hint" .value=${live(draft.name)} @input=${(event) => { draft.name = event.target.value; update(); }} />
                      <p class="field-hint" id="prompt-name-hint">${t('prompts.name_hint')}</p>
                  </div>`}
            <p class="section-note">${t('prompts.variables_hint', { example: '{{name}}' })}</p>
            ${draft.messages.map(messageField)}
            <div class="button-row"><button type="button" class="button" data-size="small" id="add-message" @click=${() => { draft.messages.push({ role: 'user', content: '' }); update(); }}>${icon('plus')}${t('prompts.add_message')}</button></div>
            ${variableList(draft.messages)}
            ${last === null ? null : diffView(last, draft.messages)}
            ${last === null
                ? null
                : html`<label class="check" for="production"><input type="checkbox" id="production" .checked=${draft.production} @change=${(event) => { draft.production = event.target.checked; update(); }} /><span class="check-text">${t('prompts.use_at_once')}</span></label>`}
            <div class="button-row">
                <button type="submit" class="button" data-kind="primary" id="save-prompt" ?disabled=${busy || !isComplete()}>${t('prompts.save')}</button>
                <button type="button" class="button" data-kind="quiet" @click=${onCancel}>${t('prompts.cancel')}</button>
            </div>
        </form>`,
    };
}
