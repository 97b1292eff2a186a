/* The inbox as a template: the questions beside the one that is open. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { empty } from '../../shared/ui/empty.js';
import { icon } from '../../shared/ui/icons.js';
import { html, nothing, repeat } from '../../shared/ui/lit.js';
import { pager } from '../../shared/ui/pager.js';
import { resourceView } from '../../shared/ui/resource.js';
import { filterBar } from '../../shared/ui/table.js';
import { messageView } from '../chat/answer.js';
import { messageOf } from '../chat/message.js';
import { openSource } from '../chat/source.js';
import { answerText, excerptText } from '../prose.js';
import { addresses } from '../service.js';

export const statuses = ['open', 'pending_response', 'resolved'];
const tones = { open: 'caution', pending_response: 'info', resolved: 'good' };
const sourcesShown = 3;

function statusBadge(status) {
    return badge(statuses.includes(status) ? t(`inbox.status_${status}`) : status, tones[status] ?? 'plain', { dot: true });
}

/* A customer may ask for a person without a question, and a reply by e-mail may come back. */
const withoutQuestion = { '(operator requested)': 'inbox.no_question', '(not delivered)': 'inbox.not_delivered' };

function questionOf(ticket) {
    const key = withoutQuestion[ticket.user_question];
    return key ? t(key) : ticket.user_question;
}

/* Of a letter the subject: the thread shows the rest. */
function titleOf(ticket) {
    return ticket.email ? questionOf(ticket).split('\n', 1)[0] : questionOf(ticket);
}

/** @param {support.Ticket} ticket */
function item(ticket, { opened, actions }) {
    return html`<li>
        <button type="button" class="ticket" aria-current=${ticket.id === opened ? 'true' : nothing} @click=${() => actions.open(ticket.id)}>
            <span class="ticket-question" dir="auto">${questionOf(ticket)}</span>
            <span class="ticket-meta">${statusBadge(ticket.status)} ${formatAgo(ticket.created_at)}${ticket.assignee
                ? html` · <span dir="auto">${ticket.assignee}</span>`
                : null}</span>
            ${ticket.email ? html`<span class="ticket-email"><bdi>${ticket.email}</bdi></span>` : null}
        </button>
    </li>`;
}

/* Names of the team, the reader first. */
function names({ team, counts, ticket }) {
    const me = counts.data?.caller;
    const all = new Set([...(team.data ?? []).map(({ name }) => name), ticket.data?.ticket.assignee].filter((name) => name && name !== me));
    return { me, others: [...all].toSorted() };
}

function filters(page) {
    const { me, others } = names(page);
    const { data } = page.counts;
    return [
        { name: 'q', label: t('inbox.search'), kind: 'search' },
        { name: 'status', label: t('inbox.status'), kind: 'select', options: ['waiting', ...statuses].map((value) => ({ value, title: t(`inbox.status_${value}`) })) },
        {
            name: 'assignee',
            label: t('inbox.assignee'),
            kind: 'select',
            options: [
                { value: 'me', title: data ? t('inbox.mine_n', { count: data.mine }) : t('inbox.mine') },
                { value: 'none', title: data ? t('inbox.unassigned_n', { count: data.unassigned }) : t('inbox.unassigned') },
                ...others.filter((name) => name !== me).map((name) => ({ value: name, title: name })),
            ],
        },
    ];
}

function tickets(page) {
    const { list, values, size, actions } = page;
    const shown = { ...values, status: values.status === 'all' ? '' : values.status };
    const searching = values.q !== '' || values.assignee !== '';
    const byDefault = !searching && values.status === 'waiting';
    return html`<section class="card section stack" aria-labelledby="tickets-title">
        <h2 id="tickets-title">${t('inbox.tickets')}</h2>
        ${filterBar({ filters: filters(page), values: shown, onFilter: actions.filter, clearable: !byDefault })}
        ${resourceView(list, {
            quiet: true,
            skeleton: { lines: 5, height: 'row' },
            isEmpty: ({ tickets: all }) => all.length === 0,
            empty: { title: t(searching ? 'chat.none_found' : 'inbox.none'), text: searching ? null : t('inbox.none_text') },
            ready: ({ tickets: all, total }) => html`<ul class="tickets">${repeat(all, ({ id }) => id, (ticket) => item(ticket, page))}</ul>
                ${total > size ? pager({ page: Number(values.page), size, shown: all.length, total, onPage: actions.page }) : null}`,
        })}
    </section>`;
}

const readOnly = { open: openSource, waits: () => true, traces: false, past: true };

/* As the customer sees it. */
function thread(messages) {
    return html`<div class="messages inbox-thread">
        ${messages.map((message, at) => messageView({ ...messageOf(message), id: at }, readOnly, false))}
    </div>`;
}

