/* Arms compared with and without covariates: the answer of /results/adjusted, and of a file. */
import { t } from '../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent, isolated } from '../shared/numbers.js';
import { table } from '../shared/ui/table.js';
import { difference, interval, known, pText, share } from './figures.js';
import { partCard } from './finding.js';
import { toneOf, wordsOf } from './verdict.js';

const letters = 'ABCDEFGHIJ';
const labelOf = (labels, index) => labels[index] ?? letters[index];
const typeOf = (answer) => (answer.effect_unit === 'percentage_points' ? 'binary' : 'plain');
const valueText = (answer, value) => (typeOf(answer) === 'binary' ? formatPercent(value / 100, 4) : formatNumber(value, 5));

function rangeOf(answer, { ci_lower: lower, ci_upper: upper }) {
    return interval(lower, upper, typeOf(answer));
}

const effectText = (answer, found) => difference(found.effect, typeOf(answer), [found.ci_lower, found.ci_upper]);

/* What one treatment shows, in the words that every analysis uses. */
function wordsOfOne(answer, { adjusted: found, outcome }) {
    return wordsOf({
        effect: effectText(answer, found),
        range: rangeOf(answer, found),
        level: answer.ci_level,
        p: found.p_value,
        alpha: answer.comparison_alpha,
        significant: found.is_significant,
        rises: found.effect >= 0,
        contains: found.ci_lower <= 0 && found.ci_upper >= 0,
        answer: { direction: answer.direction, outcome },
    });
}

function figuresOf(answer, { adjusted: found, variance_reduction_pct: reduction }) {
    return [
        { label: t('observed.effect'), value: effectText(answer, found), note: t('adjusted.users', { users: formatInteger(answer.users) }) },
        { label: t('observed.interval'), value: rangeOf(answer, found), note: t('observed.level', { level: formatPercent(answer.ci_level) }), long: true },
        { label: t('observed.p_value'), value: pText(found.p_value), note: '', long: found.p_value < 1e-4 },
        ...(answer.covariates.length > 0 && known(reduction)
            ? [{ label: t('adjusted.reduction'), value: share(reduction / 100), note: t('adjusted.reduction_note') }]
            : []),
    ];
}

/* The treatments that can be compared; the API says of the others why they cannot. */
const compared = (answer) => answer.comparisons.filter(({ adjusted }) => adjusted !== null);

function verdictOf(answer, labels) {
    const all = compared(answer);
    if (all.length === 0) return { tone: 'caution', title: t('adjusted.none'), text: answer.comparisons[0]?.interpretation ?? '' };
    if (all.length === 1) {
        const [one] = all;
        return { tone: toneOf({ is_significant: one.adjusted.is_significant, outcome: one.outcome }), ...wordsOfOne(answer, one), figures: figuresOf(answer, one) };
    }
    const found = all.filter(({ adjusted }) => adjusted.is_significant);
    const names = found.map(({ treatment_index: index }) => isolated(labelOf(labels, index))).join(', ');
    return {
        tone: found.length > 0 ? 'good' : 'plain',
        title: t(found.length > 0 ? 'several.found' : 'several.none', { count: formatInteger(found.length), all: formatInteger(all.length) }),
        text: t(found.length > 0 ? 'several.found_text' : 'several.none_text', { names, alpha: formatPercent(answer.alpha) }),
    };
}

function rowsOf(answer, labels) {
    const adjusted = answer.covariates.length > 0;
    const single = answer.comparisons.length === 1;
    const name = (index, key) => (!adjusted ? labelOf(labels, index) : single ? t(key) : `${labelOf(labels, index)} · ${t(key)}`);
    const row = (title, found, tone) => ({ name: title, estimate: found.effect, lower: found.ci_lower, upper: found.ci_upper, tone });
    return compared(answer).flatMap(({ treatment_index: index, adjusted: one, unadjusted: other }) => [
        row(name(index, 'adjusted.with'), one, 'accent'),
        ...(adjusted && other !== null ? [row(name(index, 'adjusted.without'), other, 'plain')] : []),
    ]);
}

function intervalOf(answer, labels) {
    const rows = rowsOf(answer, labels);
    if (rows.length === 0) return null;
    const title = t('observed.interval_title', { level: formatPercent(answer.ci_level) });
    const first = compared(answer)[0].adjusted;
    return { title, label: `${title}: ${rangeOf(answer, first)}`, axis: typeOf(answer) === 'binary' ? t('observed.axis_points') : t('observed.effect'), rows };
}

function armsTable(answer, labels) {
    const adjusted = answer.covariates.length > 0;
    const of = (index) => answer.comparisons.find((one) => one.treatment_index === index)?.adjusted ?? null;
    const end = (name, cell, key = `adjusted.of_${name}`) => ({ name, title: t(key), align: 'end', cell });
    return table({
        caption: t('adjusted.arms'),
        plain: true,
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ index }) => (index === 0 ? t('arm.control_named', { letter: labelOf(labels, 0) }) : labelOf(labels, index)) },
            end('users', ({ users }) => formatInteger(users), 'field.users'),
            end('value', ({ unadjusted_value: value }) => valueText(answer, value)),
            ...(adjusted ? [end('adjusted', ({ adjusted_value: value }) => valueText(answer, value))] : []),
            end('effect', ({ index }) => (of(index) === null ? '–' : effectText(answer, of(index))), 'observed.effect'),
            end('interval', ({ index }) => (of(index) === null ? '–' : rangeOf(answer, of(index))), 'observed.interval'),
            end('p', ({ index }) => (of(index) === null ? '–' : pText(of(index).p_value)), 'observed.p_value'),
        ],
        rows: answer.arms.map((arm, index) => ({ ...arm, index })),
    });
}

function covariatesTable(answer) {
    const end = (name, cell) => ({ name, title: t(`adjusted.of_${name}`), align: 'end', cell });
    return table({
        caption: t('adjusted.covariates'),
        plain: true,
        columns: [
            { name: 'name', title: t('adjusted.covariate') },
            end('known', ({ users }) => formatInteger(users)),
            end('missing', ({ missing }) => formatInteger(missing)),
            { name: 'use', title: t('adjusted.of_use'), cell: ({ use }) => t(`adjusted.use.${use}`) },
        ],
        rows: answer.covariates,
    });
}

/**
 * A finding as finding.js shows it. `labels` names the arms, the control first.
 * @param {experiments.AdjustedReply} answer
 */
export function findingOfAdjusted(answer, labels = []) {
    const readings = compared(answer).map(({ treatment_index: index, interpretation }) => (answer.comparisons.length > 1 ? `${labelOf(labels, index)}: ${interpretation}` : interpretation));
    return {
        verdict: verdictOf(answer, labels),
        interval: intervalOf(answer, labels),
        parts: [
            partCard('arms', t('adjusted.arms'), armsTable(answer, labels)),
            ...(answer.covariates.length > 0 ? [partCard('covariates', t('adjusted.covariates'), covariatesTable(answer))] : []),
        ],
        note: readings.join(' '),
    };
}
