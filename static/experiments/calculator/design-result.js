/* Shows the answer of POST /api/v1/calculate in the result column. */
import { drawBoundaries, drawPowerCurve } from '../../shared/chart.js';
import { byId, html } from '../../shared/dom.js';
import { t } from '../../shared/i18n.js';
import {
    formatCompact,
    formatDate,
    formatFixed,
    formatInteger,
    formatNumber,
    formatPercent,
    formatUnit,
} from '../../shared/numbers.js';
import { formatMetric } from './design-form.js';

const severityTones = { high: 'danger', medium: 'caution', low: 'info' };

function fact(name, value) {
    return html('div', { class: 'fact' }, html('dt', {}, name), html('dd', {}, value));
}

/* The duration in a unit that can be imagined; null where days are the best one. */
function longerUnit(days) {
    if (days > 730) return formatUnit(days / 365.25, 'year');
    return days >= 7 ? formatUnit(days / 7, 'week') : null;
}

function durationNote(days) {
    const date = endDate(days);
    const parts = [longerUnit(days), date === null ? null : t('result.ends', { date })];
    return parts.filter((part) => part !== null).join(' · ');
}

function endDate(days) {
    const date = new Date();
    date.setDate(date.getDate() + days);
    return Number.isFinite(date.getTime()) ? formatDate(date) : null;
}

function showFigures(design, answer) {
    const { results } = answer;
    const days = results.estimated_duration_days;
    byId('figure-per-variant').textContent = formatInteger(results.sample_size_per_variant);
    byId('figure-per-variant-note').textContent = t(
        `test.${answer.calculation_summary.planned_test}`,
    );
    byId('figure-total').textContent = formatInteger(results.total_sample_size);
    byId('figure-total-note').textContent =
        `${design.variants_count} × ${formatInteger(results.sample_size_per_variant)}`;
    byId('figure-duration').textContent = formatUnit(days, 'day');
    byId('figure-duration-note').textContent = durationNote(days);
}

/* The plan in one sentence, fit to be read out or pasted. */
export function planSentence(design, answer) {
    const { calculation_summary: summary, results } = answer;
    const type = summary.metric_type;
    const values = {
        n: formatInteger(results.sample_size_per_variant),
        variants: design.variants_count,
        power: formatPercent(summary.power),
        alpha: formatNumber(summary.alpha),
        from: formatMetric(type, summary.baseline_value),
        to: formatMetric(type, summary.baseline_value + summary.mde_absolute),
        effect: formatPercent(summary.mde_pct / 100),
        margin: formatNumber(summary.equivalence_margin_absolute ?? 0, 5),
    };
    return t(summary.planned_test === 'tost' ? 'result.sentence_tost' : 'result.sentence', values);
}

function showWarnings(warnings) {
    byId('warnings').hidden = warnings.length === 0;
    const items = warnings.map(({ code, severity, message }) =>
        html(
            'li',
            { class: 'warning', 'data-code': code },
            html(
                'span',
                { class: 'badge', 'data-tone': severityTones[severity] ?? 'info' },
                t(`severity.${severity}`),
            ),
            html('span', {}, message),
        ),
    );
    byId('warning-list').replaceChildren(...items);
}

/* Days that `n` users in the slowest variant take: what the API does for the planned size. */
function daysFor(n, design, results) {
    const perDay = results.allocated_daily_traffic ?? results.effective_daily_traffic;
    const sum = design.traffic_split.reduce((total, weight) => total + weight, 0);
    return Math.ceil(n / ((perDay * Math.min(...design.traffic_split)) / sum) - 1e-9);
}

function tableOf(headings, rows) {
    return html(
        'table',
        { class: 'table' },
        html(
            'thead',
            {},
            html(
                'tr',
                {},
                headings.map((heading) => html('th', { scope: 'col' }, heading)),
            ),
        ),
        html(
            'tbody',
            {},
            rows.map(({ cells, marked }) =>
                html(
                    'tr',
                    { 'data-marked': marked },
                    cells.map((cell, index) =>
                        index === 0 ? html('th', { scope: 'row' }, cell) : html('td', {}, cell),
                    ),
                ),
            ),
        ),
    );
}

