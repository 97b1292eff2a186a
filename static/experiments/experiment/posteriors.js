/* The goal read as probabilities: the chance of each arm to be best, what choosing it could cost, and a rule to stop by that. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { known, share } from '../figures.js';

/* A value of the metric, and a loss in its unit: rates are shares in the answer. */
function valueText(value, type) {
    if (!known(value)) return '–';
    return type === 'binary' ? share(value) : formatNumber(value, 4);
}

function lossText(value, type) {
    if (!known(value)) return '–';
    return type === 'binary' ? `${formatNumber(100 * value, 2)} ${t('unit.percentage_points')}` : formatNumber(value, 2);
}

const rangeText = (lower, upper, type) => t('figures.range', { lower: valueText(lower, type), upper: valueText(upper, type) });
const chance = (value) => (value > 0.999 && value < 1 ? `> ${formatPercent(0.999)}` : share(value));

/** @param {experiments.BayesReply} reply */
function armTable({ arms, metric_type: type, credibility, best_arm: best }) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return table({
        caption: t('experiment.posteriors'),
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ index }) => html`${armName(index)}${index === best ? html` ${badge(t('experiment.posterior_best'), 'info')}` : null}` },
            end('chance', t('experiment.probability_best'), ({ probability_best: value }) => chance(value)),
            end('loss', t('experiment.expected_loss'), ({ expected_loss: loss }) => lossText(loss, type)),
            end('mean', t('experiment.value'), ({ mean }) => valueText(mean, type)),
            end('interval', t('experiment.credible', { level: formatPercent(credibility) }), ({ ci_lower: lower, ci_upper: upper }) => rangeText(lower, upper, type)),
        ],
        rows: arms,
    });
}

/** @param {experiments.BayesReply} reply */
function verdictText({ stopping, best_arm: best, arms, metric_type: type }) {
    const values = { name: armName(best), chance: chance(arms[best].probability_best), loss: lossText(arms[best].expected_loss, type) };
    if (!known(stopping)) return t('experiment.posterior_says', values);
    return `${t('experiment.posterior_says', values)} ${t(stopping.stop ? 'experiment.posterior_stop' : 'experiment.posterior_go_on', { threshold: lossText(stopping.loss_threshold, type) })}`;
}

/* Stopping by the loss has no error rate of its own: what was measured stands beside it. */
/** @param {experiments.BayesReply} reply */
function measuredRates({ stopping, metric_type: type }) {
    if (!known(stopping) || stopping.measured.length === 0) return null;
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    const rate = ({ rate: value, ci_lower: lower, ci_upper: upper }) => html`${share(value)} <span class="section-note">${t('figures.range', { lower: share(lower), upper: share(upper) })}</span>`;
    return html`<details class="disclosure" data-plain>
        <summary>${t('experiment.posterior_rates')}</summary>
        <div class="disclosure-body stack">
            <p class="section-note">${t('experiment.posterior_rates_note', { runs: formatInteger(stopping.runs), looks: formatInteger(stopping.looks) })}</p>
            ${table({
                caption: t('experiment.posterior_rates'),
                columns: [
                    { name: 'effect', title: t('experiment.true_effect'), cell: ({ effect }) => (effect === 0 ? t('experiment.no_true_effect') : lossText(effect, type)) },
                    end('treatment', t('experiment.chose_treatment'), ({ chose_treatment: value }) => rate(value)),
                    end('control', t('experiment.chose_control'), ({ chose_control: value }) => rate(value)),
                    end('stopped', t('experiment.stopped_at_all'), ({ stopped }) => rate(stopped)),
                ],
                rows: stopping.measured,
            })}
        </div>
    </details>`;
}

/** @param {experiments.BayesReply} reply */
function priorText({ prior }) {
    if (prior.source === 'default') return t('experiment.prior_is_default');
    const worth = prior.n ?? (known(prior.a) && known(prior.b) ? prior.a + prior.b : null);
    const values = { count: formatInteger(prior.experiments), users: known(worth) ? formatInteger(worth) : '–' };
    return t(prior.source === 'given' ? 'experiment.prior_is_given' : 'experiment.prior_is_past', values);
}

/** @param {experiments.BayesReply} reply */
function ready(reply, { past, actions }) {
    return html`<div class="stack">
        <p class="verdict-text" id="posterior-says">${verdictText(reply)}</p>
        ${armTable(reply)}
        <div class="field">
            <label class="field-label" for="prior">${t('experiment.prior')}</label>
            <select class="select" id="prior" @change=${(event) => actions.prior(event.target.value === 'past')}>
                <option value="default" ?selected=${!past}>${t('experiment.prior_default')}</option>
                <option value="past" ?selected=${past}>${t('experiment.prior_past')}</option>
            </select>
            <p class="field-hint">${priorText(reply)}</p>
        </div>
        ${measuredRates(reply)}
    </div>`;
}

/* Where no past experiment has the metric, the way back to the default. */
function asked({ posteriors, past, actions }) {
    const failed = past ? (error) => html`<p>${error.message}</p><div class="button-row"><button type="button" class="button" data-size="small" @click=${() => actions.prior(false)}>${t('experiment.prior_default')}</button></div>` : undefined;
    return resourceView(posteriors, { quiet: true, skeleton: { lines: 2, height: 'row' }, failed, ready: (reply) => ready(reply, { past, actions }) });
}

/* By the settings of the design: with every answer of the live statistics. */
/** @param {experiments.LiveBayes} bayes */
function designCard({ status, analysis }) {
    return html`<section class="card section stack" aria-labelledby="posteriors-title" id="posteriors">
        <div class="section-head"><h2 id="posteriors-title">${t('experiment.posteriors')}</h2></div>
        <p class="section-note">${t('experiment.posteriors_design_note')}</p>
        ${known(analysis)
            ? html`<p class="verdict-text" id="posterior-says">${verdictText(analysis)}</p>
                  ${armTable(analysis)}
                  <p class="section-note" id="posterior-prior">${priorText(analysis)}</p>
                  ${measuredRates(analysis)}`
            : html`<p id="posterior-none">${t(`experiment.posteriors_${status}`)}</p>`}
    </section>`;
}

/* Computed when asked for, unless the design has settings: the error rates are simulated. Ratios, groups and adaptive shares have no posterior here. */
/** @param {experiments.LiveStats} stats */
export function posteriorsCard(page, stats) {
    if (known(stats.bayes)) return designCard(stats.bayes);
    if (stats.metric_type === 'ratio' || known(stats.clusters) || known(stats.adaptive)) return null;
    return html`<section class="card section stack" aria-labelledby="posteriors-title" id="posteriors">
        <div class="section-head"><h2 id="posteriors-title">${t('experiment.posteriors')}</h2></div>
        <p class="section-note">${t('experiment.posteriors_note')}</p>
        ${page.wantsPosteriors ? asked(page) : html`<div class="button-row"><button type="button" class="button" id="show-posteriors" @click=${() => page.actions.prior(false)}>${t('experiment.posteriors_show')}</button></div>`}
    </section>`;
}
