/* Whether the shares of the arms follow the results, and by which settings: chosen before the first user. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../shared/numbers.js';
import { confirm } from '../../shared/ui/dialog.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { known } from '../figures.js';
import { writers } from '../roles.js';

const button = (id, text, act, disabled = false) => html`<button type="button" class="button" data-size="small" data-for=${writers} id=${id} ?disabled=${disabled} @click=${act}>${text}</button>`;

function settingsText({ floor, update_minutes: minutes, paused }) {
    const floorText = t('experiment.shares_note', { floor: formatPercent(floor, 3) });
    if (paused) return `${floorText} ${t('experiment.adaptive_paused')}`;
    return known(minutes) ? `${floorText} ${t('experiment.adaptive_every', { minutes: formatInteger(minutes) })}` : floorText;
}

/* `settings` as they are, null where the experiment is not adaptive. */
function adaptiveCard({ settings, actions }, started) {
    return html`<section class="card section stack" aria-labelledby="adaptive-title" id="adaptive">
        <div class="section-head">
            <h2 id="adaptive-title">${t('experiment.adaptive')}</h2>
            ${settings === null ? button('adaptive-start', t('experiment.adaptive_start'), actions.change, started) : button('adaptive-change', t('experiment.rule_edit'), actions.change)}
        </div>
        <p class="section-note">${t(settings === null && started ? 'experiment.adaptive_late' : 'experiment.adaptive_note')}</p>
        <p id="adaptive-now">${settings === null ? t('experiment.adaptive_off') : settingsText(settings)}</p>
        ${settings === null ? null : html`<div class="button-row">${button('adaptive-stop', t('experiment.adaptive_stop'), actions.stop, started)}</div>`}
    </section>`;
}

const fields = [
    { name: 'floor', kind: 'fraction', initial: 0.1, label: () => t('experiment.adaptive_floor'), hint: () => t('experiment.adaptive_floor_hint') },
    { name: 'update_minutes', kind: 'count', initial: 60, label: () => t('experiment.adaptive_minutes') },
    { name: 'paused', kind: 'flag', label: () => t('experiment.adaptive_pause'), wide: true },
];

/*
 * inUse() is what the statistics say, null where the experiment is not adaptive; changed() is called after each change. The
 * settings as they were saved last lead.
 *
 * @param {Client<'experiments'>} client
 * @param {`/api/v1/experiments/${string}`} base
 */
export function createAdaptive(update, client, base, { inUse, changed }) {
    const path = /** @type {const} */ (`${base}/adaptive`);
    let saved; /* undefined until something is saved here */

    const settings = () => (saved === undefined ? (inUse() ?? null) : saved);

    function keep(now, text) {
        saved = now;
        toast(t(text));
        changed();
        update();
    }

    async function change() {
        await attempt(async () => {
            const values = settings() === null ? {} : (await client.get(path)).data;
            const made = await formDialog({
                id: 'adaptive',
                title: t('experiment.adaptive'),
                fields,
                values: settings() === null ? {} : { floor: values.floor, update_minutes: values.update_minutes, paused: values.paused },
                action: t('experiment.rule_save'),
                send: ({ paused = false, ...given }) => client.put(path, { ...given, paused }),
            });
            if (made) keep(made, 'experiment.rule_saved');
        });
    }

    async function stop() {
        if (!(await confirm({ title: t('experiment.adaptive_stop'), text: t('experiment.adaptive_stop_text'), action: t('experiment.adaptive_stop') }))) return;
        await attempt(async () => {
            await client.delete(path);
            keep(null, 'experiment.rule_saved');
        });
    }

    return { view: (started) => adaptiveCard({ settings: settings(), actions: { change, stop } }, started) };
}
