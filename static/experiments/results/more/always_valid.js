/* Two arms that may be read at any time: confidence sequences. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../../shared/numbers.js';
import { difference, interval, known, pText, share } from '../../figures.js';
import { wordsOf } from '../../verdict.js';
import { numbersOf } from '../inputs.js';
import { choice, label } from './common.js';

const inputs = { mean: ['n', 'mean', 'std'], rate: ['n', 'conversions'], ratio: ['n', 'mean', 'std', 'denominator_mean', 'denominator_std', 'denominator_correlation'], quantile: [] };
const before = ['mean', 'std', 'correlation', 'denominator_correlation'];
const start = {
    control_arm: { n: 5200, mean: 10.1, std: 8, conversions: 520, denominator_mean: 20, denominator_std: 6, denominator_correlation: 0.5 },
    treatment_arm: { n: 5150, mean: 10.9, std: 8.2, conversions: 640, denominator_mean: 20.1, denominator_std: 6.1, denominator_correlation: 0.5 },
};
const startBefore = { control_arm: [9.9, 7, 0.6, 0.3], treatment_arm: [10, 7.1, 0.62, 0.3] };

/* Waiting times in seconds of 60 users of each arm, made up. */
const waits = (shift) => Array.from({ length: 60 }, (_, index) => (2 + ((index * 37) % 60) / 4 + shift).toFixed(2)).join(' ');
const values = { control_arm: waits(4), treatment_arm: waits(0) };

const names = [...new Set(Object.values(inputs).flat())];
const withBefore = (entered) => entered.covariate === true && entered.metric !== 'quantile';

function fieldsOf(arm) {
    const figure = (name) => ({ name: `${arm}_${name}`, kind: ['n', 'conversions'].includes(name) ? 'count' : 'number', initial: start[arm][name], label: label(`valid.${name}`), applies: (entered) => inputs[entered.metric]?.includes(name) });
    const pre = (name, index) => ({
        name: `${arm}_covariate_${name}`,
        kind: 'number',
        initial: startBefore[arm][index],
        label: label(`valid.before_${name}`),
        applies: (entered) => withBefore(entered) && (name !== 'denominator_correlation' || entered.metric === 'ratio'),
    });
    const list = { name: `${arm}_values`, kind: 'textarea', rows: 6, initial: values[arm], label: label('valid.values'), applies: (entered) => entered.metric === 'quantile' };
    return [...names.map(figure), list, ...before.map(pre)];
}

const fields = [
    choice('metric', (value) => t(`valid.metric.${value}`), ['mean', 'rate', 'ratio', 'quantile'], 'field.metric_type', { wide: true }),
    { name: 'covariate', kind: 'flag', label: label('valid.covariate'), hint: label('valid.covariate_hint'), wide: true, applies: (entered) => entered.metric !== 'quantile' },
    ...fieldsOf('control_arm'),
    ...fieldsOf('treatment_arm'),
    { name: 'quantile', kind: 'fraction', initial: 0.5, label: label('field.quantile'), applies: (entered) => entered.metric === 'quantile' },
    { name: 'effect', kind: 'number', optional: true, label: label('valid.effect'), hint: label('valid.effect_hint'), wide: true },
    { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha') },
];

const withoutUndefined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function armOf(entered, arm) {
    if (entered.metric === 'quantile') return { values: numbersOf(entered[`${arm}_values`]) };
    const figures = Object.fromEntries(inputs[entered.metric].map((name) => [name, entered[`${arm}_${name}`]]));
    const pre = Object.fromEntries(before.map((name) => [name, entered[`${arm}_covariate_${name}`]]));
    return withoutUndefined({ ...figures, covariate: withBefore(entered) ? withoutUndefined(pre) : undefined });
}

function request(entered) {
    const { metric, quantile, effect, alpha } = entered;
    return { path: '/api/v1/results/always-valid', body: withoutUndefined({ metric, quantile, effect, alpha, control_arm: armOf(entered, 'control_arm'), treatment_arm: armOf(entered, 'treatment_arm') }) };
}

/* Rates come as fractions and are read in percentage points. */
function readingOf(found, rate) {
    const scale = rate ? 100 : 1;
    const type = rate ? 'binary' : 'plain';
    const [effect, lower, upper] = [found.effect, found.ci_lower, found.ci_upper].map((value) => (value === null ? null : value * scale));
    const open = lower === null || upper === null;
    return { effect, lower, upper, text: difference(effect, type, open ? [effect] : [lower, upper]), range: open ? t('valid.open') : interval(lower, upper, type) };
}

/** @param {experiments.AlwaysValidReply} answer */
function finding(answer, { question }) {
    const found = answer.adjusted ?? answer.unadjusted;
    if (found === null) return { verdict: { tone: 'caution', title: t('valid.too_few'), text: answer.note } };
    const rate = question.body.metric === 'rate';
    const shown = readingOf(found, rate);
    const level = answer.confidence_level;
    const words = wordsOf({ effect: shown.text, range: shown.range, level, p: found.p_value, alpha: 1 - level, significant: found.is_significant, rises: shown.effect >= 0, contains: !found.is_significant, answer: {} });
    const rows = [['adjusted.with', answer.adjusted], ['adjusted.without', answer.unadjusted]].filter(([, one]) => one !== null);
    const title = t('valid.interval', { level: formatPercent(level) });
    return {
        verdict: {
            tone: found.is_significant ? 'good' : 'plain',
            ...words,
            figures: [
                { label: t('observed.effect'), value: shown.text, note: '' },
                { label: t('observed.interval'), value: shown.range, note: t('valid.any_time'), long: true },
                { label: t('observed.p_value'), value: pText(found.p_value), note: t('valid.any_time') },
            ],
        },
        interval: {
            title,
            label: `${title}: ${shown.range}`,
            axis: rate ? t('observed.axis_points') : t('observed.effect'),
            rows: rows.map(([key, one]) => ({ name: rows.length > 1 ? t(key) : t('arm.treatment'), estimate: readingOf(one, rate).effect, lower: readingOf(one, rate).lower, upper: readingOf(one, rate).upper })),
            facts: [
                [t('valid.least'), known(answer.least_users) ? formatInteger(answer.least_users) : null],
                [t('adjusted.reduction'), known(answer.variance_reduction_pct) ? share(answer.variance_reduction_pct / 100) : null],
            ],
            note: t('valid.note'),
        },
        note: answer.note,
    };
}

const group = (arm, key) => ({ title: () => t(key), names: fieldsOf(arm).map(({ name }) => name) });

export const alwaysValid = {
    fields,
    sections: [{ names: ['analysis', 'metric', 'covariate'] }, { groups: [group('control_arm', 'arm.control'), group('treatment_arm', 'arm.treatment')] }, { names: ['quantile', 'effect', 'alpha'] }],
    request,
    finding,
};
