/* Where the values of the primary metric come from when it is live data: the rows, how far they were read, how fresh they are. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { days, known } from '../figures.js';
import { factList } from '../finding.js';

export const sourceTones = { fresh: 'good', stale: 'danger', never_read: 'caution' };
const secondsPerDay = 86400;
const name = (text) => html`<code dir="ltr">${text}</code>`;

/** @param {experiments.LiveStats} stats */
export function sourceCard({ livedata: source }) {
    if (!known(source)) return null;
    return html`<section class="card section" aria-labelledby="source-title" id="source" data-status=${source.status}>
        <div class="section-head">
            <h2 id="source-title">${t('experiment.source')}</h2>
            ${badge(t(`experiment.source_${source.status}`), sourceTones[source.status], { dot: true })}
        </div>
        ${factList([
            [t('experiment.source_rows'), name(source.entity_type)],
            [t('experiment.source_user'), name(source.user_column)],
            [t('experiment.source_value'), source.value_column === null ? t('experiment.source_each_row') : name(source.value_column)],
            [t('experiment.source_complete'), source.complete_at === null ? '–' : formatDateTime(source.complete_at)],
            [t('experiment.source_event_age'), known(source.event_age_seconds) ? days(source.event_age_seconds / secondsPerDay) : null],
            [t('experiment.source_recorded'), formatInteger(source.rows_recorded)],
            [t('experiment.source_unusable'), source.rows_unusable === 0 ? null : formatInteger(source.rows_unusable)],
        ])}
        ${source.failure === null ? null : html`<p class="section-note">${t('experiment.source_failure', { time: formatDateTime(source.failed_at) })} <span dir="auto">${source.failure}</span></p>`}
    </section>`;
}
