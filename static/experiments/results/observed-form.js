/* The form of the results page: what was observed, and the request that asks about it. */
import { byId } from '../../shared/dom.js';
import { readField, writeField } from '../../shared/forms.js';
import { t } from '../../shared/i18n.js';
import { formatPercent, isolated } from '../../shared/numbers.js';
import { nameVariantInputs, showVariantInputs } from '../variant-inputs.js';

const alpha = { name: 'alpha', kind: 'decimal' };

/* Per kind of question: its route, the fields of its form, and the body that they make. */
const analyses = {
    binary: {
        path: '/api/v1/results',
        fields: [
            { name: 'control_users', kind: 'integer' },
            { name: 'control_conversions', kind: 'integer' },
            { name: 'treatment_users', kind: 'integer' },
            { name: 'treatment_conversions', kind: 'integer' },
            alpha,
        ],
        body: (values) => ({ metric_type: 'binary', binary: values }),
    },
    continuous: {
        path: '/api/v1/results',
        fields: [
            { name: 'control_n', kind: 'integer' },
            { name: 'control_mean', kind: 'decimal' },
            { name: 'control_std', kind: 'decimal' },
            { name: 'treatment_n', kind: 'integer' },
            { name: 'treatment_mean', kind: 'decimal' },
            { name: 'treatment_std', kind: 'decimal' },
            alpha,
        ],
        body: (values) => ({ metric_type: 'continuous', continuous: values }),
    },
    srm: {
        path: '/api/v1/srm-check',
        fields: [
            { name: 'variants', kind: 'integer', local: true },
            { name: 'observed_counts', kind: 'integers' },
            { name: 'expected_fractions', kind: 'decimals' },
        ],
        body: (values) => ({
            ...values,
            expected_fractions: fractionsOf(values.expected_fractions),
        }),
    },
};

const lists = [
    {
        name: 'observed_counts',
        label: 'field.actual_counts_of',
        initial: (index) => [4980, 5020][index] ?? 5000,
    },
    {
        name: 'expected_fractions',
        label: 'field.traffic_split_of',
        initial: (index, count) => (100 % count === 0 ? 100 / count : 1),
    },
];

export const fieldNames = [
    ...new Set(Object.values(analyses).flatMap(({ fields }) => fields.map(({ name }) => name))),
];

/* Weights in any unit as shares of one; left alone when one of them is no number. */
function fractionsOf(weights) {
    const sum = (weights ?? []).reduce((total, weight) => total + weight, 0);
    return typeof sum === 'number' && sum > 0 ? weights.map((weight) => weight / sum) : weights;
}

export function chosenAnalysis(form) {
    return readField(form, 'analysis', 'choice');
}

function readValues(form, { fields }) {
    const entries = fields
        .filter(({ local }) => !local)
        .map(({ name, kind }) => [name, readField(form, name, kind)])
        .filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries);
}

/* The request that the form stands for: {path, body}. */
export function requestOf(form) {
    const analysis = analyses[chosenAnalysis(form)];
    return { path: analysis.path, body: analysis.body(readValues(form, analysis)) };
}

function showRate(form, arm) {
    const users = readField(form, `${arm}_users`, 'integer');
    const conversions = readField(form, `${arm}_conversions`, 'integer');
    const known =
        typeof users === 'number' &&
        typeof conversions === 'number' &&
        conversions >= 0 &&
        conversions <= users;
    byId(`${arm}_conversions-affix`).hidden = !known || users === 0;
    byId(`${arm}_conversions-affix`).textContent =
        known && users > 0 ? isolated(`= ${formatPercent(conversions / users)}`) : '';
}

/* Brings everything that depends on entered values up to date. */
export function refreshForm(form) {
    const analysis = chosenAnalysis(form);
    for (const part of form.querySelectorAll('[data-analysis]'))
        part.hidden = !part.dataset.analysis.split(' ').includes(analysis);
    byId('analysis-hint').textContent = t(`hint.analysis.${analysis}`);
    for (const { name, label, initial } of lists)
        showVariantInputs(form, name, Number(byId('variants').value), { label, initial });
    showRate(form, 'control');
    showRate(form, 'treatment');
    const level = readField(form, 'alpha', 'decimal');
    const known = typeof level === 'number' && level > 0 && level < 1;
    byId('alpha-affix').hidden = !known;
    byId('alpha-affix').textContent = known ? isolated(`= ${formatPercent(level)}`) : '';
}

export function translateForm(form) {
    for (const { name, label } of lists) nameVariantInputs(form, name, label);
}

/* The form's values as the query of a link. */
export function rememberInAddress(form) {
    const url = new URL(location.href);
    const lang = url.searchParams.get('lang');
    const query = new URLSearchParams({ analysis: chosenAnalysis(form) });
    for (const { name, kind } of analyses[chosenAnalysis(form)].fields) {
        const value = readField(form, name, kind);
        if (value !== undefined)
            query.set(name, Array.isArray(value) ? value.join(',') : String(value));
    }
    if (lang !== null) query.set('lang', lang);
    url.search = query.toString();
    history.replaceState(null, '', url);
}

/* Fills the form from the query of a link. */
export function readAddress(form) {
    const query = new URLSearchParams(location.search);
    const analysis = analyses[query.get('analysis')];
    if (analysis === undefined) return;
    writeField(form, 'analysis', 'choice', query.get('analysis'));
    for (const { name, kind } of analysis.fields) {
        const text = query.get(name);
        if (text === null) continue;
        writeField(form, name, kind, kind.endsWith('s') ? text.split(',') : text);
        refreshForm(form); /* inputs per variant depend on the number of variants before them */
    }
}
