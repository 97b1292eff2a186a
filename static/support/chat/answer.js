/* One message of the conversation as a template: text with its citations, and what can be done. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { icon } from '../../shared/ui/icons.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { answerText, replyText } from '../prose.js';
import { addresses } from '../service.js';
import { citedParts } from './passage.js';

const lowQuality = 70;
const criticalQuality = 50;

/* A citation mark: a button where its source is here, a plain number where it is not. */
function citation(message, number, actions) {
    const source = message.result?.sources[number - 1];
    if (!source) return html`<sup class="citation-past">${number}</sup>`;
    const cited = message.result.citations.find(({ index }) => index === number);
    const title = cited?.title ?? source.source;
    return html`<button
        type="button"
        class="citation"
        aria-label=${t('chat.citation', { number, title })}
        title=${`${title}: ${(cited?.excerpt ?? source.page_content).slice(0, 180)}`}
        @click=${() => actions.open(message, number)}
    >
        ${number}
    </button>`;
}

function body(message, actions) {
    const text = (piece) =>
        citedParts(piece).map((part) => (typeof part === 'number' ? citation(message, part, actions) : part));
    return answerText(message.text, { text });
}

/* The sources that the text cites, by their numbers; all where it cites none. */
function sources(message, actions) {
    const all = (message.result?.sources ?? []).map((source, at) => ({ ...source, at }));
    const cites = all.filter(({ at }) => message.text.includes(`[${at + 1}]`));
    const list = cites.length > 0 ? cites : all;
    if (list.length === 0) return null;
    return html`<ul class="sources" aria-label=${t('chat.sources')}>
        ${list.map(({ source, at }) => {
            const cited = message.result.citations.find(({ index }) => index === at + 1);
            return html`<li>
                <button type="button" class="source" @click=${() => actions.open(message, at + 1)}>
                    <span class="source-number">${at + 1}</span>
                    <span class="source-title" dir="auto">${cited?.title ?? source}</span>
                </button>
            </li>`;
        })}
    </ul>`;
}

function verdict({ result }) {
    if (!result) return null;
    const { route, quality_score: quality } = result;
    const tone = quality < criticalQuality ? 'danger' : quality < lowQuality ? 'caution' : 'plain';
    return html`${route === 'auto' || route === 'agentic'
        ? null
        : badge(t(`chat.route_${route}`), route === 'human' ? 'caution' : 'danger')}
    ${route === 'auto' || route === 'agentic' ? badge(t('chat.quality', { quality }), tone) : null}
    ${result.cached ? badge(t('chat.cached'), 'plain') : null}`;
}

function voteButton(message, rating, actions) {
    return html`<button
        type="button"
        class="button button-icon"
        data-kind="quiet"
        aria-label=${t(`chat.vote_${rating}`)}
        title=${t(`chat.vote_${rating}`)}
        aria-pressed=${String(message.vote === rating)}
        ?disabled=${message.vote === rating}
        @click=${() => actions.vote(message, rating)}
    >
        ${icon(`thumb_${rating}`)}
    </button>`;
}

function tools(message, actions) {
    const trace = message.result?.trace_id || message.trace;
    if (actions.past)
        return html`<div class="message-tools">${verdict(message)}
            ${message.vote ? badge(t(`chat.vote_${message.vote}`), message.vote === 'up' ? 'good' : 'caution') : null}
            ${trace && actions.traces ? html`<a class="trace-link" href=${`${addresses.admin}?${new URLSearchParams({ trace })}`}>${t('chat.trace')}</a>` : null}
            ${message.at ? html`<time class="message-time" datetime=${message.at}>${formatDateTime(message.at)}</time>` : null}
        </div>`;
    return html`<div class="message-tools">
        ${verdict(message)}
        ${copyButton({ text: () => message.text })}
        ${message.result?.trace_id ? html`${voteButton(message, 'up', actions)}${voteButton(message, 'down', actions)}` : null}
        ${trace && actions.traces
            ? html`<a class="trace-link" href=${`${addresses.admin}?${new URLSearchParams({ trace })}`}>${t('chat.trace')}</a>`
            : null}
        ${message.at ? html`<time class="message-time" datetime=${message.at}>${formatTime(message.at)}</time>` : null}
    </div>`;
}