function showPowerTable(points, design, answer) {
    const planned = answer.results.sample_size_per_variant;
    const rows = points.map(({ x, y }) => ({
        cells: [
            formatInteger(x),
            formatPercent(y),
            formatInteger(daysFor(x, design, answer.results)),
        ],
        marked: x === planned,
    }));
    const headings = [t('result.per_variant'), t('field.power'), t('unit.days')];
    byId('power-curve-table').replaceChildren(tableOf(headings, rows));
}

function showReadout(point, design, answer) {
    byId('power-curve-readout').replaceChildren(
        html('span', {}, `${t('chart.users')} `, html('b', {}, formatInteger(point.x))),
        html('span', {}, `${t('field.power')} `, html('b', {}, formatPercent(point.y, 3))),
        html(
            'span',
            {},
            html('b', {}, formatUnit(daysFor(point.x, design, answer.results), 'day')),
        ),
    );
}

function showPowerCurve(design, answer) {
    const points = (answer.power_curve ?? []).map((point) => ({
        x: point.sample_size_per_variant,
        y: point.power,
    }));
    const planned = points.find((point) => point.x === answer.results.sample_size_per_variant);
    byId('power-curve').hidden = points.length < 2 || planned === undefined;
    if (byId('power-curve').hidden) return;
    const describe = ({ x, y }) =>
        t('chart.point', {
            n: formatInteger(x),
            power: formatPercent(y, 3),
            days: formatUnit(daysFor(x, design, answer.results), 'day'),
        });
    drawPowerCurve(byId('power-curve-chart'), {
        points,
        planned,
        target: answer.calculation_summary.power,
        format: { y: (value) => formatPercent(value, 3), xTick: formatCompact },
        labels: {
            x: t('chart.users'),
            y: t('field.power'),
            target: t('chart.target'),
            chart: t('chart.label'),
        },
        describe,
        readout: (point) => showReadout(point, design, answer),
    });
    showPowerTable(points, design, answer);
}

function sequentialNote(answer) {
    const days = answer.sequential_duration_days;
    return t('result.sequential_note', {
        n: formatInteger(answer.sequential_adjusted_sample_size),
        factor: formatFixed(answer.sequential_inflation_factor, 3),
        days: days === null || days === undefined ? '–' : formatUnit(days, 'day'),
    });
}

function boundaryRow(look, total) {
    return {
        cells: [
            String(look.look),
            formatPercent(look.info_fraction),
            formatInteger(Math.ceil(total * (look.look / look.looks) - 1e-9)),
            `±${formatFixed(look.z_boundary, 3)}`,
            look.p_boundary < 1e-6 ? `< ${formatFixed(1e-6, 6)}` : formatFixed(look.p_boundary, 6),
            formatFixed(look.cumulative_alpha_spent, 6),
        ],
        marked: look.is_final,
    };
}

function showSequential(answer) {
    const looks = answer.sequential_boundaries ?? [];
    byId('sequential').hidden = looks.length === 0;
    if (looks.length === 0) return;
    byId('sequential-note').textContent = sequentialNote(answer);
    drawBoundaries(byId('sequential-chart'), {
        looks: looks.map((look) => ({ x: look.info_fraction, z: look.z_boundary })),
        format: { x: (value) => formatPercent(value), y: (value) => formatNumber(value, 3) },
        labels: { x: t('chart.information'), y: t('chart.z'), chart: t('chart.boundaries_label') },
    });
    const headings = ['look', 'information', 'users', 'z', 'p', 'alpha'].map((name) =>
        t(`boundary.${name}`),
    );
    const total = answer.sequential_adjusted_sample_size;
    const rows = looks.map((look) => boundaryRow({ ...look, looks: looks.length }, total));
    byId('sequential-table').replaceChildren(tableOf(headings, rows));
}

function companion(name, facts, note = null) {
    const title = `companion-${name}`;
    return html(
        'section',
        { class: 'card section companion', 'aria-labelledby': title },
        html('div', { class: 'section-head' }, html('h3', { id: title }, t(`companion.${name}`))),
        html('dl', { class: 'facts' }, facts),
        note === null
            ? null
            : html('p', { class: 'note', lang: 'en', dir: 'ltr' }, note) /* always English */,
    );
}

