/* A form in a dialog: what it sends, and what the API says about its fields. */
import { openDialog } from './dialog.js';
import { ApiError } from './errors.js';
import { createForm } from './form.js';
import { html } from './lit.js';
import { errorNotice } from './notice.js';

/*
 * fields, values to begin with, action (the text of its button) and send(values), whose answer the
 * dialog resolves to; undefined when it was dismissed. `intro` is a template above the fields.
 */
export function formDialog({ id, title, fields, values = {}, action, send, wide = false, intro = null }) {
    let dialog = { close: null, draw: null };
    let busy = false;
    let failure = null;
    const form = createForm(() => dialog.draw?.(), { id, fields, onSubmit: submit });

    async function submit(given) {
        if (form.unclear()) return;
        busy = true;
        failure = null;
        form.clearProblems();
        try {
            const answer = await send(given);
            dialog.close(answer.data ?? true);
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) failure = error;
        } finally {
            busy = false;
            dialog.draw?.();
        }
    }

    form.write(values);
    return openDialog({
        title,
        wide,
        body: (close, draw) => {
            dialog = { close, draw };
            return html`${failure === null ? null : errorNotice(failure)} ${intro} ${form.view(null, { action, busy, label: title })}`;
        },
    });
}
