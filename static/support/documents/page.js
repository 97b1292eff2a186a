/* Documents: dropped anywhere on the page, followed until they can be asked, listed, deleted. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createList } from '../../shared/ui/list.js';
import { toast } from '../../shared/ui/toast.js';
import { createUpload } from '../../shared/ui/upload.js';
import { client, goToSignIn, showAccount } from '../service.js';
import { createOutcomes } from './outcomes.js';
import { columns, view } from './view.js';

const mostBytes = 50 * 1024 * 1024;

const app = mount(document.getElementById('page'), view, { parts: null });

async function load(signal, { page, size }) {
    const query = { limit: size + 1, offset: (page - 1) * size };
    const { documents } = (await client.get('/api/documents', { query, signal })).data;
    return { rows: documents.slice(0, size), more: documents.length > size };
}

async function remove({ doc_id: id, title }) {
    const sure = await confirm({ title: t('documents.delete'), text: t('documents.delete_text', { name: title }), action: t('documents.delete') });
    if (!sure) return;
    try {
        await client.delete(`/api/documents/${encodeURIComponent(id)}`);
        toast(t('documents.deleted', { name: title }));
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
    }
    list.reload();
}

const list = createList(app.update, {
    load,
    columns: () => columns({ remove }),
    key: ({ doc_id: id }) => id,
    caption: () => t('documents.all'),
    empty: () => ({ title: t('documents.none'), text: t('documents.none_text') }),
});
const outcomes = createOutcomes(app.update, { onIndexed: list.reload });

/* The upload knows nothing of signing in. */
function changed() {
    if (upload.items().some(({ error }) => error?.kind === 'unauthorized')) goToSignIn();
    app.update();
}

const upload = createUpload(changed, {
    url: '/api/upload',
    accept: '.pdf,.docx,.txt,.md,.html,.htm,.csv,.json',
    maxBytes: mostBytes,
    forgetDone: true,
    onDone: outcomes.add,
});

app.set({ parts: { list, upload, outcomes } });
showAccount();
list.start();
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    upload.add(event.dataTransfer.files);
});
