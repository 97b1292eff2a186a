/* The page of analyses as a template: what was observed on one side, what it means on the other. */
import { t } from '../../shared/i18n.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { findingView } from '../finding.js';
import { toolActions, toolForm } from '../tools/form.js';
import { workbench } from '../workbench.js';
import { arms, lists, pairCounts } from './fields.js';
import { announcement, resultView } from './result.js';

const sectionOf = (title, names, form) => html`<div role="group" aria-label=${title}>
    <h3>${title}</h3>
    ${names.map((name) => form.field(name))}
</div>`;

function onPaste(event, state) {
    const text = event.clipboardData?.getData('text') ?? '';
    if (/[\t;]/.test(text) && state.spread(text)) event.preventDefault();
}

async function onFile(event, state) {
    const [file] = event.target.files;
    event.target.value = '';
    if (file === undefined) return;
    const text = await file.text();
    if (!state.spread(text)) state.form.writeTexts({ ...state.form.texts(), [lists[state.form.values().analysis][0]]: text });
    state.live.input();
}

/* Values of both arms, or of a table: pasted, typed, or read from a file in the browser. */
function listSection(names, state) {
    const { form } = state;
    return html`<div class="section section-top" @paste=${(event) => onPaste(event, state)}>
        <div class="field-grid">${names.map((name) => form.field(name))}</div>
        <label class="button file-button" data-size="small">
            ${t('given.file')}
            <input type="file" class="visually-hidden" accept=".csv,.tsv,.txt,text/csv,text/plain" @change=${(event) => onFile(event, state)} />
        </label>
        <p class="field-hint">${t('given.file_hint')}</p>
    </div>`;
}

function dataSection(kind, state) {
    const { form } = state;
    if (kind in lists) return listSection(lists[kind], state);
    if (kind === 'pair_counts') return html`<div class="section section-top"><div class="field-grid">${pairCounts.map((name) => form.field(name))}</div></div>`;
    if (!(kind in arms)) return nothing;
    return html`<div class="section arms">${['control', 'treatment'].map((side) => sectionOf(t(`arm.${side}`), arms[kind][side], form))}</div>`;
}

const others = ['equivalence_margin', 'test', 'quantile', 'trim', 'fh_rho', 'fh_gamma', 'alpha', 'direction', 'variants', 'observed_counts', 'expected_fractions'];

function observedForm(state) {
    const { form } = state;
    const kind = form.values().analysis ?? 'binary';
    const inside = html`<div class="section">
            <div class="section-head"><h2 id="observed-title">${t('results.observed')}</h2></div>
            <div class="field-grid">${form.field('analysis')}</div>
        </div>
        ${dataSection(kind, state)}
        <div class="section"><div class="field-grid">${others.map((name) => form.field(name))}</div></div>
        <div class="section section-top button-row no-print">
            <button type="submit" class="button" data-kind="primary">${t('results.analyse')}</button>
            <button type="button" class="button" id="example" @click=${state.fill}>${t('example.fill')}</button>
        </div>`;
    return form.view(inside, { formId: 'observed', className: 'card design', label: t('results.observed') });
}

/* An analysis with a form of its own: its finding, and what people do next. */
function toolView(tool) {
    return workbench({
        form: toolForm(tool, { label: t('results.observed'), action: t('results.analyse'), formId: 'observed' }),
        live: tool.live,
        result: (answer) => html`${findingView(tool.finding(answer, tool))} ${toolActions(tool)}`,
        announcement: (answer) => tool.finding(answer, tool).verdict.title,
    });
}

export function view(state) {
    if (state.tool !== null) return toolView(state.tool);
    return workbench({
        form: observedForm(state),
        live: state.live,
        result: (answer) => resultView(answer, state),
        announcement: (answer) => announcement(answer, state),
    });
}
