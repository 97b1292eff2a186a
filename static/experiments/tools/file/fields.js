/* What the columns of a file are, as the fields of a form, and the mapping that the service asks for. */
import { t } from '../../../shared/i18n.js';
import { guessOf } from './head.js';

const label = (key) => () => t(key);
const ranks = ['mann_whitney', 'trimmed_t', 'quantile', 'bootstrap'];

const columnOptions = (columns) => columns.map(({ name }) => ({ value: name, title: name }));

/* What the browser adds up before it asks (rows.js): means and rates of two variants. */
const inBrowser = ['clustered', 'always_valid'];
const isOfTwo = ({ metric_type: type }) => ['continuous', 'binary'].includes(type);
export const isInBrowser = ({ analysis }) => inBrowser.includes(analysis);

const labelsOf = (head, { arm }) => (head.columns.find(({ name }) => name === arm)?.labels ?? []).slice(0, 10);
export const controlOf = (head, values) => values.control ?? labelsOf(head, values)[0];
const treatmentsOf = (head, values) => labelsOf(head, values).filter((one) => one !== controlOf(head, values));

function controlField(columns) {
    const labels = (values) => (columns.find(({ name }) => name === values.arm)?.labels ?? []).slice(0, 10);
    return {
        name: 'control',
        kind: 'select',
        label: label('file.control'),
        hint: label('file.control_hint'),
        options: (values) => [{ value: '', title: t('file.control_first') }, ...labels(values).map((value) => ({ value, title: value }))],
    };
}

/* A box per column of numbers that is nothing else already. */
function covariateField({ name }, index) {
    return {
        name: `covariate_${index}`,
        kind: 'flag',
        flagValue: name,
        label: name,
        wide: true,
        applies: (values) => values.analysis === 'adjusted' && ![values.arm, values.value, values.denominator].includes(name),
    };
}

const rankField = (name) => ({
    name: `further_${name}`,
    kind: 'flag',
    flagValue: name,
    label: label(`method.${name}`),
    wide: true,
    applies: (values) => values.metric_type !== 'ratio' && !isInBrowser(values),
});

/* The fields for a file whose beginning is `head`, filled in with what its columns look like. */
export function fieldsOf(head) {
    const guess = guessOf(head);
    const columns = columnOptions(head.columns);
    return [
        { name: 'arm', kind: 'select', initial: guess.arm, label: label('file.arm'), hint: label('file.arm_hint'), options: columns },
        controlField(head.columns),
        {
            name: 'metric_type',
            kind: 'select',
            initial: guess.isBinary ? 'binary' : 'continuous',
            label: label('field.metric_type'),
            options: () => ['continuous', 'binary', 'count', 'ratio'].map((value) => ({ value, title: t(`metric.${value}`) })),
            hint: (values) => t(`hint.metric.${values.metric_type}`),
        },
        { name: 'value', kind: 'select', initial: guess.value, label: label('file.value'), hint: (values) => t(values.metric_type === 'ratio' ? 'file.numerator_hint' : 'file.value_hint'), options: columns },
        {
            name: 'denominator',
            kind: 'select',
            label: label('file.denominator'),
            options: (values) => columns.filter(({ value }) => value !== values.arm && value !== values.value),
            applies: (values) => values.metric_type === 'ratio',
        },
        {
            name: 'analysis',
            kind: 'select',
            initial: guess.covariates.length > 0 ? 'adjusted' : 'plain',
            label: label('file.analysis'),
            options: (values) => (isOfTwo(values) ? ['plain', 'adjusted', ...inBrowser] : ['plain', 'adjusted']).map((value) => ({ value, title: t(`file.${value}`) })),
            hint: (values) => t(`file.${values.analysis}_hint`),
            wide: true,
        },
        { name: 'treatment', kind: 'select', label: label('arm.treatment'), options: (values) => treatmentsOf(head, values).map((value) => ({ value, title: value })), applies: isInBrowser },
        { name: 'cluster', kind: 'select', label: label('file.cluster'), options: (values) => columns.filter(({ value }) => value !== values.arm && value !== values.value), applies: (values) => values.analysis === 'clustered' },
        ...head.columns.flatMap((column, index) => (column.isNumeric ? [covariateField(column, index)] : [])),
        ...ranks.map(rankField),
        { name: 'quantile', kind: 'fraction', initial: 0.5, label: label('field.quantile'), applies: (values) => values.further_quantile !== undefined },
        { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha'), hint: label('hint.alpha') },
        { name: 'direction', kind: 'flag', flagValue: 'decrease', label: label('field.direction'), wide: true, applies: ({ analysis }) => analysis !== 'always_valid' },
    ];
}

/* The boxes that the guess ticks. */
export function tickedOf(head) {
    const { covariates } = guessOf(head);
    return Object.fromEntries(head.columns.flatMap(({ name }, index) => (covariates.includes(name) ? [[`covariate_${index}`, name]] : [])));
}

const beginning = (values, prefix) => Object.entries(values).filter(([name]) => name.startsWith(prefix)).map(([, value]) => value);

/* The mapping as the service reads it. */
export function mappingOf(values) {
    const { arm, value, denominator, control, metric_type, quantile, alpha, direction } = values;
    const mapping = { arm, value, denominator, control, metric_type, quantile, alpha, direction, covariates: beginning(values, 'covariate_'), analyses: beginning(values, 'further_') };
    return Object.fromEntries(Object.entries(mapping).filter(([, one]) => one !== undefined && !(Array.isArray(one) && one.length === 0)));
}

/* Which names of fields belong to which part of the page. */
export const parts = {
    columns: ['arm', 'control', 'metric_type', 'value', 'denominator', 'analysis', 'treatment', 'cluster'],
    covariates: (names) => names.filter((name) => name.startsWith('covariate_')),
    further: [...ranks.map((name) => `further_${name}`), 'quantile', 'alpha', 'direction'],
};
