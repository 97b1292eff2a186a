/* The answer of POST /api/v1/calculate as a template. */
import { t } from '../../shared/i18n.js';
import {
    formatDate,
    formatFixed,
    formatInteger,
    formatNumber,
    formatPercent,
    formatUnit,
    isolated,
} from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { share } from '../figures.js';
import { boundaryChart, powerCurve } from './charts.js';
import { formatMetric, variantNames } from './fields.js';
import { daysOfAll, daysOfEven, planOf } from './plan.js';

const severityTones = { high: 'danger', medium: 'caution', low: 'info' };
const foldedFrom = 12; /* looks: a longer table shows its first and last ones */

function known(value) {
    return value !== null && value !== undefined;
}

/* The duration in a unit that can be imagined; null where days are the best one. */
function longerUnit(days) {
    if (days > 730) return formatUnit(days / 365.25, 'year');
    return days >= 7 ? formatUnit(days / 7, 'week') : null;
}

function endDate(days) {
    const date = new Date();
    date.setDate(date.getDate() + days);
    return Number.isFinite(date.getTime()) ? formatDate(date) : null;
}

function durationNote(days) {
    const date = endDate(days);
    const parts = [longerUnit(days), date === null ? null : t('result.ends', { date })];
    return parts.filter((part) => part !== null).join(' · ');
}

function figure(id, label, value, note, small = false) {
    return html`<div class="figure">
        <dt class="figure-label">${label}</dt>
        <dd class="figure-value" id=${`figure-${id}`} data-long=${small ? '' : nothing}>${value}</dd>
        <dd class="figure-note" id=${`figure-${id}-note`}>${note}</dd>
    </div>`;
}

/* Users of uneven arms, each after its letter. */
export function armsText(users) {
    return isolated(users.map((n, index) => `${variantNames[index]} ${formatInteger(n)}`).join(' · '));
}

function arms(users) {
    return users.map((n, index) => html`<span class="figure-arm">${isolated(`${variantNames[index]} ${formatInteger(n)}`)}</span> `);
}

/** @param {experiments.Calculation} answer */
function testNote(plan, answer) {
    const test = t(`test.${answer.calculation_summary.planned_test}`);
    if (plan.looks > 1) return t('result.without_looks', { n: formatInteger(plan.once) });
    const power = formatPercent(answer.calculation_summary.power, 3);
    if (plan.exact !== null) return `${test} · ${t('result.exact', { n: formatInteger(plan.exact) })}`;
    return plan.even && known(answer.results.verified_sample_size) ? `${test} · ${t('result.verified', { power })}` : test;
}

function totalNote(plan) {
    const { users, even, evenTotal, total } = plan;
    if (even) return `${formatInteger(users.length)} × ${formatInteger(users[0])}`;
    return t('result.against_even', {
        total: formatInteger(evenTotal),
        cost: share(total / evenTotal - 1),
    });
}

/** @param {experiments.Calculation} answer */
function figures(plan, answer) {
    const most = plan.looks > 1 ? 'result.per_variant_most' : 'result.per_variant';
    return html`<dl class="figures">
        ${figure('per-variant', t(most), plan.even ? formatInteger(plan.users[0]) : arms(plan.users), testNote(plan, answer), !plan.even)}
        ${figure('total', t(plan.looks > 1 ? 'result.total_most' : 'result.total'), formatInteger(plan.total), totalNote(plan))}
        ${figure('duration', t(plan.looks > 1 ? 'result.duration_most' : 'result.duration'), formatUnit(plan.days, 'day'), durationNote(plan.days))}
    </dl>`;
}

/* The effect that the plan is for: its sign is that of the goal. */
/** @param {experiments.CalculationSummary} summary */
function soughtDifference({ direction, mde_absolute: difference }) {
    return (direction === 'decrease' ? -1 : 1) * Math.abs(difference);
}

