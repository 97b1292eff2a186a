/* Two to five projects side by side, by the ids in the address. */
import '../../shared/shell.js';
import { onLocale } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { saveBlob } from '../../shared/ui/download.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { attempt } from '../attempt.js';
import { view } from './view.js';

const exportMs = 60000;
const kinds = { pdf: { type: 'application/pdf', end: 'pdf' }, markdown: { type: 'text/markdown', end: 'md' } };

/** @type {Client<'experiments'>} */
const client = createClient();
const ids = readQuery({ ids: '' }).ids.split(',').filter((id) => id !== '');
const app = mount(document.getElementById('page'), view, { busy: false, asked: false, threshold: 3 });
const comparison = createResource(app.update, async (signal) => (await client.post('/api/v1/projects/compare', { project_ids: ids }, { signal })).data);

/* The histogram is enough: the draws themselves stay where they are. */
const simulated = createResource(app.update, async (signal) => {
    const query = { include_monte_carlo: true, include_draws: false };
    return (await client.post('/api/v1/projects/compare', { project_ids: ids }, { query, signal })).data;
});

function simulate() {
    app.set({ asked: true });
    simulated.load();
}

/* A PDF comes as base64 inside the answer. */
const bytesOf = (format, content) => (format === 'pdf' ? Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0)) : content);

async function take(format) {
    app.set({ busy: true });
    await attempt(async () => {
        const { data } = await client.post('/api/v1/export/comparison', { project_ids: ids, format }, { timeoutMs: exportMs });
        const { type, end } = kinds[format];
        saveBlob(new Blob([bytesOf(format, data.content)], { type }), `comparison.${end}`);
    });
    app.set({ busy: false });
}

/* Opened without experiments in its address, the page leads to the list. */
const possible = ids.length >= 2;

app.set({ possible, comparison, take, simulated, simulate, choose: (threshold) => app.set({ threshold }) });
if (possible) {
    onLocale(() => comparison.reload());
    comparison.load();
}
