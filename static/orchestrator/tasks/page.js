/* Runs: what was asked of which models, how it went, once more; and new ones. The address holds what is open. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { nameTitle } from '../../shared/title.js';
import { mount } from '../../shared/ui/app.js';
import { download } from '../../shared/ui/download.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createList } from '../../shared/ui/list.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { answerTimeoutMs, client, sayError } from '../models.js';
import { createModes } from './modes.js';
import { columns, view } from './view.js';

const fetched = 100; /* the most that the API gives */
const statuses = ['accepted', 'succeeded', 'failed', 'cancelled'];

let app = null;
const update = () => app?.update();

const list = createList(update, {
    load: async (signal, { page, size, status, prompt_contains: part }) => {
        const query = { limit: fetched, status, prompt_contains: part };
        const all = (await client.get('/api/v1/tasks', { query, signal })).data;
        return { rows: all.slice((page - 1) * size, page * size), total: all.length };
    },
    columns: () => columns(open),
    filters: () => [
        { name: 'prompt_contains', label: t('tasks.search'), kind: 'search' },
        { name: 'status', label: t('tasks.status'), kind: 'select', options: statuses.map((value) => ({ value, title: t(`status.${value}`) })) },
    ],
    key: ({ task_id: id }) => id,
    caption: () => t('tasks.title'),
    empty: () => ({ title: t('tasks.none'), text: t('tasks.none_text') }),
});
const task = createResource(update, async (signal, id) => (await client.get(`/api/v1/tasks/${encodeURIComponent(id)}`, { signal })).data);

async function attempt(action) {
    try {
        await action();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        sayError(error);
    }
}

function follow() {
    const { task: opened } = readQuery({ task: '' });
    app.set({ opened });
    if (opened !== '') task.load(opened).then((run) => run && nameTitle(run.prompt));
    else {
        nameTitle(null);
        list.start();
    }
}

function open(id) {
    writeQuery({ task: id }, {}, { step: true });
    follow();
    scrollTo(0, 0);
}

const actions = {
    open,
    export: (id) => attempt(() => download(client, `/api/v1/tasks/${encodeURIComponent(id)}/export`, { name: `${id}.md` })),
    retry: (id) =>
        attempt(async () => {
            const { data } = await client.post(`/api/v1/tasks/${encodeURIComponent(id)}/retry`, {}, { timeoutMs: answerTimeoutMs });
            open(data.task_id);
        }),
};

const modes = createModes(update, open);
app = mount(document.getElementById('page'), view, { list, task, modes, opened: '', actions });
follow();
onQuery(follow);
