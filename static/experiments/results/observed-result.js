/* Shows the answers of POST /api/v1/results and POST /api/v1/srm-check. */
import { byId, html } from '../../shared/dom.js';
import { t } from '../../shared/i18n.js';
import { drawInterval } from '../../shared/interval.js';
import {
    formatFixed,
    formatInteger,
    formatNumber,
    formatPercent,
    isolated,
} from '../../shared/numbers.js';
import { variantNames } from '../variant-inputs.js';

function fact(name, value) {
    return html('div', { class: 'fact' }, html('dt', {}, name), html('dd', {}, value));
}

function figure(label, value, note) {
    return html(
        'div',
        { class: 'figure' },
        html('dt', { class: 'figure-label' }, label),
        html('dd', { class: 'figure-value' }, value),
        html('dd', { class: 'figure-note' }, note),
    );
}

function signed(text, value) {
    return isolated(value > 0 ? `+${text}` : text);
}

function pValue(p) {
    return p < 1e-6 ? `< ${formatFixed(1e-6, 6)}` : formatNumber(p, 4);
}

/* A difference as this analysis measures it: percentage points for rates. */
function difference(answer, value) {
    const text = signed(formatNumber(value, 5), value);
    return answer.metric_type === 'binary' ? `${text} ${t('unit.percentage_points')}` : text;
}

function verdictTone(answer) {
    if (!answer.is_significant) return 'plain';
    return answer.observed_effect < 0 ? 'danger' : 'good';
}

function verdictCard(tone, verdict, text, figures) {
    return html(
        'div',
        { class: 'card headline verdict', 'data-tone': tone },
        html(
            'div',
            { class: 'section' },
            html('p', { class: 'verdict-title', id: 'verdict' }, verdict),
            text === null ? null : html('p', { class: 'verdict-text', dir: 'auto' }, text),
        ),
        html('dl', { class: 'figures' }, figures),
    );
}

function intervalText(answer, lower, upper) {
    const written = (value) => (value > 0 ? '+' : '') + formatNumber(value, 5);
    const range = isolated(`${written(lower)} … ${written(upper)}`);
    return answer.metric_type === 'binary' ? `${range} ${t('unit.percentage_points')}` : range;
}

function resultFigures(answer) {
    const level = formatPercent(answer.ci_level);
    const relative = signed(
        formatPercent(answer.observed_effect_relative / 100),
        answer.observed_effect_relative,
    );
    return [
        figure(
            t('observed.effect'),
            difference(answer, answer.observed_effect),
            t('observed.relative', { value: relative }),
        ),
        figure(
            t('observed.p_value'),
            pValue(answer.p_value),
            t('observed.statistic', { value: formatNumber(answer.test_statistic) }),
        ),
        figure(
            t('observed.power'),
            formatPercent(answer.power_achieved, 3),
            t('observed.power_note', { level }),
        ),
    ];
}

function optionalFact(name, value, format) {
    return value === null || value === undefined ? null : fact(name, format(value));
}

function resultFacts(answer) {
    const percent = (value) => formatPercent(value / 100, 5);
    const score = answer.ci_score_lower === null || answer.ci_score_lower === undefined;
    const facts = [
        optionalFact(t('observed.control_rate'), answer.control_rate, percent),
        optionalFact(t('observed.treatment_rate'), answer.treatment_rate, percent),
        fact(t('observed.interval'), intervalText(answer, answer.ci_lower, answer.ci_upper)),
        score
            ? null
            : fact(
                  t('observed.score_interval'),
                  intervalText(answer, answer.ci_score_lower, answer.ci_score_upper),
              ),
    ];
    return html(
        'dl',
        { class: 'facts' },
        facts.filter((item) => item !== null),
    );
}

function intervalCard(answer) {
    const title = t('observed.interval_title', { level: formatPercent(answer.ci_level) });
    const chart = html('div', { class: 'chart', id: 'interval-chart' });
    const card = html(
        'section',
        { class: 'card section', 'aria-labelledby': 'interval-title' },
        html('div', { class: 'section-head' }, html('h3', { id: 'interval-title' }, title)),
        chart,
        resultFacts(answer),
    );
    const interval = {
        lower: answer.ci_lower,
        upper: answer.ci_upper,
        estimate: answer.observed_effect,
    };
    const label = `${title}: ${intervalText(answer, answer.ci_lower, answer.ci_upper)}`;
    drawInterval(chart, interval, { format: (value) => formatNumber(value, 4), label });
    return card;
}

/* Shows a two-arm result; returns its one-line gist. */
export function showTwoSample(answer) {
    byId('result-body').replaceChildren(
        verdictCard(
            verdictTone(answer),
            answer.verdict,
            answer.interpretation,
            resultFigures(answer),
        ),
        intervalCard(answer),
    );
    return `${answer.verdict} ${t('observed.p_value')} ${pValue(answer.p_value)}.`;
}

function splitRow(answer, index) {
    const observed = answer.observed_counts[index];
    const expected = answer.expected_counts[index];
    const gap = observed - expected;
    return html(
        'tr',
        {},
        html('th', { scope: 'row' }, variantNames[index]),
        html('td', {}, formatInteger(observed)),
        html('td', {}, formatNumber(expected, 9)),
        html('td', {}, signed(formatNumber(gap), gap)),
        html('td', {}, expected > 0 ? signed(formatPercent(gap / expected, 3), gap) : '–'),
    );
}

function splitCard(answer) {
    const headings = ['variant', 'observed', 'expected', 'gap', 'gap_relative'];
    return html(
        'section',
        { class: 'card section', 'aria-labelledby': 'split-title' },
        html('div', { class: 'section-head' }, html('h3', { id: 'split-title' }, t('split.title'))),
        html(
            'div',
            { class: 'table-scroll', tabindex: 0 },
            html(
                'table',
                { class: 'table' },
                html(
                    'thead',
                    {},
                    html(
                        'tr',
                        {},
                        headings.map((name) => html('th', { scope: 'col' }, t(`split.${name}`))),
                    ),
                ),
                html(
                    'tbody',
                    {},
                    answer.observed_counts.map((_, index) => splitRow(answer, index)),
                ),
            ),
        ),
    );
}

/* Shows a sample ratio check; returns its one-line gist. */
export function showSplitCheck(answer) {
    const figures = [
        figure(t('observed.p_value'), pValue(answer.p_value), t('split.threshold')),
        figure(
            'χ²',
            formatNumber(answer.chi_square),
            t('split.degrees', { value: answer.observed_counts.length - 1 }),
        ),
    ];
    const verdict = t(answer.is_srm ? 'split.mismatch' : 'split.fine');
    byId('result-body').replaceChildren(
        verdictCard(answer.is_srm ? 'danger' : 'good', verdict, answer.verdict, figures),
        splitCard(answer),
    );
    return `${answer.verdict} ${t('observed.p_value')} ${pValue(answer.p_value)}.`;
}
