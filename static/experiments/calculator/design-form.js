/*
 * The form of a design: between its controls and the API's request, and everything in it that
 * follows from what has been entered (fields that apply, inputs per variant, hints).
 */
import { byId, html } from '../../shared/dom.js';
import { fieldOf, readField, writeField } from '../../shared/forms.js';
import { t } from '../../shared/i18n.js';
import { formatNumber, formatPercent, isolated } from '../../shared/numbers.js';
import { fields, fractions, plannedTests } from './design-fields.js';
import { nameVariantInputs, showVariantInputs, variantNames } from '../variant-inputs.js';

/* What the form asks for, as the body of a request. A field that does not apply is left out. */
export function readDesign(form) {
    const design = {};
    for (const { name, kind, flagValue, applies } of fields) {
        const value = applies(design) ? readField(form, name, kind, flagValue) : undefined;
        if (value !== undefined) design[name] = value;
    }
    if (design.planned_test === plannedTests[design.metric_type]?.[0]) delete design.planned_test;
    return design;
}

/* Equal weights that add up to 100 where that can be written without a fraction. */
function equalWeight(index, count) {
    return 100 % count === 0 ? 100 / count : 1;
}

const lists = [
    { name: 'traffic_split', label: 'field.traffic_split_of', initial: equalWeight },
    { name: 'actual_counts', label: 'field.actual_counts_of', initial: () => '' },
];

function showPlannedTests(form, metricType) {
    const select = byId('planned_test');
    const chosen = select.value;
    const names = plannedTests[metricType] ?? [];
    const labels = names.map((name) => t(`test.${name}`)).join('|');
    if (select.dataset.labels === labels) return;
    select.dataset.labels = labels;
    select.replaceChildren(
        ...names.map((name) => html('option', { value: name }, t(`test.${name}`))),
    );
    select.value = names.includes(chosen) ? chosen : (names[0] ?? '');
}

function showApplicableFields(form) {
    const design = {};
    for (const { name, kind, flagValue, applies } of fields) {
        const shown = applies(design);
        fieldOf(form, name).hidden = !shown;
        if (shown) design[name] = readField(form, name, kind, flagValue);
    }
    byId('cuped').hidden = fieldOf(form, 'cuped_correlation').hidden;
}

function isFraction(value) {
    return typeof value === 'number' && value >= 0 && value <= 1;
}

function showAffix(id, text) {
    const affix = byId(`${id}-affix`);
    affix.hidden = text === '';
    affix.textContent = isolated(text);
}

function showFractions(form, design) {
    for (const name of fractions)
        showAffix(name, isFraction(design[name]) ? `= ${formatPercent(design[name])}` : '');
    const binary = design.metric_type === 'binary';
    showAffix(
        'baseline_value',
        binary && isFraction(design.baseline_value)
            ? `= ${formatPercent(design.baseline_value)}`
            : '',
    );
    showAffix('desired_precision', t(binary ? 'unit.percentage_points' : 'unit.metric'));
}

/* A value of the metric as its reader knows it: a rate in percent, anything else as a number. */
export function formatMetric(metricType, value) {
    return metricType === 'binary' ? formatPercent(value) : formatNumber(value, 5);
}

function effectHint(design) {
    const { metric_type: type, baseline_value: baseline, mde_pct: mde } = design;
    if (design.planned_test === 'tost') return t('hint.mde_unused');
    const known =
        typeof baseline === 'number' && typeof mde === 'number' && baseline > 0 && mde > 0;
    if (!known || (type === 'binary' && baseline >= 1)) return t('hint.mde_pct');
    const changed = baseline * (1 + mde / 100);
    return isolated(`${formatMetric(type, baseline)} → ${formatMetric(type, changed)}`);
}

function splitHint(design) {
    const weights = design.traffic_split ?? [];
    const sum = weights.reduce((total, weight) => total + weight, 0);
    if (
        weights.length === 0 ||
        !weights.every((weight) => typeof weight === 'number' && weight > 0)
    )
        return t('hint.traffic_split');
    return isolated(
        weights
            .map((weight, index) => `${variantNames[index]} ${formatPercent(weight / sum, 3)}`)
            .join(' · '),
    );
}

function testHint(design) {
    const test = design.planned_test ?? plannedTests[design.metric_type]?.[0];
    return test === undefined ? '' : t(`hint.test.${test}`);
}

function showHints(design) {
    const type = design.metric_type;
    byId('metric_type-hint').textContent = t(`hint.metric.${type}`);
    byId('baseline_value-label').textContent = t(`field.baseline_value.${type}`);
    byId('baseline_value-hint').textContent = t(`hint.baseline_value.${type}`);
    byId('std_dev-hint').textContent = t(
        type === 'ratio' ? 'hint.std_dev.ratio' : 'hint.std_dev.continuous',
    );
    byId('mde_pct-hint').textContent = effectHint(design);
    byId('traffic_split-hint').textContent = splitHint(design);
    byId('planned_test-hint').textContent = testHint(design);
}

/* A folded part that is in use says so on its fold. */
function markUsedParts(form, design) {
    for (const details of form.querySelectorAll('details')) {
        const names = [...details.querySelectorAll('[data-field]')].map(
            (field) => field.dataset.field,
        );
        const used = names.some((name) => name in design);
        const badge = details.querySelector('summary .badge');
        if (used && badge === null)
            details
                .querySelector('summary')
                .append(html('span', { class: 'badge', 'data-tone': 'good' }, t('design.in_use')));
        else if (!used) badge?.remove();
        else badge.textContent = t('design.in_use');
    }
}

/* Brings everything that depends on entered values up to date; returns the request. */
export function refreshForm(form) {
    const metricType = readField(form, 'metric_type', 'choice');
    form.dataset.variants = byId('variants_count').value;
    showPlannedTests(form, metricType);
    for (const { name, label, initial } of lists)
        showVariantInputs(form, name, Number(byId('variants_count').value), { label, initial });
    showApplicableFields(form);
    const design = readDesign(form);
    showFractions(form, design);
    showHints(design);
    markUsedParts(form, design);
    return design;
}

/* The names of the inputs per variant follow the language; everything else is marked in the
 * page. */
export function translateForm(form) {
    for (const { name, label } of lists) nameVariantInputs(form, name, label);
}

/* Empties the form to its defaults and puts `design` over them; values may be texts. Parts that it
 * uses are unfolded. */
export function writeDesign(form, design) {
    form.reset();
    for (const { name } of lists) byId(`${name}-weights`).replaceChildren();
    const used = fields.filter(({ name }) => design[name] !== undefined);
    for (const { name, kind, flagValue } of used) {
        if (kind === 'decimals' || kind === 'integers' || name === 'planned_test')
            refreshForm(form); /* their controls depend on the values before them */
        writeField(form, name, kind, design[name], flagValue);
    }
    refreshForm(form);
    for (const { name } of used) {
        const details = fieldOf(form, name).closest('details');
        if (details) details.open = true;
    }
}
