/* How users and days depend on the effect and on the power: a grid. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { heatMap } from '../../shared/ui/charts/heat-map.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { days } from '../figures.js';
import { partCard, verdictCard } from '../finding.js';
import { numbersIn } from './words.js';

const label = (key) => () => t(key);
const isBinary = (values) => (values.metric_type ?? 'binary') === 'binary';

const fields = [
    {
        name: 'metric_type',
        kind: 'choice',
        label: label('field.metric_type'),
        labelHidden: true,
        wide: true,
        options: () => ['binary', 'continuous', 'ratio'].map((value) => ({ value, title: t(`metric.${value}`) })),
    },
    { name: 'baseline_rate', kind: 'percent', initial: 4, label: label('field.baseline_value.binary'), applies: isBinary },
    { name: 'baseline_mean', kind: 'number', initial: 48, label: (values) => t(`field.baseline_value.${values.metric_type}`), applies: (values) => !isBinary(values) },
    { name: 'std_dev', kind: 'number', initial: 31, label: label('field.std_dev'), applies: (values) => !isBinary(values) },
    {
        name: 'mde_values',
        kind: 'text',
        initial: '2 5 10 15 20',
        label: label('grid.effects'),
        hint: (values) => t(isBinary(values) ? 'grid.effects_percent' : 'grid.effects_unit'),
        wide: true,
    },
    { name: 'power_values', kind: 'text', initial: '70% 80% 90% 95%', label: label('grid.powers'), wide: true },
    { name: 'daily_traffic', kind: 'count', initial: 5000, label: label('field.expected_daily_traffic') },
    { name: 'audience_share', kind: 'fraction', initial: 1, label: label('field.audience_share_in_test') },
    { name: 'variants', kind: 'count', initial: 2, label: label('field.variants_count') },
    { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha') },
];

function request({ mde_values, power_values, ...values }) {
    return { path: '/api/v1/sensitivity', body: { ...values, mde_values: numbersIn(mde_values), power_values: numbersIn(power_values) } };
}

const effectText = (tool, effect) => (isBinary(tool.asked) ? formatPercent(effect / 100) : formatNumber(effect, 4));

/* The same design in the calculator, where everything else about it can be set. */
function calculatorLink({ asked }, cell) {
    const binary = isBinary(asked);
    const baseline = binary ? asked.baseline_rate / 100 : asked.baseline_mean;
    const query = new URLSearchParams({
        metric_type: asked.metric_type ?? 'binary',
        baseline_value: String(baseline),
        mde_pct: String(Number((binary ? cell.mde : (cell.mde / baseline) * 100).toPrecision(6))),
        power: String(cell.power),
        alpha: String(asked.alpha),
        expected_daily_traffic: String(asked.daily_traffic),
        audience_share_in_test: String(asked.audience_share),
        variants_count: String(asked.variants),
    });
    if (!binary) query.set('std_dev', String(asked.std_dev));
    return address(`/?${query}`);
}

function gridTable(tool, effects, powers, cellOf) {
    const column = (power) => ({
        name: `p${power}`,
        title: formatPercent(power),
        align: 'end',
        cell: (effect) => {
            const cell = cellOf(effect, power);
            if (cell.sample_size_per_variant === null) return html`<span class="field-hint">${t('grid.none')}</span>`;
            return html`<a href=${calculatorLink(tool, cell)}>${formatInteger(cell.sample_size_per_variant)}</a>
                <span class="field-hint">${cell.duration_days === null ? '' : days(cell.duration_days)}</span>`;
        },
    });
    return table({
        caption: t('grid.users'),
        plain: true,
        columns: [{ name: 'effect', title: t('grid.effect'), cell: (effect) => effectText(tool, effect) }, ...powers.map(column)],
        rows: effects,
    });
}

/* The effect that a test of four weeks can show, which is what people decide by. */
const horizonDays = 28;

function sentenceOf(tool, answer) {
    const usual = answer.cells.filter(({ power, duration_days: time }) => Math.abs(power - 0.8) < 1e-9 && time !== null && time <= horizonDays);
    const least = usual.sort((one, other) => one.mde - other.mde)[0];
    if (least === undefined) return { title: t('grid.too_long'), text: t('grid.too_long_text') };
    const values = { effect: effectText(tool, least.mde), days: days(least.duration_days), users: formatInteger(least.sample_size_per_variant) };
    return { title: t('grid.found', values), text: t('grid.found_text', values) };
}

/** @param {experiments.SensitivityReply} answer */
function result(answer, tool) {
    const effects = [...new Set(answer.cells.map(({ mde }) => mde))];
    const powers = [...new Set(answer.cells.map(({ power }) => power))];
    const cellOf = (effect, power) => answer.cells.find((cell) => cell.mde === effect && cell.power === power);
    const map = heatMap({
        label: t('grid.days'),
        rows: effects.map((effect) => effectText(tool, effect)),
        columns: powers.map((power) => formatPercent(power)),
        rowTitle: t('grid.effect'),
        values: effects.map((effect) => powers.map((power) => Math.log10(cellOf(effect, power).duration_days ?? NaN))),
        format: (value) => formatNumber(10 ** value, 3),
    });
    return html`${verdictCard(sentenceOf(tool, answer))}
    ${partCard('grid-days', t('grid.days'), html`<div class="chart">${map}</div>`)}
    ${partCard('grid-users', t('grid.users'), html`${gridTable(tool, effects, powers, cellOf)} <p class="field-hint">${t('grid.open')}</p>`)}`;
}

export const sensitivity = { fields, request, result, announcement: (answer, tool) => sentenceOf(tool, answer).title };
