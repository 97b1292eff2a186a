/* Projects: the list, putting away and taking out again, and a new one from a template. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createList } from '../../shared/ui/list.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { askForTemplate } from './template.js';
import { columns, filters, view } from './view.js';

/** @type {Client<'experiments'>} */
const client = createClient();
const app = mount(document.getElementById('page'), view, { chosen: [] });
const pathOf = (id) => /** @type {const} */ (`/api/v1/projects/${encodeURIComponent(id)}`);

const list = createList(app.update, {
    sort: '-updated_at',
    columns: () => columns({ archive, restore, tick, chosen: app.state.chosen }),
    filters,
    key: ({ id }) => id,
    caption: () => t('projects.title'),
    empty: ({ q, metric_type: type, status }) =>
        q || type || status ? { title: t('projects.none_fits') } : { title: t('projects.none'), text: t('projects.none_text') },
    load: async (signal, { page, size, sort, q, metric_type, status }) => {
        const query = {
            q,
            metric_type,
            status,
            sort_by: sort.replace(/^-/, ''),
            sort_dir: sort.startsWith('-') ? 'desc' : 'asc',
            limit: size,
            offset: (page - 1) * size,
        };
        const { data } = await client.get('/api/v1/projects', { query, signal });
        return { rows: data.projects, total: data.total };
    },
});

/* Ticks stay while the list is turned over and searched. */
function tick({ id }) {
    const { chosen } = app.state;
    app.set({ chosen: chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id] });
}

async function restore({ id, project_name: name }) {
    await attempt(async () => {
        await client.request('POST', `${pathOf(id)}/restore`);
        toast(t('projects.restored', { name }));
    });
    list.reload();
}

async function archive(project) {
    const { id, project_name: name } = project;
    await attempt(async () => {
        await client.request('POST', `${pathOf(id)}/archive`);
        app.set({ chosen: app.state.chosen.filter((one) => one !== id) });
        toast(t('projects.archived_now', { name }), { action: { title: t('projects.restore'), run: () => restore(project) } });
    });
    list.reload();
}

app.set({
    list,
    compare: () => location.assign(address(`/projects/compare?ids=${app.state.chosen.map(encodeURIComponent).join(',')}`)),
    create: () =>
        attempt(async () => {
            const created = await askForTemplate(client);
            if (created) location.assign(address(`/projects/${encodeURIComponent(created.id)}`));
        }),
});
list.start();
