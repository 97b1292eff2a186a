/* The chat as a template: earlier conversations, this one, and the source that is open. */
import { t } from '../../shared/i18n.js';
import { formatAgo } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { icon } from '../../shared/ui/icons.js';
import { html, nothing, repeat } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { addresses } from '../service.js';
import { composer, messages, panel } from './parts.js';

const samples = ['chat.sample_1', 'chat.sample_2', 'chat.sample_3'];

function sessionItem(one, conversation, actions) {
    const current = one.session_id === conversation.session;
    const title = one.title || one.session_id.slice(0, 8);
    return html`<li>
        <button type="button" class="history-item" aria-current=${current ? 'true' : nothing} @click=${() => actions.show(one)}>
            <span class="history-title" dir="auto">${title}</span>
            ${one.unread > 0 ? badge(t('chat.unread', { count: one.unread }), 'info', { dot: true }) : null}
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

function sessionList(page) {
    const { sessions, conversation, actions } = page;
    return html`<aside class="history sessions" id="sessions" aria-labelledby="sessions-title">
        <h2 id="sessions-title">${t('chat.sessions')}</h2>
        ${(sessions.data?.length ?? 0) > 6 || page.words
            ? html`<input class="input" type="search" id="sessions-search" aria-label=${t('chat.search')} placeholder=${t('chat.search')}
                  .value=${page.words} @input=${(event) => actions.search(event.target.value)} />`
            : null}
        ${resourceView(sessions, {
            quiet: true,
            skeleton: { lines: 4, height: 'row' },
            isEmpty: (list) => list.length === 0,
            empty: { title: t(page.words ? 'chat.none_found' : 'chat.no_sessions') },
            ready: (list) =>
                html`<ul class="history-list">${repeat(list, ({ session_id: id }) => id, (one) => sessionItem(one, conversation, actions))}</ul>
                    ${list.length === page.size
                        ? html`<button type="button" class="button" data-size="small" data-kind="quiet" @click=${actions.more}>${t('chat.more')}</button>`
                        : null}`,
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

export function view(page) {
    const { listed, opened, actions } = page;
    return html`<div class="chat" ?data-panel=${opened !== null} ?data-listed=${listed}>
        ${sessionList(page)}
        <section class="conversation" aria-label=${t('chat.conversation')}>
            ${head(page, actions)}
            ${messages(page, actions, welcome(page.health, actions))}
            ${composer(page, actions)}
        </section>
        ${opened === null ? null : panel(opened, actions)}
    </div>`;
}
