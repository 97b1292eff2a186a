/* Findings about tables of counts, several groups, and times to an event. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { known, pText } from '../figures.js';
import { partCard } from '../finding.js';

const number = (value) => (known(value) ? formatNumber(value, 4) : '–');

/* A verdict that names a difference is no good or bad news: no arm of several is the better one. */
function verdictOf(answer, figures) {
    return { tone: answer.is_significant ? 'good' : 'plain', title: answer.verdict, text: answer.interpretation, figures };
}

function pFigure(answer, statistic, note) {
    return { label: t('observed.p_value'), value: pText(answer.p_value), note: `${statistic}${note}` };
}

function countsTable(rows) {
    const total = (row) => row.reduce((sum, value) => sum + value, 0);
    const columns = rows[0].map((_, index) => ({
        name: `c${index}`,
        title: t('finding.outcome', { number: index + 1 }),
        align: 'end',
        cell: ({ row }) => `${formatInteger(row[index])} (${formatPercent(total(row) > 0 ? row[index] / total(row) : 0, 3)})`,
    }));
    return table({
        caption: t('finding.counts'),
        plain: true,
        columns: [{ name: 'name', title: t('finding.row') }, ...columns],
        rows: rows.map((row, index) => ({ name: String(index + 1), row })),
    });
}

/** @param {experiments.CategoricalReply} answer */
export function findingOfTable(answer, body) {
    const figures = [
        { label: 'Cramér’s V', value: number(answer.cramers_v), note: t('finding.strength') },
        pFigure(answer, answer.test_type === 'g_test' ? 'G' : 'χ²', ` = ${number(answer.chi_square)}, ${t('split.degrees', { value: answer.degrees_of_freedom })}`),
    ];
    const warnings = answer.low_expected_warning ? [{ severity: 'medium', message: t('finding.low_expected', { least: number(answer.min_expected_count) }) }] : [];
    return { verdict: verdictOf(answer, figures), warnings, parts: [partCard('counts', t('finding.counts'), countsTable(body.table))] };
}

/** @param {experiments.OmnibusReply} answer */
export function findingOfGroups(answer) {
    const welch = answer.test_type === 'welch_anova';
    const center = welch ? 'mean' : 'median';
    const figures = [
        { label: answer.effect_size_label, value: number(answer.effect_size), note: t('finding.strength') },
        pFigure(answer, welch ? 'F' : 'H', ` = ${number(answer.test_statistic)}`),
    ];
    const named = answer.group_summaries.map((group, index) => ({ ...group, name: t('finding.group', { number: index + 1 }) }));
    const end = (name) => ({ name, title: t(`finding.of_${name}`), align: 'end', cell: (row) => number(row[name]) });
    const bars = barChart({
        label: t(`finding.of_${center}`),
        nameTitle: t('finding.group_title'),
        valueTitle: t(`finding.of_${center}`),
        format: number,
        bars: named.map((group) => ({ name: group.name, value: group[center] })),
    });
    const summaries = table({
        caption: t('finding.groups'),
        plain: true,
        columns: [{ name: 'name', title: t('finding.group_title') }, end('n'), ...(welch ? [end('mean'), end('std')] : [end('median'), end('mean_rank')])],
        rows: named,
    });
    return { verdict: verdictOf(answer, figures), parts: [partCard('groups', t('finding.groups'), html`<div class="chart">${bars}</div>${summaries}`)] };
}

/* A step at every event: the share stays until the next one. */
function stepsOf(name, curve) {
    const points = [{ x: 0, y: 1, low: 1, high: 1 }];
    for (const { time, survival, ci_lower: low, ci_upper: high } of curve) {
        points.push({ ...points.at(-1), x: time });
        points.push({ x: time, y: survival, low, high });
    }
    return { name, points };
}

/** @param {experiments.SurvivalReply} answer */
export function findingOfTimes(answer) {
    const ratio = answer.hazard_ratio;
    const share = (value) => formatPercent(value, 3);
    const figures = [
        ...(known(ratio) ? [{ label: t('finding.hazard_ratio'), value: number(ratio), note: '' }] : []),
        pFigure(answer, 'χ²', ` = ${number(answer.chi_square)}, ${t('split.degrees', { value: answer.degrees_of_freedom })}`),
        { label: t('finding.events'), value: `${formatInteger(answer.observed_control)} · ${formatInteger(answer.observed_treatment)}`, note: t('finding.of_arms', { control: formatInteger(answer.n_control), treatment: formatInteger(answer.n_treatment) }) },
    ];
    const curves = lineChart({
        label: t('finding.curves'),
        series: [stepsOf(t('arm.control'), answer.control_curve), stepsOf(t('arm.treatment'), answer.treatment_curve)],
        x: { title: t('finding.time'), format: number },
        y: { title: t('finding.without_event'), format: share, min: 0, max: 1 },
    });
    const interval = known(ratio)
        ? {
              title: t('finding.hazard_interval'),
              label: `${t('finding.hazard_interval')}: ${t('figures.range', { lower: number(answer.hazard_ratio_ci_lower), upper: number(answer.hazard_ratio_ci_upper) })}`,
              axis: t('finding.hazard_ratio'),
              zero: 1,
              rows: [{ name: t('arm.treatment'), estimate: ratio, lower: answer.hazard_ratio_ci_lower, upper: answer.hazard_ratio_ci_upper }],
          }
        : null;
    return { verdict: verdictOf(answer, figures), interval, parts: [partCard('curves', t('finding.curves'), html`<div class="chart">${curves}</div>`)] };
}
