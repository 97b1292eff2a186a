/* Several p-values read together: which of them still count. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { pText } from '../figures.js';
import { partCard, verdictCard } from '../finding.js';
import { namedNumbers } from './words.js';

const label = (key) => () => t(key);

const fields = [
    {
        name: 'metrics',
        kind: 'textarea',
        rows: 8,
        initial: 'Conversion 0.001\nRevenue 0.012\nReturns 0.04\nVisits 0.6',
        label: label('tests.metrics'),
        hint: label('tests.metrics_hint'),
        wide: true,
    },
    {
        name: 'method',
        kind: 'select',
        label: label('tests.method'),
        wide: true,
        options: () => ['bh', 'holm'].map((value) => ({ value, title: t(`tests.${value}`) })),
        hint: (values) => t(`tests.${values.method ?? 'bh'}_hint`),
    },
    { name: 'level', kind: 'fraction', initial: 0.05, label: label('tests.level') },
];

function request({ metrics, ...values }) {
    const named = namedNumbers(metrics, (index) => t('tests.nameless', { number: index + 1 }));
    return { path: '/api/v1/multiple-testing', body: { metrics: named.map(({ name, value }) => ({ label: name, p_value: value })), ...values } };
}

/** @param {experiments.MultipleTestingReply} answer */
function sentenceOf(answer) {
    const values = { count: formatInteger(answer.num_rejected), all: formatInteger(answer.num_tests), level: formatPercent(answer.level) };
    return { title: t('tests.found', values), text: t(`tests.${answer.method}_text`, values) };
}

/** @param {experiments.MultipleTestingReply} answer */
function result(answer) {
    const end = (name, cell) => ({ name, title: t(`tests.${name}`), align: 'end', cell });
    const rows = answer.results.toSorted((one, other) => one.p_value - other.p_value);
    return html`${verdictCard({
        tone: answer.num_rejected > 0 ? 'good' : 'plain',
        ...sentenceOf(answer),
        figures: [{ label: t('tests.critical'), value: pText(answer.critical_value), note: t('tests.critical_note') }],
    })}
    ${partCard(
        'tests',
        t('tests.adjusted'),
        table({
            caption: t('tests.adjusted'),
            plain: true,
            columns: [
                { name: 'label', title: t('tests.metric') },
                end('p_value', (row) => pText(row.p_value)),
                end('adjusted_p', (row) => pText(row.adjusted_p_value)),
                end('outcome', (row) => badge(t(row.rejected ? 'tests.moved' : 'tests.open'), row.rejected ? 'good' : 'plain')),
            ],
            rows,
        }),
    )}`;
}

export const corrections = { fields, request, result, announcement: (answer) => sentenceOf(answer).title };
