/* A running experiment as a template: the verdict, what it rests on, and how events are sent. */
import { hasText, t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent, formatUnit, isolated } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { forestPlot } from '../../shared/ui/charts/forest.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { figure } from '../figure.js';
import { languages, snippetOf } from './snippets.js';

const tones = { ship: 'good', no_ship: 'danger', keep_running: 'info' };
const alwaysValid = '\u221e'; /* marks what holds at any look */
const known = (value) => value !== null && value !== undefined;
const pText = (p) => (p === 0 ? isolated('< 1e-307') : formatNumber(p, 3)); /* no p-value is zero */
const textOr = (key, otherwise) => (hasText(key) ? t(key) : otherwise);
const armName = (index) => (index === 0 ? t('arm.control') : t('experiment.arm', { index }));

/** @param {experiments.LiveStats['sequential']} plan */
function shareOfPlan({ information_fraction: share, planned_sample_size_per_variant: planned }) {
    return known(share) ? figure(t('experiment.plan'), formatPercent(share, 3), t('experiment.planned', { count: formatInteger(planned) })) : null;
}

/** @param {experiments.LiveStats['forecast']} forecast */
function daysLeft(forecast) {
    if (!known(forecast?.days_left)) return null;
    const range = known(forecast.days_left_lower)
        ? isolated(`${formatNumber(forecast.days_left_lower, 2)} … ${formatNumber(forecast.days_left_upper, 2)}`)
        : '';
    return figure(t('experiment.left'), formatUnit(forecast.days_left, 'day'), range);
}

function list(title, items, id) {
    return items.length === 0
        ? null
        : html`<div class="section" id=${id}>
              <h3>${title}</h3>
              <ul class="assumption-list">
                  ${items.map(({ text }) => html`<li dir="auto">${text}</li>`)}
              </ul>
          </div>`;
}

/** @param {{ stats: experiments.LiveStats, decision: experiments.LiveDecision }} live */
function verdictCard({ stats, decision }) {
    const { verdict, confidence } = decision;
    return html`<section class="card headline verdict" data-tone=${tones[verdict] ?? 'plain'} aria-labelledby="verdict">
        <div class="section">
            <div role="status"><h2 class="experiment-verdict" id="verdict">${textOr(`experiment.verdict_${verdict}`, verdict)}</h2></div>
            <p class="verdict-text" dir="auto">
                ${decision.summary} ${badge(t('experiment.confidence', { level: textOr(`experiment.confidence_${confidence}`, confidence) }), 'plain')}
            </p>
        </div>
        <dl class="figures">
            ${figure(t('experiment.people'), formatInteger(stats.exposures_total))}
            ${figure(t('experiment.converted'), formatInteger(stats.conversions_total), html`<span dir="auto">${stats.primary_metric_name}</span>`)}
            ${shareOfPlan(stats.sequential)} ${daysLeft(stats.forecast)}
        </dl>
        ${list(t('experiment.blockers'), decision.blockers, 'blockers')} ${list(t('experiment.reasons'), decision.reasons, 'reasons')}
        ${list(t('experiment.changes'), decision.what_would_change, 'changes')}
        ${list(
            t('experiment.warnings'),
            stats.warnings.map(({ message }) => ({ text: message })),
            'warnings',
        )}
    </section>`;
}

/* What an arm has reached, whatever the metric is measured in. */
function armValue({ conversion_rate: rate, mean, ratio }) {
    if (known(rate)) return formatPercent(rate);
    const value = [mean, ratio].find(known);
    return value === undefined ? '–' : formatNumber(value, 5);
}

/** @param {experiments.LiveStats} stats */
function armsOf(stats) {
    const { comparisons, srm } = stats;
    const arms = comparisons.length === 0 ? [] : [comparisons[0].control, ...comparisons.map(({ treatment }) => treatment)];
    return arms.map((arm) => ({ ...arm, expected: srm.expected_counts[arm.variation_index] }));
}

