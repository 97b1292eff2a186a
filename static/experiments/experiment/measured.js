/* How often the statistics err on the users of this experiment: measured when asked for, and shown under the verdict. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { known, share } from '../figures.js';
import { writers } from '../roles.js';

const tones = { above: 'danger', below: 'info', as_expected: 'good', not_measured: 'plain' };

export const isMeasuring = (rates) => rates?.state === 'waiting' || rates?.state === 'running';

/** @param {experiments.MeasuredRate} rate */
function rateCell({ rate, lower, upper }) {
    if (!known(rate)) return '–';
    return html`${share(rate)} <span class="section-note">${t('figures.range', { lower: share(lower), upper: share(upper) })}</span>`;
}

/* Too many false alarms, and intervals that miss too often, are the same defect. */
const statusOf = ({ false_positives: alarms, coverage }) => (alarms.status === 'not_measured' ? 'not_measured' : alarms.status === 'above' || coverage?.status === 'below' ? 'above' : alarms.status);

/** @param {experiments.MeasuredErrorRates} measured */
function rateTable(measured) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    const rows = [
        ...measured.metrics,
        { name: t('experiment.error_rates_always'), false_positives: measured.always_valid, coverage: null },
        { name: t('experiment.error_rates_ship'), false_positives: measured.ship, coverage: null },
    ];
    return table({
        caption: t('experiment.error_rates'),
        columns: [
            { name: 'metric', title: t('experiment.error_rates_of'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
            end('alarms', t('experiment.false_alarms'), ({ false_positives: rate }) => rateCell(rate)),
            end('coverage', t('experiment.interval_holds'), ({ coverage: rate }) => (rate ? rateCell(rate) : '–')),
            { name: 'status', title: t('experiment.error_rates_promise', { share: formatPercent(measured.alpha) }), cell: (row) => badge(t(`experiment.rate_${statusOf(row)}`), tones[statusOf(row)]) },
        ],
        rows,
    });
}

/** @param {experiments.MeasuredErrorRates} measured */
function shown(measured) {
    const values = { runs: formatInteger(measured.runs), users: formatInteger(measured.users), people: formatInteger(measured.people) };
    return html`<p class="section-note">${t('experiment.error_rates_note', values)}${measured.is_current ? null : html` ${t('experiment.error_rates_old')}`}</p>
        ${rateTable(measured)}`;
}

function progress(rates) {
    if (isMeasuring(rates)) return html`<p role="status" id="error-rates-progress">${t('experiment.error_rates_progress', { done: formatInteger(rates.runs_done), runs: formatInteger(rates.runs) })}</p>`;
    if (rates?.state === 'failed') return html`<p role="status">${t('experiment.error_rates_failed', { reason: rates.failure })}</p>`;
    return null;
}

/** @param {experiments.LiveDecision} decision */
export function errorRates({ error_rates: measured }, { errorRates: asked, actions }) {
    const rates = asked.data;
    return html`<div class="section"><details class="disclosure" data-plain id="error-rates">
        <summary>${t('experiment.error_rates')}</summary>
        <div class="disclosure-body stack">
            ${measured ? shown(measured) : html`<p class="section-note">${t('experiment.error_rates_none')}</p>`} ${progress(rates)}
            <div class="button-row">
                <button type="button" class="button" data-size="small" id="measure" data-for=${writers} ?disabled=${isMeasuring(rates)} @click=${actions.measure}>
                    ${t(measured ? 'experiment.error_rates_again' : 'experiment.error_rates_measure')}
                </button>
            </div>
        </div>
    </details></div>`;
}
