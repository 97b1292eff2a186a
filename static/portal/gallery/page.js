/* Shows every component once, with data of its own: to look at, and for the tests to hold on to. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { createLiveChart } from '../../shared/ui/charts/live.js';
import { createCombobox } from '../../shared/ui/combobox.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createList } from '../../shared/ui/list.js';
import { createLog } from '../../shared/ui/log.js';
import { createResource } from '../../shared/ui/resource.js';
import { createUpload } from '../../shared/ui/upload.js';
import { createWizard } from '../../shared/ui/wizard.js';
import { columns, filters, formFields, rows, stepFields } from './data.js';
import { stepView, view } from './view.js';

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
parts.live = createLiveChart(update, {
    label: 'Requests per second',
    series: [{ name: 'answered' }, { name: 'refused' }],
    format: String,
    formatTime: (at) => new Date(at).toISOString().slice(14, 19),
});
parts.combobox = createCombobox(update, {
    id: 'sample-run',
    label: 'Run',
    find: async (text) => rows.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).map(({ id, name, state }) => ({ value: id, title: name, note: state })),
    onChoose: (option) => parts.app.set({ chosen: option?.title ?? null }),
});
parts.steps = createForm(update, { id: 'steps', fields: stepFields, onInput: () => parts.wizard.keep() });
parts.wizard = createWizard(update, {
    name: 'sample-wizard',
    steps: ['name', 'size', 'check'].map((name) => ({
        name,
        title: () => ({ name: 'Name it', size: 'Size it', check: 'Check it' })[name],
        view: () => stepView(parts.steps, name),
        ready: () => name === 'check' || parts.steps.values()[name] !== undefined,
    })),
    draft: () => parts.steps.texts(),
    restore: (texts) => parts.steps.writeTexts(texts),
    finish: async () => {
        parts.app.set({ made: parts.steps.values() });
        return true;
    },
});
parts.resources = {
    loading: createResource(update, () => new Promise(() => {})),
    failed: createResource(update, () => Promise.reject(new ApiError('server', 'Internal server error', { status: 500, code: 'internal_error', requestId: 'r-1' }))),
    empty: createResource(update, () => Promise.resolve([])),
    stale: createResource(update, () => Promise.resolve(['one', 'two'])),
};

parts.app = mount(document.getElementById('gallery'), view, { parts, tab: 'first', sent: null, answer: null, selected: null, chosen: null, made: null });
parts.list.start();
for (const line of ['Started', 'Fetched 3 documents', 'A model did not answer; the next one was asked'])
    parts.log.add({ time: '12:00:01', level: line.startsWith('A') ? 'warning' : 'info', tone: line.startsWith('A') ? 'caution' : 'info', text: line });
for (let second = 0; second < 60; second++)
    parts.live.push(Date.UTC(2026, 0, 5, 12, 0, second), [40 + Math.round(12 * Math.sin(second / 6)), second % 9]);
parts.resources.loading.load();
parts.resources.failed.load();
parts.resources.empty.load();
parts.resources.stale.load().then(() => parts.resources.stale.outdate());
