/* Where users fall for a seed and weights: the split before anybody sees it. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../shared/numbers.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { share } from '../figures.js';
import { partCard, verdictCard } from '../finding.js';
import { numbersIn } from './words.js';

const label = (key) => () => t(key);
const letters = 'ABCDEFGHIJ';
const shownUsers = 20;

const fields = [
    { name: 'seed', kind: 'text', initial: 'checkout-button', label: label('split_of.seed'), hint: label('split_of.seed_hint'), wide: true },
    { name: 'num_variations', kind: 'count', initial: 2, label: label('field.variants_count') },
    { name: 'coverage', kind: 'fraction', initial: 1, label: label('split_of.coverage') },
    { name: 'weights', kind: 'text', initial: '50 50', optional: true, label: label('field.traffic_split'), hint: label('split_of.weights_hint'), wide: true },
    { name: 'sample_size', kind: 'count', initial: 10000, label: label('split_of.sample') },
    { name: 'user_id_prefix', kind: 'text', initial: 'user-', optional: true, label: label('split_of.prefix') },
];

/* Weights in any unit as shares; those that do not fit the variants are left out, and the split is even. */
function sharesOf(weights, count) {
    const list = /** @type {number[]} */ (numbersIn(weights));
    const sum = list.reduce((total, weight) => total + weight, 0);
    if (list.length !== count || !(sum > 0)) return {};
    return { weights: list.map((weight) => weight / sum) };
}

function request({ weights, ...values }) {
    return { path: '/api/v1/assignment/preview', body: { ...values, ...sharesOf(weights, values.num_variations) } };
}

const nameOf = (index) => (index < 0 ? t('split_of.outside') : index === 0 ? t('arm.control_named', { letter: 'A' }) : t('arm.variant', { letter: letters[index] }));

/* How far the shares of those in the test are from the planned ones, at most. */
function worstGap(answer, { question }) {
    const { num_variations: count, weights = Array(count).fill(1 / count) } = question.body;
    const inside = answer.distribution.filter(({ variation_index: index }) => index >= 0);
    const users = inside.reduce((sum, one) => sum + one.count, 0);
    if (users === 0) return 0;
    const found = (index) => inside.find(({ variation_index: at }) => at === index)?.count ?? 0;
    return Math.max(...weights.map((weight, index) => Math.abs(found(index) / users - weight)));
}

/** @param {experiments.AssignmentReply} answer */
function sentenceOf(answer, tool) {
    const gap = share(worstGap(answer, tool));
    return {
        title: t('split_of.found', { share: share(answer.in_experiment_fraction), users: formatInteger(answer.sample_size) }),
        text: t('split_of.found_text', { gap }),
    };
}

/** @param {experiments.AssignmentReply} answer */
function result(answer, tool) {
    const bars = barChart({
        label: t('split_of.shares'),
        nameTitle: t('split.variant'),
        valueTitle: t('split_of.share'),
        format: (value) => formatPercent(value, 3),
        bars: answer.distribution.map((one) => ({ name: nameOf(one.variation_index), value: one.fraction })),
    });
    const users = table({
        caption: t('split_of.users'),
        plain: true,
        columns: [
            { name: 'user_id', title: t('split_of.user'), cell: (row) => html`<code>${row.user_id}</code>` },
            { name: 'variant', title: t('split.variant'), cell: (row) => nameOf(row.variation_index) },
        ],
        rows: answer.sample_assignments.slice(0, shownUsers),
    });
    return html`${verdictCard(sentenceOf(answer, tool))} ${partCard('shares', t('split_of.shares'), html`<div class="chart">${bars}</div>`)}
    ${partCard('users', t('split_of.users'), users)}`;
}

export const assignment = { fields, request, result, announcement: (answer, tool) => sentenceOf(answer, tool).title };
