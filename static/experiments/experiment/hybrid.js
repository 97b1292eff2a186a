/* Hybrid readings: what a reading now says under its boundary, and the one test at the planned size. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { zText } from '../boundaries.js';
import { known, partOf, pText } from '../figures.js';
import { writers } from '../roles.js';
import { effectText, rangeText, scaleOf, stateTones, verdictTones } from './looks.js';

/** @param {experiments.LiveHybrid} hybrid */
function stateText({ status, end, end_due: due }, fraction) {
    if (status === 'plan_changed') return t('experiment.looks_changed_text');
    if (status === 'unavailable') return t('experiment.looks_unavailable_text');
    if (known(end)) return t('experiment.hybrid_over', { when: formatDateTime(end.taken_at), users: formatInteger(end.users) });
    return t(due ? 'experiment.hybrid_due' : 'experiment.hybrid_next', { now: partOf(fraction ?? 0) });
}

/** @param {experiments.LiveHybrid} hybrid */
function readingTable({ comparisons, end }, type) {
    const cell = (name, title, of) => ({ name, title, align: 'end', cell: of });
    return table({
        caption: t('experiment.hybrid'),
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: arm }) => armName(arm) },
            { name: 'verdict', title: t('experiment.meaning'), cell: ({ status }) => badge(t(`experiment.looks_verdict_${status}`), verdictTones[status] ?? 'plain') },
            cell('z', 'z', ({ z }) => zText(z)),
            cell('boundary', t(known(end) ? 'hybrid.end' : 'experiment.looks_boundary'), ({ boundary_z: z }) => zText(z)),
            cell('effect', t('observed.effect'), (row) => effectText(row, type)),
            cell('interval', t('looks.repeated'), ({ ci_lower: lower, ci_upper: upper }) => rangeText(lower, upper, type)),
            cell('p', 'p', ({ p_value: p }) => (known(p) ? pText(p) : '–')),
        ],
        rows: comparisons,
    });
}

/* The effect and the interval that the verdict follows, in the unit of the analysis; null without hybrid readings. */
/** @param {experiments.LiveStats} stats */
export function hybridEffect({ sequential: { hybrid }, metric_type: type }, arm) {
    const reading = hybrid?.comparisons.find(({ treatment_index: index }) => index === arm);
    if (!known(reading?.ci_lower)) return null;
    return { effect: scaleOf(type) * reading.effect, lower: scaleOf(type) * reading.ci_lower, upper: scaleOf(type) * reading.ci_upper };
}

/** @param {experiments.LiveStats} stats */
export function hybridCard(stats, { actions }) {
    const { hybrid, information_fraction: fraction } = stats.sequential;
    if (!known(hybrid)) return null;
    const figures = { alpha: formatPercent(hybrid.alpha), early: known(hybrid.early_error) ? formatPercent(hybrid.early_error, 3) : '–', end: zText(hybrid.end_z) };
    return html`<section class="card section stack" aria-labelledby="hybrid-title" id="hybrid">
        <div class="section-head">
            <h2 id="hybrid-title">${t('experiment.hybrid')}</h2>
            ${badge(t(`experiment.looks_${hybrid.status}`), stateTones[hybrid.status] ?? 'plain')}
        </div>
        <p class="section-note">${t('experiment.hybrid_note', figures)}</p>
        <p id="hybrid-state">${stateText(hybrid, fraction)}</p>
        ${hybrid.end_due ? html`<div class="button-row"><button type="button" class="button" data-kind="primary" id="take-end" data-for=${writers} @click=${actions.takeLook}>${t('experiment.hybrid_take')}</button></div>` : nothing}
        ${hybrid.comparisons.length === 0 ? nothing : html`<div id="hybrid-now">${readingTable(hybrid, stats.metric_type)}</div>`}
    </section>`;
}
