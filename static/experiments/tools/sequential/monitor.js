/* Read the looks of a running sequential test: stop or go on, and what may be reported. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../../shared/numbers.js';
import { html, nothing } from '../../../shared/ui/lit.js';
import { table } from '../../../shared/ui/table.js';
import { boundaryChart, shareText, zText } from '../../boundaries.js';
import { pText, share } from '../../figures.js';
import { factList, intervalCard, partCard, verdictCard } from '../../finding.js';
import { numbersIn } from '../words.js';
import { planFields, planOf } from './plan.js';

const label = (key) => () => t(key);
const statistics = { z: ['information_fraction', 'z'], estimate: ['information_fraction', 'estimate', 'standard_error'] };
const texts = { z: { looks: '25% 1.1\n50% 1.9' }, estimate: { looks: '25% 0.9 0.82\n50% 1.1 0.58' } };

const fields = [
    {
        name: 'statistic',
        kind: 'select',
        label: label('looks.statistic'),
        options: () => Object.keys(statistics).map((value) => ({ value, title: t(`looks.statistic.${value}`) })),
        wide: true,
    },
    { name: 'looks', kind: 'textarea', rows: 5, label: label('looks.taken'), hint: (values) => t(`looks.taken_hint.${values.statistic}`), wide: true },
    { name: 'is_final', kind: 'flag', label: label('looks.final'), hint: label('looks.final_hint'), wide: true },
    { name: 'effect', kind: 'number', optional: true, label: label('looks.effect'), hint: label('looks.effect_hint'), wide: true },
    ...planFields,
];

function lookOf(line, names) {
    const numbers = numbersIn(line);
    return Object.fromEntries(names.flatMap((name, index) => (numbers[index] === undefined ? [] : [[name, numbers[index]]])));
}

function request(values) {
    const { statistic, looks = '', is_final, effect } = values;
    const lines = looks.split(/\r?\n/).filter((line) => line.trim() !== '');
    const body = { plan: planOf(values), looks: lines.map((line) => lookOf(line, statistics[statistic])) };
    return { path: '/api/v1/sequential/monitor', body: { ...body, ...(is_final === true ? { is_final } : {}), ...(effect === undefined ? {} : { effect }) } };
}

const tones = { continue: 'plain', efficacy: 'good', futility: 'caution', no_rejection: 'plain' };

/** @param {experiments.SequentialReading} answer */
function sentenceOf(answer) {
    const last = answer.looks.at(-1);
    const values = { look: formatInteger(last.look), z: zText(last.z), boundary: zText(last.efficacy_z), share: shareText(last.information_fraction) };
    return { tone: tones[answer.status], title: t(`looks.status.${answer.status}`, values), text: `${t(`looks.status_text.${answer.status}`, values)}${answer.overrun ? ` ${t('looks.overrun')}` : ''}` };
}

const number = (value) => (value === null ? '–' : formatNumber(value, 4));
const rangeText = (lower, upper) => t('figures.range', { lower: number(lower), upper: number(upper) });

/* What the estimates are: differences, or multiples of a standard error where only z is known. */
const effectKey = ({ scale }) => (scale === 'estimate' ? 'observed.effect' : 'looks.drift');

/* What may be reported: adjusted figures after the stop, those that hold at all looks before it. */
function figuresOf(answer) {
    const last = answer.looks.at(-1);
    if (answer.adjusted !== null)
        return [
            { label: t('looks.estimate'), value: number(answer.adjusted.estimate), note: t('looks.estimate_note') },
            { label: t('looks.interval'), value: rangeText(answer.adjusted.ci_lower, answer.adjusted.ci_upper), note: t('observed.level', { level: formatPercent(answer.adjusted.ci_level) }), long: true },
            { label: t('looks.p'), value: pText(answer.adjusted.p_value), note: t('looks.p_note') },
        ];
    return [
        { label: t(effectKey(answer)), value: number(last.estimate), note: '' },
        { label: t('looks.repeated'), value: rangeText(last.repeated_ci_lower, last.repeated_ci_upper), note: t('looks.repeated_note'), long: true },
        { label: t('looks.repeated_p'), value: pText(answer.repeated_p_value), note: '' },
    ];
}

function looksTable(answer) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return table({
        caption: t('looks.taken'),
        plain: true,
        columns: [
            { name: 'look', title: t('looks.look'), cell: ({ look }) => formatInteger(look) },
            end('share', t('looks.share'), (row) => shareText(row.information_fraction)),
            end('z', 'z', (row) => zText(row.z)),
            end('boundary', t('looks.of_z'), (row) => zText(row.efficacy_z)),
            end('futility', t('looks.of_futility'), (row) => zText(row.futility_z)),
            end('alpha', t('looks.of_alpha'), (row) => formatNumber(row.alpha_spent, 3)),
            { name: 'decision', title: t('looks.decision'), cell: (row) => t(`looks.decision.${row.decision}`) },
        ],
        rows: answer.looks,
    });
}

function outlookCard({ outlook }) {
    if (outlook === null) return nothing;
    const power = (value) => (value === null ? null : share(value));
    const facts = [
        [t('looks.conditional_planned'), power(outlook.conditional_power_planned)],
        [t('looks.conditional_observed'), power(outlook.conditional_power_observed)],
        [t('looks.conditional_given'), power(outlook.conditional_power_effect)],
        [t('looks.predictive'), power(outlook.predictive_power)],
    ];
    return partCard('outlook', t('looks.outlook'), html`${factList(facts)} <p class="field-hint">${t('looks.outlook_note')}</p>`);
}

/** @param {experiments.SequentialReading} answer */
function result(answer, tool) {
    const rows = answer.looks.map((look) => ({ name: t('looks.look_number', { look: formatInteger(look.look) }), estimate: look.estimate, lower: look.repeated_ci_lower, upper: look.repeated_ci_upper }));
    const axis = t(effectKey(answer));
    const { plan, looks: _ } = tool.question.body;
    return html`${verdictCard({ ...sentenceOf(answer), figures: figuresOf(answer) })}
    ${partCard('boundaries', t('looks.boundaries'), html`<div class="chart">${boundaryChart(answer.looks, plan, answer.looks)}</div>`)}
    ${partCard('looks', t('looks.taken'), looksTable(answer))}
    ${intervalCard({ title: t('looks.repeated'), label: `${t('looks.repeated')}: ${rangeText(rows.at(-1).lower, rows.at(-1).upper)}`, axis, rows, note: t('looks.repeated_note') })}
    ${outlookCard(answer)}
    ${partCard('next', t('next.title'), html`<p class="prose">${t(`looks.next_step.${answer.status}`)}</p>`)}`;
}

const planNames = planFields.map(({ name }) => name);

export const monitor = {
    fields,
    sections: [{ names: ['statistic', 'looks', 'is_final', 'effect'] }, { title: label('looks.plan'), names: planNames }],
    request,
    result,
    examples: { by: 'statistic', of: texts },
    hasExample: true,
    announcement: (answer) => sentenceOf(answer).title,
};
