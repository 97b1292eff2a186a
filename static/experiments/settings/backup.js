/* Backups: everything as one file, and a file looked at before anything of it is taken. */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { download } from '../../shared/ui/download.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { createUpload } from '../../shared/ui/upload.js';
import { attempt } from '../attempt.js';
import { figure } from '../figure.js';

const transferMs = 120000;
const type = 'application/json';
const kinds = ['projects', 'project_revisions', 'analysis_runs', 'export_events'];
const kindsOfFile = [...kinds, 'catalog_metrics', 'flags'];

const counts = (of, shown = kinds) => html`<dl class="figures">${shown.map((kind) => figure(t(`settings.count_${kind}`), formatInteger(of(kind))))}</dl>`;

/**
 * `validate` is where a file goes to be looked at, from the page's own service.
 *
 * @param {Client<'experiments'>} client
 */
export function createBackup(update, client, { validate = '/api/v1/workspace/validate' } = {}) {
    let checked = null; /* {file, report} */
    let imported = null;
    let busy = false;

    const here = createResource(update, async (signal) => (await client.get('/api/v1/diagnostics', { signal })).data);

    const upload = createUpload(update, {
        url: validate,
        type,
        accept: '.json,application/json',
        multiple: false,
        forgetDone: true,
        onDone(report, file) {
            checked = { file, report };
            imported = null;
            update();
            setTimeout(() => document.getElementById('checked-title')?.focus());
        },
    });

    async function during(action) {
        busy = true;
        update();
        await attempt(action);
        busy = false;
        update();
    }

    const take = () => during(() => download(client, '/api/v1/workspace/export', { name: 'workspace.json', timeoutMs: transferMs }));

    /* The file itself goes, byte by byte: its checksum is about how numbers were written. */
    const bring = () =>
        during(async () => {
            const request = { form: checked.file, headers: { 'Content-Type': type }, timeoutMs: transferMs };
            imported = (await client.request('POST', '/api/v1/workspace/import', request)).data;
            checked = null;
            here.reload();
            setTimeout(() => document.getElementById('imported')?.focus());
        });

    function cancel() {
        checked = null;
        update();
    }

    /** @param {{ file: File, report: experiments.WorkspaceValidated }} checked */
    function checkedCard({ file, report }) {
        const facts = [
            [t('settings.file'), html`<span dir="auto">${file.name}</span>`],
            [t('settings.schema'), formatInteger(report.schema_version)],
            [t('settings.signature'), report.signature_verified ? badge(t('settings.signed'), 'good') : badge(t('settings.unsigned'))],
            [t('settings.checksum'), html`<span class="mono key-text" dir="ltr">${report.checksum_sha256}</span>`],
        ];
        return html`<section class="card" aria-labelledby="checked-title" id="checked">
            <div class="section stack">
                <h2 id="checked-title" tabindex="-1">${t('settings.checked')}</h2>
                <p class="section-note">${t('settings.checked_note')}</p>
            </div>
            ${counts((kind) => report.counts[kind], kindsOfFile)}
            <div class="section stack">
                <dl class="facts">${facts.map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
                <div class="button-row">
                    <button type="button" class="button" data-kind="primary" id="import" ?disabled=${busy} @click=${bring}>${t('settings.import')}</button>
                    <button type="button" class="button" ?disabled=${busy} @click=${cancel}>${t('confirm.cancel')}</button>
                </div>
            </div>
        </section>`;
    }

    function importedNotice() {
        return html`<div id="imported" tabindex="-1">
            ${notice({
                tone: 'good',
                title: t('settings.imported'),
                body: html`<p>${kindsOfFile.map((kind) => `${t(`settings.count_${kind}`)}: ${formatInteger(imported[`imported_${kind}`])}`).join(' · ')}</p>${imported.renamed_flags > 0 ? html`<p>${t('settings.flags_renamed', { count: imported.renamed_flags })}</p>` : null}${imported.switched_off_flags > 0 ? html`<p>${t('settings.flags_switched_off', { count: imported.switched_off_flags })}</p>` : null}`,
                actions: html`<a class="button" href=${address('/projects')}>${t('settings.to_projects')}</a>`,
            })}
        </div>`;
    }

    /** @param {experiments.Diagnostics} diagnostics */
    const whole = ({ storage }) => html`<div class="stack">
        ${imported === null ? null : importedNotice()} ${checked === null ? null : checkedCard(checked)}
        <section class="card" aria-labelledby="export-title" id="export">
            <div class="section stack">
                <h2 id="export-title">${t('settings.export')}</h2>
                <p class="section-note" id="export-note">${t('settings.export_note')}</p>
            </div>
            ${counts((kind) => storage[`${kind}_total`] ?? 0)}
            <div class="section button-row">
                <button type="button" class="button" data-kind="primary" id="take" aria-describedby="export-note" ?disabled=${busy} @click=${take}>
                    ${t('settings.take')}
                </button>
            </div>
        </section>
        <section class="card section stack" aria-labelledby="bring-title">
            <h2 id="bring-title">${t('settings.bring')}</h2>
            <p class="section-note">${t('settings.bring_note')}</p>
            ${upload.view({ id: 'backup-file', label: t('settings.choose') })}
        </section>
    </div>`;

    return {
        load: () => here.load(),
        view: () => resourceView(here, { quiet: true, skeleton: { lines: 3, height: 'card' }, ready: whole }),
    };
}
