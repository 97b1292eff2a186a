/* The chat as a template: earlier conversations, one to four columns, and one field for the question to all of them. */
import { t } from '../../shared/i18n.js';
import { formatAgo } from '../../shared/numbers.js';
import { icon } from '../../shared/ui/icons.js';
import { html, live, nothing, repeat } from '../../shared/ui/lit.js';
import { columnView, nameOf } from './column.js';

function threadItem(thread, current, actions) {
    return html`<li>
        <button type="button" class="history-item" aria-current=${thread.id === current?.id ? 'true' : nothing} @click=${() => actions.open(thread.id)}>
            <span class="history-title" dir="auto">${thread.title}</span>
            <span class="history-meta">${formatAgo(thread.updated_at)}</span>
        </button>
        <button type="button" class="button button-icon" data-kind="quiet" aria-label=${t('ask.delete', { title: thread.title })} @click=${() => actions.remove(thread.id)}>${icon('close')}</button>
    </li>`;
}

function sidebar({ threads, listed, actions }) {
    return html`<aside class="history threads" id="sidebar" ?data-open=${listed} aria-labelledby="threads-title">
        <h2 id="threads-title">${t('ask.threads')}</h2>
        ${threads.list().length === 0
            ? html`<p class="section-note">${t('ask.no_threads')}</p>`
            : html`<ul class="history-list" id="thread-list">${repeat(threads.list(), ({ id }) => id, (thread) => threadItem(thread, threads.current(), actions))}</ul>`}
    </aside>`;
}

/* On narrow screens one column is seen at a time: these lead to each. */
function switcher({ columns, models, actions }) {
    if (columns.length === 1) return null;
    return html`<div class="column-switch" role="group" aria-label=${t('compare.models')}>
        ${columns.map((column, index) => html`<button type="button" class="button" data-kind="quiet" data-size="small" @click=${() => actions.reveal(column)}>${index + 1}. <bdi>${nameOf(models.data, column.model)}</bdi></button>`)}
    </div>`;
}

function toolbar({ columns, mostColumns, listed, threads, actions }) {
    const isEmpty = columns.every(({ messages }) => messages.length === 0);
    return html`<div class="button-row">
        <button type="button" class="button" data-size="small" id="add-column" ?disabled=${columns.length === mostColumns} @click=${actions.addColumn}>${icon('plus')}${t('ask.add_column')}</button>
        <button type="button" class="button" data-size="small" id="btn-new-thread" ?disabled=${isEmpty} @click=${actions.begin}>${t('ask.new')}</button>
        <button type="button" class="button" data-size="small" id="btn-download" ?disabled=${isEmpty} @click=${actions.download}>${icon('download')}${t('ask.download')}</button>
        <button type="button" class="button threads-button" data-size="small" id="nav-history" ?disabled=${threads.list().length === 0} aria-expanded=${String(listed)} aria-controls="sidebar" @click=${actions.list}>${icon('list')}${t('ask.threads')}</button>
    </div>`;
}

function composer(page) {
    const { draft, busy, ready, actions } = page;
    return html`<form class="composer" id="composer" @submit=${(event) => { event.preventDefault(); actions.send(); }}>
        <label class="visually-hidden" for="query-input">${t('ask.question')}</label>
        <textarea
            class="input"
            id="query-input"
            rows="2"
            maxlength="40000"
            dir="auto"
            placeholder=${t('ask.placeholder')}
            .value=${live(draft)}
            @input=${(event) => actions.type(event.target.value)}
            @keydown=${(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
                event.preventDefault();
                actions.send();
            }}
        ></textarea>
        ${busy()
            ? html`<button type="button" class="button button-icon" id="btn-stop" aria-label=${t('ask.stop')} @click=${actions.stopAll}>${icon('stop')}</button>`
            : html`<button type="submit" class="button button-icon" id="btn-submit" data-kind="primary" aria-label=${t('ask.send')} ?disabled=${draft.trim() === '' || !ready()}>${icon('send')}</button>`}
    </form>`;
}

export function view(page) {
    const { columns } = page;
    const isEmpty = columns.every(({ messages }) => messages.length === 0);
    return html`<div class="ask" data-columns=${columns.length}>
        ${sidebar(page)}
        <section class="conversation" aria-label=${t('ask.conversation')}>
            ${toolbar(page)}
            <div class="conversation-body" id="chat-area">
                ${isEmpty ? html`<div class="welcome"><h2>${t('ask.welcome')}</h2><p class="lead">${t('ask.welcome_text')}</p></div>` : null}
                ${switcher(page)}
                <div class="chat-columns" data-columns=${columns.length}>${repeat(columns, ({ id }) => id, (column, index) => columnView(column, index, page))}</div>
            </div>
            <div class="foot">${composer(page)}</div>
        </section>
    </div>`;
}
