/* The answers of POST /api/v1/results and POST /api/v1/srm-check as templates. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent, isolated } from '../../shared/numbers.js';
import { forestPlot } from '../../shared/ui/charts/forest.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { difference, interval, known, pText, relative as relativeText, share } from '../figures.js';
import { variantNames } from './fields.js';

function figure(label, value, note, { long = false } = {}) {
    return html`<div class="figure">
        <dt class="figure-label">${label}</dt>
        <dd class="figure-value" data-long=${long ? '' : nothing}>${value}</dd>
        <dd class="figure-note">${note}</dd>
    </div>`;
}

const signed = (text, value) => isolated(value > 0 ? `+${text}` : text);

/* All figures of one answer are rounded alike. */
const typeOf = ({ metric_type: type }) => (type === 'binary' ? 'binary' : 'plain');
const effectOf = (answer) => difference(answer.observed_effect, typeOf(answer), [answer.ci_lower, answer.ci_upper]);
const rangeOf = (answer, lower, upper) => interval(lower, upper, typeOf(answer));

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
        effect: effectOf(answer),
        interval: rangeOf(answer, answer.ci_lower, answer.ci_upper),
        level,
        p: pText(answer.p_value),
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
    return t('observed.relative', { value: relativeText(relative) });
}

/** @param {experiments.ResultsReply} answer */
function resultFigures(answer) {
    return [
        figure(t('observed.effect'), effectOf(answer), relativeNote(answer)),
        figure(
            t('observed.interval'),
            rangeOf(answer, answer.ci_lower, answer.ci_upper),
            t('observed.level', { level: formatPercent(answer.ci_level) }),
            { long: true },
        ),
        figure(
            t('observed.p_value'),
            pText(answer.p_value),
            t('observed.statistic', { value: formatNumber(answer.test_statistic) }),
        ),
    ];
}

/** @param {experiments.ResultsReply} answer */
function resultFacts(answer) {
    const percent = (value) => share(value / 100);
    const range = (lower, upper) => (known(lower) && known(upper) ? rangeOf(answer, lower, upper) : null);
    const { ci_lower_pct: least, ci_upper_pct: most } = answer.relative_lift ?? {};
    const list = [
        [t('observed.control_rate'), known(answer.control_rate) ? percent(answer.control_rate) : null],
        [t('observed.treatment_rate'), known(answer.treatment_rate) ? percent(answer.treatment_rate) : null],
        [t('observed.score_interval'), range(answer.ci_score_lower, answer.ci_score_upper)],
        [t('observed.relative_interval'), known(least) && known(most) ? t('figures.range', { lower: relativeText(least), upper: relativeText(most) }) : null],
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
    const format = (value) => formatNumber(value, 3);
    return html`<section class="card section" aria-labelledby="interval-title">
        <div class="section-head"><h3 id="interval-title">${title}</h3></div>
        <div class="chart" id="interval-chart">
            ${forestPlot({
                label: `${title}: ${rangeOf(answer, answer.ci_lower, answer.ci_upper)}`,
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
        figure(t('observed.p_value'), pText(answer.p_value), t('split.threshold')),
        figure('χ²', formatNumber(answer.chi_square), t('split.degrees', { value: answer.observed_counts.length - 1 })),
    ];
    return html`${verdictCard(answer.is_srm ? 'danger' : 'good', verdict, figures)}
        <section class="card section" aria-labelledby="split-title">
            <div class="section-head"><h3 id="split-title">${t('split.title')}</h3></div>
            ${splitTable(answer)}
        </section>`;
}

/* The address holds what was entered, so the link is the analysis. */
function actions() {
    return html`<div class="button-row no-print">
        ${copyButton({ id: 'copy-link', title: t('result.copy_link'), text: () => location.href })}
        <button type="button" class="button" data-size="small" id="print" @click=${() => print()}>${t('result.print')}</button>
    </div>`;
}

export function resultView(answer) {
    return html`${shownOf(answer)} ${actions()}`;
}

function shownOf(answer) {
    if ('is_srm' in answer) return splitView(answer);
    return html`${verdictCard(toneOf(answer), verdictOf(answer), resultFigures(answer))} ${intervalCard(answer)}`;
}

/* One line for screen readers. */
export function announcement(answer) {
    const found = 'is_srm' in answer ? answer.verdict : verdictOf(answer).title;
    return `${found} ${t('observed.p_value')} ${pText(answer.p_value)}.`;
}
