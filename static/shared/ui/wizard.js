/*
 * Steps to a goal: the step stands in the address, so that the back button works; what has been
 * entered is kept for the tab until it is sent or thrown away.
 */
import { t } from '../i18n.js';
import { html, nothing } from './lit.js';
import { onQuery, readQuery, writeQuery } from './query.js';
import { recall, remember } from './session.js';

/*
 * name keeps drafts apart; steps: [{name, title(), view(), ready?() whether one may go on}];
 * draft() gives what is to be kept, restore(draft) puts it back; finish() does what the last step is
 * for and resolves to whether it worked.
 */
export function createWizard(update, { name, steps, draft, restore, finish }) {
    const defaults = { step: steps[0].name };
    const draftName = `draft.${name}`;
    let busy = false;

    const index = () => Math.max(0, steps.findIndex((step) => step.name === readQuery(defaults).step));
    const isOpen = (at) => steps.slice(0, at).every((step) => step.ready?.() ?? true);

    function go(at, { focus = true } = {}) {
        writeQuery({ step: steps[at].name }, defaults, { step: true });
        update();
        if (focus) setTimeout(() => document.getElementById(`${name}-title`)?.focus());
    }

    async function next() {
        const at = index();
        if (!(steps[at].ready?.() ?? true)) return;
        if (at < steps.length - 1) {
            go(at + 1);
            return;
        }
        busy = true;
        update();
        const done = await finish();
        busy = false;
        if (done) remember(draftName, null);
        update();
    }

    onQuery(update);
    const kept = recall(draftName);
    if (kept !== null) restore(kept);

    /* Steps before the current one are links back, those after it too as long as all before are ready. */
    function trail(at) {
        return html`<ol class="wizard-steps">
            ${steps.map((step, number) => {
                const state = number === at ? 'current' : number < at ? 'done' : 'ahead';
                return html`<li data-state=${state}>
                    <button
                        type="button"
                        class="wizard-step"
                        aria-current=${number === at ? 'step' : nothing}
                        ?disabled=${number > at && !isOpen(number)}
                        @click=${() => go(number)}
                    >
                        <span class="wizard-number">${number + 1}</span>${step.title()}
                    </button>
                </li>`;
            })}
        </ol>`;
    }

    return {
        current: () => steps[index()].name,
        go: (step) => go(steps.findIndex((one) => one.name === step)),
        next,

        /* Call after each change, so that the draft is the latest. */
        keep: () => remember(draftName, draft()),
        discard: () => remember(draftName, null),
        hasDraft: () => recall(draftName) !== null,

        view({ label, last }) {
            const at = index();
            const step = steps[at];
            return html`<section class="wizard" aria-label=${label}>
                ${trail(at)}
                <h2 id=${`${name}-title`} tabindex="-1">${step.title()}</h2>
                <div class="wizard-body">${step.view()}</div>
                <div class="button-row wizard-actions">
                    <button type="button" class="button" ?disabled=${at === 0 || busy} @click=${() => go(at - 1)}>
                        ${t('wizard.back')}
                    </button>
                    <button
                        type="button"
                        class="button"
                        data-kind="primary"
                        ?disabled=${busy || !(step.ready?.() ?? true)}
                        @click=${next}
                    >
                        ${at === steps.length - 1 ? last : t('wizard.next')}
                    </button>
                    <p class="section-note" role="status">
                        ${t('wizard.progress', { step: at + 1, steps: steps.length })}
                    </p>
                </div>
            </section>`;
        },
    };
}
