/*
 * The effect adjusted by what was known of users before the experiment: the most precise figure, so that the results
 * lead with it. The plain effect, on which the verdict is based, stands beside it.
 */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { forestPlot } from '../../shared/ui/charts/forest.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { difference, interval, known, pText, share } from '../figures.js';

/* The comparisons that covariates have adjusted; none where the design has no values from before. */
/** @param {experiments.LiveStats} stats */
function adjustedOnes({ adjusted }) {
    return (adjusted.analysis?.comparisons ?? []).filter(({ adjusted: effect }) => known(effect));
}

/** The adjusted effect of a treatment, null without one. */
/** @param {experiments.LiveStats} stats */
export const adjustedOf = (stats, treatment) => adjustedOnes(stats).find(({ treatment_index: index }) => index === treatment) ?? null;

/* How many more users would bring the same precision: a variance that is a third smaller is worth half as many again. */
function worthText({ variance_reduction_pct: percent }) {
    if (!known(percent) || percent <= 0 || percent >= 100) return '';
    return t('experiment.adjusted_worth', { share: share(1 / (1 - percent / 100) - 1) });
}

function plot(rows, type) {
    return html`<div class="chart" id="adjusted-plot">
        ${forestPlot({
            label: t('experiment.adjusted'),
            title: type === 'binary' ? t('observed.axis_points') : t('observed.effect'),
            format: (value) => formatNumber(value, 3),
            titles: { name: t('observed.what'), estimate: t('observed.effect'), lower: t('observed.from'), upper: t('observed.to') },
            rows: rows.flatMap(({ treatment_index: arm, adjusted, unadjusted }) => [
                { name: `${armName(arm)} · ${t('experiment.adjusted_row')}`, estimate: adjusted.effect, lower: adjusted.ci_lower, upper: adjusted.ci_upper },
                { name: `${armName(arm)} · ${t('experiment.plain_row')}`, estimate: unadjusted.effect, lower: unadjusted.ci_lower, upper: unadjusted.ci_upper, tone: 'plain' },
            ]),
        })}
    </div>`;
}

function effectCell({ effect, ci_lower: lower, ci_upper: upper }, type) {
    return html`${difference(effect, type, [lower, upper])} <span class="section-note">${interval(lower, upper, type)}</span>`;
}

const outcomes = { better: ['better', 'good'], worse: ['worse', 'danger'], inconclusive: ['unclear', 'plain'] };

function outcomeBadge({ outcome }) {
    const [meaning, tone] = outcomes[outcome] ?? outcomes.inconclusive;
    return badge(t(`experiment.meaning_${meaning}`), tone);
}

function effects(rows, type, level) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return table({
        caption: t('experiment.adjusted'),
        columns: [
            { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: arm }) => armName(arm) },
            end('adjusted', t('experiment.adjusted_effect', { level: formatPercent(level) }), ({ adjusted }) => effectCell(adjusted, type)),
            end('p', t('observed.p_value'), ({ adjusted }) => pText(adjusted.p_value)),
            end('plain', t('experiment.plain_effect'), ({ unadjusted }) => effectCell(unadjusted, type)),
            end('reduction', t('experiment.variance_reduction'), (row) => html`${share((row.variance_reduction_pct ?? 0) / 100)} <span class="section-note">${worthText(row)}</span>`),
            { name: 'meaning', title: t('experiment.meaning'), cell: outcomeBadge },
        ],
        rows,
    });
}

/*
 * The secondary metrics, one row for each treatment that covariates have adjusted. Only what stays significant among all of
 * them is called better or worse.
 */
/** @param {experiments.LiveStats} stats */
function secondaryRows({ adjusted }) {
    return adjusted.secondary.flatMap(({ metric, analysis, claims }) =>
        (analysis?.comparisons ?? [])
            .filter(({ adjusted: effect }) => known(effect))
            .map((one) => {
                const claim = claims.find(({ treatment_index: index }) => index === one.treatment_index);
                return { ...one, metric, p: claim?.p_value_adjusted ?? null, outcome: claim?.is_significant ? one.outcome : 'inconclusive' };
            }),
    );
}

function secondaryTable(rows) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return html`<div id="adjusted-secondary">
        ${table({
            caption: t('experiment.adjusted_secondary'),
            columns: [
                { name: 'metric', title: t('experiment.metric'), cell: ({ metric }) => html`<span dir="auto">${metric}</span>` },
                { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: arm }) => armName(arm) },
                end('adjusted', t('experiment.adjusted'), ({ adjusted }) => effectCell(adjusted, 'plain')),
                end('p', t('observed.p_value'), ({ p }) => (known(p) ? pText(p) : '–')),
                end('plain', t('experiment.plain_effect'), ({ unadjusted }) => effectCell(unadjusted, 'plain')),
                end('reduction', t('experiment.variance_reduction'), ({ variance_reduction_pct: percent }) => share((percent ?? 0) / 100)),
                { name: 'meaning', title: t('experiment.meaning'), cell: outcomeBadge },
            ],
            rows,
        })}
        <p class="section-note">${t('experiment.adjusted_secondary_note')}</p>
    </div>`;
}

/* A covariate that is left out says why. */
function covariateText({ name, users, missing, use }) {
    const part = t('experiment.covariate_covers', { name, share: share(users / Math.max(1, users + missing)) });
    return use === 'used' ? part : `${part} ${t(`experiment.covariate_${use}`)}`;
}

/** @param {experiments.LiveStats} stats */
export function adjustedCard(stats) {
    const rows = adjustedOnes(stats);
    if (rows.length === 0) return null;
    const secondary = secondaryRows(stats);
    const { covariates, ci_level: level, users } = stats.adjusted.analysis;
    return html`<section class="card section stack" aria-labelledby="adjusted-title" id="adjusted">
        <div class="section-head"><h2 id="adjusted-title">${t('experiment.adjusted')}</h2></div>
        <p class="section-note">${t('experiment.adjusted_lead', { metric: stats.adjusted.metric, count: formatInteger(users) })}</p>
        ${plot(rows, stats.metric_type)} ${effects(rows, stats.metric_type, level)} ${secondary.length === 0 ? null : secondaryTable(secondary)}
        <ul class="assumption-list">
            ${covariates.map((covariate) => html`<li>${covariateText(covariate)}</li>`)}
        </ul>
    </section>`;
}