/** @param {experiments.LiveStats} stats */
function splitCard(stats) {
    const { srm } = stats;
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    const title = srm.status === 'insufficient_data' ? t('experiment.split_early') : t(srm.is_srm ? 'split.mismatch' : 'split.fine');
    return html`<section class="card section stack" aria-labelledby="split-title" id="split">
        <div class="section-head">
            <h2 id="split-title">${t('experiment.arms')}</h2>
            ${badge(title, srm.is_srm ? 'danger' : srm.status === 'ok' ? 'good' : 'plain', { dot: true })}
        </div>
        ${table({
            caption: t('experiment.arms'),
            columns: [
                { name: 'arm', title: t('split.variant'), cell: ({ variation_index: index }) => armName(index) },
                end('people', t('experiment.people'), ({ exposed_users: people }) => formatInteger(people)),
                end('expected', t('split.expected'), ({ expected }) => (known(expected) ? formatNumber(expected, 9) : '–')),
                end('converted', t('experiment.converted'), ({ converted_users: people }) => formatInteger(people)),
                end('value', t('experiment.value'), armValue),
            ],
            rows: armsOf(stats),
        })}
        ${known(srm.p_value) ? html`<p class="section-note">${t('experiment.srm', { p: pText(srm.p_value) })}</p>` : null}
    </section>`;
}

/* The plain interval of each arm and, under it, the one that holds at any look, in the plain one's unit. */
/** @param {experiments.LiveStats} stats */
function intervalsOf({ comparisons, metric_type: type }) {
    const scale = type === 'binary' ? 100 : 1;
    return comparisons
        .filter(({ analysis }) => known(analysis))
        .flatMap(({ treatment_index: index, analysis, always_valid: always }) => [
            { name: armName(index), estimate: analysis.observed_effect, lower: analysis.ci_lower, upper: analysis.ci_upper },
            ...(known(always?.ci_sequence_lower)
                ? [
                      {
                          name: `${armName(index)} ${alwaysValid}`,
                          estimate: analysis.observed_effect,
                          lower: scale * always.ci_sequence_lower,
                          upper: scale * always.ci_sequence_upper,
                      },
                  ]
                : []),
        ]);
}

/** @param {{ stats: experiments.LiveStats, decision: experiments.LiveDecision }} live */
function intervalCard({ stats, decision }) {
    const rows = intervalsOf(stats);
    if (rows.length === 0) return null;
    const size = decision.policy.minimum_worthwhile_effect;
    const least = known(size) && decision.policy.direction === 'decrease' ? -size : size;
    return html`<section class="card section" aria-labelledby="intervals-title">
        <div class="section-head"><h2 id="intervals-title">${t('experiment.intervals')}</h2></div>
        <div class="chart" id="intervals">
            ${forestPlot({
                label: t('experiment.intervals'),
                title: stats.metric_type === 'binary' ? t('observed.axis_points') : t('observed.effect'),
                format: (value) => formatNumber(value, 4),
                titles: { name: t('observed.what'), estimate: t('observed.effect'), lower: t('observed.from'), upper: t('observed.to') },
                rows,
                marks: known(least) ? [{ value: least, name: t('experiment.least') }] : [],
            })}
        </div>
        ${rows.some(({ name }) => name.endsWith(alwaysValid)) ? html`<p class="section-note">${t('experiment.any_look', { mark: alwaysValid })}</p>` : null}
        ${known(least)
            ? html`<p class="section-note">
                  ${t(stats.metric_type === 'binary' ? 'experiment.least_points' : 'experiment.least_of', { value: formatNumber(least, 4) })}
              </p>`
            : null}
    </section>`;
}

/* A metric that is not simply a rate or a mean says what it is. */
function metricName({ name, unit, at, cap }) {
    const shown = { at: known(at) ? formatNumber(at, 4) : '', cap: known(cap) ? formatNumber(cap, 5) : '–' };
    return html`<span dir="auto">${name}</span> ${known(at) ? html`<span class="section-note">${t(`experiment.unit_${unit}`, shown)}</span>` : null}`;
}

