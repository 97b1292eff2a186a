/* Asks for a webhook, a new one or what is to change about one, and saves it. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';

const formats = () => ['generic', 'chatapp'].map((value) => ({ value, title: t(`settings.format_${value}`) }));
const scopes = () => ['global', 'api_key'].map((value) => ({ value, title: t(`settings.of_${value}`) }));
const namesIn = (text) => text.split(/[\s,]+/).filter(Boolean);

/* Resolves to the webhook; to undefined where the reader thinks better of it. */
export async function askForWebhook(client, keys, hook = null) {
    let dialog = { close: null, draw: null };
    let busy = false;
    let failure = null;
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
            {
                name: 'event_filter',
                kind: 'text',
                label: t('settings.events'),
                hint: t('settings.events_hint'),
                placeholder: 'project.create, project.update',
                optional: true,
                wide: true,
            },
        ],
        onSubmit: save,
    });

    async function save({ event_filter: filter = '', ...values }) {
        const body = { ...values, event_filter: namesIn(filter) };
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

    if (!isNew) form.write({ ...hook, event_filter: hook.event_filter.join(', ') });
    const title = t(isNew ? 'settings.new_webhook' : 'settings.edit_webhook');
    return openDialog({
        title,
        body: (close, draw) => {
            dialog = { close, draw };
            return html`${failure === null ? null : errorNotice(failure)} ${form.view(null, { action: t('settings.save'), busy, label: title })}`;
        },
    });
}
