/* Prompts that the service keeps: their versions, which one is in production, and trials. The address names the open one. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { nameTitle } from '../../shared/title.js';
import { mount } from '../../shared/ui/app.js';
import { confirm } from '../../shared/ui/dialog.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../../experiments/attempt.js';
import { client, loadCallable } from '../models.js';
import { createEditor } from './editor.js';
import { createTrial } from './trial.js';
import { view } from './view.js';

const defaults = { name: '', version: '' };

let app = null;
const update = () => app?.update();
const templates = createResource(update, async (signal) => (await client.get('/api/v1/templates', { signal })).data.templates);
const models = createResource(update, loadCallable);
const trial = createTrial(update, models);

function follow() {
    const { name, version } = readQuery(defaults);
    nameTitle(name === '' ? null : name);
    trial.forget();
    app.set({ opened: name, version: version === '' ? null : Number(version), editor: null });
}

function go(name, version = '') {
    writeQuery({ name, version: String(version) }, defaults, { step: true });
    follow();
    scrollTo(0, 0);
}

function startEditor(last) {
    const editor = createEditor(update, {
        last,
        onCancel: () => app.set({ editor: null }),
        onSaved(saved) {
            toast(t('prompts.saved', { name: saved.name, version: saved.version }));
            templates.reload();
            go(saved.name, saved.version);
        },
    });
    app.set({ editor });
    requestAnimationFrame(() => document.getElementById(last === null ? 'prompt-name' : 'content-0')?.focus());
}

const actions = {
    open: go,
    write: startEditor,
    show: (version) => go(app.state.opened, version),
    snippet: (snippet) => app.set({ snippet }),
    async promote({ name, version }) {
        if (await attempt(() => client.put(`/api/v1/templates/${encodeURIComponent(name)}/production`, { version }))) templates.reload();
    },
    async remove(name) {
        if (!(await confirm({ title: t('prompts.delete_title', { name }), text: t('prompts.delete_text'), action: t('prompts.delete') }))) return;
        if (!(await attempt(() => client.delete(`/api/v1/templates/${encodeURIComponent(name)}`)))) return;
        go('');
        templates.reload();
    },
};

app = mount(document.getElementById('page'), view, { templates, trial, opened: '', version: null, editor: null, snippet: 'curl', actions });
follow();
onQuery(follow);
templates.load();
models.load();
