/* The operator desk as a template: tickets beside the one that is open. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing, repeat } from '../../shared/ui/lit.js';
import { markdown } from '../../shared/ui/markdown.js';
import { resourceView } from '../../shared/ui/resource.js';
import { addresses } from '../service.js';

export const statuses = ['open', 'pending_response', 'resolved'];
const tones = { open: 'caution', pending_response: 'info', resolved: 'good' };

function statusBadge(status) {
    return badge(statuses.includes(status) ? t(`desk.status_${status}`) : status, tones[status] ?? 'plain', { dot: true });
}

/** @param {support.Ticket} ticket */
function item(ticket, { opened, actions }) {
    return html`<li>
        <button type="button" class="ticket" aria-current=${ticket.id === opened ? 'true' : nothing} @click=${() => actions.open(ticket.id)}>
            <span class="ticket-question" dir="auto">${ticket.user_question}</span>
            <span class="ticket-meta">${statusBadge(ticket.status)} ${formatAgo(ticket.created_at)}</span>
        </button>
    </li>`;
}

function tickets(page) {
    const { list, status, actions } = page;
    return html`<section class="card section stack" aria-labelledby="tickets-title">
        <h2 id="tickets-title">${t('desk.tickets')}</h2>
        <div class="field">
            <label class="field-label" for="status">${t('desk.status')}</label>
            <select class="select" id="status" @change=${(event) => actions.status(event.target.value)}>
                <option value="" ?selected=${status === ''}>${t('filter.any')}</option>
                ${statuses.map((value) => html`<option value=${value} ?selected=${value === status}>${t(`desk.status_${value}`)}</option>`)}
            </select>
        </div>
        ${resourceView(list, {
            quiet: true,
            skeleton: { lines: 5, height: 'row' },
            isEmpty: (all) => all.length === 0,
            empty: { title: t('desk.none'), text: t('desk.none_text') },
            ready: (all) => html`<ul class="tickets">${repeat(all, ({ id }) => id, (ticket) => item(ticket, page))}</ul>`,
        })}
    </section>`;
}

function messages(list) {
    return html`<ul class="desk-messages">
        ${list.map(
            ({ role, content }) => html`<li data-role=${role}>
                <span class="section-note">${t(role === 'user' ? 'desk.customer' : 'desk.assistant')}</span>
                ${role === 'user' ? html`<p dir="auto">${content}</p>` : markdown(content)}
            </li>`,
        )}
    </ul>`;
}

function quoted(title, text) {
    return html`<li>
        <details class="disclosure" data-plain>
            <summary dir="auto">${title}</summary>
            <div class="disclosure-body desk-quote" dir="auto">${text}</div>
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

function scores(values) {
    const known = Object.entries(values ?? {}).filter(([, value]) => value !== null);
    return known.length === 0
        ? null
        : html`<dl class="facts">
              ${known.map(([name, value]) => html`<div class="fact"><dt class="mono">${name}</dt><dd>${value}</dd></div>`)}
          </dl>`;
}

function respond({ ticket }, { form, sending, actions }) {
    return html`<div class="stack">
        ${ticket.ai_draft && ticket.status !== 'resolved'
            ? html`<div class="button-row">
                  <button type="button" class="button" data-size="small" id="use-draft" @click=${() => actions.draft(ticket.ai_draft)}>${t('desk.use_draft')}</button>
              </div>`
            : null}
        ${form.view(html`${form.field('response')}`, { label: t('desk.response'), action: t('desk.send'), busy: sending })}
    </div>`;
}

function detail(data, page) {
    const { ticket } = data;
    return html`<section class="card section stack" aria-labelledby="ticket-title" id="ticket">
        <div class="section-head">
            <h2 id="ticket-title" dir="auto" tabindex="-1">${ticket.user_question}</h2>
            ${statusBadge(ticket.status)}
        </div>
        <p class="section-note">
            ${formatDateTime(ticket.created_at)}
            ${ticket.trace_id ? html` · <a href=${`${addresses.admin}?${new URLSearchParams({ trace: ticket.trace_id })}`}>${t('chat.trace')}</a>` : null}
        </p>
        ${messages(data.messages)}
        ${ticket.operator_response ? html`<div class="notice" data-tone="good"><h3 class="notice-title">${t('desk.answered')}</h3><p dir="auto">${ticket.operator_response}</p></div>` : null}
        ${respond(data, page)} ${scores(data.quality_scores)}
        ${aside(t('desk.documents'), data.retrieved_docs.map(({ title, excerpt }) => quoted(title, excerpt)))}
        ${aside(t('desk.similar'), data.similar_tickets.map((one) => quoted(one.user_question, one.operator_response ?? '–')))}
    </section>`;
}

export function view(page) {
    return html`<div class="desk">
        ${tickets(page)}
        ${page.opened === ''
            ? html`<p class="section-note">${t('desk.choose')}</p>`
            : resourceView(page.ticket, { skeleton: { lines: 2, height: 'card' }, ready: (data) => detail(data, page) })}
    </div>`;
}
