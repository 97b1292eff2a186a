/* A plan of which one number is open: users, power, effect or days. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent, formatUnit } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { relative, share } from '../figures.js';
import { factList, partCard, verdictCard } from '../finding.js';
import { numbersIn } from './words.js';

const label = (key) => () => t(key);
const letters = 'ABCDEFGHIJKLMNOPQRST';
const needsDeviation = ['means', 'ranks', 'ratios'];
const examples = {
    proportions: { baseline_value: '5%' },
    means: { baseline_value: '48', std_dev: '31' },
    counts: { baseline_value: '0.16' },
    ratios: { baseline_value: '0.12', std_dev: '0.5' },
    ranks: { baseline_value: '48', std_dev: '31' },
};

const hasMargin = ({ alternative }) => ['non_inferiority', 'equivalence'].includes(alternative);
const isOpen = (values, ...names) => names.includes(values.solve_for);
const sizeGiven = (values) => isOpen(values, 'power', 'effect');
const isSeveral = ({ variants }) => variants > 2;

const options = (values, titleOf) => () => values.map((value) => ({ value, title: titleOf(value) }));

const fields = [
    { name: 'solve_for', kind: 'select', label: label('solve.for'), options: options(['size', 'power', 'effect', 'days'], (value) => t(`solve.for.${value}`)), wide: true },
    { name: 'test', kind: 'select', label: label('solve.test'), options: options(Object.keys(examples), (value) => t(`solve.test.${value}`)) },
    {
        name: 'alternative',
        kind: 'select',
        label: label('solve.alternative'),
        options: options(['two_sided', 'one_sided', 'non_inferiority', 'equivalence'], (value) => t(`solve.alternative.${value}`)),
        hint: (values) => t(`solve.alternative_hint.${values.alternative}`),
    },
    { name: 'baseline_value', kind: (values) => (values.test === 'proportions' ? 'fraction' : 'number'), label: label('solve.baseline') },
    { name: 'std_dev', kind: 'number', label: label('field.std_dev'), applies: ({ test }) => needsDeviation.includes(test) },
    {
        name: 'mde_pct',
        kind: 'percent',
        initial: 10,
        label: label('solve.effect'),
        hint: label('solve.effect_hint'),
        applies: (values) => !hasMargin(values) && !isOpen(values, 'effect'),
    },
    { name: 'margin_pct', kind: 'percent', initial: 5, label: label('solve.margin'), hint: label('solve.margin_hint'), applies: (values) => hasMargin(values) && !isOpen(values, 'effect') },
    { name: 'power', kind: 'fraction', initial: 0.8, label: label('field.power'), applies: (values) => !isOpen(values, 'power') },
    { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha'), hint: (values) => t(values.alternative === 'two_sided' ? 'hint.alpha' : 'solve.alpha_hint') },
    { name: 'size_as', kind: 'select', label: label('solve.size_as'), options: options(['users', 'days'], (value) => t(`solve.size_as.${value}`)), applies: sizeGiven },
    { name: 'total_users', kind: 'count', initial: 40000, label: label('solve.total_users'), applies: (values) => sizeGiven(values) && values.size_as === 'users' },
    { name: 'days', kind: 'number', initial: 14, label: label('solve.days'), applies: (values) => sizeGiven(values) && values.size_as === 'days' },
    { name: 'daily_traffic', kind: 'count', initial: 5000, optional: true, label: label('field.expected_daily_traffic'), hint: label('solve.traffic_hint') },
    { name: 'variants', kind: 'count', initial: 2, label: label('field.variants_count') },
    {
        name: 'allocation_as',
        kind: 'select',
        label: label('solve.allocation'),
        options: options(['equal', 'optimal', 'weights'], (value) => t(`solve.allocation.${value}`)),
        hint: (values) => t(`solve.allocation_hint.${values.allocation_as}`),
    },
    { name: 'allocation', kind: 'text', initial: '70 30', label: label('solve.weights'), hint: label('solve.weights_hint'), applies: (values) => values.allocation_as === 'weights' },
    { name: 'correction', kind: 'select', label: label('solve.correction'), options: options(['dunnett', 'holm', 'bonferroni', 'none'], (value) => t(`solve.correction.${value}`)), applies: isSeveral },
    { name: 'power_of', kind: 'select', label: label('solve.power_of'), options: options(['each', 'any', 'all'], (value) => t(`solve.power_of.${value}`)), applies: isSeveral },
    { name: 'direction', kind: 'flag', flagValue: 'decrease', label: label('field.direction'), wide: true },
];

function request({ size_as: _, allocation_as: split, allocation, ...values }) {
    const shares = { optimal: { optimal_allocation: true }, weights: { allocation: numbersIn(allocation) } }[split] ?? {};
    return { path: '/api/v1/design/solve', body: { ...values, ...shares } };
}

const daysText = (value) => (value === null ? '–' : formatUnit(value, 'day'));
const usersText = (answer) => formatInteger(answer.total_users);

/* The effect that the plan finds; of plans with a margin, the margin. */
const effectText = (answer) => (answer.margin_pct === null ? relative(answer.effect_pct) : share(answer.margin_pct / 100));

