/* Asks for a decision with a note and records it: ship a variation, stop, or reopen. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { armName } from '../arms.js';
import { headlineText } from '../headline.js';

const noteMax = 4000;

/* Resolves to the decisions of the experiment; to undefined when the dialog was dismissed. */
/** @param {Client<'experiments'>} client */
export function askForOutcome(client, path, { decision, arms, headline }) {
    const unproven = decision === 'ship' && headline !== 'ship';
    let dialog = { close: null, draw: null };
    let busy = false;
    let failure = null;
    const update = () => dialog.draw?.();

    async function save({ note = '', variation_index: variation }) {
        if (unproven && note.trim() === '') {
            failure = t('experiment.reason_missing');
            update();
            return;
        }
        busy = true;
        failure = null;
        update();
        try {
            const body = { decision, note, ...(decision === 'ship' && { variation_index: Number(variation ?? 1) }) };
            dialog.close((await client.post(path, body)).data);
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) failure = error;
        } finally {
            busy = false;
            update();
        }
    }

    const variation = {
        name: 'variation_index',
        kind: 'select',
        label: t('experiment.which'),
        initial: '1',
        wide: true,
        options: () => Array.from({ length: arms }, (_, index) => ({ value: String(index), title: armName(index) })),
    };
    const form = createForm(update, {
        id: 'outcome',
        fields: [
            ...(decision === 'ship' ? [variation] : []),
            { name: 'note', kind: 'textarea', label: t(unproven ? 'experiment.reason' : 'experiment.note'), hint: t('experiment.note_hint'), wide: true, optional: !unproven, maxLength: noteMax },
        ],
        onSubmit: save,
    });

    return openDialog({
        title: t(`experiment.ask_${decision}`),
        body: (close, draw) => {
            dialog = { close, draw };
            return html`<p class="section-note">${t(`experiment.ask_${decision}_text`)}</p>
                ${unproven
                    ? notice({
                          tone: 'caution',
                          title: t('experiment.not_proven'),
                          body: html`<p id="not-proven">${t('experiment.not_proven_text', { recommendation: headlineText(headline) })}</p>`,
                      })
                    : null}
                ${failure === null ? null : typeof failure === 'string' ? notice({ tone: 'danger', body: failure, alert: true }) : errorNotice(failure)}
                ${form.view(null, { action: t(`experiment.${decision}`), busy, label: t(`experiment.ask_${decision}`) })}`;
        },
    });
}
