/* Several goals that decide together: each with its adjusted p-value, and what the rule makes of them. */
import { t } from '../../shared/i18n.js';
import { formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { known, pText } from '../figures.js';
import { sliceEffect, sliceInterval, sliceValue } from './slice_figures.js';

const met = ({ is_met: isMet, is_worse: worse }) => (worse ? ['goals_worse', 'danger'] : isMet ? ['goals_met', 'good'] : ['goals_open', 'plain']);

function meaningOf({ status, is_proven: proven, is_worse: worse }) {
    if (status === 'insufficient_data' || status === 'too_few_users') return ['too_few', 'plain'];
    if (worse) return ['worse', 'danger'];
    return proven ? ['better', 'good'] : ['unclear', 'plain'];
}

function meaningBadge(row) {
    const [meaning, tone] = meaningOf(row);
    return badge(t(`experiment.meaning_${meaning}`), tone);
}

/** @param {experiments.LiveStats} stats */
export function goalsCard({ goals }) {
    if (!known(goals)) return null;
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    const rows = goals.goals.flatMap(({ name, unit, comparisons }) => comparisons.map((one) => ({ ...one, name, unit })));
    return html`<section class="card section stack" aria-labelledby="goals-title" id="goals">
        <div class="section-head"><h2 id="goals-title">${t('experiment.goals')}</h2></div>
        <p class="section-note">${t(`experiment.goals_need_${goals.requires}`)} ${t(`experiment.goals_read_${goals.reading}`)} ${t('experiment.goals_rate', { share: formatPercent(goals.alpha) })}</p>
        ${goals.treatments.map((one) => {
            const [key, tone] = met(one);
            return html`<p>${armName(one.treatment_index)} ${badge(t(`experiment.${key}`), tone)}</p>`;
        })}
        ${table({
            caption: t('experiment.goals'),
            columns: [
                { name: 'name', title: t('experiment.metric'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
                { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: arm }) => armName(arm) },
                end('control', t('arm.control'), ({ control_value: value, unit }) => sliceValue(value, unit)),
                end('treatment', t('arm.treatment'), ({ treatment_value: value, unit }) => sliceValue(value, unit)),
                end('effect', t('experiment.change'), (row) => (known(row.effect) ? sliceEffect(row) : '–')),
                end('interval', t('experiment.interval_95'), ({ ci_lower: lower, ci_upper: upper, unit }) => sliceInterval(lower, upper, unit)),
                end('p', t('experiment.check_p_adjusted'), ({ p_value_adjusted: p }) => (known(p) ? pText(p) : '–')),
                { name: 'meaning', title: t('experiment.meaning'), cell: meaningBadge },
            ],
            rows,
        })}
    </section>`;
}
