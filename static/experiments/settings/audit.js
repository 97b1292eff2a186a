/* The audit log: the newest entries first, older ones on demand; what it was narrowed to stands in the address. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { afterPause } from '../../shared/ui/app.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { download } from '../../shared/ui/download.js';
import { html } from '../../shared/ui/lit.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { filterBar, table } from '../../shared/ui/table.js';
import { attempt } from '../attempt.js';
import { actions, actionText, actorText } from '../audit.js';
import { press } from './press.js';

const pageSize = 50;
const pauseMs = 300;
const exportMs = 120000;
const defaults = { action: '', project_id: '', key_id: '' };
const written = (value) => (value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value));
const mono = (value) => html`<span class="mono key-text" dir="auto">${written(value)}</span>`;

/* Which fields went from what to what. */
/** @param {experiments.AuditEntry} entry */
function showChanges({ payload_diff: changes }) {
    openDialog({
        title: t('settings.changes'),
        wide: true,
        body: () =>
            table({
                caption: t('settings.changes'),
                columns: [
                    { name: 'field', title: t('settings.field'), cell: ([field]) => mono(field) },
                    { name: 'before', title: t('settings.before'), cell: ([, [before]]) => mono(before) },
                    { name: 'after', title: t('settings.after'), cell: ([, [, after]]) => mono(after) },
                ],
                rows: Object.entries(changes),
            }),
    });
}

/** @param {experiments.AuditEntry} entry */
function subject({ project_id: project, project_name: name, key_id: key }) {
    if (project !== null) return html`<a href=${address(`/projects/${encodeURIComponent(project)}`)} dir="auto">${name || project}</a>`;
    return key === null ? '–' : html`<span class="mono key-text">${key}</span>`;
}

const columns = () => [
    { name: 'ts', title: t('settings.when'), cell: ({ ts }) => formatDateTime(ts) },
    { name: 'action', title: t('settings.action'), cell: ({ action }) => html`<span title=${action}>${actionText(action)}</span>` },
    { name: 'subject', title: t('settings.subject'), cell: subject },
    { name: 'actor', title: t('settings.actor'), cell: ({ actor }) => html`<span dir="auto">${actorText(actor)}</span>` },
    { name: 'ip_address', title: t('settings.address'), cell: ({ ip_address: address }) => mono(address) },
    {
        name: 'changes',
        title: t('settings.changes'),
        titleHidden: true,
        align: 'end',
        cell: (entry) => (entry.payload_diff === null ? null : press(t('settings.changes'), entry, showChanges, { name: entry.id })),
    },
];

/** @param {Client<'experiments'>} client */
export function createAudit(update, client) {
    let values = readQuery(defaults);

    async function fetchPage(signal, before = undefined) {
        const { data } = await client.get('/api/v1/audit', { query: { ...values, limit: pageSize, before_id: before }, signal });
        return { rows: data.entries, total: data.total, more: data.entries.length === pageSize };
    }

    const entries = createResource(update, (signal) => fetchPage(signal));
    const later = afterPause(pauseMs, () => entries.load());

    async function older() {
        const { rows } = entries.data;
        await attempt(async () => {
            const next = await fetchPage(undefined, rows.at(-1).id);
            entries.set({ ...next, rows: [...rows, ...next.rows] });
        });
    }

    function filter(patch) {
        values = { ...values, ...patch };
        writeQuery(values, defaults);
        entries.outdate();
        later();
    }

    onQuery(() => (values = readQuery(defaults)));

    const filters = () => [
        { name: 'action', label: t('settings.action'), kind: 'select', options: actions.map((value) => ({ value, title: actionText(value) })) },
        { name: 'project_id', label: t('settings.project_id'), kind: 'search' },
        { name: 'key_id', label: t('settings.key_id'), kind: 'search' },
    ];

    return {
        load: () => entries.load(),
        view: () => html`<section class="card section stack" aria-labelledby="audit-title" id="audit">
            <div class="section-head"><h2 id="audit-title">${t('settings.tab_audit')}</h2></div>
            ${filterBar({ filters: filters(), values, onFilter: filter })}
            ${resourceView(entries, {
                skeleton: { lines: 6, height: 'row' },
                isEmpty: ({ rows }) => rows.length === 0,
                empty: { title: t('settings.no_entries') },
                ready: ({ rows, total, more }) => html`${table({ caption: t('settings.tab_audit'), columns: columns(), rows, key: ({ id }) => id })}
                    <div class="button-row">
                        ${more ? html`<button type="button" class="button" id="older" @click=${older}>${t('settings.older')}</button>` : null}
                        <button
                            type="button"
                            class="button"
                            id="audit-export"
                            @click=${() => attempt(() => download(client, '/api/v1/audit/export', { query: values, name: 'audit-log.csv', timeoutMs: exportMs }))}
                        >
                            ${t('settings.export_csv')}
                        </button>
                        <span class="section-note" role="status">${t('settings.shown', { shown: formatInteger(rows.length), total: formatInteger(total) })}</span>
                    </div>`,
            })}
        </section>`,
    };
}
