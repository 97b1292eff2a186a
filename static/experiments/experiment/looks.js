/* Looks planned by a spending function: when the next one is, what a look now would need, and what those taken say. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { actorText } from '../audit.js';
import { boundaryChart, shareText, zText } from '../boundaries.js';
import { difference, interval, known, partOf, pText, share } from '../figures.js';
import { factList } from '../finding.js';
import { writers } from '../roles.js';

export const stateTones = { running: 'info', ended: 'good', plan_changed: 'danger', unavailable: 'plain' };
export const verdictTones = { efficacy: 'good', futility: 'caution', not_evaluable: 'caution', too_few_users: 'info' };
const end = (name, title, cell) => ({ name, title, align: 'end', cell });

/* Effects are in natural units: of rates in shares. */
export const scaleOf = (type) => (type === 'binary' ? 100 : 1);

/* An interval of one side is open at the other. */
export function rangeText(lower, upper, type) {
    if (known(lower) && known(upper)) return interval(scaleOf(type) * lower, scaleOf(type) * upper, type);
    if (!known(lower) && !known(upper)) return '–';
    const one = (value, open) => (known(value) ? difference(scaleOf(type) * value, type) : open);
    return t('figures.range', { lower: one(lower, '\u2212∞'), upper: one(upper, '∞') });
}

export function effectText({ effect, ci_lower: lower, ci_upper: upper }, type) {
    if (!known(effect)) return '–';
    const ends = known(lower) && known(upper) ? [lower, upper] : [effect];
    return difference(scaleOf(type) * effect, type, ends.map((one) => scaleOf(type) * one));
}

/** @param {experiments.LivePlannedLooks} looks */
function stateText({ status, look_due: due, next_fraction: next }, fraction) {
    if (status === 'plan_changed') return t('experiment.looks_changed_text');
    if (status === 'unavailable') return t('experiment.looks_unavailable_text');
    if (!known(next)) return t('experiment.looks_over');
    return t(due ? 'experiment.looks_due' : 'experiment.looks_next', { next: shareText(next), now: partOf(fraction ?? 0) });
}

/* What a look now would say, for every treatment. */
/** @param {experiments.LivePlannedLooks} looks */
function nowTable({ comparisons, futility }, type) {
    return table({
        caption: t('experiment.looks_boundary'),
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: arm }) => armName(arm) },
            { name: 'verdict', title: t('experiment.meaning'), cell: ({ status }) => badge(t(`experiment.looks_verdict_${status}`), verdictTones[status] ?? 'plain') },
            end('z', 'z', ({ z }) => zText(z)),
            end('boundary', t('experiment.looks_boundary'), ({ efficacy_z: z }) => zText(z)),
            ...(futility === 'none' ? [] : [end('futility', t('looks.of_futility'), ({ futility_z: z }) => zText(z))]),
            end('effect', t('observed.effect'), (row) => effectText(row, type)),
            end('interval', t('looks.repeated'), ({ ci_lower: lower, ci_upper: upper }) => rangeText(lower, upper, type)),
        ],
        rows: comparisons,
    });
}

/* Adjusted figures once a boundary was crossed, the outlook before that. */
/** @param {experiments.SequentialReading} reading */
function factsOf({ adjusted, outlook }, type) {
    if (known(adjusted)) {
        const { estimate: effect, ci_lower: lower, ci_upper: upper, ci_level: level, p_value: p } = adjusted;
        return [
            [t('looks.estimate'), effectText({ effect, ci_lower: lower, ci_upper: upper }, type)],
            [`${t('looks.interval')} (${formatPercent(level)})`, rangeText(lower, upper, type)],
            [t('looks.p'), pText(p)],
        ];
    }
    if (!known(outlook)) return [];
    return [
        [t('looks.conditional_planned'), share(outlook.conditional_power_planned)],
        [t('looks.conditional_observed'), share(outlook.conditional_power_observed)],
        [t('looks.predictive'), share(outlook.predictive_power)],
    ];
}

