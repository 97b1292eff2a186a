/* The six steps as a template: the fields of one, and what they take beside them. */
import { t } from '../../shared/i18n.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { skeleton } from '../../shared/ui/skeleton.js';
import { announcement, sizesView } from '../calculator/result.js';
import { fields, steps } from './steps.js';

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

const isEmpty = (value) => value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0);

/* A value as the form has it: the title of an option, a tick, or the text that was entered. */
function shownValue(field, values, text) {
    const choices = typeof field.options === 'function' ? field.options(values) : (field.options ?? []);
    const option = choices.find(({ value }) => String(value) === String(values[field.name]));
    if (option) return String(option.title);
    if (field.kind === 'flag') return t('plan.yes');
    return Array.isArray(text) ? text.join(' : ') : String(text);
}

/* What a step holds, with a way back to it. */
function reviewStep({ name, fields: names }, { form, wizard }) {
    const values = form.values();
    const texts = form.texts();
    const shown = names
        .map((one) => fields.find((field) => field.name === one))
        .filter((field) => field && !isEmpty(values[field.name]) && (field.applies?.(values) ?? true))
        .map((field) => [typeof field.label === 'function' ? field.label(values) : field.label, shownValue(field, values, texts[field.name])]);
    if (shown.length === 0) return null;
    return html`<div class="stack">
        <div class="section-head">
            <h3>${t(`plan.step_${name}`)}</h3>
            <button type="button" class="button" data-size="small" aria-label=${`${t('plan.edit')}: ${t(`plan.step_${name}`)}`} @click=${() => wizard.go(name)}>${t('plan.edit')}</button>
        </div>
        <dl class="facts">
            ${shown.map(([label, text]) => html`<div class="fact"><dt>${label}</dt><dd dir="auto">${text}</dd></div>`)}
        </dl>
    </div>`;
}

function reviewCard(page) {
    const { base, failure } = page;
    const guardrails = (base.metrics.guardrail_metrics ?? []).map(({ name }) => name).join(', ');
    return html`<div class="card section stack" id="review">
        ${failure === null ? nothing : errorNotice(failure)} ${steps.map((step) => reviewStep(step, page))}
        ${guardrails === ''
            ? null
            : html`<dl class="facts">
                  <div class="fact"><dt>${t('plan.guardrails')}</dt><dd dir="auto">${guardrails}</dd></div>
              </dl>`}
        <p class="section-note">${t('plan.review_note')}</p>
    </div>`;
}

/* One step: its form, and beside it the sizes where the step is about them. */
export function stepView({ name, fields, sized = false }, page) {
    const { form, isNew, chooser } = page;
    const grid = html`<div class="field-grid">${name === 'project' && isNew ? templateField(page) : nothing}${name === 'metric' ? chooser.view() : nothing}${fields.map((field) => form.field(field))}</div>`;
    const own =
        name === 'review'
            ? reviewCard(page)
            : form.view(html`<div class="section">${grid}</div><button type="submit" class="visually-hidden" tabindex="-1" aria-hidden="true"></button>`, { className: 'card design', label: t(`plan.step_${name}`) });
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
