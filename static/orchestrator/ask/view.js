/* The chat with models as a template. The ids are hooks that others rely on. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatMilliseconds } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { icon } from '../../shared/ui/icons.js';
import { html, live, nothing, repeat } from '../../shared/ui/lit.js';
import { markdown } from '../../shared/ui/markdown.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { costText, statusBadge } from '../models.js';

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

function answers(list) {
    return html`<div class="answer-list">
        ${list.map(
            ({ model, text, failure, status, duration }) =>
                html`<details class="disclosure card">
                    <summary><h3>${model}</h3>${statusBadge(status)}<span class="section-note">${duration === null ? '' : formatMilliseconds(duration)}</span></summary>
                    <div class="disclosure-body">${failure ? html`<p class="field-error">${failure}</p>` : null}${markdown(text)}</div>
                </details>`,
        )}
    </div>`;
}

function meta({ content, meta: about }) {
    return html`<div class="message-tools">
        ${about.models?.length ? badge(about.models.join(', ')) : null}
        ${about.parts ? badge(t('ask.decomposed', { count: about.parts })) : null}
        <span class="section-note">${costText(about)}</span>
        ${copyButton({ text: () => content })}
        ${about.task ? html`<a class="task-link" href=${address(`/tasks.html?task=${about.task}`)}>${t('ask.task')}</a>` : null}
    </div>`;
}

function assistant(message, actions) {
    const about = message.meta ?? {};
    return html`<article class="message" data-role="assistant" aria-busy=${String(message.state === 'waiting')} aria-label=${t('ask.answer')}>
        ${message.content === '' && message.state === 'waiting' ? null : markdown(message.content)}
        ${about.answers?.length > 1 ? answers(about.answers) : null}
        ${about.verification
            ? html`<details class="disclosure" data-plain><summary>${t('ask.verification')}</summary><div class="disclosure-body">${markdown(about.verification)}</div></details>`
            : null}
        ${message.state === 'failed' ? errorNotice(message.error, { retry: () => actions.retry(message) }) : null}
        ${message.state === undefined ? meta({ ...message, meta: about }) : null}
    </article>`;
}

function messageView(message, actions) {
    return message.role === 'user'
        ? html`<article class="message" data-role="user" aria-label=${t('ask.question')}><p dir="auto">${message.content}</p></article>`
        : assistant(message, actions);
}

function authBanner({ auth, actions }) {
    if (auth === null) return null;
    return html`<div class="notice" data-tone="caution" id="auth-banner" role="alert">
        <h2 class="notice-title">${t('ask.sign_in')}</h2>
        <p>${auth.message}</p>
        <div class="button-row"><button type="button" class="button" data-size="small" id="auth-banner-retry" @click=${actions.retryAuth}>${t('notice.retry')}</button></div>
    </div>`;
}

/* How many are asked, and which. */
function choice({ models, mode, picked, actions }) {
    const option = (value, title, chosen) => html`<option value=${value} ?selected=${chosen}>${title}</option>`;
    return html`<div class="choice">
        <div class="field">
            <label class="field-label" for="mode">${t('ask.mode')}</label>
            <select class="select" id="mode" data-size="small" @change=${(event) => actions.mode(event.target.value)}>
                ${['single', 'several', 'smart', 'debate'].map((name) => option(name, t(`ask.mode_${name}`), name === mode))}
            </select>
        </div>
        ${mode === 'smart'
            ? null
            : resourceView(models, {
                  skeleton: { lines: 1, height: 'row' },
                  ready: ({ models: all }) =>
                      mode === 'several'
                          ? html`<fieldset class="choices"><legend class="visually-hidden">${t('compare.models')}</legend>
                                ${all.map(
                                    (model) =>
                                        html`<label class="check" for=${`model-${model.id}`}><input type="checkbox" id=${`model-${model.id}`} .checked=${picked.has(model.id)} @change=${(event) => actions.pick(model.id, event.target.checked)} /><span class="check-text">${model.display_name}</span></label>`,
                                )}
                            </fieldset>`
                          : html`<div class="field">
                                <label class="field-label" for="model-trigger">${t('ask.model')}</label>
                                <select class="select" id="model-trigger" data-size="small" @change=${(event) => actions.model(event.target.value)}>
                                    ${all.map((model) => option(model.id, model.display_name, picked.values().next().value === model.id))}
                                </select>
                            </div>`,
              })}
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
        ${busy
            ? html`<button type="button" class="button button-icon" id="btn-stop" aria-label=${t('ask.stop')} @click=${actions.stop}>${icon('stop')}</button>`
            : html`<button type="submit" class="button button-icon" id="btn-submit" data-kind="primary" aria-label=${t('ask.send')} ?disabled=${draft.trim() === '' || !ready()}>${icon('send')}</button>`}
    </form>`;
}

export function view(page) {
    const { threads, listed, busy, actions } = page;
    const messages = threads.messages();
    return html`<div class="ask">
        ${sidebar(page)}
        <section class="conversation" aria-label=${t('ask.conversation')}>
            <div class="button-row">
                <button type="button" class="button threads-button" data-size="small" id="nav-history" aria-expanded=${String(listed)} aria-controls="sidebar" @click=${actions.list}>${icon('list')}${t('ask.threads')}</button>
                <button type="button" class="button" data-size="small" id="btn-new-thread" ?disabled=${messages.length === 0} @click=${actions.begin}>${icon('plus')}${t('ask.new')}</button>
                <button type="button" class="button" data-size="small" id="btn-download" ?disabled=${messages.length === 0} @click=${actions.download}>${icon('download')}${t('ask.download')}</button>
            </div>
            <div class="conversation-body">
                ${authBanner(page)}
                <div class="messages" id="chat-area" role="log" aria-label=${t('ask.messages')}>
                    ${messages.length === 0 ? html`<div class="welcome"><h2>${t('ask.welcome')}</h2><p class="lead">${t('ask.welcome_text')}</p></div>` : null}
                    ${messages.map((message) => messageView(message, actions))}
                </div>
                ${busy ? html`<p class="section-note" id="loading-state" role="status"><span id="loading-status">${t('ask.waiting')}</span></p>` : null}
            </div>
            <div class="foot">${choice(page)} ${composer(page)}</div>
        </section>
    </div>`;
}
