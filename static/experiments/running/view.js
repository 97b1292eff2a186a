/* The list of experiments as a template. */
import { t } from '../../shared/i18n.js';
import { formatDateTime } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

const columns = () => [
    {
        name: 'project_name',
        title: t('running.experiment'),
        cell: ({ id, project_name: name }) => html`<a href=${address(`/live/${encodeURIComponent(id)}`)} dir="auto">${name || t('design.nameless')}</a>`,
    },
    { name: 'hypothesis', title: t('running.hypothesis'), cell: ({ hypothesis }) => html`<span dir="auto">${hypothesis ?? '–'}</span>` },
    { name: 'updated_at', title: t('running.updated'), cell: ({ updated_at: at }) => formatDateTime(at) },
];

/** @param {{ projects?: Resource<experiments.ProjectListItem[]> }} state */
export function view({ projects }) {
    if (!projects) return html``;
    return html`<section class="card section" aria-label=${t('running.title')}>
        ${resourceView(projects, {
            skeleton: { lines: 5, height: 'row' },
            isEmpty: (rows) => rows.length === 0,
            empty: { title: t('running.none'), text: t('running.none_text') },
            ready: (rows) => table({ caption: t('running.title'), columns: columns(), rows, key: ({ id }) => id }),
        })}
    </section>`;
}
