/* Documents: dropped anywhere on the page, followed until they can be asked, read, searched, deleted; and what the
 * knowledge base lacks: gaps, drafts of articles, documents that nobody has checked for long. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { confirm, openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createList } from '../../shared/ui/list.js';
import { html } from '../../shared/ui/lit.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { toast } from '../../shared/ui/toast.js';
import { createUpload } from '../../shared/ui/upload.js';
import { writeArticle } from '../article.js';
import { documentText } from '../prose.js';
import { client, goToSignIn, showAccount } from '../service.js';
import { draftColumns, gapColumns, staleColumns } from './knowledge.js';
import { askForGroups } from './groups.js';
import { createOutcomes } from './outcomes.js';
import { preview } from './preview.js';
import { columns, view } from './view.js';

const vectorsPause = 5000;
const mostBytes = 50 * 1024 * 1024;
const panels = ['documents', 'gaps', 'drafts', 'stale'];
const defaults = { tab: 'documents' };

const app = mount(document.getElementById('page'), view, { parts: null, tab: 'documents', vectors: null });

async function load(signal, { page, size, q }) {
    const query = { q, limit: size, offset: (page - 1) * size };
    const { documents: rows, total, vectors } = (await client.get('/api/documents', { query, signal })).data;
    followVectors(vectors);
    return { rows, total };
}

/* How far searching by meaning is, while it is being prepared. */
let vectorsTimer;
function followVectors(vectors) {
    app.set({ vectors });
    clearTimeout(vectorsTimer);
    if (vectors?.state === 'working') vectorsTimer = setTimeout(readVectors, vectorsPause);
}

async function readVectors() {
    const vectors = await client.get('/api/documents', { query: { limit: 1 } }).then(({ data }) => data.vectors, () => app.state.vectors);
    followVectors(vectors);
}

/* Does it and says so; what fails is said too. */
async function attempt(call, done) {
    try {
        await call();
        toast(done);
        return true;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
        return false;
    }
}

async function remove({ doc_id: id, title }) {
    const sure = await confirm({ title: t('documents.delete'), text: t('documents.delete_text', { name: title }), action: t('documents.delete') });
    if (!sure) return;
    await attempt(() => client.delete(`/api/documents/${encodeURIComponent(id)}`), t('documents.deleted', { name: title }));
    list.reload();
}

const open = (row) => preview(client, row);

async function share(row) {
    if (await askForGroups(client, row)) list.reload();
}

const list = createList(app.update, {
    load,
    columns: () => columns({ remove, open, share }),
    filters: () => [{ name: 'q', label: t('documents.search'), kind: 'search' }],
    key: ({ doc_id: id }) => id,
    caption: () => t('documents.all'),
    empty: ({ q }) => (q ? { title: t('chat.none_found') } : { title: t('documents.none'), text: t('documents.none_text') }),
});
const outcomes = createOutcomes(app.update, { onIndexed: list.reload });

/* Short lists come as a whole; words and pages are chosen here. */
function shortList(path, member, { columns: described, textOf, prefix, empty, query = {} }) {
    return createList(app.update, {
        async load(signal, { page, size, q }) {
            const all = (await client.get(path, { query, signal })).data[member];
            const wanted = (q ?? '').toLocaleLowerCase();
            const rows = all.filter((row) => textOf(row).toLocaleLowerCase().includes(wanted));
            return { rows: rows.slice((page - 1) * size, page * size), total: rows.length };
        },
        columns: described,
        filters: () => [{ name: 'q', label: t('documents.search'), kind: 'search' }],
        key: (row) => row.id ?? row.doc_id,
        caption: () => t(`documents.tab_${prefix}`),
        prefix: `${prefix}_`,
        empty: () => ({ title: t(empty), text: t(`${empty}_text`) }),
    });
}

async function resolveGap({ id }) {
    if (await attempt(() => client.post(`/api/admin/kb-gaps/${encodeURIComponent(id)}/resolve`), t('documents.gap_resolved'))) gaps.reload();
}

/* An article resolves the gap that it was written for. */
async function writeGap({ id, sample_questions: questions, topic_summary: topic }) {
    if (!(await writeArticle(client, questions?.[0] ?? topic))) return;
    await client.post(`/api/admin/kb-gaps/${encodeURIComponent(id)}/resolve`).catch(() => {});
    gaps.reload();
}

