/* Dead letters as a template: the open one above the list. */
import { hasText, t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';

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

export function columns(open) {
    return [
        {
            name: 'event_id',
            title: t('letters.event'),
            cell: ({ event_id: id }) => html`<button type="button" class="link-button" @click=${() => open(id)}>${id}</button>`,
        },
        { name: 'event_type', title: t('events.type') },
        { name: 'failure_reason', title: t('letters.reason'), cell: ({ failure_reason: reason }) => reasonText(reason) },
        { name: 'failure_detail', title: t('letters.detail'), cell: ({ failure_detail: detail }) => html`<span dir="auto">${detail}</span>` },
        { name: 'received_at', title: t('letters.received'), cell: ({ received_at: at }) => formatAgo(at) },
        { name: 'status', title: t('letters.status'), cell: ({ status }) => statusBadge(status) },
    ];
}

function letterView(data, { draft, problem, busy, actions }) {
    const open = data.status === 'failed';
    return html`<div class="stack">
        <div class="section-head">
            <h2 id="letter-title" tabindex="-1" dir="ltr">${data.event_id}</h2>
            ${statusBadge(data.status)}
        </div>
        <p dir="auto"><strong>${reasonText(data.failure_reason)}</strong>: ${data.failure_detail}</p>
        <p class="section-note">${formatDateTime(data.received_at)} · ${t('letters.retries', { count: data.retry_count })}</p>
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
            <p class="field-error" id="payload-error" role="status">${problem}</p>
        </div>
        <div class="button-row">
            ${open
                ? html`<button type="button" class="button" data-kind="primary" id="replay" ?disabled=${busy} @click=${actions.replay}>${t('letters.replay')}</button>
                      <button type="button" class="button" data-kind="danger" id="dismiss" ?disabled=${busy} @click=${actions.dismiss}>${t('letters.dismiss')}</button>`
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
