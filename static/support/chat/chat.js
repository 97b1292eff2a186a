/*
 * What the chat and the help page do alike: asking, voting, opening a source, handing over to a person.
 * Each makes its own page of it.
 */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { html } from '../../shared/ui/lit.js';
import { toast } from '../../shared/ui/toast.js';
import { createConversation } from './conversation.js';

const composerMost = 120; /* pixels high */

/* Actions report what fails; whatever is no failure of the API is a fault of ours. */
export async function attempt(action) {
    try {
        return await action();
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast(error.message || t(`notice.${error.kind}`), { tone: 'danger' });
        return undefined;
    }
}

export const field = () => /** @type {HTMLTextAreaElement} */ (document.getElementById('question'));

/* The page begins in the composer, once it is shown and unless the reader is somewhere else already. */
export function beginInField(triesLeft = 60) {
    if (document.activeElement !== document.body) return;
    field()?.focus({ preventScroll: true });
    if (document.activeElement === document.body && triesLeft > 0) setTimeout(beginInField, 50, triesLeft - 1);
}

/* The composer is as high as its text, up to a limit: rows, because styles cannot be set here. */
function fitComposer() {
    const area = field();
    area.rows = 1;
    while (area.scrollHeight > area.clientHeight && area.clientHeight < composerMost) area.rows += 1;
}

export function scrollDown() {
    document.getElementById('composer')?.scrollIntoView({ block: 'end' });
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

/**
 * app(): the mounted page, whose state gets `opened`, `draft` and `conversation`; changed(): something
 * was asked or replied, so that lists of conversations are out of date.
 *
 * @param {{app: () => any, client: any, kept: {read: () => any, write: (value: any) => void}, changed?: () => void}} how
 */
export function createChat({ app, client, kept, changed = () => {} }) {
    let opener = null; /* what opened the source gets the focus back */

    const conversation = createConversation(() => app()?.update(), {
        client,
        kept,
        onReply() {
            changed();
            setTimeout(scrollDown);
        },
    });

    const actions = {
        async ask(question) {
            const text = question.trim();
            if (text === '' || conversation.busy) return;
            actions.type('');
            setTimeout(scrollDown);
            await conversation.ask(text);
            setTimeout(scrollDown);
            changed();
        },

        type(draft) {
            app().set({ draft });
            setTimeout(fitComposer);
        },

        async person() {
            const reason = await reasonDialog({ title: t('chat.person'), text: t('chat.person_text'), action: t('chat.person_send') });
            if (reason === undefined) return;
            await attempt(() => conversation.escalate(conversation.question() || reason, reason));
            changed();
        },

        async vote(message, rating) {
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
        },

        open(message, number) {
            if (app().state.opened === null) opener = document.activeElement;
            app().set({ opened: { message, number } });
            setTimeout(() => {
                const panel = document.getElementById('source');
                panel.focus({ preventScroll: true });
                const mark = panel.querySelector('mark');
                if (mark) panel.querySelector('.panel-text').scrollTop = Math.max(0, mark.offsetTop - 48);
            });
        },

        close() {
            app().set({ opened: null });
            setTimeout(() => opener?.focus());
        },

        begin() {
            app().set({ opened: null });
            conversation.begin();
            field()?.focus();
        },

        traces: false,
        waits: () => conversation.waits,
        stop: () => conversation.stop(),
        retry: (message) => conversation.retry(message),
        confirm: (yes) => conversation.ask(t(yes ? 'chat.confirm_yes' : 'chat.confirm_no'), { confirm: yes }),
    };

    addEventListener('keydown', (event) => {
        if (event.key === 'Escape' && app()?.state.opened !== null && !document.querySelector('dialog[open]')) actions.close();
    });
    document.addEventListener('visibilitychange', () => conversation.seen());
    return { conversation, actions };
}
