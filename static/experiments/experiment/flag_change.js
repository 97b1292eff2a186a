/*
 * A change of something that has a version: it is sent with the version that the reader has seen, so that nobody's work is
 * lost. Where somebody else was faster, what is saved now is fetched and shown, the input stays, and the reader chooses.
 */
import { t } from '../../shared/i18n.js';
import { ApiError } from '../../shared/ui/errors.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { toast } from '../../shared/ui/toast.js';

/*
 * conflict: the code of the API for "somebody was faster". seen() is what is saved, as far as the page knows; begin(seen)
 * fills the input from it, reload() fetches it anew, send(input, seen) saves. explain(error) shows what belongs to single
 * fields, and says whether it did.
 */
export function createChange(update, { conflict, seen, begin, reload, send, explain }) {
    let based = null; /* what the input began with, or what the reader was shown since */
    const change = {
        isOpen: false,
        busy: false,
        overtaken: false,
        failure: null,

        open() {
            based = seen();
            Object.assign(change, { isOpen: true, overtaken: false, failure: null });
            begin(based);
            update();
        },

        close() {
            change.isOpen = false;
            update();
        },

        async fail(error) {
            if (!(error instanceof ApiError)) throw error;
            change.overtaken = error.code === conflict;
            if (change.overtaken) {
                await reload();
                based = seen();
            } else if (!explain(error)) change.failure = error;
        },

        async save(input) {
            if (change.busy) return;
            Object.assign(change, { busy: true, overtaken: false, failure: null });
            update();
            try {
                await send(input, based);
                change.isOpen = false;
                toast(t('experiment.rule_saved'));
            } catch (error) {
                await change.fail(error);
            } finally {
                change.busy = false;
                update();
            }
        },

        notice() {
            if (change.failure !== null) return errorNotice(change.failure);
            if (!change.overtaken) return null;
            return notice({
                tone: 'caution',
                alert: true,
                title: t('experiment.overtaken'),
                body: t('experiment.overtaken_note'),
                actions: html`<button type="button" class="button" data-size="small" data-take @click=${change.open}>${t('experiment.overtaken_take')}</button>`,
            });
        },
    };
    return change;
}
