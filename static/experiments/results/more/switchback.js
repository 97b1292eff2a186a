/* Two arms that took turns, slot by slot. */
import { t } from '../../../shared/i18n.js';
import { formatInteger } from '../../../shared/numbers.js';
import { html } from '../../../shared/ui/lit.js';
import { interval, pText } from '../../figures.js';
import { factList, partCard } from '../../finding.js';
import { findingOfArms } from '../result.js';
import { alpha, choice, clusterCard, direction, goalOf, label } from './common.js';
import { column, lines } from './lines.js';

const turns = [0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0];

/* Three users in each of twelve hours, made up. */
const example = turns
    .flatMap((arm, slot) => [15, 35, 52].map((minute, index) => `${slot * 60 + minute} ${arm} ${[5, 6, 4][index] + arm * 2 + ((slot * 7 + index * 3) % 4)}`))
    .join('\n');

const fields = [
    choice('metric_type', (value) => t(`cluster.metric.${value}`), ['mean', 'binary', 'ratio'], 'field.metric_type', { wide: true }),
    {
        name: 'rows',
        holds: ['times', 'arms', 'sums', 'units', 'denominators'],
        kind: 'textarea',
        rows: 10,
        initial: example,
        label: label('switchback.rows'),
        hint: (values) => t(values.metric_type === 'ratio' ? 'switchback.rows_hint_ratio' : 'switchback.rows_hint'),
        wide: true,
    },
    { name: 'slot_length', kind: 'number', initial: 60, label: label('switchback.slot_length'), hint: label('switchback.slot_length_hint') },
    { name: 'washout', kind: 'number', initial: 10, label: label('switchback.washout'), hint: label('switchback.washout_hint') },
    choice('cluster_by', (value) => t(`switchback.by.${value}`), ['slot', 'unit'], 'switchback.cluster_by', { wide: true }),
    alpha,
    direction,
];

function request(values) {
    const { metric_type, rows, slot_length, washout, cluster_by, alpha: level } = values;
    const read = lines(rows);
    const ratio = metric_type === 'ratio';
    const unitAt = ratio ? 4 : 3;
    /** @type {any} */
    const body = { metric_type, slot_length, washout, cluster_by, times: column(read, 0), arms: column(read, 1), sums: column(read, 2), alpha: level, ...goalOf(values) };
    if (ratio) body.denominators = column(read, 3);
    if (read.some((row) => row[unitAt] !== undefined)) body.units = column(read, unitAt).map(String);
    return { path: '/api/v1/results/switchback', body };
}

function slotsCard(answer) {
    const count = (value) => formatInteger(value);
    const carried = answer.carry_over;
    const facts = [
        [t('switchback.units'), count(answer.units)],
        [t('switchback.slots'), count(answer.slots)],
        [t('switchback.switches'), count(answer.switches)],
        [t('switchback.used'), count(answer.rows_used)],
        [t('switchback.washed_out'), count(answer.rows_washed_out)],
        [t('switchback.carry_over'), carried === null ? null : `${interval(carried.ci_lower, carried.ci_upper, 'plain')} (p ${pText(carried.p_value)})`],
    ];
    const reading = carried === null ? 'unknown' : carried.is_significant ? 'found' : 'none';
    return partCard('slots', t('switchback.title'), html`${factList(facts)} <p class="prose">${t(`switchback.carried.${reading}`)}</p>`);
}

/** @param {experiments.SwitchbackReply} answer */
function finding(answer, tool) {
    return { ...findingOfArms(answer.result, tool), parts: [slotsCard(answer), clusterCard(answer.clusters)] };
}

export const switchback = { fields, request, finding };
