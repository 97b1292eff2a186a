/* Two to ten arms by their posteriors: which is best, and what choosing it may cost. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../../shared/numbers.js';
import { html } from '../../../shared/ui/lit.js';
import { table } from '../../../shared/ui/table.js';
import { share } from '../../figures.js';
import { partCard } from '../../finding.js';
import { choice, direction, goalOf, label, number } from './common.js';
import { labelled } from './lines.js';

const columns = { binary: ['n', 'converted'], count: ['events', 'exposure'], continuous: ['n', 'mean', 'std'], log_normal: ['n', 'mean', 'std'] };
const examples = {
    binary: { arms: 'A 5000 500\nB 5000 560', past: 'spring 20000 2010\nsummer 18000 1750\nautumn 21000 2200' },
    count: { arms: 'A 812 4980\nB 905 5020', past: 'spring 1600 10000\nsummer 1500 9800' },
    continuous: { arms: 'A 400 48.1 31.2\nB 410 52.4 30.5', past: 'spring 2000 47.5 30\nsummer 1800 49.2 31' },
    log_normal: { arms: 'A 400 3.2 0.9\nB 410 3.31 0.92', past: 'spring 2000 3.15 0.9\nsummer 1800 3.24 0.91' },
};
const isRate = (values) => ['binary', 'count'].includes(values.metric_type);
const isGiven = (values) => values.prior === 'given';
const rateParts = ['a', 'b'];
const meanParts = ['mean', 'n', 'std', 'degrees'];
const parts = [...rateParts, ...meanParts];
const priors = { a: 50, b: 450, mean: 48, n: 20, std: 30, degrees: 10 };

const part = (name) => ({
    name: `prior_${name}`,
    kind: 'number',
    initial: priors[name],
    label: label(`bayes.prior_${name}`),
    applies: (values) => isGiven(values) && (isRate(values) ? rateParts : meanParts).includes(name),
});

const fields = [
    choice('metric_type', (value) => t(`bayes.metric.${value}`), Object.keys(columns), 'field.metric_type', { wide: true }),
    { name: 'arms', kind: 'textarea', rows: 5, label: label('several.arms'), hint: (values) => t(`bayes.arms_hint.${values.metric_type}`), wide: true },
    choice('prior', (value) => t(`bayes.prior.${value}`), ['flat', 'given', 'past'], 'bayes.prior', { hint: (values) => t(`bayes.prior_hint.${values.prior}`), wide: true }),
    ...parts.map(part),
    { name: 'past', kind: 'textarea', rows: 4, label: label('bayes.past'), hint: (values) => t(`bayes.arms_hint.${values.metric_type}`), wide: true, applies: (values) => values.prior === 'past' },
    { name: 'credibility', kind: 'fraction', initial: 0.95, label: label('bayes.credibility') },
    { name: 'loss_threshold', kind: 'number', optional: true, placeholder: '0.0005', label: label('bayes.threshold'), hint: label('bayes.threshold_hint') },
    { name: 'looks', kind: 'count', initial: 10, label: label('bayes.looks'), applies: (values) => values.loss_threshold !== undefined },
    direction,
];

const figuresOf = (text, type) => labelled(text, columns[type]).map(({ label: _, ...figures }) => figures);

function request(values) {
    const { metric_type, arms, prior, past, credibility, loss_threshold, looks } = values;
    /** @type {any} */
    const body = { metric_type, arms: figuresOf(arms, metric_type), credibility, ...goalOf(values) };
    if (prior === 'given') body.prior = Object.fromEntries(parts.filter((name) => values[`prior_${name}`] !== undefined).map((name) => [name, values[`prior_${name}`]]));
    if (prior === 'past') body.past = figuresOf(past, metric_type);
    if (loss_threshold !== undefined) Object.assign(body, { loss_threshold, looks });
    return { path: '/api/v1/results/bayes', body };
}

const valueText = ({ metric_type: type }, value) => (type === 'binary' ? formatPercent(value, 4) : number(value, 5));

function armsTable(answer, names) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return table({
        caption: t('bayes.arms'),
        plain: true,
        columns: [
            { name: 'name', title: t('split.variant'), cell: ({ index }) => names[index] },
            end('mean', t('bayes.expected'), (row) => valueText(answer, row.mean)),
            end('interval', t('bayes.interval', { level: formatPercent(answer.credibility) }), (row) => t('figures.range', { lower: valueText(answer, row.ci_lower), upper: valueText(answer, row.ci_upper) })),
            end('best', t('bayes.best'), (row) => share(row.probability_best)),
            end('loss', t('bayes.loss'), (row) => (row.expected_loss === null ? '–' : number(row.expected_loss, 3))),
        ],
        rows: answer.arms,
    });
}

const rateText = ({ rate, ci_lower: lower, ci_upper: upper }) => `${share(rate)} (${t('figures.range', { lower: share(lower), upper: share(upper) })})`;

/* How often stopping by this threshold would have been wrong: measured, not promised. */
function stoppingCard(stopping) {
    const measured = table({
        caption: t('bayes.measured'),
        plain: true,
        columns: [
            { name: 'effect', title: t('bayes.true_effect'), cell: ({ effect }) => number(effect) },
            { name: 'stopped', title: t('bayes.stopped'), align: 'end', cell: (row) => rateText(row.stopped) },
            { name: 'treatment', title: t('bayes.chose_treatment'), align: 'end', cell: (row) => rateText(row.chose_treatment) },
            { name: 'control', title: t('bayes.chose_control'), align: 'end', cell: (row) => rateText(row.chose_control) },
        ],
        rows: stopping.measured,
    });
    return partCard('stopping', t(stopping.stop ? 'bayes.stop' : 'bayes.go_on'), html`<p class="prose">${t('bayes.stopping_text', { looks: formatInteger(stopping.looks), runs: formatInteger(stopping.runs) })}</p> ${measured}`);
}

/** @param {experiments.BayesReply} answer */
function finding(answer, { asked }) {
    const names = labelled(asked.arms, []).map(({ label: name }) => name);
    const best = answer.arms[answer.best_arm];
    const values = { arm: names[answer.best_arm], share: share(best.probability_best), loss: best.expected_loss === null ? '–' : number(best.expected_loss, 3) };
    const title = t('bayes.differences', { level: formatPercent(answer.credibility) });
    const scale = answer.metric_type === 'binary' ? 100 : 1;
    return {
        verdict: { tone: best.probability_best >= answer.credibility ? 'good' : 'plain', title: t('bayes.found', values), text: t('bayes.found_text', values) },
        interval: {
            title,
            label: title,
            axis: answer.metric_type === 'binary' ? t('observed.axis_points') : t(answer.metric_type === 'log_normal' ? 'bayes.ratio' : 'observed.effect'),
            zero: answer.metric_type === 'log_normal' ? 1 : 0,
            rows: answer.comparisons.map((one) => ({ name: `${names[one.treatment_index]} – ${names[0]}`, estimate: one.effect * scale, lower: one.ci_lower * scale, upper: one.ci_upper * scale })),
            facts: answer.comparisons.map((one) => [t('bayes.better', { arm: names[one.treatment_index], control: names[0] }), share(one.probability_better)]),
        },
        parts: [partCard('posteriors', t('bayes.arms'), armsTable(answer, names)), ...(answer.stopping === null ? [] : [stoppingCard(answer.stopping)])],
        note: t(`bayes.used.${answer.prior.source}`, { users: number(answer.prior.n), count: formatInteger(answer.prior.experiments) }),
    };
}

export const bayes = { fields, request, finding, examples: { by: 'metric_type', of: examples } };
