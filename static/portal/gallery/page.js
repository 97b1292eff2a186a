/* Shows every component once, with data of its own: to look at, and for the tests to hold on to. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createList } from '../../shared/ui/list.js';
import { createLog } from '../../shared/ui/log.js';
import { createResource } from '../../shared/ui/resource.js';
import { createUpload } from '../../shared/ui/upload.js';
import { columns, filters, formFields, rows } from './data.js';
import { view } from './view.js';

function page(signal, { page: number, size, sort, name, state }) {
    const wanted = rows
        .filter((row) => row.name.toLowerCase().includes((name ?? '').toLowerCase()))
        .filter((row) => !state || row.state === state);
    const { value } = columns().find((column) => column.name === sort.replace('-', '')) ?? {};
    const sorted = value
        ? wanted.toSorted((a, b) => (value(a) < value(b) ? -1 : 1) * (sort.startsWith('-') ? -1 : 1))
        : wanted;
    return Promise.resolve({
        rows: sorted.slice((number - 1) * size, number * size),
        total: sorted.length,
    });
}

const parts = {};
const update = () => parts.app?.update();

parts.form = createForm(update, { id: 'sample', fields: formFields, onSubmit: (values) => parts.app.set({ sent: values }) });
parts.list = createList(update, {
    load: page,
    columns,
    filters,
    size: 5,
    sort: 'name',
    key: (row) => row.id,
    caption: 'Runs',
    empty: (values) => ({ title: values.name ? 'Nothing fits these filters' : 'No runs yet' }),
});
parts.log = createLog(update, { limit: 100 });
parts.upload = createUpload(update, { url: '/nowhere', accept: '.txt,.md', maxBytes: 1000000 });
parts.resources = {
    loading: createResource(update, () => new Promise(() => {})),
    failed: createResource(update, () => Promise.reject(new ApiError('server', 'Internal server error', { status: 500, code: 'internal_error', requestId: 'r-1' }))),
    empty: createResource(update, () => Promise.resolve([])),
    stale: createResource(update, () => Promise.resolve(['one', 'two'])),
};

parts.app = mount(document.getElementById('gallery'), view, { parts, tab: 'first', sent: null, answer: null, selected: null });
parts.list.start();
for (const line of ['Started', 'Fetched 3 documents', 'A model did not answer; the next one was asked'])
    parts.log.add({ time: '12:00:01', level: line.startsWith('A') ? 'warning' : 'info', tone: line.startsWith('A') ? 'caution' : 'info', text: line });
parts.resources.loading.load();
parts.resources.failed.load();
parts.resources.empty.load();
parts.resources.stale.load().then(() => parts.resources.stale.outdate());