/** @param {experiments.LiveStats} stats */
function metricsCard({ metrics = [] }) {
    const rows = metrics.flatMap(({ comparisons, ...metric }) => comparisons.map((one) => ({ ...one, ...metric })));
    if (rows.length < 2) return null;
    const written = (value, unit) => (!known(value) ? '–' : unit === 'rate' ? formatPercent(value, 3) : formatNumber(value, 4));
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return html`<section class="card section" aria-labelledby="metrics-title">
        <div class="section-head"><h2 id="metrics-title">${t('experiment.metrics')}</h2></div>
        ${table({
            caption: t('experiment.metrics'),
            columns: [
                { name: 'name', title: t('experiment.metric'), cell: metricName },
                { name: 'role', title: t('experiment.role'), cell: ({ role }) => textOr(`experiment.role_${role}`, role) },
                { name: 'arm', title: t('split.variant'), cell: ({ treatment_index: index }) => armName(index) },
                end('effect', t('observed.effect'), ({ effect, unit }) => written(effect, unit)),
                end('range', t('experiment.range'), ({ ci_lower: low, ci_upper: high, unit }) => (known(low) ? isolated(`${written(low, unit)} … ${written(high, unit)}`) : '–')),
                end('p', t('observed.p_value'), ({ p_value: p }) => (known(p) ? pText(p) : '–')),
            ],
            rows,
        })}
    </section>`;
}

/** @param {experiments.LiveStats} stats */
function qualityFacts({ event_timing: timing, identity_resolution: identity, exclusions, population, unknown_metrics: unknown }) {
    const facts = [
        [t('experiment.in_window'), timing.in_window],
        [t('experiment.late'), timing.late],
        [t('experiment.early'), timing.out_of_order],
        [t('experiment.linked'), identity.linked_identities],
        [t('experiment.excluded'), exclusions.total_filtered],
        [t('experiment.multiple'), population.multiple_exposure_users],
        [t('experiment.unknown_events'), unknown.events_total],
    ];
    return html`<section class="card section" aria-labelledby="quality-title">
        <div class="section-head"><h2 id="quality-title">${t('experiment.quality')}</h2></div>
        <dl class="facts">
            ${facts.map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${known(value) ? formatInteger(value) : '–'}</dd></div>`)}
        </dl>
    </section>`;
}

function snippetCard({ id, api, snippet, actions }, metric) {
    return html`<section class="card section" aria-labelledby="send-title" id="send">
        <div class="section-head"><h2 id="send-title">${t('experiment.send')}</h2></div>
        ${tabs({
            id: 'snippet',
            label: t('experiment.send'),
            tabs: Object.entries(languages).map(([name, { title }]) => ({ name, title })),
            current: snippet,
            onSelect: actions.snippet,
            panel: (name) => codeblock(snippetOf(name, { api, id, metric }), { language: languages[name].title }),
        })}
        <p class="section-note">${t('experiment.send_note')}</p>
    </section>`;
}

function content(page, data) {
    const { stats } = data;
    return html`<div class="stack">
        ${verdictCard(data)} ${stats.exposures_total === 0 ? snippetCard(page, stats.primary_metric_name) : nothing} ${splitCard(stats)} ${intervalCard(data)}
        ${metricsCard(stats)} ${stats.exposures_total === 0 ? nothing : qualityFacts(stats)}
        ${stats.exposures_total === 0 ? nothing : snippetCard(page, stats.primary_metric_name)}
    </div>`;
}

export function view(page) {
    const { project, live, actions } = page;
    if (project === null) return html``;
    return html`<div class="stack">
        ${project.data ? html`<p class="experiment-name" id="name" dir="auto">${project.data.project_name}</p>` : null}
        ${resourceView(live, {
            quiet: true,
            skeleton: { lines: 3, height: 'card' },
            failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.start) : errorNotice(error, { retry: actions.start })),
            ready: (data) => content(page, data),
        })}
    </div>`;
}
