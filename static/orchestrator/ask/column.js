/* One column of the chat as a template: its model, its conversation, and what each answer took and cost. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatMilliseconds, formatMoney } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { copyButton } from '../../shared/ui/copy.js';
import { icon } from '../../shared/ui/icons.js';
import { html, repeat } from '../../shared/ui/lit.js';
import { markdown } from '../../shared/ui/markdown.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';

/* Names that the gateway has for several models that make one answer. */
export const patterns = ['orch:smart', 'orch:consensus'];
const patternText = (id) => t(`ask.pattern_${id.slice('orch:'.length)}`);

export function nameOf(data, id) {
    if (patterns.includes(id)) return patternText(id);
    return data?.models.find((model) => model.id === id)?.display_name ?? id ?? '';
}

function facts({ first_ms: first, duration_ms: duration, input_tokens: input, output_tokens: output, cost_usd: cost, stopped }) {
    return [
        stopped ? t('ask.stopped') : null,
        Number.isFinite(first) ? t('ask.first_token', { time: formatMilliseconds(first) }) : null,
        Number.isFinite(duration) ? t('ask.total_time', { time: formatMilliseconds(duration) }) : null,
        Number.isFinite(input) ? t('ask.tokens', { input: formatInteger(input), output: formatInteger(output) }) : null,
        Number.isFinite(cost) ? formatMoney(cost, 'USD', 6) : null,
    ].filter((part) => part !== null);
}

/* What an answer took and cost, and what can be done with it. */
export function footer({ content, meta }, data) {
    return html`<footer class="message-foot">
        ${meta.splices ? html`<p class="section-note">${t('ask.continued', { model: meta.splices.map((id) => nameOf(data, id)).join(', ') })}</p>` : null}
        <ul class="message-facts">${facts(meta).map((fact) => html`<li>${fact}</li>`)}</ul>
        <div class="message-tools">
            ${content === '' ? null : copyButton({ text: () => content })}
            ${meta.task ? html`<a class="task-link" href=${address(`/tasks.html?task=${meta.task}`)}>${t('ask.task')}</a>` : null}
        </div>
    </footer>`;
}

/* A model that needs a person to sign in to it says so; all else is an error like any other. */
function failure(message, retry) {
    const needsSignIn = ['model_auth_required', 'auth_failed'].includes(message.error.code);
    return errorNotice(message.error, { retry, title: needsSignIn ? t('ask.sign_in') : null });
}

function answerView(message, column, { models, actions }) {
    const { content, state, meta, error } = message;
    return html`<article class="message" data-role="assistant" aria-busy=${String(state === 'waiting')} aria-label=${t('ask.answer')}>
        ${meta?.thoughts ? html`<details class="disclosure" data-plain><summary>${t('ask.thoughts')}</summary><div class="disclosure-body">${markdown(meta.thoughts)}</div></details>` : null}
        ${content === '' ? null : markdown(content)}
        ${state === 'waiting' && content === '' ? html`<p class="section-note message-wait">${t('ask.waiting')}</p>` : null}
        ${state === 'failed' && error ? failure(message, () => actions.retry(column, message)) : null}
        ${state === undefined && meta ? footer(message, models.data) : null}
    </article>`;
}

function messageView(message, column, page) {
    return message.role === 'user'
        ? html`<article class="message" data-role="user" aria-label=${t('ask.question')}><p dir="auto">${message.content}</p></article>`
        : answerView(message, column, page);
}

function picker(column, number, { actions }) {
    const option = (id, title) => html`<option value=${id} ?selected=${id === column.model}>${title}</option>`;
    return ({ models: all }) =>
        html`<select class="select" data-size="small" id=${`model-${number}`} aria-label=${t('ask.model_of', { number })} @change=${(event) => actions.model(column, event.target.value)}>
            <optgroup label=${t('compare.models')}>${repeat(all, ({ id }) => id, ({ id, display_name: name }) => option(id, name))}</optgroup>
            <optgroup label=${t('ask.several')}>${patterns.map((id) => option(id, patternText(id)))}</optgroup>
        </select>`;
}

export function columnView(column, index, page) {
    const { models, columns, actions } = page;
    const number = index + 1;
    const pick = picker(column, number, page);
    const name = nameOf(models.data, column.model);
    return html`<section class="chat-column" id=${`column-${column.id}`} aria-label=${t('ask.column', { number, model: name })}>
        <div class="column-head">
            <div class="column-model">${index === 0 ? resourceView(models, { skeleton: { lines: 1, height: 'row' }, ready: pick }) : models.data ? pick(models.data) : null}</div>
            ${column.running === null
                ? null
                : html`<button type="button" class="button button-icon" data-kind="quiet" data-size="small" aria-label=${t('ask.stop_one', { model: name })} @click=${() => actions.stop(column)}>${icon('stop')}</button>`}
            ${columns.length === 1
                ? null
                : html`<button type="button" class="button button-icon" data-kind="quiet" data-size="small" aria-label=${t('ask.remove_column', { model: name })} @click=${() => actions.removeColumn(column)}>${icon('close')}</button>`}
        </div>
        <div class="messages" role="log" aria-label=${t('ask.messages_of', { number })}>${column.messages.map((message) => messageView(message, column, page))}</div>
    </section>`;
}