function cupedCompanion(answer) {
    const n = answer.cuped_sample_size_per_variant;
    if (n === null || n === undefined) return null;
    return companion('cuped', [
        fact(t('result.per_variant'), formatInteger(n)),
        fact(t('result.duration'), formatUnit(answer.cuped_duration_days, 'day')),
        fact(
            t('companion.variance_reduction'),
            formatPercent(answer.cuped_variance_reduction_pct / 100),
        ),
        fact(t('companion.remaining_std'), formatNumber(answer.cuped_std)),
        fact(t('companion.theta'), formatNumber(answer.cuped_theta)),
    ]);
}

function bayesianCompanion(answer) {
    const n = answer.bayesian_sample_size_per_variant;
    if (n === null || n === undefined) return null;
    const facts = [
        fact(t('result.per_variant'), formatInteger(n)),
        fact(t('field.credibility'), formatPercent(answer.bayesian_credibility)),
    ];
    return companion('bayesian', facts, answer.bayesian_note);
}

function clusterCompanion(answer) {
    if (answer.design_effect === null || answer.design_effect === undefined) return null;
    return companion('clusters', [
        fact(t('companion.clusters_per_variant'), formatInteger(answer.clusters_per_variant)),
        fact(t('companion.design_effect'), formatNumber(answer.design_effect)),
        fact(t('field.avg_cluster_size'), formatNumber(answer.avg_cluster_size)),
        fact(t('field.icc'), formatNumber(answer.icc)),
    ]);
}

function showCompanions(answer) {
    const cards = [clusterCompanion(answer), cupedCompanion(answer), bayesianCompanion(answer)];
    byId('companions').replaceChildren(...cards.filter((card) => card !== null));
}

/* A difference of rates is in percentage points. */
function formatDifference({ metric_type: type, mde_absolute: difference }) {
    return type === 'binary'
        ? `${formatNumber(difference * 100)} ${t('unit.percentage_points')}`
        : formatNumber(difference);
}

function showDetails(answer) {
    const { calculation_summary: summary, results } = answer;
    const facts = [
        fact(t('field.planned_test'), t(`test.${summary.planned_test}`)),
        fact(t('fact.mde_absolute'), formatDifference(summary)),
        summary.equivalence_margin_absolute
            ? fact(
                  t('fact.margin_absolute'),
                  `±${formatNumber(summary.equivalence_margin_absolute)}`,
              )
            : null,
        fact(t('fact.effective_traffic'), formatNumber(results.effective_daily_traffic)),
        results.allocated_daily_traffic === null || results.allocated_daily_traffic === undefined
            ? null
            : fact(t('fact.allocated_traffic'), formatNumber(results.allocated_daily_traffic)),
    ];
    byId('details').hidden = false;
    byId('facts').replaceChildren(...facts.filter((item) => item !== null));
    const notes = [...answer.assumptions, answer.bonferroni_note].filter(Boolean);
    byId('assumptions').replaceChildren(...notes.map((note) => html('li', {}, note)));
}

function showBar(answer) {
    byId('result-bar').hidden = false;
    byId('result-bar').replaceChildren(
        html(
            'span',
            {},
            `${t('result.per_variant')}: ${formatInteger(answer.results.sample_size_per_variant)}`,
        ),
        html('span', {}, formatUnit(answer.results.estimated_duration_days, 'day')),
    );
}

/* Shows the answer to `design`. */
export function showResult(design, answer) {
    showFigures(design, answer);
    byId('sentence').textContent = planSentence(design, answer);
    showWarnings(answer.warnings);
    showPowerCurve(design, answer);
    showSequential(answer);
    showCompanions(answer);
    showDetails(answer);
    showBar(answer);
}

/* The gist for screen readers. */
export function resultAnnouncement(answer) {
    return t('result.announcement', {
        n: formatInteger(answer.results.sample_size_per_variant),
        total: formatInteger(answer.results.total_sample_size),
        days: formatUnit(answer.results.estimated_duration_days, 'day'),
    });
}
