/* Saved designs, each with the way to its running experiment. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createResource } from '../../shared/ui/resource.js';
import { view } from './view.js';

/** @type {Client<'experiments'>} */
const client = createClient();
const app = mount(document.getElementById('page'), view, {});
const projects = createResource(app.update, async (signal) => (await client.get('/api/v1/projects', { signal })).data.projects);
app.set({ projects });
projects.load();