async function decide({ id }, decision) {
    const done = t(decision === 'publish' ? 'documents.draft_published' : 'documents.draft_rejected');
    const call = decision === 'publish' ? () => client.post(`/api/admin/kb-drafts/${encodeURIComponent(id)}/publish`) : () => client.post(`/api/admin/kb-drafts/${encodeURIComponent(id)}/reject`);
    if (await attempt(call, done)) drafts.reload();
}

/* Edits the text of a draft; it can be published from here. */
async function editDraft(draft) {
    let redraw = () => {};
    const form = createForm(() => redraw(), {
        id: 'draft',
        fields: [{ name: 'draft_content', kind: 'textarea', label: () => t('documents.draft_text'), rows: 14, maxLength: 20000, wide: true }],
    });
    form.write({ draft_content: draft.draft_content });
    const pending = draft.status === 'pending';
    const wanted = await openDialog({
        title: draft.topic,
        body: (close, draw) => {
            redraw = draw;
            return pending ? form.field('draft_content') : documentText(draft.draft_content);
        },
        actions: (close) =>
            pending
                ? html`<button type="button" class="button" @click=${() => close()}>${t('confirm.cancel')}</button>
                      <button type="button" class="button" id="save-draft" @click=${() => close('save')}>${t('documents.save')}</button>
                      <button type="button" class="button" data-kind="primary" id="publish-draft" @click=${() => close('publish')}>${t('documents.publish')}</button>`
                : html`<button type="button" class="button" @click=${() => close()}>${t('dialog.close')}</button>`,
    });
    if (wanted === undefined || !pending) return;
    const { draft_content: text } = form.values();
    const saved = text === draft.draft_content || (await attempt(() => client.patch(`/api/admin/kb-drafts/${encodeURIComponent(draft.id)}`, { draft_content: text }), t('documents.saved')));
    if (saved && wanted === 'publish') await decide(draft, 'publish');
    drafts.reload();
}

async function checked({ doc_id: id }) {
    if (await attempt(() => client.post(`/api/admin/stale-docs/${encodeURIComponent(id)}/review`), t('documents.checked'))) stale.reload();
}

const gaps = shortList('/api/admin/kb-gaps', 'gaps', { columns: () => gapColumns({ resolveGap, writeGap }), textOf: (gap) => `${gap.topic_summary} ${(gap.sample_questions ?? []).join(' ')}`, prefix: 'gaps', empty: 'documents.no_gaps' });
const drafts = shortList('/api/admin/kb-drafts', 'drafts', { columns: () => draftColumns({ editDraft, decide }), textOf: (draft) => `${draft.topic} ${draft.draft_content}`, prefix: 'drafts', empty: 'documents.no_drafts' });
const stale = shortList('/api/admin/stale-docs', 'documents', { columns: () => staleColumns({ open, checked }), textOf: (one) => `${one.title} ${one.doc_id}`, prefix: 'stale', empty: 'documents.no_stale', query: { top_cited: 100 } });
const lists = { documents: list, gaps, drafts, stale };

/* The upload knows nothing of signing in. */
function changed() {
    if (upload.items().some(({ error }) => error?.kind === 'unauthorized')) goToSignIn();
    app.update();
}

const upload = createUpload(changed, {
    url: '/api/upload',
    accept: '.pdf,.docx,.xlsx,.pptx,.odt,.ods,.odp,.epub,.eml,.png,.jpg,.jpeg,.tif,.tiff,.webp,.txt,.md,.html,.htm,.csv,.json',
    maxBytes: mostBytes,
    forgetDone: true,
    onDone: outcomes.add,
});

function follow() {
    const { tab } = readQuery(defaults);
    app.set({ tab: panels.includes(tab) ? tab : 'documents' });
    lists[app.state.tab].start();
}

function select(tab) {
    writeQuery({ tab }, defaults, { step: true });
    follow();
}

app.set({ parts: { ...lists, list, upload, outcomes, select } });
showAccount();
follow();
onQuery(follow);
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    upload.add(event.dataTransfer.files);
});
