/* The results page as a template: what was observed on one side, what it means on the other. */
import { t } from '../../shared/i18n.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { skeleton } from '../../shared/ui/skeleton.js';
import { arms } from './fields.js';
import { announcement, resultView } from './result.js';

function armSection(analysis, form) {
    const sides = arms[analysis];
    if (sides === undefined) return nothing;
    return html`<div class="section arms">
        ${['control', 'treatment'].map(
            (side) =>
                html`<div role="group" aria-labelledby=${`${analysis}-${side}`}>
                    <h3 id=${`${analysis}-${side}`}>${t(`arm.${side}`)}</h3>
                    ${sides[side].map((name) => form.field(name))}
                </div>`,
        )}
    </div>`;
}

function observedForm({ form, live }) {
    const analysis = form.values().analysis;
    const others = analysis === 'srm' ? ['variants', 'observed_counts', 'expected_fractions'] : ['alpha', 'direction'];
    const inside = html`<div class="section">
            <div class="section-head"><h2 id="observed-title">${t('results.observed')}</h2></div>
            <div class="field-grid">${form.field('analysis')}</div>
        </div>
        ${armSection(analysis, form)}
        <div class="section"><div class="field-grid">${others.map((name) => form.field(name))}</div></div>
        <div class="section section-top button-row no-print">
            <button type="submit" class="button" data-kind="primary">${t('results.analyse')}</button>
        </div>`;
    return form.view(inside, { formId: 'observed', className: 'card design', label: t('results.observed') });
}

export function view(state) {
    const { live } = state;
    const { busy, stale } = live.attributes();
    const shown = live.answer !== null;
    const announced = !shown ? '' : stale ? t('live.stale') : announcement(live.answer);
    return html`<div class="workbench">
        ${observedForm(state)}
        <section class="results" id="results" aria-labelledby="results-title">
            <h2 class="visually-hidden" id="results-title">${t('result.title')}</h2>
            <p class="visually-hidden" role="status" id="announcer">${announced}</p>
            <div class="result-notices" id="notices">${live.notices()}</div>
            <div class="result-body" id="result-body" aria-busy=${busy} ?data-stale=${stale}>
                ${shown ? resultView(live.answer) : live.error === null ? skeleton({ lines: 2, height: 'card' }) : nothing}
            </div>
        </section>
    </div>`;
}
