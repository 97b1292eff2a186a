/* A comparison as a template: the sizes, then what all share, then what only one has. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatUnit } from '../../shared/numbers.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

const end = (name, title, cell) => ({ name, title, align: 'end', cell });
const nameOf = ({ project_name: name }) => name || t('design.nameless');

const columns = () => [
    {
        name: 'name',
        title: t('comparison.project'),
        cell: (project) => html`<a href=${`/projects/${encodeURIComponent(project.id)}`} dir="auto">${nameOf(project)}</a>`,
    },
    { name: 'type', title: t('field.metric_type'), cell: ({ metric_type: type }) => t(`metric.${type}`) },
    end('size', t('result.per_variant'), ({ sample_size_per_variant: size }) => formatInteger(size)),
    end('total', t('result.total'), ({ total_sample_size: size }) => formatInteger(size)),
    end('days', t('result.duration'), ({ estimated_duration_days: days }) => formatUnit(days, 'day')),
    end('warnings', t('comparison.warnings'), ({ warnings_count: count }) => formatInteger(count)),
];

/* No landmarks: two projects may have one name. */
function findings(id, title, warnings, risks) {
    const all = [...warnings, ...risks];
    return html`<section class="card section" id=${id}>
        <div class="section-head"><h2 dir="auto">${title}</h2></div>
        ${all.length === 0
            ? html`<p class="section-note">${t('comparison.nothing')}</p>`
            : html`<ul class="assumption-list">${all.map((text) => html`<li dir="auto">${text}</li>`)}</ul>`}
    </section>`;
}

const formats = { pdf: 'PDF', markdown: 'Markdown' };

function exports({ take, busy }) {
    return html`<div class="button-row" id="take">
        ${Object.entries(formats).map(
            ([format, name]) =>
                html`<button type="button" class="button" ?disabled=${busy} @click=${() => take(format)}>${t('comparison.download', { format: name })}</button>`,
        )}
    </div>`;
}

export function view({ comparison, take, busy }) {
    if (!comparison) return html``;
    return html`<div class="stack">
        <p><a href="/projects">${t('comparison.to_list')}</a></p>
        ${resourceView(comparison, {
            skeleton: { lines: 4, height: 'row' },
            ready: (data) => html`<div class="stack">
                ${exports({ take, busy })}
                <section class="card section" aria-label=${t('comparison.title')} id="sizes">
                    ${table({ caption: t('comparison.title'), columns: columns(), rows: data.projects, key: ({ id }) => id })}
                </section>
                ${findings('shared', t('comparison.shared'), data.shared_warnings, data.shared_risks)}
                ${data.projects.map((project) => {
                    const { warnings, risks } = data.unique_per_project[project.id];
                    return findings(`own-${project.id}`, t('comparison.own', { name: nameOf(project) }), warnings, risks);
                })}
            </div>`,
        })}
    </div>`;
}
