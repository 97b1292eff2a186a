/* The chat as a template: earlier conversations, this one, and the source that is open. */
import { t } from '../../shared/i18n.js';
import { formatAgo } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { icon } from '../../shared/ui/icons.js';
import { html, keyed, live, nothing, repeat } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { addresses } from '../service.js';
import { messageView } from './answer.js';
import { markedParts } from './passage.js';

const samples = ['chat.sample_1', 'chat.sample_2', 'chat.sample_3'];

function sessionItem(one, conversation, actions) {
    const current = one.session_id === conversation.session;
    const title = one.title || one.session_id.slice(0, 8);
    return html`<li>
        <button type="button" class="history-item" aria-current=${current ? 'true' : nothing} @click=${() => actions.show(one)}>
            <span class="history-title" dir="auto">${title}</span>
            <span class="history-meta"
                >${t('chat.messages', { count: one.message_count })}${one.last_access ? ` · ${formatAgo(one.last_access)}` : ''}</span
            >
        </button>
        <button
            type="button"
            class="button button-icon"
            data-kind="quiet"
            aria-label=${t('chat.delete_name', { title })}
            @click=${() => actions.remove(one)}
        >
            ${icon('close')}
        </button>
    </li>`;
}

function sessionList(sessions, conversation, actions) {
    return html`<aside class="history sessions" id="sessions" aria-labelledby="sessions-title">
        <h2 id="sessions-title">${t('chat.sessions')}</h2>
        ${resourceView(sessions, {
            quiet: true,
            skeleton: { lines: 4, height: 'row' },
            isEmpty: (list) => list.length === 0,
            empty: { title: t('chat.no_sessions') },
            ready: (list) =>
                html`<ul class="history-list">${repeat(list, ({ session_id: id }) => id, (one) => sessionItem(one, conversation, actions))}</ul>`,
        })}
    </aside>`;
}

/* Whether answers can be had, for those who wonder why there are none. */
function state(health) {
    if (health.error && health.data === undefined)
        return badge(t(health.error.kind === 'network' ? 'chat.offline' : 'chat.unwell'), 'danger', { dot: true });
    if (health.data === undefined) return null;
    return health.data.vector_store_loaded === false
        ? badge(t('chat.no_documents'), 'caution', { dot: true })
        : badge(t('chat.online'), 'good', { dot: true });
}

function head({ health, listed, conversation }, actions) {
    return html`<div class="chat-head">
        <span role="status">${state(health)}</span>
        <div class="button-row">
            <button type="button" class="button sessions-button" data-size="small" aria-expanded=${String(listed)} aria-controls="sessions" @click=${actions.list}>
                ${icon('list')}${t('chat.sessions')}
            </button>
            <button type="button" class="button" data-size="small" id="ask-person" @click=${actions.person}>${icon('person')}${t('chat.person')}</button>
            <button type="button" class="button" data-size="small" id="new-conversation" ?disabled=${conversation.messages.length === 0} @click=${actions.begin}>
                ${icon('plus')}${t('chat.new')}
            </button>
        </div>
    </div>`;
}

function welcome(health, actions) {
    const none = health.data?.vector_store_loaded === false;
    return html`<div class="welcome">
        <h2>${t(none ? 'chat.welcome_none' : 'chat.welcome')}</h2>
        <p class="lead">${t(none ? 'chat.welcome_none_text' : 'chat.welcome_text')}</p>
        ${none
            ? html`<a class="button" data-kind="primary" href=${addresses.documents}>${t('chat.add_documents')}</a>`
            : html`<div class="follow-ups">
                  ${samples.map((key) => html`<button type="button" class="follow-up" @click=${() => actions.ask(t(key))}>${t(key)}</button>`)}
              </div>`}
    </div>`;
}

function composer({ draft, conversation }, actions) {
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
function panel({ message, number }, actions) {
    const { sources, citations } = message.result;
    const source = sources[number - 1];
    const cited = citations.find(({ index }) => index === number);
    const parts = markedParts(source.page_content, { answer: message.text, index: number, excerpt: cited?.excerpt ?? '' });
    const step = (name, to) =>
        html`<button type="button" class="button button-icon" data-kind="quiet" aria-label=${t(`chat.${name}_source`)} ?disabled=${to < 1 || to > sources.length} @click=${() => actions.open(message, to)}>
            ${icon(name)}
        </button>`;
    return html`<aside class="panel card" id="source" role="region" aria-labelledby="source-title" tabindex="-1">
        <div class="panel-head">
            <div>
                <p class="section-note">${t('chat.source_of', { number, total: sources.length })}</p>
                <h2 id="source-title" dir="auto">${cited?.title ?? source.source}</h2>
                ${cited && cited.doc_id !== cited.title ? html`<p class="section-note mono" dir="auto">${cited.doc_id}</p>` : null}
            </div>
            <div class="panel-tools">
                ${step('previous', number - 1)}${step('next', number + 1)}
                <button type="button" class="button button-icon" data-kind="quiet" id="close-source" aria-label=${t('dialog.close')} @click=${actions.close}>${icon('close')}</button>
            </div>
        </div>
        ${keyed(
            `${message.id}-${number}`,
            html`<div class="panel-text" dir="auto" tabindex="0" role="region" aria-label=${t('chat.passage')}>${parts.map(({ text, marked }) =>
                marked ? html`<mark>${text}</mark>` : text,
            )}</div>`,
        )}
    </aside>`;
}

export function view(page) {
    const { conversation, sessions, listed, opened, actions } = page;
    const last = conversation.messages.at(-1);
    return html`<div class="chat" ?data-panel=${opened !== null} ?data-listed=${listed}>
        ${sessionList(sessions, conversation, actions)}
        <section class="conversation" aria-label=${t('chat.conversation')}>
            ${head(page, actions)}
            <div class="messages" role="log" aria-live="polite" aria-label=${t('chat.messages_label')}>
                ${conversation.messages.length === 0 ? welcome(page.health, actions) : null}
                ${repeat(conversation.messages, ({ id }) => id, (message) => messageView(message, actions, message === last))}
            </div>
            ${composer(page, actions)}
        </section>
        ${opened === null ? null : panel(opened, actions)}
    </div>`;
}
