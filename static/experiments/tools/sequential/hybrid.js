/* Plan a test that is read at any time until its end and tested once there: its boundaries, and what they cost. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../../shared/numbers.js';
import { lineChart } from '../../../shared/ui/charts/line.js';
import { html } from '../../../shared/ui/lit.js';
import { table } from '../../../shared/ui/table.js';
import { shareText, zText } from '../../boundaries.js';
import { pText } from '../../figures.js';
import { partCard, verdictCard } from '../../finding.js';
import { numbersIn } from '../words.js';

const label = (key) => () => t(key);

const fields = [
    { name: 'early_share', kind: 'fraction', initial: 0.5, label: label('hybrid.early_share'), hint: label('hybrid.early_share_hint') },
    { name: 'tuned_fraction', kind: 'fraction', initial: 0.5, label: label('hybrid.tuned_fraction'), hint: label('hybrid.tuned_fraction_hint') },
    { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha'), hint: label('hybrid.alpha_hint') },
    { name: 'power', kind: 'fraction', initial: 0.8, label: label('field.power') },
    { name: 'information_fractions', kind: 'text', initial: '10% 25% 50% 75% 90%', label: label('hybrid.fractions'), hint: label('hybrid.fractions_hint'), wide: true },
    { name: 'users', kind: 'count', initial: 20000, label: label('looks.users'), hint: label('looks.users_hint'), wide: true },
];

/* Where the curve is drawn, beside the readings that are asked about. */
const drawn = Array.from({ length: 48 }, (_, index) => (5 + 2 * index) / 100);

/** @type {(values: Record<string, any>) => any[]} */
const asked = ({ information_fractions: text }) => numbersIn(text);

function request({ users: _, ...values }) {
    return { path: '/api/v1/sequential/hybrid', body: { ...values, information_fractions: [...asked(values), ...drawn] } };
}

/* Users of the whole test at a share of the planned information. */
const usersAt = (answer, { users }, fraction) => (users === undefined ? '–' : formatInteger(Math.ceil(users * answer.inflation_factor * fraction)));

/** @param {experiments.HybridDesign} answer */
function sentenceOf(answer, { asked: values }) {
    return {
        title: t('looks.found', { most: usersAt(answer, values, 1), expected: usersAt(answer, values, answer.expected_information) }),
        text: t('hybrid.found_text', {
            fixed: values.users === undefined ? '–' : formatInteger(values.users),
            factor: formatNumber(answer.inflation_factor, 4),
            early: shareText(answer.early_probability),
            wrong: shareText(answer.early_error),
            rest: shareText(values.alpha - answer.early_error),
        }),
    };
}

/** @param {experiments.HybridDesign} answer */
function boundaries({ boundaries: all, end_z: end }) {
    const curve = all.slice(-drawn.length);
    const pointsOf = (sign) => curve.map(({ information_fraction: x, z }) => ({ x, y: sign * z }));
    return lineChart({
        label: t('looks.boundaries'),
        series: [
            { name: t('looks.efficacy'), points: pointsOf(1) },
            { name: t('looks.efficacy_lower'), points: pointsOf(-1) },
        ],
        x: { title: t('looks.share'), format: (value) => formatPercent(value, 3), min: 0 },
        y: { title: 'z', format: (value) => formatNumber(value, 3) },
        marks: [
            { y: end, name: t('hybrid.end') },
            { y: -end, name: '' },
        ],
    });
}

/** @param {experiments.HybridDesign} answer */
function readingsTable(answer, { asked: values }) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    const readings = answer.boundaries.slice(0, -drawn.length);
    return table({
        caption: t('hybrid.table'),
        plain: true,
        columns: [
            end('share', t('looks.share'), ({ information_fraction: fraction }) => shareText(fraction)),
            end('users', t('looks.of_users'), ({ information_fraction: fraction }) => usersAt(answer, values, fraction)),
            end('z', t('looks.of_z'), ({ z }) => zText(z)),
            end('p', t('looks.of_p'), ({ p }) => pText(p)),
        ],
        rows: [...readings, { information_fraction: 1, z: answer.end_z, p: answer.end_p }],
    });
}

/** @param {experiments.HybridDesign} answer */
function result(answer, tool) {
    return html`${verdictCard({
        ...sentenceOf(answer, tool),
        figures: [
            { label: t('looks.most'), value: usersAt(answer, tool.asked, 1), note: t('looks.factor', { factor: formatNumber(answer.inflation_factor, 4) }) },
            { label: t('looks.average'), value: usersAt(answer, tool.asked, answer.expected_information), note: t('looks.average_note') },
            { label: t('looks.average_null'), value: usersAt(answer, tool.asked, answer.null_expected_information), note: t('looks.average_null_note') },
        ],
    })}
    ${partCard('boundaries', t('looks.boundaries'), html`<div class="chart">${boundaries(answer)}</div>`)}
    ${partCard('readings', t('hybrid.table'), readingsTable(answer, tool))}
    ${partCard('next', t('next.title'), html`<p class="prose">${t('hybrid.next')}</p>`)}`;
}

export const hybrid = { fields, request, result, announcement: (answer, tool) => sentenceOf(answer, tool).title };