/* The plan in words, fit to be read out or pasted. */
/** @param {experiments.Calculation} answer */
export function planSentence(design, answer) {
    const { calculation_summary: summary } = answer;
    const plan = planOf(design, answer);
    const type = summary.metric_type;
    const values = {
        power: formatPercent(summary.power),
        alpha: formatPercent(summary.alpha),
        from: formatMetric(type, summary.baseline_value),
        to: formatMetric(type, summary.baseline_value + soughtDifference(summary)),
        effect: formatPercent(summary.mde_pct / 100),
        margin: formatNumber(summary.equivalence_margin_absolute ?? 0, 5),
    };
    const tost = summary.planned_test === 'tost';
    if (!plan.even)
        return t(tost ? 'result.sentence_arms_tost' : 'result.sentence_arms', {
            ...values,
            total: formatInteger(plan.total),
            arms: armsText(plan.users),
        });
    const even = { ...values, variants: design.variants_count, n: formatInteger(plan.users[0]) };
    const sentence = t(tost ? 'result.sentence_tost' : 'result.sentence', even);
    return plan.looks > 1 ? `${sentence} ${t('result.sentence_looks', { looks: plan.looks })}` : sentence;
}

/* A test that does not see every weekday is judged by the weekdays that it saw. */
export function shortPlan(plan) {
    if (plan.days >= 7) return nothing;
    return html`<p class="notice" data-tone="caution" id="short-plan">
        ${t('result.short_plan', { days: formatUnit(plan.days, 'day'), whole: formatUnit(7, 'day') })}
    </p>`;
}

function actions({ link, command }) {
    return html`<div class="button-row no-print">
        ${copyButton({ id: 'copy-link', title: t('result.copy_link'), text: link })}
        ${copyButton({ id: 'copy-curl', title: t('result.copy_curl'), text: command })}
        <button type="button" class="button" data-size="small" id="print" @click=${() => print()}>
            ${t('result.print')}
        </button>
    </div>`;
}

/** @param {experiments.Calculation} answer */
function headline(design, answer, how) {
    const plan = planOf(design, answer);
    return html`<div class="card headline">
        ${figures(plan, answer)}
        <div class="section section-top headline-foot">
            <p id="sentence">${planSentence(design, answer)}</p>
            ${shortPlan(plan)} ${how === null ? nothing : actions(how)}
        </div>
    </div>`;
}

function card(id, title, content, note = null) {
    return html`<section class="card section" id=${id} aria-labelledby=${`${id}-title`}>
        <div class="section-head">
            <h3 id=${`${id}-title`}>${title}</h3>
            ${note}
        </div>
        ${content}
    </section>`;
}

/** @param {experiments.DesignWarning[]} warnings */
function warningCard(warnings) {
    if (warnings.length === 0) return nothing;
    return card(
        'warnings',
        t('result.warnings'),
        html`<ul class="warning-list" id="warning-list">
            ${warnings.map(
                ({ code, severity, message }) =>
                    html`<li class="warning" data-code=${code}>
                        ${badge(t(`severity.${severity}`), severityTones[severity] ?? 'info')}<span>${message}</span>
                    </li>`,
            )}
        </ul>`,
    );
}

/* Over users per variant of even arms; over users in total of uneven ones, in the ratio that was asked for. */
function powerTable(points, planned, even, design, results) {
    return table({
        caption: t(even ? 'chart.label' : 'chart.label_total'),
        plain: true,
        columns: [
            { name: 'x', title: t(even ? 'result.per_variant' : 'result.total'), cell: ({ x }) => formatInteger(x) },
            { name: 'y', title: t('field.power'), align: 'end', cell: ({ y }) => formatPercent(y) },
            { name: 'days', title: t('unit.days'), align: 'end', cell: ({ x }) => formatInteger(daysOf(x, even, design, results)) },
        ],
        rows: points,
        marked: ({ x }) => x === planned.x,
    });
}

const daysOf = (x, even, design, results) => (even ? daysOfEven(x, design, results) : daysOfAll(x, results));

/* The points of the curve and the planned one: {points, planned}; null where there is none to draw. */
/** @param {experiments.Calculation} answer */
function curveOf(plan, answer) {
    const { results, calculation_summary: summary } = answer;
    const points = (answer.power_curve ?? []).map((point) => ({ x: point.sample_size_per_variant, y: point.power }));
    const formula = points.find((point) => point.x === results.sample_size_per_variant);
    if (points.length < 2 || formula === undefined) return null;
    if (plan.even) return { points, planned: plan.once === formula.x ? { x: formula.x, y: results.verified_power ?? formula.y } : { x: plan.once, y: summary.power } };
    const total = Math.round(plan.total / (answer.sequential_inflation_factor ?? 1));
    const all = points.map(({ x, y }) => ({ x: Math.round((x * total) / formula.x), y }));
    return { points: all, planned: { x: total, y: formula.y } };
}

