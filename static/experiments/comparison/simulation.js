/* Opt-in: how large the uplift of each project may be, drawn many times from what was observed. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../shared/numbers.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

const thresholds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]; /* percent */
const keyOf = (percent) => (percent / 100).toFixed(2);
const end = (name, title, cell) => ({ name, title, align: 'end', cell });
const percentile = (rank) => end(`p${rank}`, t('comparison.percentile', { rank: formatInteger(rank) }), ({ drawn }) => formatPercent(drawn.percentiles[rank]));

const columns = (threshold) => [
    { name: 'name', title: t('comparison.project'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
    percentile(5),
    percentile(50),
    percentile(95),
    end('positive', t('comparison.positive'), ({ drawn }) => formatPercent(drawn.probability_uplift_positive)),
    end('above', t('comparison.above', { threshold: formatPercent(threshold / 100) }), ({ drawn }) =>
        formatPercent(drawn.probability_uplift_above_threshold[keyOf(threshold)]),
    ),
];

function chartOf(rows) {
    return lineChart({
        label: t('comparison.simulation'),
        series: rows.map(({ name, drawn: { histogram: h } }) => ({
            name,
            points: h.shares.map((share, place) => ({ x: h.start + (place + 0.5) * h.bucket_width, y: share })),
        })),
        x: { title: t('comparison.uplift'), format: (value) => formatPercent(value), kind: 'number' },
        y: { title: t('comparison.share'), format: (value) => formatPercent(value), min: 0 },
    });
}

function drawn(rows, { threshold, choose }) {
    if (rows.length === 0) return html`<p class="section-note" role="status">${t('comparison.unobserved')}</p>`;
    return html`<div class="field">
            <label class="field-label" for="threshold">${t('comparison.threshold')}</label>
            <select class="select" id="threshold" @change=${(event) => choose(Number(event.target.value))}>
                ${thresholds.map((percent) => html`<option value=${percent} ?selected=${percent === threshold}>${formatPercent(percent / 100)}</option>`)}
            </select>
        </div>
        ${table({ caption: t('comparison.simulation'), columns: columns(threshold), rows, key: ({ id }) => id })}
        ${chartOf(rows)}
        <p class="section-note">${t('comparison.draws', { count: formatInteger(rows[0].drawn.num_simulations) })}</p>`;
}

/* asked: whether the reader wants it; simulated: the resource that has {projects, monte_carlo_distribution}. */
export function simulation(page, nameOf) {
    const { asked, simulated, simulate } = page;
    const rowsOf = ({ projects, monte_carlo_distribution: sets }) =>
        projects.filter(({ id }) => sets[id]).map((project) => ({ id: project.id, name: nameOf(project), drawn: sets[project.id] }));
    return html`<section class="card section stack" aria-labelledby="simulation-title" id="simulation">
        <h2 id="simulation-title">${t('comparison.simulation')}</h2>
        <p class="section-note">${t('comparison.simulation_note')}</p>
        ${asked
            ? resourceView(simulated, { skeleton: { lines: 3, height: 'row' }, ready: (data) => drawn(rowsOf(data), page) })
            : html`<div class="button-row"><button type="button" class="button" id="simulate" @click=${simulate}>${t('comparison.simulate')}</button></div>`}
    </section>`;
}
