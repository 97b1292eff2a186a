/* The landing page: the services that this installation runs, and whether all of each one answers. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createResource } from '../../shared/ui/resource.js';
import { checkServices, listedServices } from './services.js';
import { view } from './view.js';

const checkEveryMs = 30000;
const client = createClient();
const state = { services: [] };
const app = mount(document.getElementById('services-place'), view, state);

/* What each service says, by name. */
state.checks = createResource(app.update, (signal) => checkServices(client, state.services, signal));

state.services = await listedServices(client);
await state.checks.load();
state.checks.every(checkEveryMs);
