/* Sending an event as a template: its type, its members, what became of it. */
import { t } from '../../shared/i18n.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { domainName, entityAddress, eventName, letterAddress, typeName } from '../words.js';

function typeChoice({ types, type }, { actions }) {
    const domains = [...new Set(types.map(({ domain }) => domain))];
    return html`<div class="field">
        <label class="field-label" for="send-type">${t('events.event_type')}</label>
        <select class="select" id="send-type" @change=${(event) => actions.go({ tab: 'send', event: event.target.value })}>
            ${domains.map(
                (domain) =>
                    html`<optgroup label=${domainName(domain)}>
                        ${types
                            .filter((one) => one.domain === domain)
                            .map(({ event_type: value }) => html`<option value=${value} ?selected=${value === type.event_type}>${eventName(value)}</option>`)}
                    </optgroup>`,
            )}
        </select>
        <p class="field-hint">${type.does === null ? null : t(`events.does_${type.does}`, { type: typeName(type.entity) })}</p>
    </div>`;
}

/* What became of the event that was sent last. */
function resultView({ result, problem, type }) {
    if (problem !== null) return notice({ tone: 'danger', title: t('events.not_sent'), body: html`<p>${problem}</p>`, alert: true });
    if (result === null) return null;
    /* An event that was sent twice had been applied, though its first answer did not arrive. */
    if (result.status === 'applied' || result.status === 'duplicate')
        return notice({
            tone: 'good',
            title: t('events.sent'),
            actions: result.key ? html`<a class="button" data-size="small" href=${entityAddress(type.entity, String(result.key))}>${t('events.show_entity', { type: typeName(type.entity) })}</a>` : null,
        });
    return notice({
        tone: 'danger',
        title: t('events.sent_rejected'),
        body: html`<p>${result.detail ?? result.reason ?? ''}</p>
            <p>${t('events.sent_rejected_text')}</p>`,
        actions: result.event_id ? html`<a class="button" data-size="small" href=${letterAddress(result.event_id)}>${t('events.show_failed')}</a>` : null,
        alert: true,
    });
}

/* The event as JSON, as far as what was typed is JSON. */
function asJson(sending) {
    try {
        return JSON.stringify(sending.payload(), null, 2);
    } catch {
        return t('events.bad_json');
    }
}

function formView(sending, page) {
    const { form, type, busy } = sending;
    return html`<section class="card section stack" aria-labelledby="send-title" id="send-one">
        <h2 id="send-title">${t('events.send_title')}</h2>
        <p class="section-note">${t('events.send_text')}</p>
        ${typeChoice(sending, page)}
        ${form.view(
            html`<div class="field-grid">${type.members.map(({ path }) => form.field(path))} ${form.field('timestamp')} ${form.field('source')}</div>
                <div id="sent" role="status">${resultView(sending)}</div>
                <div class="button-row">
                    <button type="submit" class="button" data-kind="primary" data-for="data:operator data:admin" ?disabled=${busy}>${t('events.send')}</button>
                    <button type="button" class="button" @click=${sending.fill}>${t('events.fill')}</button>
                </div>`,
            { label: t('events.send_title'), busy },
        )}
        <details class="disclosure" data-plain>
            <summary>${t('events.as_json')}</summary>
            ${codeblock(asJson(sending), { language: 'JSON', label: t('events.as_json') })}
        </details>
    </section>`;
}

export function sendPanel(page) {
    const { domains, sending, actions } = page;
    return resourceView(domains, {
        skeleton: { lines: 4, height: 'row' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.start) : errorNotice(error, { retry: actions.start })),
        ready: () => (sending.type === null ? html`<p class="card section">${t('events.no_types')}</p>` : formView(sending, page)),
    });
}
