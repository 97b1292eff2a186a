/* Asks for a template and a name, and saves a project of them. */
import { t } from '../shared/i18n.js';
import { confirm, openDialog } from '../shared/ui/dialog.js';
import { ApiError } from '../shared/ui/errors.js';
import { createForm } from '../shared/ui/form.js';
import { html } from '../shared/ui/lit.js';
import { errorNotice } from '../shared/ui/notice.js';
import { attempt } from './attempt.js';

/* Resolves to the project; to undefined where the reader thinks better of it. */
/** @param {Client<'experiments'>} client */
export async function askForTemplate(client) {
    let { templates } = (await client.get('/api/v1/templates')).data;
    const designs = new Map(); /* of templates in use: a second try is not a second use */
    let dialog = { close: null, draw: null };
    let busy = false;
    let failure = null;
    const update = () => dialog.draw?.();

    async function designOf(id) {
        if (!designs.has(id)) {
            const { data } = await client.request('POST', `/api/v1/templates/${encodeURIComponent(id)}/use`);
            designs.set(id, data.payload);
        }
        return designs.get(id);
    }

    /* The API takes designs without a name, in a list nobody could tell them apart. */
    async function save({ template, project_name: name = '' }) {
        if (name === '') {
            form.showError({ items: [{ type: 'missing', loc: ['project_name'] }] });
            return;
        }
        busy = true;
        failure = null;
        form.clearProblems();
        try {
            const design = await designOf(template);
            const body = { ...design, project: { ...design.project, project_name: name } };
            dialog.close((await client.post('/api/v1/projects', body)).data);
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) failure = error;
        } finally {
            busy = false;
            update();
        }
    }

    const chosen = () => templates.find(({ id }) => id === form.texts().template);

    /* Those of the product stay. */
    async function remove({ id, name }) {
        if (!(await confirm({ title: t('list.template_delete_title', { name }), text: t('list.template_delete_text'), action: t('list.template_delete') }))) return;
        const done = await attempt(() => client.request('DELETE', `/api/v1/templates/${encodeURIComponent(id)}`));
        if (!done) return;
        templates = templates.filter((one) => one.id !== id);
        form.write({ template: templates[0].id, project_name: form.texts().project_name });
        update();
    }

    function removeButton() {
        const template = chosen();
        if (template === undefined || template.built_in) return null;
        return html`<div class="button-row"><button type="button" class="button" data-kind="danger" data-size="small" id="delete-template" @click=${() => remove(template)}>${t('list.template_delete')}</button></div>`;
    }

    const form = createForm(update, {
        id: 'new',
        fields: [
            {
                name: 'template',
                kind: 'select',
                label: t('list.template_label'),
                wide: true,
                options: () => templates.map(({ id, name, category }) => ({ value: id, title: `${name} (${category})` })),
                hint: ({ template }) => templates.find(({ id }) => id === template)?.description ?? '',
            },
            { name: 'project_name', kind: 'text', label: t('list.name_label'), wide: true },
        ],
        onSubmit: save,
    });

    return openDialog({
        title: t('list.from_template'),
        body: (close, draw) => {
            dialog = { close, draw };
            return html`${failure === null ? null : errorNotice(failure)} ${form.view(null, { action: t('list.create'), busy, label: t('list.from_template') })} ${removeButton()}`;
        },
    });
}
