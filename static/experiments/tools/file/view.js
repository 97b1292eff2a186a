/* The page of a file as a template: the file and its columns on one side, what they show on the other. */
import { t } from '../../../shared/i18n.js';
import { address } from '../../../shared/place.js';
import { copyButton } from '../../../shared/ui/copy.js';
import { html, nothing } from '../../../shared/ui/lit.js';
import { accessToken } from '../../../shared/ui/session.js';
import { table } from '../../../shared/ui/table.js';
import { quoted } from '../../calculator/link.js';
import { partCard } from '../../finding.js';
import { parts } from './fields.js';
import { result } from './result.js';

const previewRows = 5;

function chooser(tool) {
    return html`<div class="section stack">
        <h2>${t('file.choose')}</h2>
        ${tool.dropzone.view({ id: 'data-file', label: t('file.drop'), hint: t('file.drop_hint') })}
        ${tool.empty ? html`<p class="field-error" role="alert" id="file-empty">${t('file.empty')}</p>` : nothing}
        ${tool.head === null ? nothing : tool.chosen()}
        <div class="button-row"><button type="button" class="button" data-size="small" id="example" @click=${tool.example}>${t('example.fill')}</button></div>
    </div>`;
}

const grid = (names, form) => html`<div class="field-grid">${names.map((name) => form.field(name))}</div>`;

function covariates({ form }) {
    if (form.values().analysis !== 'adjusted') return nothing;
    return html`<div class="section section-top stack" role="group" aria-labelledby="covariates-choice">
        <h3 id="covariates-choice">${t('adjusted.covariates')}</h3>
        <p class="field-hint">${t('file.covariates_hint')}</p>
        ${grid(parts.covariates(form.names), form)}
    </div>`;
}

function mapping(tool) {
    const { form } = tool;
    const inside = html`<div class="section section-top">
            <div class="section-head"><h2 id="file-columns" tabindex="-1">${t('file.columns')}</h2></div>
            ${grid(parts.columns, form)}
        </div>
        ${covariates(tool)}
        <details class="disclosure">
            <summary>${t('file.more')}</summary>
            <div class="section">${grid(parts.further, form)}</div>
        </details>
        <div class="section section-top button-row no-print">
            <button type="submit" class="button" data-kind="primary" ?disabled=${tool.isBusy()}>${t('results.analyse')}</button>
        </div>`;
    return form.view(inside, { formId: 'question', label: t('file.columns') });
}

/* Until a file is there: what one looks like. */
function explanation() {
    const rows = [
        ['user-1', 'control', '12.50', '9.10'],
        ['user-2', 'new checkout', '0', '3.40'],
        ['user-3', 'control', '31.20', ''],
    ];
    return partCard('layout', t('file.layout'), html`<p class="prose">${t('file.layout_text')}</p>
        ${rowsTable(['user_id', 'variant', 'revenue', 'revenue_before'], rows, t('file.layout'))}`);
}

function rowsTable(names, rows, caption) {
    return table({
        caption,
        plain: true,
        columns: names.map((name, index) => ({ name: `c${index}`, title: name, cell: (row) => html`<span dir="auto">${row[index] ?? ''}</span>` })),
        rows,
    });
}

function preview({ head, file }) {
    return partCard('preview', t('file.preview', { name: file.name }), rowsTable(head.names, head.rows.slice(0, previewRows), t('file.preview', { name: file.name })));
}

function sending({ upload, task }) {
    if (task.runs()) return task.view();
    const [item] = upload.items();
    if (item === undefined) return nothing;
    const arrived = item.state === 'sending' && item.sent > 0 && item.sent >= item.total;
    return html`<div class="card section">${upload.list()} ${arrived ? html`<p class="field-hint" role="status">${t('file.analyzing')}</p>` : nothing}</div>`;
}

function curlOf({ url, mapping, name }) {
    const token = accessToken() === null ? '' : ` -H "Authorization: Bearer $ASSAY_TOKEN"`;
    return `curl -sS${token} -F ${quoted(`mapping=${JSON.stringify(mapping)}`)} -F ${quoted(`file=@${name}`)} ${quoted(url)}`;
}

function next(tool) {
    return partCard('next', t('next.title'), html`<div class="stack"><ul class="prose">
            <li>${t('next.interval')}</li>
            <li><a href=${address('/tools/corrections')}>${t('next.corrections')}</a></li>
            <li><a href=${address('/')}>${t('next.plan')}</a></li>
        </ul>
        <div class="button-row no-print">
            ${tool.question !== null ? nothing : copyButton({ id: 'copy-curl', title: t('result.copy_curl'), text: () => curlOf(tool.command()) })}
            <button type="button" class="button" data-size="small" id="print" @click=${() => print()}>${t('result.print')}</button>
        </div></div>`);
}

function answerView(tool) {
    if (tool.answer === null) return tool.head === null ? explanation() : preview(tool);
    return html`${result(tool.answer, tool)} ${next(tool)}`;
}

export function fileView(tool) {
    const busy = tool.isBusy();
    return html`<div class="workbench">
        <div class="card design">${chooser(tool)} ${tool.form === null ? nothing : mapping(tool)}</div>
        <section class="results" id="results" aria-labelledby="results-title">
            <h2 class="visually-hidden" id="results-title">${t('result.title')}</h2>
            <p class="visually-hidden" role="status" id="announcer">${tool.stale ? t('live.stale') : tool.announcement()}</p>
            <div class="result-notices" id="notices">${tool.notices()} ${sending(tool)}</div>
            <div class="result-body" id="result-body" aria-busy=${String(busy)} ?data-stale=${tool.stale || busy}>${answerView(tool)}</div>
        </section>
    </div>`;
}
