/* Asks what a design is to be called, and keeps it as a template. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';

/* Resolves to the template; to undefined where the reader thinks better of it. */
/** @param {Client<'experiments'>} client */
export function keepAsTemplate(client, payload) {
    let dialog = { close: null, draw: null };
    let busy = false;
    let failure = null;
    const update = () => dialog.draw?.();

    async function save({ name = '', category, description = '' }) {
        busy = true;
        failure = null;
        form.clearProblems();
        try {
            const design = { ...payload, additional_context: { ...payload.additional_context, observed_results: null } };
            const body = { name, description, ...(category && { category }), payload: design };
            dialog.close((await client.post('/api/v1/templates', body)).data);
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) failure = error;
        } finally {
            busy = false;
            update();
        }
    }

    const form = createForm(update, {
        id: 'template',
        fields: [
            { name: 'name', kind: 'text', label: t('project.template_name'), wide: true, maxLength: 120 },
            { name: 'description', kind: 'text', label: t('project.template_description'), wide: true, maxLength: 240 },
            { name: 'category', kind: 'text', label: t('project.template_category'), wide: true, maxLength: 60, optional: true },
        ],
        onSubmit: save,
    });

    return openDialog({
        title: t('project.keep_template'),
        body: (close, draw) => {
            dialog = { close, draw };
            return html`<p class="section-note">${t('project.template_note')}</p>
                ${failure === null ? null : errorNotice(failure)} ${form.view(null, { action: t('project.keep'), busy, label: t('project.keep_template') })}`;
        },
    });
}
