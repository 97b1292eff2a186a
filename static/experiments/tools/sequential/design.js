/* Plan a test that is looked at before its end: boundaries, and what the looks cost. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatNumber } from '../../../shared/numbers.js';
import { address } from '../../../shared/place.js';
import { html } from '../../../shared/ui/lit.js';
import { table } from '../../../shared/ui/table.js';
import { boundaryChart, shareText, zText } from '../../boundaries.js';
import { pText } from '../../figures.js';
import { partCard, verdictCard } from '../../finding.js';
import { planFields, planOf } from './plan.js';

const fields = [...planFields, { name: 'users', kind: 'count', initial: 20000, label: () => t('looks.users'), hint: () => t('looks.users_hint'), wide: true }];

const request = (values) => ({ path: '/api/v1/sequential/design', body: planOf(values) });

/* Users of the whole test at a share of the planned information. */
const usersAt = (answer, { users }, fraction) => (users === undefined ? '–' : formatInteger(Math.ceil(users * answer.inflation_factor * fraction)));

/** @param {experiments.SequentialDesign} answer */
function sentenceOf(answer, { asked }) {
    const values = {
        most: usersAt(answer, asked, 1),
        expected: usersAt(answer, asked, answer.expected_information),
        idle: usersAt(answer, asked, answer.null_expected_information),
        factor: formatNumber(answer.inflation_factor, 4),
        fixed: asked.users === undefined ? '–' : formatInteger(asked.users),
    };
    return { title: t('looks.found', values), text: t('looks.found_text', values) };
}

function looksTable(answer, { asked }) {
    const end = (name, cell, title = t(`looks.of_${name}`)) => ({ name, title, align: 'end', cell });
    const futile = answer.looks.some(({ futility_z: z }) => z !== null);
    return table({
        caption: t('looks.table'),
        plain: true,
        columns: [
            { name: 'look', title: t('looks.look'), cell: ({ look }) => formatInteger(look) },
            end('share', (row) => shareText(row.information_fraction), t('looks.share')),
            end('users', (row) => usersAt(answer, asked, row.information_fraction)),
            end('z', (row) => zText(row.efficacy_z)),
            end('p', (row) => (row.efficacy_p === null ? '–' : pText(row.efficacy_p))),
            ...(futile ? [end('futility', (row) => zText(row.futility_z))] : []),
            end('alpha', (row) => formatNumber(row.alpha_spent, 3)),
            end('stops', (row) => shareText(row.efficacy_probability)),
        ],
        rows: answer.looks,
    });
}

/** @param {experiments.SequentialDesign} answer */
function result(answer, tool) {
    const monitor = address(`/tools/monitor${location.search}`);
    return html`${verdictCard({
        ...sentenceOf(answer, tool),
        figures: [
            { label: t('looks.most'), value: usersAt(answer, tool.asked, 1), note: t('looks.factor', { factor: formatNumber(answer.inflation_factor, 4) }) },
            { label: t('looks.average'), value: usersAt(answer, tool.asked, answer.expected_information), note: t('looks.average_note') },
            { label: t('looks.average_null'), value: usersAt(answer, tool.asked, answer.null_expected_information), note: t('looks.average_null_note') },
        ],
    })}
    ${partCard('boundaries', t('looks.boundaries'), html`<div class="chart">${boundaryChart(answer.looks, tool.question.body)}</div>`)}
    ${partCard('looks', t('looks.table'), looksTable(answer, tool))}
    ${partCard('next', t('next.title'), html`<p class="prose">${t('looks.next')}</p> <p><a class="button" id="open-monitor" href=${monitor}>${t('looks.open_monitor')}</a></p>`)}`;
}

export const sequential = { fields, request, result, announcement: (answer, tool) => sentenceOf(answer, tool).title };
