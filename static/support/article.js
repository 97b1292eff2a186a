/*
 * Writing an article about a question that no document answers: a title and a text, uploaded as a Markdown file,
 * so that the next answer stands on it.
 */
import { t } from '../shared/i18n.js';
import { openDialog } from '../shared/ui/dialog.js';
import { ApiError } from '../shared/ui/errors.js';
import { createForm } from '../shared/ui/form.js';
import { html } from '../shared/ui/lit.js';
import { toast } from '../shared/ui/toast.js';
import { addresses } from './service.js';

const longestName = 60;

/* "How do I reset it?" → "how_do_i_reset_it.md". */
export function fileName(title) {
    const words = title.toLocaleLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '');
    return `${words.slice(0, longestName) || 'article'}.md`;
}

async function upload(client, title, text) {
    const form = new FormData();
    form.append('title', title);
    form.append('file', new File([`# ${title}\n\n${text}\n`], fileName(title), { type: 'text/markdown' }));
    return (await client.post('/api/upload', undefined, { form })).data;
}

/* Asks the question again, so that lists of what is not answered know. Whether it was answered; null = not asked. */
async function answersNow(client, question) {
    const answer = await client.post('/api/ask', { question }).catch(() => null);
    return answer === null ? null : ['auto', 'agentic'].includes(answer.data.route);
}

/* Whether an article was added. */
export async function writeArticle(client, question) {
    let redraw = () => {};
    const form = createForm(() => redraw(), {
        id: 'article',
        fields: [
            { name: 'title', kind: 'text', label: () => t('documents.article_title'), required: true, wide: true },
            { name: 'text', kind: 'textarea', required: true, label: () => t('documents.article_text'), hint: () => t('documents.article_hint'), rows: 10, maxLength: 20000, wide: true },
        ],
    });
    form.write({ title: question, text: '' });
    /* An article without words would be none. */
    const complete = () => {
        const { title, text } = form.values();
        const missing = title?.trim() ? (text?.trim() ? null : 'text') : 'title';
        if (missing !== null) document.getElementById(`article-${missing}`)?.focus();
        return missing === null;
    };
    const wanted = await openDialog({
        title: t('documents.write'),
        body: (close, draw) => {
            redraw = draw;
            return html`<div class="stack">${form.field('title')} ${form.field('text')}</div>`;
        },
        actions: (close) => html`<button type="button" class="button" @click=${() => close()}>${t('confirm.cancel')}</button>
            <button type="button" class="button" data-kind="primary" id="add-article" @click=${() => complete() && close('add')}>${t('documents.add_article')}</button>`,
    });
    if (wanted === undefined) return false;
    const { title, text } = form.values();
    let answered = null;
    try {
        const { status, message } = await upload(client, title.trim(), text.trim());
        if (status === 'partial') {
            toast(message, { tone: 'danger' });
            return false;
        }
        answered = status === 'ok' ? await answersNow(client, question) : null;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
        return false;
    }
    const address = `${addresses.chat}?${new URLSearchParams({ q: question })}`;
    toast(t(answered === null ? 'documents.article_added' : answered ? 'documents.article_answers' : 'documents.article_fails'), {
        tone: answered === false ? 'caution' : 'good',
        action: { title: t('documents.ask_again'), run: () => location.assign(address) },
    });
    return true;
}
