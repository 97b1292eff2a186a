/* Users who were assigned by groups, and groups that take turns: the tests of groups, and what is left out. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatNumber } from '../../shared/numbers.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { interval, known, pText } from '../figures.js';
import { factList } from '../finding.js';
import { sliceEffect, sliceInterval } from './slice_figures.js';

const end = (name, title, cell) => ({ name, title, align: 'end', cell });
const number = (value, digits = 4) => (known(value) ? formatNumber(value, digits) : '–');

/* Of groups that take turns, each period is one. */
/** @param {experiments.LiveClusters} groups */
const countTitle = ({ switchback }) => t(known(switchback) ? 'experiment.groups_slots' : 'experiment.groups_count');

/** @param {experiments.LiveClusters} groups */
function armTable(groups) {
    return table({
        caption: t('experiment.groups_arms'),
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ variation_index: arm }) => armName(arm) },
            end('clusters', countTitle(groups), ({ clusters }) => formatInteger(clusters)),
            end('users', t('cluster.of_users'), ({ users }) => formatInteger(users)),
            end('smallest', t('experiment.groups_smallest'), ({ smallest }) => number(smallest)),
            end('average', t('experiment.groups_average'), ({ average }) => number(average)),
            end('largest', t('experiment.groups_largest'), ({ largest }) => number(largest)),
            end('cv', t('cluster.of_cv'), ({ size_cv: cv }) => number(cv, 3)),
        ],
        rows: groups.arms,
    });
}

/* A metric without a test says why. */
function metricCell({ metric, status }) {
    return html`<span dir="auto">${metric}</span> ${status === 'ok' ? nothing : html`<span class="section-note">${t(`experiment.groups_status_${status}`)}</span>`}`;
}

/** @param {experiments.LiveClusters} groups */
function testTable({ tests }, { metrics }) {
    const unitOf = (metric) => metrics.find(({ name }) => name === metric)?.unit;
    return table({
        caption: t('experiment.groups_tests'),
        columns: [
            { name: 'metric', title: t('experiment.metric'), cell: metricCell },
            { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: arm }) => armName(arm) },
            end('effect', t('experiment.change'), (row) => (known(row.effect) ? sliceEffect(row) : '–')),
            end('interval', t('observed.interval'), ({ ci_lower: lower, ci_upper: upper, unit }) => sliceInterval(lower, upper, unit)),
            end('p', t('observed.p_value'), ({ p_value: p }) => (known(p) ? pText(p) : '–')),
            end('error', t('cluster.error'), ({ evidence }) => number(evidence?.standard_error)),
            end('degrees', t('cluster.degrees'), ({ evidence }) => number(evidence?.degrees_of_freedom)),
            end('icc', t('cluster.icc'), ({ evidence }) => number(evidence?.icc, 3)),
            end('design', t('cluster.design_effect'), ({ evidence }) => number(evidence?.design_effect, 3)),
        ],
        rows: tests.map((test) => ({ ...test, unit: unitOf(test.metric) })),
    });
}

function carriedText({ treatment_index: arm, effect }, type) {
    if (!known(effect)) return `${armName(arm)}: ${t('switchback.carried.unknown')}`;
    const values = { name: armName(arm), interval: interval(effect.ci_lower, effect.ci_upper, type), p: pText(effect.p_value) };
    return `${t('experiment.turns_carried', values)} ${t(`switchback.carried.${effect.is_significant ? 'found' : 'none'}`)}`;
}

/** @param {experiments.LiveClusters} groups */
function turns({ switchback }, type) {
    if (!known(switchback)) return nothing;
    const { starts_at: start, periods, period_minutes: length, washout_minutes: washout } = switchback;
    const facts = [
        [t('switchback.slots'), formatInteger(switchback.slots)],
        [t('switchback.switches'), formatInteger(switchback.switches)],
        [t('experiment.turns_washed_out'), formatInteger(switchback.users_washed_out)],
        [t('experiment.turns_outside'), formatInteger(switchback.users_outside)],
        [t('experiment.turns_off'), formatInteger(switchback.users_off_schedule)],
    ];
    return html`<div class="stack" id="turns">
        <h3>${t('experiment.turns')}</h3>
        <p class="section-note">${t('experiment.turns_note', { start: formatDateTime(start), periods: formatInteger(periods), length: number(length), washout: number(washout) })}</p>
        ${factList(facts)}
        <ul class="assumption-list">
            ${switchback.carry_over.map((one) => html`<li>${carriedText(one, type)}</li>`)}
        </ul>
    </div>`;
}

/** @param {experiments.LiveStats} stats */
export function groupsCard(stats) {
    const { clusters: groups, metric_type: type } = stats;
    if (!known(groups)) return null;
    const facts = [
        [countTitle(groups), formatInteger(groups.clusters)],
        [t('experiment.groups_users'), formatInteger(groups.users)],
        [t('experiment.groups_without'), formatInteger(groups.users_without_cluster)],
        [t('experiment.groups_two'), formatInteger(groups.users_of_two_clusters)],
        [t('experiment.groups_shared'), formatInteger(groups.clusters_of_two_arms)],
    ];
    return html`<section class="card section stack" aria-labelledby="groups-title" id="groups">
        <div class="section-head"><h2 id="groups-title">${t('experiment.groups', { unit: groups.unit })}</h2></div>
        <p class="section-note">${t('experiment.groups_note')}</p>
        <div id="groups-facts">${factList(facts)}</div>
        <div id="groups-arms">${armTable(groups)}</div>
        <div id="groups-tests">${testTable(groups, stats)}</div>
        <p class="section-note">${t('cluster.note')}</p>
        ${turns(groups, type)}
    </section>`;
}
