/* Conversations as a template: the list, or one of them. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { messageView } from '../chat/answer.js';
import { messageOf } from '../chat/message.js';
import { openSource } from '../chat/source.js';
import { addresses } from '../service.js';

export function columns(open) {
    return [
        {
            name: 'title',
            title: t('chat.conversation'),
            cell: (row) => html`<button type="button" class="link-button" dir="auto" @click=${() => open(row.session_id)}>${row.title || row.session_id.slice(0, 8)}</button>`,
        },
        { name: 'started_by', title: t('conversations.customer'), cell: ({ started_by: name }) => (name === '(visitor)' ? t('conversations.visitor') : html`<span dir="auto">${name ?? '–'}</span>`) },
        { name: 'message_count', title: t('conversations.messages'), align: 'end', cell: (row) => formatInteger(row.message_count) },
        { name: 'last_access', title: t('conversations.last'), cell: (row) => formatAgo(row.last_access) },
    ];
}

const readOnly = { open: openSource, waits: () => true, traces: true, past: true };

function conversation(data, actions) {
    return html`<section class="card section stack" id="conversation" aria-labelledby="conversation-title">
        <div class="section-head">
            <h2 id="conversation-title" dir="auto">${data.messages[0].content.slice(0, 80)}</h2>
            <div class="button-row">
                ${data.waits_for_person ? html`<a class="button" data-size="small" href=${addresses.inbox}>${badge(t('inbox.status_open'), 'caution', { dot: true })} ${t('conversations.inbox')}</a>` : null}
                <button type="button" class="button" data-kind="quiet" data-size="small" id="delete" @click=${actions.remove}>${t('chat.delete')}</button>
            </div>
        </div>
        <div class="messages">${data.messages.map((message, at) => messageView({ ...messageOf(message), id: at }, readOnly, false))}</div>
    </section>`;
}

export function view({ list, thread, opened, actions }) {
    if (opened === '') return html`<div class="card section">${list.view()}</div>`;
    return html`<div class="stack">
        <div class="button-row"><button type="button" class="button" data-size="small" id="back" @click=${() => actions.open('')}>${t('conversations.back')}</button></div>
        ${resourceView(thread, { skeleton: { lines: 3, height: 'card' }, ready: (data) => conversation(data, actions) })}
    </div>`;
}
