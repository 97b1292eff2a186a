/* The fields of planned looks, posteriors, and groups that take turns; nested.js makes the parts of a design of them. */
import { t } from '../../shared/i18n.js';
import { formatPercent } from '../../shared/numbers.js';
import { spendings, withParameter } from '../boundaries.js';
import { hasLooks, hasPosterior, readAnyTime } from './nested.js';

const label = (key) => () => t(key);
const options = (values, titleOf) => () => values.map((value) => ({ value, title: titleOf(value) }));
const ownTexts = { '': 'plan.looks_none', [readAnyTime]: 'plan.looks_hybrid' };
const spendingText = (value) => t(ownTexts[value] ?? `looks.spending.${value}`);
const ownHints = { '': 'plan.looks_hint', [readAnyTime]: 'plan.hybrid_hint' };

const isFutile = ({ planned_looks_futility: futility = 'none', ...values }) => hasLooks(values) && futility !== 'none';
const parameterOf = (spending) => ({
    kind: 'number',
    initial: 2,
    label: label('looks.parameter'),
    hint: (/** @type {Record<string, any>} */ values) => t(`looks.parameter_hint.${values[spending]}`),
    applies: (/** @type {Record<string, any>} */ values) => withParameter.includes(values[spending]),
});

export const lookFields = [
    {
        name: 'planned_looks_alpha_spending',
        kind: 'select',
        label: label('plan.looks'),
        hint: ({ planned_looks_alpha_spending: kind }) => t(ownHints[kind ?? ''] ?? `looks.spending_hint.${kind}`),
        options: options(['', readAnyTime, ...spendings], spendingText),
        wide: true,
    },
    {
        name: 'hybrid_early_share',
        kind: 'fraction',
        initial: 0.5,
        label: label('hybrid.early_share'),
        hint: label('hybrid.early_share_hint'),
        wide: true,
        applies: ({ planned_looks_alpha_spending: kind }) => kind === readAnyTime,
    },
    { name: 'planned_looks_alpha_parameter', ...parameterOf('planned_looks_alpha_spending') },
    { name: 'planned_looks_information_fractions', holds: ['planned_looks'], kind: 'text', initial: '25% 50% 75% 100%', label: label('looks.fractions'), hint: label('looks.fractions_hint'), wide: true, applies: hasLooks },
    {
        name: 'planned_looks_futility',
        kind: 'select',
        label: label('looks.futility'),
        hint: ({ planned_looks_futility: futility }) => t(`looks.futility_hint.${futility}`),
        options: options(['none', 'non_binding', 'binding'], (value) => t(`looks.futility.${value}`)),
        wide: true,
        applies: hasLooks,
    },
    { name: 'planned_looks_beta_spending', kind: 'select', label: label('looks.beta_spending'), options: options(spendings, spendingText), wide: true, applies: isFutile },
    { name: 'planned_looks_beta_parameter', ...parameterOf('planned_looks_beta_spending') },
];

const isShown = (values) => hasPosterior(values) && Boolean(values.bayes);
const hasPrior = (type) => (values) => hasPosterior(values) && values.bayes === 'own' && (values.metric_type ?? 'binary') === type;
const prior = (name, type, more = {}) => ({ name: `bayes_prior_${name}`, kind: 'number', label: label(`plan.prior_${name}`), applies: hasPrior(type), ...more });

export const bayesFields = [
    {
        name: 'bayes',
        kind: 'select',
        label: label('plan.bayes'),
        hint: label('plan.bayes_hint'),
        options: options(['', 'flat', 'own'], (value) => t(`plan.bayes.${value || 'none'}`)),
        wide: true,
        applies: hasPosterior,
    },
    prior('a', 'binary', { hint: label('plan.prior_a_hint') }),
    prior('b', 'binary'),
    ...['mean', 'n', 'std', 'degrees'].map((name) => prior(name, 'continuous')),
    { name: 'bayes_credibility', kind: 'fraction', label: label('plan.bayes_credibility'), placeholder: () => formatPercent(0.95), optional: true, applies: isShown },
    { name: 'bayes_loss_threshold', kind: 'number', label: label('plan.loss_threshold'), hint: label('plan.loss_threshold_hint'), optional: true, wide: true, applies: isShown },
];

const isNamed = ({ randomization_unit: unit, cluster_unit: name }) => unit === 'cluster' && Boolean(name);
const takesTurns = (values) => isNamed(values) && values.switchback === true;

export const switchbackFields = [
    { name: 'switchback', kind: 'flag', label: label('plan.switchback'), wide: true, applies: isNamed },
    { name: 'switchback_starts_at', kind: 'text', label: label('plan.switchback_starts_at'), hint: label('plan.switchback_starts_at_hint'), applies: takesTurns },
    { name: 'switchback_period_minutes', kind: 'number', label: label('plan.period_minutes'), applies: takesTurns },
    { name: 'switchback_periods', kind: 'count', label: label('plan.periods'), applies: takesTurns },
    { name: 'switchback_washout_minutes', kind: 'number', label: label('plan.washout_minutes'), hint: label('switchback.washout_hint'), optional: true, applies: takesTurns },
];
