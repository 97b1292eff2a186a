/* Asking: wiring of the conversation, the earlier ones, and the source that is open. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { confirm, openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { html } from '../../shared/ui/lit.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { client, onlyAsks, showAccount } from '../service.js';
import { createConversation } from './conversation.js';
import { view } from './view.js';

const healthEveryMs = 30000;
const composerMost = 120; /* pixels high */

let opener = null; /* what opened the source gets the focus back */

/* Actions report what fails; whatever is no failure of the API is a fault of ours. */
async function attempt(action) {
    try {
        return await action();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
        return undefined;
    }
}

const field = () => /** @type {HTMLTextAreaElement} */ (document.getElementById('question'));

/* The composer is as high as its text, up to a limit: rows, because styles cannot be set here. */
function fitComposer() {
    const area = field();
    area.rows = 1;
    while (area.scrollHeight > area.clientHeight && area.clientHeight < composerMost) area.rows += 1;
}

function scrollDown() {
    document.getElementById('composer').scrollIntoView({ block: 'end' });
}

async function ask(question) {
    const text = question.trim();
    const { conversation } = app.state;
    if (text === '' || conversation.busy) return;
    type('');
    setTimeout(scrollDown);
    await conversation.ask(text);
    setTimeout(scrollDown);
    app.state.sessions.reload();
}

function type(draft) {
    app.set({ draft });
    setTimeout(fitComposer);
}

function reasonDialog({ title, text, action }) {
    let reason = '';
    return openDialog({
        title,
        body: () =>
            html`<p>${text}</p>
                <div class="field">
                    <label class="field-label" for="reason">${t('chat.reason')}</label>
                    <textarea class="input" id="reason" rows="3" maxlength="200" dir="auto" @input=${(event) => (reason = event.target.value)}></textarea>
                </div>`,
        actions: (close) =>
            html`<button type="button" class="button" @click=${() => close()}>${t('confirm.cancel')}</button>
                <button type="button" class="button" data-kind="primary" id="reason-send" @click=${() => close(reason.trim())}>${action}</button>`,
    });
}

async function person() {
    const reason = await reasonDialog({ title: t('chat.person'), text: t('chat.person_text'), action: t('chat.person_send') });
    if (reason === undefined) return;
    const { conversation } = app.state;
    await attempt(() => conversation.escalate(conversation.question(), reason));
}

async function vote(message, rating) {
    const { conversation } = app.state;
    const done = await attempt(async () => {
        await conversation.vote(message, rating);
        return true;
    });
    if (!done) return;
    const tellWhy = async () => {
        const reason = await reasonDialog({ title: t('chat.why'), text: t('chat.why_text'), action: t('chat.send') });
        if (reason) await attempt(() => conversation.vote(message, rating, reason));
    };
    toast(t('chat.thanks'), { action: rating === 'down' ? { title: t('chat.why'), run: tellWhy } : null });
}

function open(message, number) {
    if (app.state.opened === null) opener = document.activeElement;
    app.set({ opened: { message, number } });
    setTimeout(() => {
        const panel = document.getElementById('source');
        panel.focus({ preventScroll: true });
        const mark = panel.querySelector('mark');
        if (mark) panel.querySelector('.panel-text').scrollTop = Math.max(0, mark.offsetTop - 48);
    });
}

function close() {
    app.set({ opened: null });
    setTimeout(() => opener?.focus());
}

async function show({ session_id: id }) {
    const answer = await attempt(() => client.get(`/api/sessions/${encodeURIComponent(id)}/history`));
    if (!answer) return;
    app.state.conversation.open(id, answer.data.messages);
    app.set({ opened: null, listed: false });
    setTimeout(scrollDown);
}

async function remove({ session_id: id, title }) {
    const sure = await confirm({ title: t('chat.delete'), text: t('chat.delete_text', { title: title || id.slice(0, 8) }), action: t('chat.delete') });
    if (!sure) return;
    const deleted = await attempt(() => client.delete(`/api/sessions/${encodeURIComponent(id)}`));
    await app.state.sessions.reload();
    if (deleted && app.state.conversation.session === id) begin();
}

function begin() {
    app.set({ opened: null });
    app.state.conversation.begin();
    field().focus();
}

const state = { listed: false, opened: null, draft: readQuery({ q: '' }).q };
let app = null;
const update = () => app?.update();
const conversation = createConversation(update);
const health = createResource(update, async (signal) => (await client.get('/api/health', { signal })).data);

/* Of those who may only ask the service lists their own. */
const sessions = createResource(update, async (signal) => (await client.get('/api/sessions', { signal })).data);
const actions = {
    ask,
    type,
    open,
    close,
    vote,
    person,
    begin,
    show,
    remove,
    traces: !onlyAsks(),
    stop: () => conversation.stop(),
    retry: (message) => conversation.retry(message),
    confirm: (yes) => conversation.ask(t(yes ? 'chat.confirm_yes' : 'chat.confirm_no'), { confirm: yes }),
    list: () => app.set({ listed: !state.listed }),
};

app = mount(document.getElementById('page'), view, Object.assign(state, { conversation, health, sessions, actions }));
showAccount();
health.load();
health.every(healthEveryMs);
sessions.load();
addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && app.state.opened !== null && !document.querySelector('dialog[open]')) close();
});
field()?.focus();