function quoted(title, text, name = '') {
    return html`<li>
        <details class="disclosure" data-plain>
            <summary dir="auto">${title}</summary>
            <div class="disclosure-body">${excerptText(text, name)}</div>
        </details>
    </li>`;
}

function aside(title, list) {
    return list.length === 0
        ? null
        : html`<div>
              <h3>${title}</h3>
              <ul class="plain-list">${list}</ul>
          </div>`;
}

/**
 * What the service thought of its draft: percentages that the customer does not see.
 *
 * @param {any} values
 */
function scores({ quality_score: quality, factuality_score: facts, relevance_score: relevance } = {}) {
    const rows = [
        ['inbox.score_quality', quality],
        ['inbox.score_facts', facts],
        ['inbox.score_relevance', typeof relevance === 'number' ? Math.round(relevance * 100) : null],
    ].filter(([, value]) => typeof value === 'number');
    return rows.length === 0
        ? null
        : html`<dl class="facts">${rows.map(([key, value]) => html`<div class="fact"><dt>${t(key)}</dt><dd>${value}%</dd></div>`)}</dl>`;
}

function draft({ ticket, quality_scores: values }, { actions }) {
    if (!ticket.ai_draft || ticket.status === 'resolved') return null;
    return html`<details class="disclosure" id="draft">
        <summary>${t('inbox.draft')}</summary>
        <div class="disclosure-body stack">
            ${answerText(ticket.ai_draft)}
            ${scores(values)}
            <div class="button-row">
                <button type="button" class="button" data-size="small" id="use-draft" @click=${() => actions.draft(ticket.ai_draft)}>${t('inbox.use_draft')}</button>
            </div>
        </div>
    </details>`;
}

function assignment({ ticket }, page) {
    const { me, others } = names(page);
    const { actions } = page;
    return html`<div class="inbox-assignee">
        <label class="field-label" for="assignee">${t('inbox.assigned_to')}</label>
        <select class="select" data-size="small" id="assignee" @change=${(event) => actions.assign(event.target.value)}>
            <option value="" ?selected=${!ticket.assignee}>${t('inbox.unassigned')}</option>
            ${me ? html`<option value=${me} ?selected=${ticket.assignee === me}>${t('inbox.me', { name: me })}</option>` : null}
            ${others.map((name) => html`<option value=${name} ?selected=${ticket.assignee === name}>${name}</option>`)}
        </select>
        ${me && ticket.assignee !== me
            ? html`<button type="button" class="button" data-size="small" id="assign-me" @click=${() => actions.assign(me)}>${t('inbox.take')}</button>`
            : null}
    </div>`;
}

function detail(data, page) {
    const { ticket } = data;
    const { form, sending, actions } = page;
    const traceAddress = `${addresses.admin}?${new URLSearchParams({ trace: ticket.trace_id })}`;
    return html`<section class="card section stack" aria-labelledby="ticket-title" id="ticket">
        <div class="section-head">
            <h2 id="ticket-title" dir="auto" tabindex="-1">${titleOf(ticket)}</h2>
            ${statusBadge(ticket.status)}
        </div>
        <div class="inbox-tools">
            <p class="section-note">${t('inbox.asked', { time: formatDateTime(ticket.created_at) })}</p>
            ${ticket.email ? html`<p class="section-note" id="by-email">${t('inbox.by_email')} <bdi>${ticket.email}</bdi></p>` : null}
            ${ticket.trace_id
                ? html`<a class="button" data-kind="quiet" data-size="small" href=${traceAddress}>${t('chat.trace')}</a>
                      ${actions.review
                          ? html`<button type="button" class="button" data-kind="quiet" data-size="small" id="to-review" @click=${() => actions.review(ticket.trace_id)}>${t('review.send')}</button>`
                          : null}`
                : null}
            ${assignment(data, page)}
        </div>
        ${data.messages.length > 0
            ? html`<h3>${t('inbox.thread')}</h3>
                  ${thread(data.messages)}`
            : null}
        ${draft(data, page)}
        ${form.view(html`${form.field('response')}`, { label: t('inbox.response'), action: html`${icon('send')}${t('inbox.send')}`, busy: sending })}
        ${aside(t('inbox.documents'), data.retrieved_docs.slice(0, sourcesShown).map(({ title, excerpt, source }) => quoted(title, excerpt, source)))}
        ${aside(t('inbox.similar'), data.similar_tickets.map((one) => quoted(one.user_question, one.operator_response ?? '–')))}
    </section>`;
}

export function view(page) {
    return html`<div class="inbox">
        ${tickets(page)}
        ${page.opened === ''
            ? empty({ title: t('inbox.choose') })
            : resourceView(page.ticket, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready: (data) => detail(data, page) })}
    </div>`;
}
