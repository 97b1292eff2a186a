/* Asks for a template and a name, and saves a project of them. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';

/* Resolves to the project; to undefined where the reader thinks better of it. */
/** @param {Client<'experiments'>} client */
export async function askForTemplate(client) {
    const { templates } = (await client.get('/api/v1/templates')).data;
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

    const form = createForm(update, {
        id: 'new',
        fields: [
            {
                name: 'template',
                kind: 'select',
                label: t('projects.template_label'),
                wide: true,
                options: templates.map(({ id, name, category }) => ({ value: id, title: `${name} (${category})` })),
                hint: ({ template }) => templates.find(({ id }) => id === template)?.description ?? '',
            },
            { name: 'project_name', kind: 'text', label: t('projects.name_label'), wide: true },
        ],
        onSubmit: save,
    });

    return openDialog({
        title: t('projects.from_template'),
        body: (close, draw) => {
            dialog = { close, draw };
            return html`${failure === null ? null : errorNotice(failure)} ${form.view(null, { action: t('projects.create'), busy, label: t('projects.from_template') })}`;
        },
    });
}
