/* Trying a version: values for its variables, a model, and the answer with what it took and cost. */
import { t } from '../../shared/i18n.js';
import { ApiError } from '../../shared/ui/errors.js';
import { html, live } from '../../shared/ui/lit.js';
import { markdown } from '../../shared/ui/markdown.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { streamPrompt } from '../ask/exchange.js';
import { footer } from '../ask/column.js';
import { variablesOf } from './template.js';

/* models: the resource of models that can be called. */
export function createTrial(update, models) {
    const values = {};
    let model = null;
    let answer = null;
    let running = null;

    const chosen = () => model ?? models.data?.models[0]?.id ?? null;

    async function run({ name, version, messages }) {
        const variables = Object.fromEntries(variablesOf(messages).map((one) => [one, values[one] ?? '']));
        const message = { content: '', state: 'waiting', meta: { model: chosen() } };
        answer = message;
        running = new AbortController();
        update();
        try {
            await streamPrompt({ model: chosen(), template: { name, version, variables } }, message, running.signal, update);
            message.state = undefined;
        } catch (error) {
            if (!running.signal.aborted && !(error instanceof ApiError)) throw error;
            if (running.signal.aborted) Object.assign(message, { state: undefined, meta: { ...message.meta, stopped: true } });
            else Object.assign(message, { state: 'failed', error });
        } finally {
            running = null;
            update();
        }
    }

    const valueField = (name) => html`<div class="field">
        <label class="field-label" for=${`value-${name}`}><span class="mono" dir="ltr">${name}</span></label>
        <textarea class="input" id=${`value-${name}`} rows="1" dir="auto" .value=${live(values[name] ?? '')} @input=${(event) => { values[name] = event.target.value; update(); }}></textarea>
    </div>`;

    const modelField = ({ models: all }) => html`<div class="field">
        <label class="field-label" for="trial-model">${t('prompts.model')}</label>
        <select class="select" id="trial-model" @change=${(event) => { model = event.target.value; update(); }}>
            ${all.map(({ id, display_name: name }) => html`<option value=${id} ?selected=${id === chosen()}>${name}</option>`)}
        </select>
    </div>`;

    function result() {
        if (answer === null) return null;
        return html`<article class="message stack" id="trial-answer" data-role="assistant" aria-busy=${String(answer.state === 'waiting')} aria-label=${t('ask.answer')}>
            ${answer.content === '' ? null : markdown(answer.content)}
            ${answer.state === 'waiting' && answer.content === '' ? html`<p class="section-note">${t('ask.waiting')}</p>` : null}
            ${answer.state === 'failed' ? errorNotice(answer.error) : null}
            ${answer.state === undefined ? footer(answer, models.data) : null}
        </article>`;
    }

    return {
        chosen,
        forget() {
            running?.abort();
            answer = null;
        },
        view: (template) => {
            const names = variablesOf(template.messages);
            const isReady = chosen() !== null && names.every((name) => (values[name] ?? '') !== '');
            return html`<form class="card section stack" id="trial" aria-labelledby="trial-title" @submit=${(event) => { event.preventDefault(); run(template); }}>
                <h2 id="trial-title">${t('prompts.try')}</h2>
                <div class="trial-fields">${names.map(valueField)} ${resourceView(models, { skeleton: { lines: 1, height: 'row' }, ready: modelField })}</div>
                <div class="button-row">
                    ${running === null
                        ? html`<button type="submit" class="button" data-kind="primary" id="run-trial" ?disabled=${!isReady}>${t('prompts.run')}</button>`
                        : html`<button type="button" class="button" @click=${() => running.abort()}>${t('prompts.stop')}</button>`}
                    ${isReady || running !== null || names.length === 0 ? null : html`<span class="section-note">${t('prompts.values_missing')}</span>`}
                </div>
                ${result()}
            </form>`;
        },
    };
}
