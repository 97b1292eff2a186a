/* The answers of the analyses as findings, and what people do next with them. */
import { currentLocale, t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { formatInteger, formatNumber, formatPercent, isolated } from '../../shared/numbers.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { accessToken } from '../../shared/ui/session.js';
import { table } from '../../shared/ui/table.js';
import { curlCommand } from '../calculator/link.js';
import { difference, interval, known, pText, relative as relativeText, share } from '../figures.js';
import { findingView, partCard } from '../finding.js';
import { toneOf, wordsOf } from '../verdict.js';
import { variantNames } from './fields.js';
import { findingOfGroups, findingOfTable, findingOfTimes } from './groups.js';

const signed = (text, value) => isolated(value > 0 ? `+${text}` : text);

/* All figures of one answer are rounded alike. */
const typeOf = ({ conventions }) => (conventions?.effect_unit === 'percentage_points' ? 'binary' : 'plain');
const effectOf = (answer) => difference(answer.observed_effect, typeOf(answer), [answer.ci_lower, answer.ci_upper]);
const rangeOf = (answer, lower, upper) => interval(lower, upper, typeOf(answer));

/** @param {experiments.ResultsReply} answer */
function verdictOf(answer) {
    if (answer.metric_type === 'equivalence') return { title: answer.verdict, text: answer.interpretation };
    return wordsOf({
        effect: effectOf(answer),
        range: rangeOf(answer, answer.ci_lower, answer.ci_upper),
        level: answer.ci_level,
        p: answer.p_value,
        alpha: 1 - answer.ci_level,
        significant: answer.is_significant,
        rises: answer.observed_effect >= 0,
        contains: answer.ci_lower <= 0 && answer.ci_upper >= 0,
        answer,
    });
}

/** @param {experiments.ResultsReply} answer */
function figuresOf(answer) {
    const { observed_effect_relative: relative } = answer;
    return [
        { label: t('observed.effect'), value: effectOf(answer), note: known(relative) ? t('observed.relative', { value: relativeText(relative) }) : '' },
        {
            label: t('observed.interval'),
            value: rangeOf(answer, answer.ci_lower, answer.ci_upper),
            note: t('observed.level', { level: formatPercent(answer.ci_level) }),
            long: true,
        },
        { label: t('observed.p_value'), value: pText(answer.p_value), note: t('observed.statistic', { value: formatNumber(answer.test_statistic) }) },
    ];
}

/* The size of an effect without a unit, with its interval where it has one. */
/** @param {any} answer */
function sizeOf({ effect_size: size, effect_size_label: label, effect_size_ci_lower: lower, effect_size_ci_upper: upper }) {
    if (!known(size)) return [];
    const written = (value) => formatNumber(value, 3);
    const range = known(lower) && known(upper) ? ` (${t('figures.range', { lower: written(lower), upper: written(upper) })})` : '';
    return [[label, `${written(size)}${range}`]];
}

/** @param {experiments.ResultsReply} answer */
function factsOf(answer) {
    const percent = (value) => (known(value) ? share(value / 100) : null);
    const range = (lower, upper) => (known(lower) && known(upper) ? rangeOf(answer, lower, upper) : null);
    const { ci_lower_pct: least, ci_upper_pct: most } = answer.relative_lift ?? {};
    return [
        [t('observed.control_rate'), percent(answer.control_rate)],
        [t('observed.treatment_rate'), percent(answer.treatment_rate)],
        [t('observed.score_interval'), range(answer.ci_score_lower, answer.ci_score_upper)],
        [t('observed.relative_interval'), known(least) && known(most) ? t('figures.range', { lower: relativeText(least), upper: relativeText(most) }) : null],
        ...(answer.metric_type === 'binary' ? [] : sizeOf(answer)),
        [t('observed.power'), formatPercent(answer.power_achieved, 3)],
    ];
}

/** @param {experiments.ResultsReply} answer */
export function findingOfArms(answer, { asked }) {
    const title = t('observed.interval_title', { level: formatPercent(answer.ci_level) });
    const margin = answer.metric_type === 'equivalence' ? asked.equivalence_margin : undefined;
    const marks = margin === undefined ? [] : [-margin, margin].map((value) => ({ value, name: t('field.equivalence_margin') }));
    return {
        verdict: { tone: toneOf(answer), ...verdictOf(answer), figures: figuresOf(answer) },
        warnings: answer.warnings ?? [],
        interval: {
            title,
            label: `${title}: ${rangeOf(answer, answer.ci_lower, answer.ci_upper)}`,
            axis: typeOf(answer) === 'binary' ? t('observed.axis_points') : t('observed.effect'),
            rows: [{ name: t('arm.treatment'), estimate: answer.observed_effect, lower: answer.ci_lower, upper: answer.ci_upper }],
            marks,
            facts: factsOf(answer),
            note: t('observed.power_note'),
        },
        note: answer.metric_type === 'equivalence' ? null : answer.interpretation,
    };
}

/** @param {experiments.PairedReply} answer */
function findingOfPairs(answer) {
    const type = answer.test_type === 'mcnemar' ? 'binary' : 'plain';
    const scale = type === 'binary' ? 100 : 1; /* proportions are shown in points */
    const [effect, lower, upper] = [answer.effect, answer.ci_lower, answer.ci_upper].map((value) => value * scale);
    const range = interval(lower, upper, type);
    const title = t('observed.interval_title', { level: formatPercent(answer.ci_level) });
    const words = wordsOf({
        effect: difference(effect, type, [lower, upper]),
        range,
        level: answer.ci_level,
        p: answer.p_value,
        alpha: 1 - answer.ci_level,
        significant: answer.is_significant,
        rises: effect >= 0,
        contains: lower <= 0 && upper >= 0,
        answer,
    });
    const figures = [
        { label: answer.effect_label, value: difference(effect, type, [lower, upper]), note: t('finding.pairs', { count: answer.n_pairs }) },
        { label: t('observed.interval'), value: range, note: t('observed.level', { level: formatPercent(answer.ci_level) }), long: true },
        { label: t('observed.p_value'), value: pText(answer.p_value), note: t('observed.statistic', { value: formatNumber(answer.test_statistic) }) },
    ];
    const count = (value) => (known(value) ? formatInteger(value) : null);
    return {
        verdict: { tone: toneOf(answer), ...words, figures },
        interval: {
            title,
            label: `${title}: ${range}`,
            axis: type === 'binary' ? t('observed.axis_points') : t('observed.effect'),
            rows: [{ name: t('arm.treatment'), estimate: effect, lower, upper }],
            facts: [...sizeOf(answer), [t('finding.zero_differences'), count(answer.n_zero_differences)], [t('finding.discordant'), count(answer.n_discordant)]],
        },
        note: answer.interpretation,
    };
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
function findingOfSplit(answer) {
    const figures = [
        { label: t('observed.p_value'), value: pText(answer.p_value), note: t('split.threshold') },
        { label: 'χ²', value: formatNumber(answer.chi_square), note: t('split.degrees', { value: answer.observed_counts.length - 1 }) },
    ];
    const title = t(answer.is_srm ? 'split.mismatch' : 'split.fine');
    return {
        verdict: { tone: answer.is_srm ? 'danger' : 'good', title, text: answer.verdict, figures },
        parts: [partCard('split', t('split.title'), splitTable(answer))],
    };
}

/* The kind of answer follows from its fields. */
export function findingOf(answer, state) {
    if ('is_srm' in answer) return findingOfSplit(answer);
    if ('cramers_v' in answer) return findingOfTable(answer, state.live.body);
    if ('group_summaries' in answer) return findingOfGroups(answer);
    if ('control_curve' in answer) return findingOfTimes(answer);
    if ('n_pairs' in answer) return findingOfPairs(answer);
    return findingOfArms(answer, { asked: state.live.values });
}

/* The next test of the same metric, sized for the effect that was seen. */
function planLink({ metric_type: type, binary, continuous }, answer) {
    const effect = Math.abs(answer.observed_effect_relative ?? 0);
    if (!(effect > 0) || !['binary', 'continuous'].includes(type)) return nothing;
    const baseline = type === 'binary' ? binary.control_conversions / binary.control_users : continuous.control_mean;
    if (!(baseline > 0)) return nothing;
    const query = new URLSearchParams({ metric_type: type, baseline_value: String(Number(baseline.toPrecision(6))), mde_pct: formatPlain(effect) });
    if (type === 'continuous') query.set('std_dev', String(Number(continuous.control_std.toPrecision(6))));
    return html`<a class="button" data-size="small" id="plan-next" href=${address(`/?${query}`)}>${t('finding.plan_next')}</a>`;
}

const formatPlain = (value) => String(Number(value.toPrecision(4)));

/* The address holds what was entered, so the link is the analysis. */
function actions(answer, state) {
    const { path, body } = state.live;
    const command = () => curlCommand(path, body, { language: currentLocale(), withToken: accessToken() !== null });
    return html`<div class="button-row no-print">
        ${copyButton({ id: 'copy-link', title: t('result.copy_link'), text: () => location.href })}
        ${copyButton({ id: 'copy-curl', title: t('result.copy_curl'), text: command })}
        <button type="button" class="button" data-size="small" id="print" @click=${() => print()}>${t('result.print')}</button>
        ${planLink(state.live.body, answer)}
    </div>`;
}

export function resultView(answer, state) {
    return html`${findingView(findingOf(answer, state))} ${actions(answer, state)}`;
}

/* One line for screen readers. */
export function announcement(answer, state) {
    const { title, text } = findingOf(answer, state).verdict;
    return `${'is_srm' in answer ? text : title} ${t('observed.p_value')} ${pText(answer.p_value)}.`;
}
