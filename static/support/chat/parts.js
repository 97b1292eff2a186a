/* Parts of a conversation that the chat and the help page share, as templates. */
import { t } from '../../shared/i18n.js';
import { icon } from '../../shared/ui/icons.js';
import { html, keyed, live, repeat } from '../../shared/ui/lit.js';
import { documentText } from '../prose.js';
import { sourceLink } from '../source-link.js';
import { messageView } from './answer.js';

/* All messages; `welcome` stands where there are none. */
export function messages({ conversation }, actions, welcome) {
    const last = conversation.messages.at(-1);
    return html`<div class="messages" role="log" aria-live="polite" aria-label=${t('chat.messages_label')}>
        ${conversation.messages.length === 0 && !conversation.waits ? welcome : null}
        ${repeat(conversation.messages, ({ id }) => id, (message) => messageView(message, actions, message === last))}
        ${conversation.waits && !conversation.busy
            ? html`<p class="waits">${icon('person')}<span>${t('chat.waits')}</span></p>`
            : null}
    </div>`;
}

export function composer({ draft, conversation }, actions) {
    return html`<form
        class="composer"
        id="composer"
        @submit=${(event) => {
            event.preventDefault();
            actions.ask(draft);
        }}
    >
        <label class="visually-hidden" for="question">${t('chat.question')}</label>
        <textarea
            class="input"
            id="question"
            rows="1"
            maxlength="2000"
            dir="auto"
            placeholder=${t('chat.placeholder')}
            .value=${live(draft)}
            @input=${(event) => actions.type(event.target.value)}
            @keydown=${(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
                event.preventDefault();
                actions.ask(draft);
            }}
        ></textarea>
        ${conversation.busy
            ? html`<button type="button" class="button button-icon" id="stop" aria-label=${t('chat.stop')} @click=${actions.stop}>${icon('stop')}</button>`
            : html`<button type="submit" class="button button-icon" id="send" data-kind="primary" aria-label=${t('chat.send')} ?disabled=${draft.trim() === ''}>
                  ${icon('send')}
              </button>`}
    </form>`;
}

/* The open source, the passage that the answer took from it marked. */
export function panel({ message, number }, actions) {
    const { sources, citations } = message.result;
    const source = sources[number - 1];
    const cited = citations.find(({ index }) => index === number);
    const quote = { answer: message.text, index: number, excerpt: cited?.excerpt ?? '' };
    const step = (name, to) =>
        html`<button type="button" class="button button-icon" data-kind="quiet" aria-label=${t(`chat.${name}_source`)} ?disabled=${to < 1 || to > sources.length} @click=${() => actions.open(message, to)}>
            ${icon(name)}
        </button>`;
    return html`<aside class="panel card" id="source" role="region" aria-labelledby="source-title" tabindex="-1">
        <div class="panel-head">
            <div>
                <p class="section-note">${t('chat.source_of', { number, total: sources.length })}</p>
                <h2 id="source-title" dir="auto">${cited?.title ?? source.source}</h2>
                ${sourceLink(source.source) ?? (cited && cited.doc_id !== cited.title ? html`<p class="section-note mono" dir="auto">${cited.doc_id}</p>` : null)}
            </div>
            <div class="panel-tools">
                ${step('previous', number - 1)}${step('next', number + 1)}
                <button type="button" class="button button-icon" data-kind="quiet" id="close-source" aria-label=${t('dialog.close')} @click=${actions.close}>${icon('close')}</button>
            </div>
        </div>
        ${keyed(
            `${message.id}-${number}`,
            html`<div class="panel-text source-text" tabindex="0" role="region" aria-label=${t('chat.passage')}>
                ${documentText(source.page_content, { name: source.source, quote })}
            </div>`,
        )}
    </aside>`;
}
