/* How answers are doing: the snapshot of the API, fetched again while somebody looks. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { createResource } from '../../shared/ui/resource.js';
import { client, showAccount } from '../service.js';
import { view } from './view.js';

const everyMs = 30000;

const app = mount(document.getElementById('page'), view, { snapshot: null, votes: null });

const snapshot = createResource(app.update, async (signal) => (await client.get('/api/metrics', { signal })).data);
const votes = createResource(app.update, async (signal) => (await client.get('/api/feedback/stats', { query: { days: 30 }, signal })).data);

app.set({ snapshot, votes });
showAccount();
for (const resource of [snapshot, votes]) {
    resource.load();
    resource.every(everyMs);
}
