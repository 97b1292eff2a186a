/* A comparison as a template: the sizes, then what all share, then what only one has. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatUnit } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { simulation } from './simulation.js';

const end = (name, title, cell) => ({ name, title, align: 'end', cell });
const nameOf = ({ project_name: name }) => name || t('design.nameless');

const columns = () => [
    {
        name: 'name',
        title: t('comparison.project'),
        cell: (project) => html`<a href=${address(`/projects/${encodeURIComponent(project.id)}`)} dir="auto">${nameOf(project)}</a>`,
    },
    { name: 'type', title: t('field.metric_type'), cell: ({ metric_type: type }) => t(`metric.${type}`) },
    end('size', t('result.per_variant'), ({ sample_size_per_variant: size }) => formatInteger(size)),
    end('total', t('result.total'), ({ total_sample_size: size }) => formatInteger(size)),
    end('days', t('result.duration'), ({ estimated_duration_days: days }) => formatUnit(days, 'day')),
    end('warnings', t('comparison.warnings'), ({ warnings_count: count }) => formatInteger(count)),
];

const list = (items) => html`<ul class="assumption-list">${items.map((text) => html`<li><span dir="auto">${text}</span></li>`)}</ul>`;
const kinds = { warnings: 'comparison.warnings', risks: 'comparison.risks', assumptions: 'comparison.assumptions' };

/* What is found of each kind. No landmarks: two projects may have one name. */
function findings(id, title, found) {
    const there = Object.keys(kinds).filter((kind) => found[kind].length > 0);
    return html`<section class="card section stack" id=${id}>
        <h2 dir="auto">${title}</h2>
        ${there.length === 0
            ? html`<p class="section-note">${t('comparison.nothing')}</p>`
            : there.map((kind) => html`<div><h3>${t(kinds[kind])}</h3>${list(found[kind])}</div>`)}
    </section>`;
}

function range(key, { min, max, median }, write) {
    return html`<p class="section-note">${t(key, { min: write(min), max: write(max), median: write(median) })}</p>`;
}

function totals(projects) {
    return html`<div class="chart">
        ${barChart({
            label: t('result.total'),
            bars: projects.map((project) => ({ name: nameOf(project), value: project.total_sample_size })),
            format: formatInteger,
            nameTitle: t('comparison.project'),
            valueTitle: t('result.total'),
        })}
    </div>`;
}

function recommendations(items) {
    if (items.length === 0) return null;
    return html`<section class="card section" id="recommendations">
        <h2>${t('comparison.recommendations')}</h2>
        ${list(items)}
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

export function view(page) {
    const { comparison, take, busy } = page;
    if (!comparison) return html``;
    if (!page.possible)
        return empty({
            title: t('comparison.choose'),
            text: t('comparison.choose_text'),
            action: html`<a class="button" data-kind="primary" href=${address('/projects')}>${t('comparison.to_list')}</a>`,
        });
    return html`<div class="stack">
        <p><a href=${address('/projects')}>${t('comparison.to_list')}</a></p>
        ${resourceView(comparison, {
            skeleton: { lines: 4, height: 'row' },
            ready: (data) => html`<div class="stack">
                ${exports({ take, busy })}
                <section class="card section" aria-label=${t('comparison.title')} id="sizes">
                    ${table({ caption: t('comparison.title'), columns: columns(), rows: data.projects, key: ({ id }) => id })}
                    ${range('comparison.range_size', data.sample_size_range, formatInteger)}
                    ${range('comparison.range_days', data.duration_range, (days) => formatUnit(days, 'day'))}
                </section>
                <section class="card section" aria-label=${t('result.total')}>${totals(data.projects)}</section>
                ${findings('shared', t('comparison.shared'), {
                    warnings: data.shared_warnings,
                    risks: data.shared_risks,
                    assumptions: data.shared_assumptions,
                })}
                ${data.projects.map((project) =>
                    findings(`own-${project.id}`, t('comparison.own', { name: nameOf(project) }), data.unique_per_project[project.id]),
                )}
                ${recommendations(data.recommendation_highlights)} ${simulation(page, nameOf)}
            </div>`,
        })}
    </div>`;
}
