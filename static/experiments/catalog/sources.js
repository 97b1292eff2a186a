/* Of a metric from live data: how far each experiment has read its rows, and how fresh they are. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { sourceTones } from '../experiment/source.js';
import { days, known } from '../figures.js';

const secondsPerDay = 86400;
const end = (name, title, cell) => ({ name, title, align: 'end', cell });
const lag = ({ event_age_seconds: seconds }) => (known(seconds) ? days(seconds / secondsPerDay) : '–');

/** @param {experiments.CatalogMetricReply} metric */
export function sourcesTable({ sources, uses }) {
    if (sources.length === 0) return empty({ title: t('catalog.unread'), text: t('catalog.unread_text') });
    const nameOf = (id) => uses.find(({ project_id: one }) => one === id)?.project_name ?? id;
    return table({
        caption: t('catalog.reading'),
        columns: [
            {
                name: 'experiment',
                title: t('list.experiment'),
                cell: ({ project_id: id, source }) => html`<a href=${address(`/live/${encodeURIComponent(id)}`)} dir="auto">${nameOf(id)}</a>
                    ${source.failure === null ? null : html`<p class="section-note">${t('experiment.source_failure', { time: formatDateTime(source.failed_at) })} <span dir="auto">${source.failure}</span></p>`}`,
            },
            { name: 'status', title: t('catalog.freshness'), cell: ({ source }) => badge(t(`experiment.source_${source.status}`), sourceTones[source.status], { dot: true }) },
            { name: 'complete', title: t('experiment.source_complete'), cell: ({ source }) => (source.complete_at === null ? '–' : formatDateTime(source.complete_at)) },
            end('lag', t('experiment.source_event_age'), ({ source }) => lag(source)),
            { name: 'position', title: t('catalog.watermark'), cell: ({ source }) => (source.position === null ? '–' : html`<code dir="ltr">${source.position}</code>`) },
            end('recorded', t('experiment.source_recorded'), ({ source }) => formatInteger(source.rows_recorded)),
        ],
        rows: sources,
    });
}
