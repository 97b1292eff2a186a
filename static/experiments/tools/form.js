/* The form of a tool: its fields in sections, and what people do with the question. */
import { currentLocale, t } from '../../shared/i18n.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { accessToken } from '../../shared/ui/session.js';
import { curlCommand } from '../calculator/link.js';

const grid = (names, form) => html`<div class="field-grid">${names.map((name) => form.field(name))}</div>`;

/* Two groups of fields side by side. */
function columns(groups, form) {
    return html`<div class="section arms">
        ${groups.map(({ title, names }) => html`<div role="group" aria-label=${title()}>
            <h3>${title()}</h3>
            ${names.map((name) => form.field(name))}
        </div>`)}
    </div>`;
}

const shown = (names, form) => names.some((name) => form.field(name) !== nothing);

function section({ heading = null, title = null, names = [], groups = null, folded = false }, form) {
    if (groups !== null) return shown(groups.flatMap((one) => one.names), form) ? columns(groups, form) : nothing;
    if (!shown(names, form)) return nothing;
    if (folded) return html`<details class="disclosure"><summary>${title()}</summary><div class="section">${grid(names, form)}</div></details>`;
    return html`<div class="section">
        ${heading === null ? nothing : html`<div class="section-head"><h2>${heading}</h2></div>`} ${title === null ? nothing : html`<h3>${title()}</h3>`} ${grid(names, form)}
    </div>`;
}

/* tool.sections: [{title?, names, groups?, folded?}] where the fields do not stand in one grid. */
export function toolForm(tool, { label = t('tools.question'), action = t('design.calculate'), formId = 'question' } = {}) {
    const { form, sections = [{ names: form.names }] } = tool;
    const inside = html`${sections.map((one, index) => section({ ...one, heading: index === 0 ? label : null }, form))}
        <div class="section section-top button-row no-print">
            <button type="submit" class="button" data-kind="primary">${action}</button>
            ${tool.hasExample ? html`<button type="button" class="button" id="example" @click=${tool.fill}>${t('example.fill')}</button>` : nothing}
        </div>`;
    return form.view(inside, { formId, className: 'card design', label });
}

export function toolActions(tool) {
    const command = () => curlCommand(tool.question.path, tool.question.body, { language: currentLocale(), withToken: accessToken() !== null });
    return html`<div class="button-row no-print">
        ${copyButton({ id: 'copy-link', title: t('result.copy_link'), text: () => location.href })}
        ${copyButton({ id: 'copy-curl', title: t('result.copy_curl'), text: command })}
        <button type="button" class="button" data-size="small" id="print" @click=${() => print()}>${t('result.print')}</button>
    </div>`;
}
