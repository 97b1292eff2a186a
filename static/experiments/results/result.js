/* The answers of POST /api/v1/results and POST /api/v1/srm-check as templates. */
import { t } from '../../shared/i18n.js';
import { formatFixed, formatInteger, formatNumber, formatPercent, isolated } from '../../shared/numbers.js';
import { forestPlot } from '../../shared/ui/charts/forest.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { variantNames } from './fields.js';

function known(value) {
    return value !== null && value !== undefined;
}

function figure(label, value, note, { long = false } = {}) {
    return html`<div class="figure">
        <dt class="figure-label">${label}</dt>
        <dd class="figure-value" data-long=${long ? '' : nothing}>${value}</dd>
        <dd class="figure-note">${note}</dd>
    </div>`;
}

function signed(text, value) {
    return isolated(value > 0 ? `+${text}` : text);
}

function pValue(p) {
    return p < 1e-6 ? `< ${formatFixed(1e-6, 6)}` : formatNumber(p, 4);
}

/* A difference as this analysis measures it: percentage points for rates. */
/** @param {experiments.ResultsReply} answer */
function difference(answer, value) {
    const text = signed(formatNumber(value, 5), value);
    return answer.metric_type === 'binary' ? `${text} ${t('unit.percentage_points')}` : text;
}

/** @param {experiments.ResultsReply} answer */
function interval(answer, lower, upper, digits = 5) {
    const written = (value) => (value > 0 ? '+' : '') + formatNumber(value, digits);
    const range = isolated(`${written(lower)} … ${written(upper)}`);
    return answer.metric_type === 'binary' ? `${range} ${t('unit.percentage_points')}` : range;
}

/** @param {experiments.ResultsReply} answer */
function toneOf(answer) {
    if (!answer.is_significant) return 'plain';
    return answer.outcome === 'worse' ? 'danger' : 'good';
}

/* What was found, made of the numbers: title and explanation. */
/** @param {experiments.ResultsReply} answer */
export function verdictOf(answer) {
    const level = formatPercent(answer.ci_level);
    const values = {
        effect: difference(answer, answer.observed_effect),
        interval: interval(answer, answer.ci_lower, answer.ci_upper),
        level,
        p: pValue(answer.p_value),
        alpha: formatPercent(1 - answer.ci_level),
    };
    const found = !answer.is_significant ? 'open' : answer.observed_effect < 0 ? 'lower' : 'higher';
    const contains = answer.ci_lower <= 0 && answer.ci_upper >= 0;
    const agree = contains !== answer.is_significant;
    const judged = answer.direction === 'decrease' && ['better', 'worse'].includes(answer.outcome);
    return {
        title: t(`verdict.${found}`, values) + (judged ? ` · ${t(`verdict.${answer.outcome}`)}` : ''),
        text: t(agree ? `verdict.${found}_text` : 'verdict.mixed_text', values),
    };
}

function verdictCard(tone, { title, text }, figures) {
    return html`<div class="card headline verdict" data-tone=${tone}>
        <div class="section">
            <p class="verdict-title" id="verdict">${title}</p>
            <p class="verdict-text" dir="auto">${text}</p>
        </div>
        <dl class="figures">${figures}</dl>
    </div>`;
}

/** @param {experiments.ResultsReply} answer */
function relativeNote({ observed_effect_relative: relative }) {
    if (!known(relative)) return '';
    return t('observed.relative', { value: signed(formatPercent(relative / 100), relative) });
}

/** @param {experiments.ResultsReply} answer */
function resultFigures(answer) {
    return [
        figure(t('observed.effect'), difference(answer, answer.observed_effect), relativeNote(answer)),
        figure(
            t('observed.interval'),
            interval(answer, answer.ci_lower, answer.ci_upper, 3),
            t('observed.level', { level: formatPercent(answer.ci_level) }),
            { long: true },
        ),
        figure(
            t('observed.p_value'),
            pValue(answer.p_value),
            t('observed.statistic', { value: formatNumber(answer.test_statistic) }),
        ),
    ];
}

