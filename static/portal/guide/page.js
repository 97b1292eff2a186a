/* The documentation: a text of docs/, which nginx serves as it is, made readable here. */
import '../../shared/shell.js';
import { nameTitle } from '../../shared/title.js';
import { mount, pathParameters } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createResource } from '../../shared/ui/resource.js';
import { documentOf } from './document.js';
import { view } from './view.js';

const { folder, name } = pathParameters('/docs/{folder}/{name}');
const path = folder === undefined ? 'index' : `${folder}/${name}`;
const client = createClient();
const app = mount(document.getElementById('page'), view, { path, text: null });

app.state.text = createResource(app.update, async (signal) => documentOf(await client.text(`/docs-text/${path}.md`, { signal })));

const found = await app.state.text.load();
if (found !== undefined) {
    if (folder !== undefined) nameTitle(found.title);
    /* The browser has looked for the heading before there was one. */
    if (location.hash !== '') setTimeout(() => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView());
}
