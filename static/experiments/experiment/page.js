/*
 * A running experiment: what came in and what to do. Asked again while somebody looks, by the ETag of
 * the last answer, so that nothing is sent where nothing has changed.
 */
import '../../shared/shell.js';
import { onLocale } from '../../shared/i18n.js';
import { apiAddress } from '../../shared/place.js';
import { mount, pathParameters } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createResource } from '../../shared/ui/resource.js';
import { view } from './view.js';

const everyMs = 4000;
/** @type {Client<'experiments'>} */
const client = createClient();
const { id } = pathParameters('/live/{id}');
const base = /** @type {const} */ (`/api/v1/experiments/${encodeURIComponent(id)}`);
const kept = new Map();

/* The answer to `path`: the one of before where the service says that it still holds. */
/** @type {GetData<'experiments'>} */
async function current(path, { signal }) {
    const last = kept.get(path);
    const answer = await client.get(path, { signal, etag: last?.etag });
    if (answer.notModified) return last.data;
    kept.set(path, answer);
    return answer.data;
}

const app = mount(document.getElementById('page'), view, { id, project: null, snippet: 'curl' });
const project = createResource(app.update, async (signal) => (await client.get(`/api/v1/projects/${encodeURIComponent(id)}`, { signal })).data);
const live = createResource(app.update, async (signal) => {
    const [stats, decision] = await Promise.all([current(`${base}/live-stats`, { signal }), current(`${base}/decision`, { signal })]);
    return { stats, decision };
});

app.set({
    project,
    live,
    api: apiAddress(''),
    actions: {
        snippet: (snippet) => app.set({ snippet }),
        start: () => project.reload().then(() => live.load()),
    },
});
onLocale(() => live.reload());
project.load();
live.load();
live.every(everyMs);
