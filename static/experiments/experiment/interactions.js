/*
 * Whether the effect depends on other running experiments: of each that shares users, the effects beside its arms and
 * what lies between them. Read when asked for: the service goes over the users.
 */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { known, pText, share } from '../figures.js';
import { sliceEffect, sliceInterval } from './slice_figures.js';

const nameOf = ({ project_name: name }) => name || t('design.nameless');

/* A name within a sentence keeps its own order, in whatever script it is. */
const inSentence = (name) => `\u2068${name}\u2069`;

/** @param {experiments.InteractionPair} pair */
function meaningBadge({ status, is_interaction: found, p_value_always_valid: always }, isSample) {
    if (status !== 'ok') return badge(t(`experiment.slice_${status}`), 'plain');
    if (found) return badge(t('experiment.interaction_found'), 'caution');
    return badge(t(isSample || known(always) ? 'experiment.interaction_open' : 'experiment.interaction_early'), 'plain');
}

/**
 * @param {experiments.InteractionExperiment} other
 * @param {experiments.Interactions} reply
 */
function pairTable(other, { unit, confidence_level: level, is_sample: isSample }) {
    const end = (column, title, cell) => ({ name: column, title, align: 'end', cell });
    const effect = (value) => (known(value) ? sliceEffect({ effect: value, ci_lower: null, ci_upper: null, unit }) : '–');
    return table({
        caption: t('experiment.interaction_caption', { name: inSentence(nameOf(other)) }),
        columns: [
            { name: 'arm', title: t('experiment.interaction_here'), cell: ({ treatment_index: arm }) => armName(arm) },
            { name: 'other', title: t('experiment.interaction_there'), cell: ({ other_treatment_index: arm }) => armName(arm) },
            end('users', t('experiment.people'), ({ users }) => formatInteger(users)),
            end('control', t('experiment.interaction_beside_control'), ({ effect_beside_control: value }) => effect(value)),
            end('treatment', t('experiment.interaction_beside_variant'), ({ effect_beside_treatment: value }) => effect(value)),
            end('difference', t('experiment.interaction_difference'), ({ difference: value }) => effect(value)),
            end('interval', t('experiment.interaction_interval', { level: formatPercent(level, 2) }), ({ ci_lower: lower, ci_upper: upper }) => sliceInterval(lower, upper, unit)),
            end('p', t('experiment.interaction_p'), ({ p_value_always_valid: always, p_value_adjusted: once }) => (known(isSample ? once : always) ? pText(isSample ? once : always) : '–')),
            { name: 'meaning', title: t('experiment.meaning'), cell: (pair) => meaningBadge(pair, isSample) },
        ],
        rows: other.pairs,
        marked: ({ is_interaction: found }) => found,
    });
}

/* One other experiment, by its name, with what it shares. */
function otherBlock(other, reply) {
    const { experiment_id: id, status, shared_users: users, shared_share: part } = other;
    const shared = known(part) ? t('experiment.interaction_shared', { count: formatInteger(users), share: share(part) }) : null;
    return html`<div class="stack" data-other=${id}>
        <h3><a href=${address(`/live/${encodeURIComponent(id)}`)} dir="auto">${nameOf(other)}</a></h3>
        ${shared === null || status !== 'ok' ? null : html`<p class="section-note">${shared}</p>`}
        ${status === 'ok' ? pairTable(other, reply) : html`<p class="section-note">${t(status === 'no_shared_users' ? 'experiment.interaction_other_no_shared_users' : 'experiment.interaction_other_withheld')}</p>`}
    </div>`;
}

/* What the answer means, and what to do about it. */
/** @param {experiments.Interactions} reply */
function findings(reply) {
    const found = reply.experiments.filter(({ pairs }) => pairs.some(({ is_interaction: yes }) => yes));
    if (found.length === 0) {
        const judged = reply.experiments.flatMap(({ pairs }) => pairs).some((pair) => pair.status === 'ok' && (reply.is_sample || known(pair.p_value_always_valid)));
        const key = reply.pairs === 0 ? 'apart' : judged ? 'none' : 'early';
        return html`<div data-says=${key}>${notice({ tone: 'info', title: t(`experiment.interactions_${key}`), body: t(`experiment.interactions_${key}_do`) })}</div>`;
    }
    return html`<div data-says="found">${notice({
        tone: 'caution',
        title: t('experiment.interactions_found', { count: found.length }),
        body: html`<ul class="assumption-list">
                ${found.map((other) => html`<li>${t('experiment.interactions_says', { name: inSentence(nameOf(other)), metric: inSentence(reply.metric) })}</li>`)}
            </ul>
            <p>${t('experiment.interactions_found_do')}</p>`,
    })}</div>`;
}

/* Users that come in groups, and shares that change, are both beyond a comparison of single users. */
function none(status) {
    const key = status === 'clusters' || status === 'adaptive' ? 'withheld' : status;
    return html`<div data-says=${status}>${empty({ title: t(`experiment.interactions_${key}`), text: t(`experiment.interactions_${key}_text`) })}</div>`;
}

/** @param {experiments.Interactions} reply */
function answer(reply) {
    if (reply.status !== 'ok') return none(reply.status);
    return html`${findings(reply)}
        ${reply.experiments.map((other) => otherBlock(other, reply))}
        ${reply.is_sample ? html`<p class="section-note" id="interactions-sample">${t('experiment.interactions_sample', { users: formatInteger(reply.users), people: formatInteger(reply.people) })}</p>` : null}
        <p class="section-note">${t('experiment.interactions_reading')}</p>`;
}

const askButton = ({ wantsInteractions, interactions, actions }) =>
    html`<div class="button-row"><button type="button" class="button" id="show-interactions" ?disabled=${interactions.busy} @click=${actions.interactions}>${t(wantsInteractions ? 'experiment.interactions_again' : 'experiment.interactions_show')}</button></div>`;

export function interactionsCard(page) {
    const { interactions, wantsInteractions } = page;
    return html`<section class="card section stack" aria-labelledby="interactions-title" id="interactions">
        <div class="section-head"><h2 id="interactions-title">${t('experiment.interactions')}</h2></div>
        <p class="section-note">${t('experiment.interactions_note')}</p>
        ${wantsInteractions ? resourceView(interactions, { skeleton: { lines: 2, height: 'row' }, ready: answer }) : null} ${askButton(page)}
    </section>`;
}