/** @param {experiments.SequentialReading} reading */
function readingTable({ looks }, caption) {
    return table({
        caption,
        columns: [
            { name: 'look', title: t('looks.look'), cell: ({ look }) => formatInteger(look) },
            end('share', t('looks.share'), (row) => shareText(row.information_fraction)),
            end('z', 'z', (row) => zText(row.z)),
            end('boundary', t('looks.of_z'), (row) => zText(row.efficacy_z)),
            end('futility', t('looks.of_futility'), (row) => zText(row.futility_z)),
            end('alpha', t('looks.of_alpha'), (row) => formatNumber(row.alpha_spent, 3)),
            { name: 'decision', title: t('looks.decision'), cell: (row) => t(`looks.decision.${row.decision}`) },
        ],
        rows: looks,
    });
}

function readingOf({ treatment_index: arm, reading }, { sides }, { metric_type: type, direction }) {
    if (!known(reading)) return nothing;
    const title = t('experiment.looks_of', { name: armName(arm) });
    return html`<div class="stack" data-reading=${arm}>
        <h3>${known(reading.adjusted) ? armName(arm) : `${armName(arm)} · ${t('looks.outlook')}`}</h3>
        ${factList(factsOf(reading, type))} ${known(reading.adjusted) ? nothing : html`<p class="section-note">${t('looks.outlook_note')}</p>`}
        <details class="disclosure" data-plain>
            <summary>${title}</summary>
            <div class="disclosure-body stack">
                <div class="chart">${boundaryChart(reading.looks, { sides, direction }, reading.looks)}</div>
                ${readingTable(reading, title)}
            </div>
        </details>
    </div>`;
}

/** @param {experiments.LivePlannedLooks} looks */
function takenTable({ looks }) {
    if (looks.length === 0) return nothing;
    return html`<div class="stack" id="looks-taken">
        <h3>${t('looks.taken')}</h3>
        ${table({
            caption: t('looks.taken'),
            columns: [
                { name: 'look', title: t('looks.look'), cell: ({ look }) => formatInteger(look) },
                end('share', t('looks.share'), ({ information_fraction: fraction }) => shareText(fraction)),
                end('users', t('looks.of_users'), ({ users }) => formatInteger(users)),
                { name: 'when', title: t('experiment.when'), cell: ({ taken_at: at }) => formatDateTime(at) },
                { name: 'by', title: t('experiment.by'), cell: ({ actor }) => (known(actor) ? actorText(actor) : t('experiment.looks_by_itself')) },
            ],
            rows: looks,
        })}
    </div>`;
}

/** @param {experiments.LiveStats} stats */
export function looksCard(stats, { actions }) {
    const { planned_looks: looks, information_fraction: fraction } = stats.sequential;
    if (!known(looks)) return null;
    const plan = { alpha: formatPercent(looks.alpha), family: t(`looks.spending.${looks.alpha_spending}`), fractions: looks.planned_fractions.map(shareText).join(', ') };
    return html`<section class="card section stack" aria-labelledby="looks-title" id="looks">
        <div class="section-head">
            <h2 id="looks-title">${t('experiment.looks')}</h2>
            ${badge(t(`experiment.looks_${looks.status}`), stateTones[looks.status] ?? 'plain')}
        </div>
        <p class="section-note">${t('experiment.looks_note', plan)}</p>
        <p id="looks-state">${stateText(looks, fraction)}</p>
        ${looks.look_due ? html`<div class="button-row"><button type="button" class="button" data-kind="primary" id="take-look" data-for=${writers} @click=${actions.takeLook}>${t('experiment.looks_take')}</button></div>` : nothing}
        ${looks.comparisons.length === 0 ? nothing : html`<div id="looks-now">${nowTable(looks, stats.metric_type)}</div>`}
        ${looks.comparisons.map((one) => readingOf(one, looks, stats))} ${takenTable(looks)}
    </section>`;
}
