/* Two to five projects side by side, by the ids in the address. */
import '../../shared/shell.js';
import { onLocale } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { view } from './view.js';

/** @type {Client<'experiments'>} */
const client = createClient();
const ids = readQuery({ ids: '' }).ids.split(',').filter((id) => id !== '');
const app = mount(document.getElementById('page'), view, {});
const comparison = createResource(app.update, async (signal) => (await client.post('/api/v1/projects/compare', { project_ids: ids }, { signal })).data);
app.set({ comparison });
onLocale(() => comparison.reload());
comparison.load();
