/* The six steps as a template: the fields of one, and what they take beside them. */
import { t } from '../../shared/i18n.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { skeleton } from '../../shared/ui/skeleton.js';
import { announcement, sizesView } from '../calculator/result.js';

function templateField({ templates, template, start }) {
    const chosen = templates.data.find(({ id }) => id === template);
    return html`<div class="field field-wide">
        <label class="field-label" for="template">${t('plan.template')}</label>
        <select class="select" id="template" aria-describedby="template-hint" @change=${(event) => start(event.target.value)}>
            <option value="" ?selected=${template === ''}>${t('plan.no_template')}</option>
            ${templates.data.map(
                ({ id, name, category }) => html`<option value=${id} ?selected=${id === template}>${name} (${category})</option>`,
            )}
        </select>
        <p class="field-hint" id="template-hint" dir="auto">${chosen?.description ?? t('plan.template_hint')}</p>
    </div>`;
}

function sizes({ live }) {
    const { busy, stale } = live.attributes();
    const shown = live.answer !== null;
    const said = !shown ? '' : stale ? t('live.stale') : announcement(live.body, live.answer);
    return html`<section class="results" aria-labelledby="sizes-title" id="sizes">
        <h3 class="visually-hidden" id="sizes-title">${t('result.title')}</h3>
        <p class="visually-hidden" role="status">${said}</p>
        <div class="result-notices" id="notices">${live.notices()}</div>
        <div class="result-body" id="result-body" aria-busy=${busy} ?data-stale=${stale}>
            ${shown ? sizesView(live.body, live.answer) : live.error === null ? skeleton({ lines: 2, height: 'card' }) : nothing}
        </div>
    </section>`;
}

function reviewCard({ form, base, failure }) {
    const values = form.values();
    const words = [
        [t('plan.project_name'), values.project_name],
        [t('plan.hypothesis_statement'), values.hypothesis_statement],
        [t('plan.change_description'), values.change_description],
        [t('plan.primary_metric_name'), values.primary_metric_name],
        [t('plan.guardrails'), (base.metrics.guardrail_metrics ?? []).map(({ name }) => name).join(', ')],
    ];
    return html`<div class="card section stack" id="review">
        ${failure === null ? nothing : errorNotice(failure)}
        <dl class="stack">
            ${words.filter(([, text]) => text).map(([name, text]) => html`<div><dt class="section-note">${name}</dt><dd dir="auto">${text}</dd></div>`)}
        </dl>
        <p class="section-note">${t('plan.review_note')}</p>
    </div>`;
}

/* One step: its form, and beside it the sizes where the step is about them. */
export function stepView({ name, fields, sized = false }, page) {
    const { form, isNew } = page;
    const grid = html`<div class="field-grid">${name === 'project' && isNew ? templateField(page) : nothing}${fields.map((field) => form.field(field))}</div>`;
    const own =
        name === 'review'
            ? reviewCard(page)
            : form.view(html`<div class="section">${grid}</div>`, { className: 'card design', label: t(`plan.step_${name}`) });
    return sized ? html`<div class="workbench">${own} ${sizes(page)}</div>` : own;
}

export function view({ wizard, templates, load, discard, isNew }) {
    if (!wizard) return html``;
    return resourceView(templates, {
        quiet: true,
        skeleton: { lines: 3, height: 'card' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, load) : errorNotice(error, { retry: load })),
        ready: () => html`<div class="stack">
            ${wizard.view({ label: t('plan.title'), last: t(isNew ? 'plan.save' : 'plan.save_revision') })}
            ${wizard.hasDraft()
                ? html`<div class="button-row">
                      <button type="button" class="button" data-kind="quiet" id="discard" @click=${discard}>${t('plan.discard')}</button>
                      <span class="section-note">${t('plan.draft_kept')}</span>
                  </div>`
                : nothing}
        </div>`,
    });
}
