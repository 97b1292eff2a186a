/* Fields and findings that several analyses share. */
import { t } from '../../../shared/i18n.js';
import { formatInteger, formatNumber } from '../../../shared/numbers.js';
import { html } from '../../../shared/ui/lit.js';
import { table } from '../../../shared/ui/table.js';
import { factList, partCard } from '../../finding.js';

export const label = (key) => () => t(key);
export const number = (value, digits = 4) => (value === null || value === undefined ? '–' : formatNumber(value, digits));

/* A choice among values; titleOf(value) is what people read. */
export function choice(name, titleOf, values, title, more = {}) {
    return { name, kind: 'select', label: label(title), options: () => values.map((value) => ({ value, title: titleOf(value) })), ...more };
}

export const alpha = { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha') };
export const direction = { name: 'direction', kind: 'flag', flagValue: 'decrease', label: label('field.direction'), wide: true };

export const goalOf = ({ direction: goal }) => (goal === undefined ? {} : { direction: goal });

/* What the clusters of two arms did to the result. */
export function clusterCard({ control, treatment, ...evidence }) {
    const end = (name, cell) => ({ name, title: t(`cluster.of_${name}`), align: 'end', cell });
    const arms = table({
        caption: t('cluster.title'),
        plain: true,
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ title }) => title },
            end('clusters', (row) => formatInteger(row.clusters)),
            end('users', (row) => number(row.users, 6)),
            end('size', (row) => number(row.average_cluster_size)),
            end('cv', (row) => number(row.cluster_size_cv, 3)),
        ],
        rows: [
            { ...control, title: t('arm.control') },
            { ...treatment, title: t('arm.treatment') },
        ],
    });
    const facts = [
        [t('cluster.error'), number(evidence.standard_error)],
        [t('cluster.degrees'), number(evidence.degrees_of_freedom)],
        [t('cluster.icc'), number(evidence.icc, 3)],
        [t('cluster.design_effect'), number(evidence.design_effect, 3)],
    ];
    return partCard('clusters', t('cluster.title'), html`${arms} ${factList(facts)} <p class="field-hint">${t('cluster.note')}</p>`);
}