/** @param {experiments.Calculation} answer */
function powerCard(design, answer, { at, onMove }) {
    const { results } = answer;
    const plan = planOf(design, answer);
    const curve = curveOf(plan, answer);
    if (curve === null) return nothing;
    const { points, planned } = curve;
    const { even } = plan;
    const here = points[at] ?? planned;
    const values = (point) => ({
        n: formatInteger(point.x),
        power: formatPercent(point.y, 3),
        days: formatUnit(daysOf(point.x, even, design, results), 'day'),
    });
    const users = t(even ? 'chart.users' : 'result.total');
    const readout = html`<p class="chart-readout" id="power-curve-readout">
        <span>${users} <b>${values(here).n}</b></span>
        <span>${t('field.power')} <b>${values(here).power}</b></span>
        <span><b>${values(here).days}</b></span>
    </p>`;
    const target = answer.calculation_summary.power;
    const describe = (point) => t(even ? 'chart.point' : 'chart.point_total', values(point));
    return card(
        'power-curve',
        t('result.power_curve'),
        html`${even ? null : html`<p class="section-note">${t('result.curve_total')}</p>`}
            <div class="chart" id="power-curve-chart">
                ${powerCurve({ points, planned, target, users, at: points[at] ? at : null, onMove, describe })}
            </div>
            <details class="disclosure no-print" data-plain>
                <summary>${t('chart.as_table')}</summary>
                <div class="disclosure-body" id="power-curve-table">${powerTable(points, planned, even, design, results)}</div>
            </details>`,
        readout,
    );
}

/** @param {experiments.Calculation} answer */
function sequentialNote(answer) {
    const days = answer.sequential_duration_days;
    return t('result.sequential_note', {
        n: formatInteger(answer.sequential_adjusted_sample_size),
        factor: formatFixed(answer.sequential_inflation_factor, 3),
        days: known(days) ? formatUnit(days, 'day') : '–',
    });
}

function small(value) {
    return value < 1e-6 ? `< ${formatFixed(1e-6, 6)}` : formatFixed(value, 6);
}

function looksTable(looks, total) {
    const users = ({ look }) => formatInteger(Math.ceil(total * (look / looks.length) - 1e-9));
    const long = looks.length > foldedFrom;
    const end = (name, cell) => ({ name, title: t(`boundary.${name}`), align: 'end', cell });
    const described = {
        caption: t('result.sequential'),
        plain: true,
        columns: [
            { name: 'look', title: t('boundary.look') },
            end('information', (look) => formatPercent(look.info_fraction)),
            end('users', users),
            end('z', (look) => `±${formatFixed(look.z_boundary, 3)}`),
            end('p', (look) => small(look.p_boundary)),
            end('alpha', (look) => formatFixed(look.cumulative_alpha_spent, 6)),
        ],
        rows: looks,
        marked: (look) => look.is_final,
    };
    if (!long) return table(described);
    return html`<details class="disclosure" data-plain>
        <summary>${t('boundary.all', { count: looks.length })}</summary>
        <div class="disclosure-body">${table(described)}</div>
    </details>`;
}

/** @param {experiments.Calculation} answer */
function sequentialCard(answer) {
    const looks = answer.sequential_boundaries ?? [];
    if (looks.length === 0) return nothing;
    return card(
        'sequential',
        t('result.sequential'),
        html`<div class="chart" id="sequential-chart">
                ${boundaryChart(looks.map((look) => ({ x: look.info_fraction, z: look.z_boundary })))}
            </div>
            <div id="sequential-table">${looksTable(looks, answer.sequential_adjusted_sample_size)}</div>`,
        html`<p class="section-note" id="sequential-note">${sequentialNote(answer)}</p>`,
    );
}

function facts(list) {
    return html`<dl class="facts" id="facts">
        ${list
            .filter((item) => item !== null)
            .map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>`;
}

function companion(name, list, note = null) {
    const title = `companion-${name}`;
    return html`<section class="card section companion" aria-labelledby=${title}>
        <div class="section-head"><h3 id=${title}>${t(`companion.${name}`)}</h3></div>
        <dl class="facts">
            ${list.map(([label, value]) => html`<div class="fact"><dt>${label}</dt><dd>${value}</dd></div>`)}
        </dl>
        ${note === null ? null : html`<p class="note" lang="en" dir="ltr">${note}</p>`}
    </section>`;
}