/** @param {experiments.SolveReply} answer */
function sentenceOf(answer) {
    const values = { users: usersText(answer), days: daysText(answer.days), power: share(answer.power), effect: effectText(answer), alpha: formatPercent(answer.alpha) };
    const kind = answer.margin_pct === null ? 'effect' : 'margin';
    return { title: t(answer.solve_for === 'effect' ? `solve.found.${kind}` : `solve.found.${answer.solve_for}`, values), text: t(kind === 'effect' ? 'solve.text_effect' : 'solve.text_margin', values) };
}

function armsTable(answer) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return table({
        caption: t('solve.arms'),
        plain: true,
        columns: [
            { name: 'arm', title: t('split.variant'), cell: (index) => (index === 0 ? t('arm.control_named', { letter: 'A' }) : t('arm.variant', { letter: letters[index] })) },
            end('users', t('field.users'), (index) => formatInteger(answer.users_per_variant[index])),
            end('share', t('split_of.share'), (index) => share(answer.allocation[index])),
        ],
        rows: answer.users_per_variant.map((_, index) => index),
    });
}

function factsOf(answer) {
    const saved = answer.equal_allocation_total;
    return [
        [t('solve.effect_absolute'), answer.margin === null ? formatNumber(answer.effect, 4) : null],
        [t('solve.margin_absolute'), answer.margin === null ? null : formatNumber(answer.margin, 4)],
        [t('solve.comparisons'), formatInteger(answer.comparisons)],
        [t('solve.critical'), formatNumber(answer.critical_value, 4)],
        [t('solve.degrees'), answer.degrees_of_freedom === null ? null : formatNumber(answer.degrees_of_freedom, 6)],
        [t('solve.equal_total'), saved === null ? null : formatInteger(saved)],
    ];
}

/* The same test with looks: the errors that it allows, and the direction of a test with one side. */
/** @param {experiments.SolveReply} answer */
function looksOf(answer, { alternative, direction }) {
    const query = new URLSearchParams({ users: String(answer.total_users), power: String(Number(answer.power.toPrecision(4))), alpha: String(answer.alpha) });
    if (alternative !== 'two_sided') query.set('sides', '1');
    if (alternative !== 'two_sided' && direction !== undefined) query.set('direction', direction);
    return address(`/tools/sequential?${query}`);
}

/** @param {experiments.SolveReply} answer */
function result(answer, { asked }) {
    const looks = looksOf(answer, asked);
    return html`${verdictCard({
        ...sentenceOf(answer),
        figures: [
            { label: t('solve.total_users'), value: usersText(answer), note: '' },
            { label: t('solve.days'), value: daysText(answer.days), note: '' },
            { label: t('field.power'), value: share(answer.power), note: t('solve.power_note') },
            { label: t(answer.margin_pct === null ? 'solve.effect' : 'solve.margin'), value: effectText(answer), note: t('solve.of_baseline') },
        ],
    })}
    ${partCard('arms', t('solve.arms'), html`${armsTable(answer)} ${factList(factsOf(answer))}`)}
    ${partCard('next', t('next.title'), html`<p class="prose">${t('solve.next')}</p> <p><a class="button" id="open-looks" href=${looks}>${t('solve.open_looks')}</a></p>`)}`;
}

export const solve = {
    fields,
    request,
    result,
    examples: { by: 'test', of: examples },
    hasExample: true,
    announcement: (answer) => sentenceOf(answer).title,
};