/* Asked before something is done that cannot be undone. */
function confirmation(message, actions) {
    return html`<div class="notice" data-tone="info">
        <p dir="auto">${message.result.action_summary}</p>
        <div class="button-row">
            <button type="button" class="button" data-kind="primary" data-size="small" @click=${() => actions.confirm(true)}>${t('chat.confirm_yes')}</button>
            <button type="button" class="button" data-size="small" @click=${() => actions.confirm(false)}>${t('chat.confirm_no')}</button>
        </div>
    </div>`;
}

/* Offered with the newest answer only. */
function next(message, actions) {
    const { result } = message;
    if (!result) return null;
    return html`${result.requires_confirmation ? confirmation(message, actions) : null}
    ${result.suggested_questions.length > 0
        ? html`<div class="follow-ups">
              <p class="section-note">${t('chat.follow_ups')}</p>
              ${result.suggested_questions.map(
                  (question) =>
                      html`<button type="button" class="follow-up" dir="auto" @click=${() => actions.ask(question)}>${question}</button>`,
              )}
          </div>`
        : null}
    ${result.route === 'auto' || actions.waits()
        ? null
        : html`<div class="button-row">
              <button type="button" class="button" data-size="small" @click=${actions.person}>${icon('person')}${t('chat.person')}</button>
          </div>`}`;
}

const titles = { cut: 'chat.error_cut', limited: 'chat.error_limited', timeout: 'chat.error_timeout' };

function failed(message, actions) {
    const { error } = message;
    const busy = error.status === 503 ? 'chat.error_busy' : null;
    const key = error.status === 504 ? 'chat.error_timeout' : (busy ?? titles[error.kind]);
    return html`${errorNotice(error, { retry: () => actions.retry(message), title: key ? t(key) : null })}
        <div class="button-row">
            <button type="button" class="button" data-size="small" @click=${actions.person}>${icon('person')}${t('chat.person')}</button>
        </div>`;
}

function stopped(message, actions) {
    return html`<p class="section-note">${t('chat.stopped')}
        <button type="button" class="link-button" @click=${() => actions.retry(message)}>${t('notice.retry')}</button></p>`;
}

function assistant(message, actions, last) {
    const { state } = message;
    return html`<article class="message" data-role="assistant" aria-busy=${String(state === 'waiting')} aria-label=${t('chat.answer')}>
        ${message.text === '' && state === 'waiting'
            ? html`<p class="thinking"><span aria-hidden="true"></span>${t('chat.thinking')}</p>`
            : body(message, actions)}
        ${state === 'failed' ? failed(message, actions) : null}
        ${state === 'stopped' ? stopped(message, actions) : null}
        ${state === 'done' ? html`${sources(message, actions)}${tools(message, actions)}${last ? next(message, actions) : null}` : null}
    </article>`;
}

/* What a person of the support team wrote. */
function fromPerson(message) {
    return html`<article class="message" data-role="person" aria-label=${t('chat.reply')}>
        <p class="message-author">${icon('person')}${message.author ? t('chat.reply_of', { name: message.author }) : t('chat.reply')}
            ${message.at ? html`<time class="message-time" datetime=${message.at}>${formatDateTime(message.at)}</time>` : null}</p>
        ${replyText(message.text)}
    </article>`;
}

export function messageView(message, actions, last) {
    if (message.role === 'user')
        return html`<article class="message" data-role="user" aria-label=${t('chat.question')}><p dir="auto">${message.text}</p></article>`;
    if (message.fromPerson) return fromPerson(message);
    return assistant(message, actions, last);
}