/** @param {experiments.Calculation} answer */
function companions(answer) {
    const cards = [];
    if (known(answer.design_effect))
        cards.push(
            companion('clusters', [
                [t('companion.clusters_per_variant'), formatInteger(answer.verified_clusters_per_variant ?? answer.clusters_per_variant)],
                [t('companion.design_effect'), formatNumber(answer.design_effect)],
                [t('field.avg_cluster_size'), formatNumber(answer.avg_cluster_size)],
                [t('field.icc'), formatNumber(answer.icc)],
            ]),
        );
    if (known(answer.cuped_sample_size_per_variant))
        cards.push(
            companion('cuped', [
                [t('result.per_variant'), formatInteger(answer.cuped_sample_size_per_variant)],
                [t('result.duration'), formatUnit(answer.cuped_duration_days, 'day')],
                [t('companion.variance_reduction'), formatPercent(answer.cuped_variance_reduction_pct / 100)],
                [t('companion.remaining_std'), formatNumber(answer.cuped_std)],
                [t('companion.theta'), formatNumber(answer.cuped_theta)],
            ]),
        );
    if (known(answer.bayesian_sample_size_per_variant))
        cards.push(
            companion(
                'bayesian',
                [
                    [t('result.per_variant'), formatInteger(answer.bayesian_sample_size_per_variant)],
                    [t('field.credibility'), formatPercent(answer.bayesian_credibility)],
                ],
                answer.bayesian_note,
            ),
        );
    return cards.length === 0 ? nothing : html`<div class="companions" id="companions">${cards}</div>`;
}

/* A difference of rates is in percentage points. */
/** @param {experiments.CalculationSummary} summary */
function formatDifference(summary) {
    const type = summary.metric_type;
    const difference = soughtDifference(summary);
    return type === 'binary'
        ? `${formatNumber(difference * 100)} ${t('unit.percentage_points')}`
        : formatNumber(difference);
}

/** @param {experiments.Calculation} answer */
function details(answer) {
    const { calculation_summary: summary, results } = answer;
    const margin = summary.equivalence_margin_absolute;
    const notes = [...answer.assumptions, answer.bonferroni_note].filter(Boolean);
    return card(
        'details',
        t('result.details'),
        html`${facts([
                [t('field.planned_test'), t(`test.${summary.planned_test}`)],
                [t('fact.mde_absolute'), formatDifference(summary)],
                margin ? [t('fact.margin_absolute'), `±${formatNumber(margin)}`] : null,
                [t('fact.effective_traffic'), formatNumber(results.effective_daily_traffic)],
                known(results.allocated_daily_traffic)
                    ? [t('fact.allocated_traffic'), formatNumber(results.allocated_daily_traffic)]
                    : null,
            ])}
            <ul class="assumption-list" id="assumptions" lang="en" dir="ltr">
                ${notes.map((note) => html`<li>${note}</li>`)}
            </ul>`,
    );
}

/* The gist at the foot of a narrow screen. */
/** @param {experiments.Calculation} answer */
export function gist(design, answer) {
    const plan = planOf(design, answer);
    const users = plan.even ? `${t('result.per_variant')}: ${formatInteger(plan.users[0])}` : `${t('result.total')}: ${formatInteger(plan.total)}`;
    return html`<span>${users}</span><span>${formatUnit(plan.days, 'day')}</span>`;
}

/* The gist for screen readers. */
/** @param {experiments.Calculation} answer */
export function announcement(design, answer) {
    const plan = planOf(design, answer);
    const values = { total: formatInteger(plan.total), days: formatUnit(plan.days, 'day') };
    return plan.even
        ? t('result.announcement', { n: formatInteger(plan.users[0]), ...values })
        : t('result.announcement_arms', { arms: armsText(plan.users), ...values });
}

/* The figures and the warnings alone, beside a design that is being made. */
/** @param {experiments.Calculation} answer */
export function sizesView(design, answer) {
    return html`${headline(design, answer, null)} ${warningCard(answer.warnings)}`;
}

/* how: at and onMove of the power curve; link() and command() of the buttons. */
/** @param {experiments.Calculation} answer */
export function resultView(design, answer, how) {
    return html`${headline(design, answer, how)} ${warningCard(answer.warnings)}
    ${powerCard(design, answer, how)} ${sequentialCard(answer)} ${companions(answer)} ${details(answer)}`;
}
