/* Asks for a webhook, a new one or what is to change about one, and saves it. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { actionText, eventGroups } from '../audit.js';

const testMs = 60000;
const names = ['name', 'target_url', 'secret', 'format', 'scope', 'api_key_id'];

const formats = () => ['generic', 'chatapp'].map((value) => ({ value, title: t(`settings.format_${value}`) }));
const scopes = () => ['global', 'api_key'].map((value) => ({ value, title: t(`settings.of_${value}`) }));

/* Resolves to the webhook; to undefined where the reader thinks better of it. */
export async function askForWebhook(client, keys, hook = null) {
    let dialog = { close: null, draw: null };
    let busy = false;
    let failure = null;
    let tried = null; /* what became of a test event */
    let events = hook?.event_filter ?? []; /* none = all */
    const update = () => dialog.draw?.();
    const isNew = hook === null;

    const form = createForm(update, {
        id: 'webhook',
        fields: [
            { name: 'name', kind: 'text', label: t('settings.name'), maxLength: 100, wide: true },
            { name: 'target_url', kind: 'url', label: t('settings.target'), hint: t('settings.target_hint'), placeholder: 'https://', maxLength: 2000, wide: true },
            {
                name: 'secret',
                kind: 'password',
                label: t('settings.secret'),
                hint: t(isNew ? 'settings.secret_hint' : 'settings.secret_kept'),
                optional: !isNew,
                maxLength: 200,
                wide: true,
            },
            { name: 'format', kind: 'select', label: t('settings.format'), options: formats() },
            { name: 'scope', kind: 'select', label: t('settings.of'), options: scopes() },
            {
                name: 'api_key_id',
                kind: 'select',
                label: t('settings.key'),
                options: [{ value: '', title: '–' }, ...keys.map(({ id, name }) => ({ value: id, title: name }))],
                wide: true,
                applies: ({ scope }) => scope === 'api_key',
            },
        ],
        onSubmit: save,
    });

    async function save(values) {
        const body = { ...values, event_filter: events };
        busy = true;
        failure = null;
        form.clearProblems();
        try {
            const saved = isNew ? await client.post('/api/v1/webhooks', body) : await client.patch(`/api/v1/webhooks/${encodeURIComponent(hook.id)}`, body);
            dialog.close(saved.data);
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) failure = error;
        } finally {
            busy = false;
            update();
        }
    }

    /* Sends a test event to what is in the form, before it is saved. */
    async function tryIt() {
        const { target_url, secret, format } = form.values();
        busy = true;
        [failure, tried] = [null, null];
        form.clearProblems();
        update();
        try {
            tried = (await client.post('/api/v1/webhooks/new/test', { target_url, secret, format }, { timeoutMs: testMs })).data;
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) failure = error;
        } finally {
            busy = false;
            update();
        }
    }

    function choose(event, ticked) {
        events = ticked ? [...events, event] : events.filter((one) => one !== event);
        update();
    }

    const box = (event) =>
        html`<label class="check"><input type="checkbox" name="event" value=${event} .checked=${events.includes(event)} @change=${({ target }) => choose(event, target.checked)} /> <span>${actionText(event)}</span></label>`;

    function eventList() {
        const listed = eventGroups();
        const others = events.filter((event) => !listed.some((group) => group.events.includes(event)));
        return html`<fieldset class="field field-wide" id="webhook-events">
            <legend class="field-label">${t('settings.events')}</legend>
            <p class="field-hint">${t('settings.events_hint')}</p>
            <div class="event-groups">
                ${listed.map((group) => html`<div><p class="section-note">${group.title}</p>${group.events.map(box)}</div>`)}
                ${others.length === 0 ? null : html`<div>${others.map(box)}</div>`}
            </div>
        </fieldset>`;
    }

    function trialNotice() {
        if (tried === null) return null;
        const arrived = tried.status === 'delivered';
        return notice({ tone: arrived ? 'good' : 'danger', body: html`<p role="status" id="tried">${t(arrived ? 'settings.test_arrived' : 'settings.test_failed', { code: tried.response_code ?? '–' })}</p>` });
    }

    const content = () => html`<div class="field-grid">${names.map((name) => form.field(name))}${eventList()}</div>
        ${trialNotice()}
        <div class="button-row">
            <button type="submit" class="button" data-kind="primary" ?disabled=${busy}>${t('settings.save')}</button>
            <button type="button" class="button" id="try-webhook" ?disabled=${busy} @click=${tryIt}>${t('settings.try')}</button>
        </div>`;

    if (!isNew) form.write(hook);
    const title = t(isNew ? 'settings.new_webhook' : 'settings.edit_webhook');
    return openDialog({
        title,
        wide: true,
        body: (close, draw) => {
            dialog = { close, draw };
            return html`${failure === null ? null : errorNotice(failure)} ${form.view(content(), { busy, label: title })}`;
        },
    });
}
