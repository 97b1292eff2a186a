/* A form on one side, what the API makes of it on the other: the frame of all tools. */
import { t } from '../shared/i18n.js';
import { html, nothing } from '../shared/ui/lit.js';
import { skeleton } from '../shared/ui/skeleton.js';

/* form: a template; live: of createLive; result(answer) is a template, announcement(answer) a line for screen readers. */
export function workbench({ form, live, result, announcement }) {
    const { busy, stale } = live.attributes();
    const shown = live.answer !== null;
    const announced = !shown ? '' : stale ? t('live.stale') : announcement(live.answer);
    return html`<div class="workbench">
        ${form}
        <section class="results" id="results" aria-labelledby="results-title">
            <h2 class="visually-hidden" id="results-title">${t('result.title')}</h2>
            <p class="visually-hidden" role="status" id="announcer">${announced}</p>
            <div class="result-notices" id="notices">${live.notices()}</div>
            <div class="result-body" id="result-body" aria-busy=${busy} ?data-stale=${stale}>
                ${shown ? result(live.answer) : live.error === null ? skeleton({ lines: 2, height: 'card' }) : nothing}
            </div>
        </section>
    </div>`;
}
