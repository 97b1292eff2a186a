/* How the models of the last tasks have done. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { createResource } from '../../shared/ui/resource.js';
import { client } from '../models.js';
import { view } from './view.js';

const everyMs = 30000;

const app = mount(document.getElementById('page'), view, { analytics: null });
const analytics = createResource(app.update, async (signal) => (await client.get('/api/v1/analytics', { signal })).data);
app.set({ analytics });
analytics.load().then((data) => data !== undefined && analytics.every(everyMs));
