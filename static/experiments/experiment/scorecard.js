/* All metrics of the design in one table: values, change, interval and what that means. */
import { hasText, t } from '../../shared/i18n.js';
import { formatNumber } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html, svg } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { difference, interval, known, pText, relative, share, signed } from '../figures.js';

const width = 136;
const middle = 10;

/* A metric that is not simply a rate or a mean says what it is. */
function metricName({ name, role, unit, at, cap }) {
    const shown = { at: known(at) ? formatNumber(at, 4) : '', cap: known(cap) ? formatNumber(cap, 5) : '–' };
    const kind = hasText(`experiment.role_${role}`) ? t(`experiment.role_${role}`) : role;
    return html`<span dir="auto">${name}</span>
        <span class="section-note">${[kind, known(at) ? t(`experiment.unit_${unit}`, shown) : null].filter(Boolean).join(' · ')}</span>`;
}

/* A rate's ends are shares in the list of metrics and percentage points everywhere on the page. */
const scaled = (value, unit) => (unit === 'rate' ? 100 * value : value);
const typeOf = (unit) => (unit === 'rate' ? 'binary' : 'plain');

function value(number, unit) {
    if (!known(number)) return '–';
    return unit === 'rate' ? share(number) : formatNumber(number, 4);
}

function change({ effect, effect_relative: percent, ci_lower: lower, ci_upper: upper, unit }) {
    if (!known(effect)) return known(percent) ? relative(percent) : '–';
    const ends = (known(lower) ? [lower, upper] : [effect]).map((end) => scaled(end, unit));
    return html`${difference(scaled(effect, unit), typeOf(unit), ends)}${known(percent) ? html` <span class="section-note">${relative(percent)}</span>` : null}`;
}

/* The interval around zero, on a scale of its own. */
function miniInterval({ effect, ci_lower: lower, ci_upper: upper, tone }) {
    if (!known(lower) || !known(upper)) return null;
    const most = Math.max(Math.abs(lower), Math.abs(upper)) || 1;
    const x = (number) => width / 2 + (number / most) * (width / 2 - 6);
    return html`<svg class="mini-interval" viewBox=${`0 0 ${width} ${2 * middle}`} aria-hidden="true" focusable="false">
        ${svg`<g class="chart-row" data-tone=${tone}>
            <line class="chart-base" x1=${width / 2} x2=${width / 2} y1="0" y2=${2 * middle} />
            <line class="interval-bar" x1=${x(lower)} x2=${x(upper)} y1=${middle} y2=${middle} />
            <circle class="chart-planned" cx=${x(effect)} cy=${middle} r="4" />
        </g>`}
    </svg>`;
}

/* The interval that holds at every look, of metrics that have one; an end that is not there yet is open. */
function anyLook({ always_valid_lower: lower, always_valid_upper: upper, unit }) {
    if (!known(lower) && !known(upper)) return null;
    const one = (value, open) => (known(value) ? signed(scaled(value, unit)) : open);
    return html`<span class="section-note" data-always>${t('experiment.scorecard_any', { interval: t('figures.range', { lower: one(lower, '−∞'), upper: one(upper, '∞') }) })}</span>`;
}

function intervalCell(row) {
    const { ci_lower: lower, ci_upper: upper, unit } = row;
    return html`${miniInterval(row)}
        <span class="section-note">${known(lower) ? interval(scaled(lower, unit), scaled(upper, unit), typeOf(unit)) : '–'}</span>
        ${anyLook(row)}`;
}

/* What a row means: of a guardrail what its own check says, of the others whether it moved. */
function meaningOf({ role, status, is_significant: sure, is_improvement: better, guardrail }) {
    if (status === 'insufficient_data' || guardrail?.status === 'insufficient_data') return ['too_few', 'plain'];
    if (role === 'guardrail' && guardrail) {
        if (guardrail.is_breached) return ['breached', 'danger'];
        if (guardrail.status === 'warning') return ['warning', 'caution'];
        return guardrail.is_non_inferior ? ['safe', 'good'] : ['no_harm', 'plain'];
    }
    if (!sure) return ['unclear', 'plain'];
    return better ? ['better', 'good'] : ['worse', 'danger'];
}

function rowsOf({ metrics = [], guardrail }) {
    const checked = new Map(guardrail.metrics.map((one) => [one.name, one.comparisons]));
    return metrics.flatMap(({ comparisons, ...metric }) =>
        comparisons.map((one) => {
            const check = checked.get(metric.name)?.find(({ treatment_index: index }) => index === one.treatment_index);
            const row = { ...one, ...metric, guardrail: metric.role === 'guardrail' ? check : null };
            const [meaning, tone] = meaningOf(row);
            return { ...row, meaning, tone: tone === 'plain' ? 'accent' : tone, badgeTone: tone };
        }),
    );
}

/** @param {experiments.LiveStats} stats */
export function scorecard(stats) {
    const rows = rowsOf(stats);
    if (rows.length === 0) return null;
    const several = stats.comparisons.length > 1;
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    const p = ({ p_value: plain, p_value_adjusted: adjusted }) => (known(adjusted) ? adjusted : plain);
    return html`<section class="card section" aria-labelledby="metrics-title" id="scorecard">
        <div class="section-head"><h2 id="metrics-title">${t('experiment.metrics')}</h2></div>
        ${table({
            caption: t('experiment.metrics'),
            columns: [
                { name: 'name', title: t('experiment.metric'), cell: metricName },
                ...(several ? [{ name: 'arm', title: t('split.variant'), cell: ({ treatment_index: index }) => armName(index) }] : []),
                end('control', t('arm.control'), ({ control_value: number, unit }) => value(number, unit)),
                end('treatment', several ? t('arm.treatment') : armName(1), ({ treatment_value: number, unit }) => value(number, unit)),
                end('change', t('experiment.change'), change),
                end('interval', t('experiment.interval_95'), intervalCell),
                end('p', t('observed.p_value'), (row) => (known(p(row)) ? pText(p(row)) : '–')),
                { name: 'meaning', title: t('experiment.meaning'), cell: ({ meaning, badgeTone }) => badge(t(`experiment.meaning_${meaning}`), badgeTone) },
            ],
            rows,
        })}
        ${rows.some(({ always_valid_lower: lower, always_valid_upper: upper }) => known(lower) || known(upper)) ? html`<p class="section-note">${t('experiment.scorecard_any_note')}</p>` : null}
        ${rows.some(({ p_value_adjusted: adjusted }) => known(adjusted)) ? html`<p class="section-note">${t('experiment.adjusted_note')}</p>` : null}
    </section>`;
}
