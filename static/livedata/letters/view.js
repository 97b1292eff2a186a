/* Dead letters as a template: the open one above the list. */
import { hasText, t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { attributeName, cellOf, eventName } from '../words.js';

const tones = { failed: 'danger', replayed: 'good', dismissed: 'plain' };

/* What a reason of the API says; an unknown one says its own name. */
export function reasonText(reason) {
    const key = `reason.${reason}`;
    return hasText(key) ? t(key) : reason.replaceAll('_', ' ');
}

function statusBadge(status) {
    const key = `letters.status_${status}`;
    return badge(hasText(key) ? t(key) : status, tones[status] ?? 'plain');
}

const mismatch = /^Stated total ([\d.]+) != computed ([\d.]+)$/;

/* What is wrong, in the reader's words where they are known. */
export function detailText(detail) {
    const [, stated, computed] = mismatch.exec(detail) ?? [];
    if (stated !== undefined) return t('letters.total', { stated, computed });
    const [, least] = /^amount is below ([\d.]+)$/.exec(detail) ?? [];
    return least === undefined ? detail : t('letters.below', { least });
}

const endOf = (id) => (id.length > 14 ? `…${id.slice(-8)}` : id);

export function columns(open) {
    return [
        {
            name: 'event_id',
            title: t('letters.event'),
            cell: ({ event_id: id, event_type: type }) =>
                html`<button type="button" class="link-button" title=${id} @click=${() => open(id)}>${eventName(type)}</button> <span class="mono" dir="ltr">${endOf(id)}</span>`,
        },
        { name: 'failure_reason', title: t('letters.reason'), cell: ({ failure_reason: reason }) => reasonText(reason) },
        { name: 'failure_detail', title: t('letters.detail'), cell: ({ failure_detail: detail }) => html`<span dir="auto">${detailText(detail)}</span>` },
        { name: 'received_at', title: t('letters.received'), cell: ({ received_at: at }) => formatAgo(at) },
        { name: 'status', title: t('letters.status'), cell: ({ status }) => statusBadge(status) },
    ];
}

/* Said elsewhere on the page. */
const hidden = new Set(['event_id', 'event_type', 'currency', 'items', 'timestamp']);

const amountOf = (value) => (/^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value);

/* What the event says, as people read it. */
function contents(payload) {
    const items = Array.isArray(payload.items) ? payload.items.filter((item) => typeof item === 'object' && item !== null) : [];
    const value = (name, one) => cellOf(name, name.endsWith('amount') || name.endsWith('price') ? amountOf(one) : one, payload, '');
    return html`<dl class="facts" id="letter-facts">
            ${Object.entries(payload)
                .filter(([name]) => !hidden.has(name))
                .map(([name, one]) => html`<div class="fact"><dt>${attributeName(name)}</dt><dd>${value(name, one)}</dd></div>`)}
        </dl>
        ${items.length === 0
            ? null
            : table({
                  caption: t('attribute.items'),
                  columns: Object.keys(items[0]).map((name) => ({ name, title: attributeName(name), cell: (item) => value(name, item[name]) })),
                  rows: items,
              })}`;
}

/* A total that does not fit its items can be put right at once. */
function proposal({ failure_detail: detail }, { busy, actions }) {
    const [, , computed] = mismatch.exec(detail) ?? [];
    if (computed === undefined) return null;
    return html`<button type="button" class="button" data-kind="primary" id="fix-total" data-for="data:operator data:admin" ?disabled=${busy} @click=${() => actions.fix({ total_amount: computed })}>
        ${t('letters.fix_total', { amount: computed })}
    </button>`;
}

function editor({ open, draft, problem, actions }) {
    return html`<details class="disclosure" data-plain id="edit" data-for="data:operator data:admin" ?open=${problem !== null}>
        <summary>${t('letters.edit')}</summary>
        <div class="field">
            <label class="field-label" for="payload">${t('letters.payload')}</label>
            <textarea
                class="input copy-text"
                id="payload"
                spellcheck="false"
                dir="ltr"
                ?readonly=${!open}
                aria-describedby="payload-error"
                aria-invalid=${problem === null ? nothing : 'true'}
                .value=${draft ?? ''}
                @input=${(event) => actions.write(event.target.value)}
            ></textarea>
        </div>
    </details>`;
}

function letterView(data, page) {
    const { draft, problem, busy, actions } = page;
    const open = data.status === 'failed' && page.mayChange;
    return html`<div class="stack">
        <div class="section-head">
            <h2 id="letter-title" tabindex="-1">${eventName(data.event_type)}</h2>
            ${statusBadge(data.status)}
        </div>
        <p dir="auto"><strong>${reasonText(data.failure_reason)}</strong>: ${detailText(data.failure_detail)}</p>
        <p class="section-note">
            ${formatDateTime(data.received_at)} · ${t('letters.retries', { count: data.retry_count })} · <span class="mono" dir="ltr">${data.event_id}</span>
            ${copyButton({ text: () => data.event_id })}
        </p>
        ${contents(data.payload)} ${editor({ open, draft, problem, actions })}
        <p class="field-error" id="payload-error" role="status">${problem}</p>
        <div class="button-row">
            ${open
                ? html`${proposal(data, page)}
                      <button type="button" class="button" id="replay" data-for="data:operator data:admin" ?disabled=${busy} @click=${actions.replay}>${t('letters.replay')}</button>
                      <button type="button" class="button" data-kind="danger" id="dismiss" data-for="data:operator data:admin" ?disabled=${busy} @click=${actions.dismiss}>${t('letters.dismiss')}</button>`
                : null}
            <button type="button" class="button" @click=${actions.close}>${t('dialog.close')}</button>
        </div>
    </div>`;
}

export function view(page) {
    const { list, letter, stats, opened } = page;
    return html`<div class="stack">
        ${stats.data
            ? html`<p class="section-note" id="last-day">${t('letters.last_day', { count: formatInteger(stats.data.last_24h) })}</p>`
            : null}
        ${opened === null
            ? null
            : html`<section class="card section" aria-labelledby="letter-title" id="letter">
                  ${resourceView(letter, { skeleton: { lines: 4, height: 'row' }, ready: (data) => letterView(data, page) })}
              </section>`}
        <section class="card section" aria-label=${t('letters.title')}>${list.view()}</section>
    </div>`;
}
