/* Variants whose shares follow the results: the shares of now, and effects weighted by those that users met. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { known, pText, share } from '../figures.js';
import { sliceEffect, sliceInterval, sliceValue } from './slice_figures.js';

const tones = { running: 'info', paused: 'caution', final: 'good' };
const end = (name, title, cell) => ({ name, title, align: 'end', cell });

/** @param {experiments.LiveAdaptive} shares */
function armTable({ arms }, unit) {
    return table({
        caption: t('experiment.shares'),
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ variation_index: arm }) => armName(arm) },
            end('share', t('experiment.shares_now'), (row) => share(row.share)),
            end('users', t('experiment.people'), ({ exposed_users: users }) => formatInteger(users)),
            end('of_users', t('experiment.shares_of_users'), ({ exposed_share: part }) => (known(part) ? share(part) : '–')),
            end('mean', t(unit === 'rate' ? 'experiment.rate' : 'experiment.value'), ({ mean }) => sliceValue(mean, unit)),
        ],
        rows: arms,
    });
}

/* Too few users leave a treatment without figures. */
function meaningBadge({ status, is_significant: significant, effect }, direction) {
    if (status !== 'ok') return badge(t('experiment.meaning_too_few'), 'plain');
    if (!significant) return badge(t('experiment.meaning_unclear'), 'plain');
    const better = effect > 0 === (direction !== 'decrease');
    return badge(t(better ? 'experiment.meaning_better' : 'experiment.meaning_worse'), better ? 'good' : 'danger');
}

/** @param {experiments.LiveAdaptive} shares */
function effectTable({ comparisons }, unit, direction) {
    const level = comparisons.find(({ confidence_level: one }) => known(one))?.confidence_level;
    return table({
        caption: t('experiment.shares_effects'),
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: arm }) => armName(arm) },
            end('effect', t('experiment.change'), ({ effect, ci_sequence_lower: lower, ci_sequence_upper: upper }) => (known(effect) ? sliceEffect({ effect, ci_lower: lower, ci_upper: upper, unit }) : '–')),
            end('interval', known(level) ? t('experiment.shares_interval', { level: formatPercent(level) }) : t('observed.interval'), ({ ci_sequence_lower: lower, ci_sequence_upper: upper }) => sliceInterval(lower, upper, unit)),
            end('p', t('experiment.shares_p'), ({ always_valid_p_value: p }) => (known(p) ? pText(p) : '–')),
            { name: 'meaning', title: t('experiment.meaning'), cell: (row) => meaningBadge(row, direction) },
        ],
        rows: comparisons,
    });
}

/** @param {experiments.LiveStats} stats */
export function sharesCard({ adaptive: shares, metric_type: type, direction }) {
    if (!known(shares)) return null;
    const unit = type === 'binary' ? 'rate' : 'mean';
    return html`<section class="card section stack" aria-labelledby="shares-title" id="shares">
        <div class="section-head">
            <h2 id="shares-title">${t('experiment.shares')}</h2>
            ${badge(t(`experiment.shares_${shares.status}`, { round: formatNumber(shares.round) }), tones[shares.status] ?? 'plain')}
        </div>
        <p class="section-note">${t('experiment.shares_note', { floor: formatPercent(shares.floor, 3) })}</p>
        <div id="shares-arms">${armTable(shares, unit)}</div>
        <h3>${t('experiment.shares_effects')}</h3>
        <div id="shares-effects">${effectTable(shares, unit, direction)}</div>
        ${shares.users_without_round > 0 ? html`<p class="section-note">${t('experiment.shares_lost', { users: formatInteger(shares.users_without_round) })}</p>` : nothing}
    </section>`;
}
