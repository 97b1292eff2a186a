/* Arms of clusters: shops, classes or cities were assigned, users are measured. */
import { t } from '../../../shared/i18n.js';
import { findingOfArms } from '../result.js';
import { alpha, choice, clusterCard, direction, goalOf, label } from './common.js';
import { column, keyed } from './lines.js';

const perUser = {
    control_arm: 'Lyon 12\nLyon 9\nLyon 14\nOslo 8\nOslo 11\nKyoto 13\nKyoto 10\nKyoto 9\nLima 12\nLima 8',
    treatment_arm: 'Porto 15\nPorto 12\nRiga 14\nRiga 13\nRiga 17\nSfax 11\nSfax 16\nTurin 15\nTurin 14\nTurin 12',
};
const perCluster = {
    control_arm: 'Lyon 320 3520\nOslo 210 2190\nKyoto 415 4480\nLima 275 2750',
    treatment_arm: 'Porto 300 3690\nRiga 260 3120\nSfax 390 4720\nTurin 240 2830',
};

const isRatio = (values) => values.metric_type === 'ratio';

const list = (name, key) => ({
    name,
    kind: 'textarea',
    rows: 8,
    label: label(key),
    hint: (values) => t(isRatio(values) ? 'cluster.hint_ratio' : `cluster.hint_${values.layout}`),
    wide: true,
});

const fields = [
    choice('metric_type', (value) => t(`cluster.metric.${value}`), ['mean', 'binary', 'ratio'], 'field.metric_type', { wide: true }),
    choice('layout', (value) => t(`cluster.layout.${value}`), ['users', 'clusters'], 'cluster.layout', { wide: true }),
    list('control_arm', 'arm.control'),
    list('treatment_arm', 'arm.treatment'),
    alpha,
    direction,
];

function armOf(text, values) {
    const rows = keyed(text);
    const clusters = rows.map(([key]) => key);
    if (values.layout === 'users') return { clusters, sums: column(rows, 1), ...(isRatio(values) ? { denominators: column(rows, 2) } : {}) };
    return { clusters, users: column(rows, 1), sums: column(rows, 2), ...(isRatio(values) ? { denominators: column(rows, 3) } : {}) };
}

function request(values) {
    const { metric_type, control_arm, treatment_arm, alpha: level } = values;
    return { path: '/api/v1/results/cluster', body: { metric_type, control_arm: armOf(control_arm, values), treatment_arm: armOf(treatment_arm, values), alpha: level, ...goalOf(values) } };
}

/** @param {experiments.ClusterReply} answer */
function finding(answer, tool) {
    const found = findingOfArms(answer.result, tool);
    return { ...found, parts: [clusterCard(answer.clusters)] };
}

export const clusters = { fields, request, finding, examples: { by: 'layout', of: { users: perUser, clusters: perCluster } } };
