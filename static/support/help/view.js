/* The customer's page as a template. */
import { t } from '../../shared/i18n.js';
import { formatAgo } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { icon } from '../../shared/ui/icons.js';
import { html, nothing, repeat } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { skeleton } from '../../shared/ui/skeleton.js';
import { composer, messages, panel } from '../chat/parts.js';

function conversationItem(one, { conversation, actions }) {
    const title = one.title || t('help.untitled');
    return html`<li>
        <button type="button" class="history-item" aria-current=${one.session_id === conversation.session ? 'true' : nothing} @click=${() => actions.show(one)}>
            <span class="history-title" dir="auto">${title}</span>
            ${one.unread > 0 ? badge(t('chat.unread', { count: one.unread }), 'info', { dot: true }) : null}
            <span class="history-meta">${one.last_access ? formatAgo(one.last_access) : ''}</span>
        </button>
        <button type="button" class="button button-icon" data-kind="quiet" aria-label=${t('chat.delete_name', { title })} @click=${() => actions.remove(one)}>
            ${icon('close')}
        </button>
    </li>`;
}

function head(page) {
    const { conversation, list, listed, embedded, actions } = page;
    const unread = list.reduce((sum, one) => sum + one.unread, 0);
    return html`<header class="help-head">
        <h1>${t('help.title')}</h1>
        <div class="button-row">
            ${list.length > 0
                ? html`<button type="button" class="button" data-size="small" id="conversations" aria-expanded=${String(listed)} aria-controls="sessions" @click=${actions.list}>
                      ${icon('list')}${t('help.conversations')}${unread > 0 ? badge(t('chat.unread', { count: unread }), 'info') : null}
                  </button>`
                : null}
            <button type="button" class="button" data-size="small" id="new-conversation" ?disabled=${conversation.messages.length === 0} @click=${actions.begin}>
                ${icon('plus')}${t('help.new')}
            </button>
            <button type="button" class="button" data-size="small" id="ask-person" @click=${actions.person}>${icon('person')}${t('chat.person')}</button>
            ${embedded
                ? html`<button type="button" class="button button-icon" data-kind="quiet" id="close-frame" aria-label=${t('dialog.close')} @click=${actions.close_frame}>${icon('close')}</button>`
                : null}
        </div>
    </header>`;
}

function welcome() {
    return html`<div class="welcome">
        <h2>${t('help.welcome')}</h2>
        <p class="lead">${t('help.welcome_text')}</p>
    </div>`;
}

export function view(page) {
    const { who, error, list, listed, opened, actions } = page;
    if (error !== null) return html`<div class="help">${errorNotice(error, { retry: actions.start })}</div>`;
    if (who === 'unknown') return html`<div class="help" aria-busy="true">${skeleton({ lines: 3, height: 'row' })}</div>`;
    if (who === 'nobody')
        return html`<div class="help"><p class="lead">${t('help.sign_in_text')}</p>
            <a class="button" data-kind="primary" href=${actions.sign_in} target="_blank" rel="noopener">${t('login.title')}</a></div>`;
    return html`<div class="help">
        ${head(page)}
        ${listed
            ? html`<nav class="history" id="sessions" aria-label=${t('help.conversations')}>
                  <ul class="history-list">${repeat(list, ({ session_id: id }) => id, (one) => conversationItem(one, page))}</ul>
              </nav>`
            : null}
        ${messages(page, actions, welcome())} ${composer(page, actions)}
        ${opened === null ? null : panel(opened, actions)}
    </div>`;
}
