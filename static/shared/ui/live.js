/*
 * A form that is answered while it is being filled in: waits for a pause, asks the API, and keeps the
 * answer, the failure, or the fact that what is shown belongs to earlier values. Nothing moves while a
 * pointer is pressed.
 */
import { t } from '../i18n.js';
import { released } from '../press.js';
import { afterPause } from './app.js';
import { ApiError } from './errors.js';
import { html, nothing } from './lit.js';
import { errorNotice, notice, tokenForm } from './notice.js';

const pauseMs = 350; /* of typing, before the API is asked */

/* @param {string} selector: where the focus goes once the page has been drawn. */
function focusLater(selector) {
    setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus());
}

/*
 * form: of createForm; request(values) gives {path, body}; changed(values) is called before each
 * request. The result has: answer, and path, body and values of the request that it answers; error, busy, stale.
 */
export function createLive(update, { client, form, request, changed = null }) {
    let running = null;

    const live = {
        answer: null,
        path: null,
        body: null,
        values: {},
        error: null,
        busy: false,
        stale: false,
        waiting: false, /* for the reader to mend or to answer something in the form */

        /* `explicit`: the reader pressed the button, so problems appear and take the focus. */
        async ask(explicit = false) {
            later.cancel();
            running?.abort();
            const mine = (running = new AbortController());
            const values = form.values();
            changed?.(values);
            if (form.unclear()) {
                settle({ busy: false, stale: live.answer !== null, error: null, waiting: true });
                if (explicit) focusLater('.field-question button');
                return;
            }
            settle({ busy: true });
            const { path, body } = request(values);
            try {
                const { data } = await client.post(path, body, { signal: mine.signal });
                await released();
                if (running !== mine) return;
                form.clearProblems();
                settle({ answer: data, path, body, values, error: null, busy: false, stale: false, waiting: false });
                live.answered?.(explicit);
            } catch (error) {
                if (!(error instanceof ApiError) && !mine.signal.aborted) throw error;
                await released();
                if (running !== mine || mine.signal.aborted) return;
                fail(error, explicit);
            }
        },

        /* Call after each input. */
        input() {
            settle({ stale: live.answer !== null });
            later();
        },

        /* The form is left: nothing is asked any more, and no answer comes. */
        stop() {
            later.cancel();
            running?.abort();
            running = null;
        },

        /* The class of the element that shows the answer follows from these. */
        attributes: () => ({ busy: String(live.busy), stale: live.stale || live.error !== null }),

        /* What stands above the answer: a failure, or why nothing newer is shown. */
        notices() {
            const retry = () => live.ask(true);
            if (live.error?.kind === 'unauthorized') return tokenForm(live.error, retry);
            if (live.error !== null) return errorNotice(live.error, { retry });
            if (!live.waiting) return nothing;
            return notice({ tone: 'plain', body: html`<p>${t(live.answer === null ? 'live.waiting' : 'live.stale')}</p>` });
        },
    };

    function settle(patch) {
        Object.assign(live, patch);
        update();
    }

    function fail(error, explicit) {
        const about = form.showError(error, { asked: explicit });
        if (!about) form.clearProblems();
        const fieldsOnly = error.kind === 'validation';
        settle({ busy: false, stale: live.answer !== null, waiting: fieldsOnly, error: fieldsOnly ? null : error });
        if (explicit && !fieldsOnly)
            focusLater('#notices :is(input, [role="alert"])');
    }

    const later = afterPause(pauseMs, () => live.ask(false));
    return live;
}