/** @param {experiments.ResultsReply} answer */
function resultFacts(answer) {
    const percent = (value) => formatPercent(value / 100, 5);
    const range = (lower, upper) => (known(lower) ? interval(answer, lower, upper) : null);
    const list = [
        [t('observed.control_rate'), known(answer.control_rate) ? percent(answer.control_rate) : null],
        [t('observed.treatment_rate'), known(answer.treatment_rate) ? percent(answer.treatment_rate) : null],
        [t('observed.score_interval'), range(answer.ci_score_lower, answer.ci_score_upper)],
        [t('observed.power'), formatPercent(answer.power_achieved, 3)],
    ];
    return html`<dl class="facts">
            ${list
                .filter(([, value]) => value !== null)
                .map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}
        </dl>
        <p class="field-hint">${t('observed.power_note')}</p>`;
}

/** @param {experiments.ResultsReply} answer */
function intervalCard(answer) {
    const title = t('observed.interval_title', { level: formatPercent(answer.ci_level) });
    const format = (value) => formatNumber(value, 4);
    return html`<section class="card section" aria-labelledby="interval-title">
        <div class="section-head"><h3 id="interval-title">${title}</h3></div>
        <div class="chart" id="interval-chart">
            ${forestPlot({
                label: `${title}: ${interval(answer, answer.ci_lower, answer.ci_upper)}`,
                title: answer.metric_type === 'binary' ? t('observed.axis_points') : t('observed.effect'),
                format,
                titles: {
                    name: t('observed.what'),
                    estimate: t('observed.effect'),
                    lower: t('observed.from'),
                    upper: t('observed.to'),
                },
                rows: [{ name: t('arm.treatment'), estimate: answer.observed_effect, lower: answer.ci_lower, upper: answer.ci_upper }],
            })}
        </div>
        ${resultFacts(answer)}
    </section>`;
}

/** @param {experiments.SrmReply} answer */
function splitTable(answer) {
    const gap = (index) => answer.observed_counts[index] - answer.expected_counts[index];
    const relative = (index) => {
        const expected = answer.expected_counts[index];
        return expected > 0 ? signed(formatPercent(gap(index) / expected, 3), gap(index)) : '–';
    };
    const end = (name, cell) => ({ name, title: t(`split.${name}`), align: 'end', cell });
    return table({
        caption: t('split.title'),
        plain: true,
        columns: [
            { name: 'variant', title: t('split.variant'), cell: (index) => variantNames[index] },
            end('observed', (index) => formatInteger(answer.observed_counts[index])),
            end('expected', (index) => formatNumber(answer.expected_counts[index], 9)),
            end('gap', (index) => signed(formatNumber(gap(index)), gap(index))),
            end('gap_relative', relative),
        ],
        rows: answer.observed_counts.map((_, index) => index),
    });
}

/** @param {experiments.SrmReply} answer */
function splitView(answer) {
    const verdict = { title: t(answer.is_srm ? 'split.mismatch' : 'split.fine'), text: answer.verdict };
    const figures = [
        figure(t('observed.p_value'), pValue(answer.p_value), t('split.threshold')),
        figure('χ²', formatNumber(answer.chi_square), t('split.degrees', { value: answer.observed_counts.length - 1 })),
    ];
    return html`${verdictCard(answer.is_srm ? 'danger' : 'good', verdict, figures)}
        <section class="card section" aria-labelledby="split-title">
            <div class="section-head"><h3 id="split-title">${t('split.title')}</h3></div>
            ${splitTable(answer)}
        </section>`;
}

export function resultView(answer) {
    if ('is_srm' in answer) return splitView(answer);
    return html`${verdictCard(toneOf(answer), verdictOf(answer), resultFigures(answer))} ${intervalCard(answer)}`;
}

/* One line for screen readers. */
export function announcement(answer) {
    const found = 'is_srm' in answer ? answer.verdict : verdictOf(answer).title;
    return `${found} ${t('observed.p_value')} ${pValue(answer.p_value)}.`;
}
