/* The plan of an experiment: sized, reported on, and with every revision, analysis and export of it. */
import { t } from '../../shared/i18n.js';
import { download } from '../../shared/ui/download.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createList } from '../../shared/ui/list.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { keepAsTemplate } from './template.js';
import { exportColumns, revisionColumns, runColumns } from './view.js';

const analysisMs = 120000; /* advice is asked of a language model where one is configured */
const rowsPerPage = 10;
const offsetOf = ({ page, size }) => (page - 1) * size;

/*
 * project: the resource of the design; send() leads to where events come in. The result has: id, run, the newest analysis of the design (a resource, null
 * where there is none), lists, `shown` (the one of them that is open), busy (the name of what runs), and actions.
 */
export function createPlan(update, client, { id, project, send }) {
    const base = /** @type {const} */ (`/api/v1/projects/${encodeURIComponent(id)}`);
    const run = createResource(update, async (signal) => {
        const { data } = await client.get(`${base}/history`, { query: { analysis_limit: 1, export_limit: 1 }, signal });
        return { newest: data.analysis_runs[0] ?? null };
    });
    const listOf = (name, columns, load) =>
        createList(update, { prefix: `${name}_`, size: rowsPerPage, columns, key: ({ id: row }) => row, caption: () => t(`project.${name}`), load });
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
    const plan = { id, project, run, lists, shown: 'revisions', busy: null, actions: null };

    async function during(name, action) {
        plan.busy = name;
        update();
        await attempt(action);
        plan.busy = null;
        update();
    }

    const analyse = () =>
        during('analysis', async () => {
            const { data } = await client.post('/api/v1/analyze', project.data.payload, { timeoutMs: analysisMs });
            await client.post(`${base}/analysis`, data);
            toast(t('project.analysed'));
            await run.reload();
        });

    /* Among the exports there is a place for PDF only. Who may not write takes the report away unnoted. */
    async function noteExport() {
        try {
            await client.post(`${base}/exports`, { format: 'pdf', analysis_run_id: run.data.newest.id });
        } catch (error) {
            if (!(error instanceof ApiError) || error.kind !== 'forbidden') throw error;
        }
    }

    const report = (format) =>
        during(format, async () => {
            await download(client, `${base}/report/${format}`, { name: `${id}.${format}` });
            if (format === 'pdf') await noteExport();
        });

    const keep = () =>
        attempt(async () => {
            const kept = await keepAsTemplate(client, project.data.payload);
            if (kept) toast(t('project.template_kept', { name: kept.name }));
        });

    function show(shown) {
        plan.shown = shown;
        update();
        lists[shown].reload();
    }

    plan.actions = { analyse, report, keep, show, send };
    return plan;
}
