/* Thompson sampling beside an even split, for arms whose rates one assumes. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { html } from '../../shared/ui/lit.js';
import { share } from '../figures.js';
import { partCard, verdictCard } from '../finding.js';
import { numbersIn } from './words.js';

const label = (key) => () => t(key);
const letters = 'ABCDEFGHIJ';

const fields = [
    { name: 'arm_rates', kind: 'text', initial: '5% 5.5% 7%', label: label('bandit.rates'), hint: label('bandit.rates_hint'), wide: true },
    { name: 'horizon', kind: 'count', initial: 2000, label: label('bandit.horizon') },
    { name: 'num_simulations', kind: 'count', initial: 200, label: label('bandit.runs') },
    { name: 'seed', kind: 'count', initial: 42, label: label('bandit.seed'), hint: label('bandit.seed_hint') },
];

function request({ arm_rates, ...values }) {
    return { path: '/api/v1/simulate/bandit', body: { arm_rates: numbersIn(arm_rates), ...values } };
}

const nameOf = (index, rates) => `${letters[index]} (${formatPercent(rates[index])})`;

/** @param {experiments.BanditReply} answer */
function sentenceOf(answer) {
    const saved = answer.final_uniform_regret - answer.final_bandit_regret;
    const values = {
        arm: letters[answer.best_arm_index],
        share: share(answer.best_arm_allocation),
        saved: formatNumber(saved, 3),
        found: share(answer.probability_best_arm),
        users: formatInteger(answer.horizon),
    };
    return { title: t('bandit.found', values), text: t('bandit.found_text', values) };
}

/** @param {experiments.BanditReply} answer */
function result(answer, { question }) {
    const rates = question.body.arm_rates;
    const bars = barChart({
        label: t('bandit.allocation'),
        nameTitle: t('split.variant'),
        valueTitle: t('split_of.share'),
        format: (value) => formatPercent(value, 3),
        bars: answer.arm_allocation.map((value, index) => ({ name: nameOf(index, rates), value })),
    });
    const series = (name, field) => ({ name, points: answer.regret_curve.map((point) => ({ x: point.step, y: point[field] })) });
    const regret = lineChart({
        label: t('bandit.regret'),
        series: [series('Thompson', 'bandit_cumulative_regret'), series(t('bandit.even'), 'uniform_cumulative_regret')],
        x: { title: t('field.users'), format: formatInteger },
        y: { title: t('bandit.lost'), format: (value) => formatNumber(value, 3), min: 0 },
    });
    return html`${verdictCard(sentenceOf(answer))} ${partCard('regret', t('bandit.regret'), html`<div class="chart">${regret}</div>`)}
    ${partCard('allocation', t('bandit.allocation'), html`<div class="chart">${bars}</div>`)}`;
}

export const bandit = { fields, request, result, announcement: (answer) => sentenceOf(answer).title };
