/* What a file of users shows: the comparison, further tests, and the rows that could not be used. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../../shared/numbers.js';
import { html } from '../../../shared/ui/lit.js';
import { table } from '../../../shared/ui/table.js';
import { findingOfAdjusted } from '../../adjusted.js';
import { difference, interval, pText } from '../../figures.js';
import { findingView, partCard } from '../../finding.js';
import { alwaysValid } from '../../results/more/always_valid.js';
import { clusters } from '../../results/more/clusters.js';

const typeOf = ({ conventions }) => (conventions?.effect_unit === 'percentage_points' ? 'binary' : 'plain');

function furtherTable(answer) {
    const end = (name, cell) => ({ name, title: t(`observed.${name}`), align: 'end', cell: ({ analysis }) => cell(analysis, typeOf(analysis)) });
    return table({
        caption: t('file.further'),
        plain: true,
        columns: [
            { name: 'test', title: t('field.test'), cell: ({ analysis }) => t(`method.${analysis.metric_type}`) },
            { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: index }) => answer.arms[index].label },
            end('effect', (one, type) => difference(one.observed_effect, type, [one.ci_lower, one.ci_upper])),
            end('interval', (one, type) => interval(one.ci_lower, one.ci_upper, type)),
            end('p_value', (one) => pText(one.p_value)),
        ],
        rows: answer.analyses,
    });
}

function badRowsTable(answer) {
    return table({
        caption: t('file.bad_rows'),
        plain: true,
        columns: [
            { name: 'line', title: t('file.line'), cell: ({ line }) => formatInteger(line) },
            { name: 'column', title: t('file.column'), cell: ({ column }) => column ?? '–' },
            { name: 'reason', title: t('file.reason'), cell: ({ reason }) => t(`file.bad.${reason}`) },
        ],
        rows: answer.first_bad_rows,
    });
}

function warningsOf({ bad_rows: bad, rows }) {
    if (bad === 0) return [];
    return [{ severity: bad > rows / 20 ? 'high' : 'medium', message: t('file.unusable', { bad: formatInteger(bad), share: formatPercent(bad / rows, 2), rows: formatInteger(rows) }) }];
}

/* What the sums of two variants show. */
function findingOfSums(answer, question) {
    const found = question.path.endsWith('/cluster') ? clusters.finding(answer, { asked: {} }) : alwaysValid.finding(answer, { question });
    return { ...found, warnings: [...(found.warnings ?? []), ...warningsOf(question)] };
}

export const findingOf = (answer, { question = null }) => (question === null ? findingOfFile(answer) : findingOfSums(answer, question));

/** @param {experiments.DataReply} answer */
function findingOfFile(answer) {
    const labels = answer.arms.map(({ label }) => label);
    const found = findingOfAdjusted(answer.comparison, labels);
    const further = answer.analyses.length > 0 ? [partCard('further', t('file.further'), furtherTable(answer))] : [];
    const bad = answer.first_bad_rows.length > 0 ? [partCard('bad-rows', t('file.bad_rows'), badRowsTable(answer))] : [];
    return { ...found, warnings: warningsOf(answer), parts: [...found.parts, ...further, ...bad] };
}

export function result(answer, tool) {
    if (tool.question !== null) return html`${findingView(findingOf(answer, tool))} <p class="field-hint">${t('adjusted.users', { users: formatInteger(tool.question.users) })}</p>`;
    const read = { users: formatInteger(answer.users), rows: formatInteger(answer.rows), format: answer.format === 'csv' ? 'CSV' : 'NDJSON' };
    return html`${findingView(findingOf(answer, tool))} <p class="field-hint">${t('file.read', read)}</p>`;
}
