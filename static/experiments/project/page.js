/* One project: sized, reported on, and with all that happened to it. */
import '../../shared/shell.js';
import { onLocale, t } from '../../shared/i18n.js';
import { mount, pathParameters } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { download } from '../../shared/ui/download.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createList } from '../../shared/ui/list.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { nameThePage } from '../title.js';
import { keepAsTemplate } from './template.js';
import { exportColumns, revisionColumns, runColumns, view } from './view.js';

const analysisMs = 120000; /* advice is asked of a language model where one is configured */
const rowsPerPage = 10;
/** @type {Client<'experiments'>} */
const client = createClient();
const { id } = pathParameters('/projects/{id}');
const base = /** @type {const} */ (`/api/v1/projects/${encodeURIComponent(id)}`);
const app = mount(document.getElementById('page'), view, { id, project: null, shown: 'revisions', busy: null });
const offsetOf = ({ page, size }) => (page - 1) * size;

/* The design, and the newest analysis of it where there is one. */
const project = createResource(app.update, async (signal) => {
    const [{ data: design }, { data: history }] = await Promise.all([
        client.get(base, { signal }),
        client.get(`${base}/history`, { query: { analysis_limit: 1, export_limit: 1 }, signal }),
    ]);
    return { design, run: history.analysis_runs[0] ?? null };
});

const listOf = (name, columns, load) =>
    createList(app.update, { prefix: `${name}_`, size: rowsPerPage, columns, key: ({ id: row }) => row, caption: () => t(`project.${name}`), load });

const lists = {
    revisions: listOf('revisions', revisionColumns, async (signal, asked) => {
        const query = { limit: asked.size, offset: offsetOf(asked) };
        const { data } = await client.get(`${base}/revisions`, { query, signal });
        return { rows: data.revisions, total: data.total };
    }),
    analyses: listOf('analyses', runColumns, async (signal, asked) => {
        const query = { analysis_limit: asked.size, analysis_offset: offsetOf(asked), export_limit: 1 };
        const { data } = await client.get(`${base}/history`, { query, signal });
        return { rows: data.analysis_runs, total: data.analysis_total };
    }),
    exports: listOf('exports', exportColumns, async (signal, asked) => {
        const query = { analysis_limit: 1, export_limit: asked.size, export_offset: offsetOf(asked) };
        const { data } = await client.get(`${base}/history`, { query, signal });
        return { rows: data.export_events, total: data.export_total };
    }),
};

async function load() {
    await project.load();
    if (project.data !== undefined) nameThePage(project.data.design.project_name);
    if (project.data !== undefined) lists[app.state.shown].reload();
}

async function during(name, action) {
    app.set({ busy: name });
    await attempt(action);
    app.set({ busy: null });
}

const analyse = () =>
    during('analysis', async () => {
        const { payload } = project.data.design;
        const { data } = await client.post('/api/v1/analyze', payload, { timeoutMs: analysisMs });
        await client.post(`${base}/analysis`, data);
        toast(t('project.analysed'));
        await load();
    });

/* Among the exports there is a place for PDF only. Who may not write takes the report away unnoted. */
async function noteExport() {
    try {
        await client.post(`${base}/exports`, { format: 'pdf', analysis_run_id: project.data.run.id });
    } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== 'forbidden') throw error;
    }
}

const report = (format) =>
    during(format, async () => {
        await download(client, `${base}/report/${format}`, { name: `${id}.${format}` });
        if (format !== 'pdf') return;
        await noteExport();
        if (app.state.shown === 'exports') lists.exports.reload();
    });

const keep = () =>
    attempt(async () => {
        const kept = await keepAsTemplate(client, project.data.design.payload);
        if (kept) toast(t('project.template_kept', { name: kept.name }));
    });

function show(shown) {
    app.set({ shown });
    lists[shown].reload();
}

app.set({ project, lists, actions: { analyse, report, keep, show, load } });
onLocale(() => project.data && load());
load();
