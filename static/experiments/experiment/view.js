/* An experiment as a template: what to do, the figures behind it, and how events get in. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime, formatFixed, formatInteger, formatNumber } from '../../shared/numbers.js';
import { address, isUnderPortal, portalAddress } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { forestPlot } from '../../shared/ui/charts/forest.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { copyButton } from '../../shared/ui/copy.js';
import { empty } from '../../shared/ui/empty.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice, notice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { armName } from '../arms.js';
import { actorText } from '../audit.js';
import { figure } from '../figure.js';
import { days, difference, interval, known, partOf, pText, relative, share } from '../figures.js';
import { planHistory, planReports, planView } from '../project/view.js';
import { headlineNote, headlineText, stateOf, stateText, stateTone, toneOf } from '../headline.js';
import { writers } from '../roles.js';
import { adjustedCard, adjustedOf } from './adjusted.js';
import { alarmNotice, alarmsCard } from './alarms.js';
import { bucketsCard } from './buckets.js';
import { certificateCard } from './certificate.js';
import { courseCard } from './course.js';
import { errorRates } from './measured.js';
import { goalsCard } from './goals.js';
import { groupsCard } from './groups.js';
import { interactionsCard } from './interactions.js';
import { hybridCard, hybridEffect } from './hybrid.js';
import { looksCard } from './looks.js';
import { rulesCard } from './metric_rules.js';
import { posteriorsCard } from './posteriors.js';
import { qualityView } from './quality.js';
import { scorecard } from './scorecard.js';
import { segmentsView } from './segments.js';
import { sharesCard } from './shares.js';
import { sourceCard } from './source.js';
import { languages, snippetOf } from './snippets.js';

const alwaysValid = '\u221e'; /* marks the interval that holds at any time */

/** @param {experiments.LiveStats} stats */
function peopleFigure({ exposures_total: people, forecast, sequential }) {
    const needed = forecast?.people_needed;
    const note = !known(needed)
        ? ''
        : people >= needed
          ? t('experiment.plan_complete', { count: formatInteger(needed) })
          : t('experiment.of_plan', { share: partOf(sequential.information_fraction ?? people / needed), count: formatInteger(needed) });
    return figure(t('experiment.people'), formatInteger(people), note);
}

/* The treatment that gains most, in the direction of the goal. */
function bestOf({ comparisons, direction }) {
    const sign = direction === 'decrease' ? -1 : 1;
    return comparisons.filter(({ analysis }) => known(analysis)).toSorted((a, b) => sign * (b.analysis.observed_effect - a.analysis.observed_effect))[0];
}

/* What the verdict follows, where all readings have one interval; else the adjusted effect where values from before the
   experiment give one: it is the more precise one. */
/** @param {experiments.LiveStats} stats */
function effectFigure(stats) {
    const best = bestOf(stats);
    if (!best) return null;
    const { observed_effect: plain, observed_effect_relative: percent, ci_lower: lower, ci_upper: upper } = best.analysis;
    const title = t('experiment.effect_of', { name: armName(best.treatment_index) });
    const range = interval(lower, upper, stats.metric_type);
    const held = hybridEffect(stats, best.treatment_index);
    if (held) {
        const { effect, lower: from, upper: to } = held;
        return figure(title, difference(effect, stats.metric_type, [from, to]), t('experiment.hybrid_figure', { interval: interval(from, to, stats.metric_type) }));
    }
    const adjusted = adjustedOf(stats, best.treatment_index)?.adjusted;
    if (adjusted) {
        const { effect, ci_lower: from, ci_upper: to } = adjusted;
        const note = t('experiment.adjusted_figure', { interval: interval(from, to, stats.metric_type), plain: difference(plain, stats.metric_type, [lower, upper]) });
        return figure(title, difference(effect, stats.metric_type, [from, to]), note);
    }
    const note = known(percent) ? t('experiment.interval_and_relative', { interval: range, relative: relative(percent) }) : range;
    return figure(title, difference(plain, stats.metric_type, [lower, upper]), note);
}

/** @param {experiments.LiveStats} stats */
function timeFigure({ forecast }) {
    if (!known(forecast?.days_left)) return null;
    const { days_left: left, days_left_lower: lower, days_left_upper: upper } = forecast;
    const range = known(lower) && left >= 1 ? t('figures.range', { lower: formatFixed(lower, 1), upper: days(upper) }) : '';
    return figure(t('experiment.left'), days(left), range);
}

function progressLine({ exposures_total: people, forecast }) {
    const needed = forecast?.people_needed;
    if (!known(needed) || people === 0) return null;
    return html`<div class="section progress-line">
        <progress max=${needed} value=${Math.min(people, needed)} aria-label=${t('experiment.plan')}></progress>
    </div>`;
}

function list(title, items, id) {
    return items.length === 0
        ? null
        : html`<div id=${id}>
              <h3>${title}</h3>
              <ul class="assumption-list">
                  ${items.map(({ text }) => html`<li dir="auto">${text}</li>`)}
              </ul>
          </div>`;
}

/* What somebody decided, above everything that the data say since. */
function outcomeNotice({ current }, actions) {
    if (!current) return null;
    const { decision, variation_index: index, actor, created_at: at, note } = current;
    const title = decision === 'ship' ? t('experiment.shipped', { name: armName(index) }) : t('experiment.stopped');
    return notice({
        tone: decision === 'ship' ? 'good' : 'info',
        title,
        body: html`<p>${t('experiment.decided_by', { name: actor === null ? t('experiment.somebody') : actorText(actor), time: formatDateTime(at) })}</p>
            ${note === '' ? null : html`<p class="outcome-note" dir="auto">${note}</p>`}`,
        actions: html`<button type="button" class="button" data-size="small" id="reopen" data-for=${writers} @click=${() => actions.decide('reopen')}>${t('experiment.reopen')}</button>`,
    });
}

function actionRow({ headline }, outcome, { actions }) {
    const press = (decision, kind) =>
        html`<button type="button" class="button" id=${decision} data-kind=${kind} data-for=${writers} @click=${() => actions.decide(decision)}>${t(`experiment.${decision}_more`)}</button>`;
    const open = outcome && !outcome.current;
    return html`<div class="section button-row no-print">
        ${open && headline !== 'not_started' ? html`${press('ship', headline === 'ship' ? 'primary' : nothing)} ${press('stop', nothing)}` : null}
        ${copyButton({ text: () => location.href.split('?')[0], title: t('experiment.copy_link'), size: 'medium' })}
        ${headline === 'not_started' ? null : html`<button type="button" class="button" id="share" data-for=${writers} @click=${actions.share}>${t('experiment.share')}</button>`}
    </div>`;
}

/* How sure the direction of the effect is; how near the threshold is says the margin. */
function evidenceText(headline, confidence) {
    const own = `experiment.confidence_${headline}_${confidence}`;
    return t(hasText(own) ? own : `experiment.confidence_${confidence}`);
}

/* 'all' or 'none' where every user or no user of any arm has converted: such data tell no arms apart. */
/** @param {experiments.LiveStats} stats */
function borderOf(stats) {
    const rates = armsOf(stats).map(({ conversion_rate: rate }) => rate);
    if (stats.metric_type !== 'binary' || rates.length === 0) return null;
    return rates.every((rate) => rate === 1) ? 'all' : rates.every((rate) => rate === 0) ? 'none' : null;
}

/* Why, and what would change that; beside the other parts only what is wrong. */
function verdictLists({ stats, decision }, border, whole) {
    const warnings = stats.warnings.filter(({ code }) => code !== 'ALARM_RAISED').map(({ message }) => ({ text: message }));
    if (!whole && decision.blockers.length === 0) return null;
    return html`<div class="section verdict-lists">
        ${list(t('experiment.blockers'), decision.blockers, 'blockers')}
        ${whole
            ? html`${list(t('experiment.reasons'), border ? [] : decision.reasons, 'reasons')} ${list(t('experiment.changes'), decision.what_would_change, 'changes')}
              ${list(t('experiment.warnings'), warnings, 'warnings')}`
            : null}
    </div>`;
}

/* The verdict stays above every part; its reasons belong to the results. */
/** @param {{ stats: experiments.LiveStats, decision: experiments.LiveDecision }} live */
function verdictCard({ stats, decision }, page) {
    const whole = partShown(page, { decision }) === 'results';
    const { headline, confidence, margin } = decision;
    const outcome = page.outcome.data;
    const state = stateOf(decision, outcome?.current);
    const started = headline !== 'not_started';
    const border = started ? borderOf(stats) : null;
    return html`<section class="card headline verdict" data-tone=${toneOf(headline)} aria-labelledby="verdict">
        <div class="section">
            <div class="experiment-verdict-head">
                <div role="status"><h2 class="experiment-verdict" id="verdict">${headlineText(headline)}</h2></div>
                ${badge(stateText(state), stateTone(state))}
            </div>
            <p class="verdict-text" dir="auto">${headlineNote(headline)} ${border ? html`<span id="border">${t(`experiment.border_${border}`)}</span>` : started ? evidenceText(headline, confidence) : ''}</p>
            ${margin === null || border || !whole ? null : html`<p class="verdict-text" id="margin" dir="auto">${margin.text}</p>`}
            ${!started || border || whole || decision.reasons.length === 0 ? null : html`<p class="verdict-text" id="why" dir="auto">${decision.reasons[0].text}</p>`}
        </div>
        ${started
            ? html`<dl class="figures">
                      ${peopleFigure(stats)} ${figure(t('experiment.converted'), formatInteger(stats.conversions_total), html`<span dir="auto">${stats.primary_metric_name}</span>`)}
                      ${border ? null : effectFigure(stats)} ${timeFigure(stats)}
                  </dl>
                  ${progressLine(stats)}
                  ${verdictLists({ stats, decision }, border, whole)} ${whole ? errorRates(decision, page) : null}`
            : null}
        ${actionRow(decision, outcome, page)}
    </section>`;
}

/* What an arm has reached, whatever the metric is measured in. */
function armValue({ conversion_rate: rate, mean, ratio }) {
    if (known(rate)) return share(rate);
    const value = [mean, ratio].find(known);
    return value === undefined ? '–' : formatNumber(value, 5);
}

/** @param {experiments.LiveStats} stats */
function armsOf({ comparisons, srm }) {
    const arms = comparisons.length === 0 ? [] : [comparisons[0].control, ...comparisons.map(({ treatment }) => treatment)];
    return arms.map((arm) => ({ ...arm, expected: srm.expected_counts[arm.variation_index] }));
}

/* Shares that follow the results have no plan to be checked against. */
function splitBadge({ status, is_srm: isOff }) {
    if (status === 'not_applicable') return null;
    const title = status === 'insufficient_data' ? t('experiment.split_early') : t(isOff ? 'split.mismatch' : 'split.fine');
    return badge(title, isOff ? 'danger' : status === 'ok' ? 'good' : 'plain', { dot: true });
}

/* Of users who were assigned by groups, groups are expected: the numbers beside are those of users. */
/** @param {experiments.LiveStats} stats */
function splitCard(stats) {
    const { srm } = stats;
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    const expected = end('expected', t('split.expected'), ({ expected: count }) => (known(count) ? formatInteger(count) : '–'));
    return html`<section class="card section stack" aria-labelledby="split-title" id="split">
        <div class="section-head">
            <h2 id="split-title">${t('experiment.arms')}</h2>
            ${splitBadge(srm)}
        </div>
        ${table({
            caption: t('experiment.arms'),
            columns: [
                { name: 'arm', title: t('split.variant'), cell: ({ variation_index: index }) => armName(index) },
                end('people', t('experiment.people'), ({ exposed_users: people }) => formatInteger(people)),
                ...(known(stats.clusters) ? [] : [expected]),
                end('converted', t('experiment.converted'), ({ converted_users: people }) => formatInteger(people)),
                end('value', t(stats.metric_type === 'binary' ? 'experiment.rate' : 'experiment.value'), armValue),
            ],
            rows: armsOf(stats),
        })}
        ${known(srm.p_value) ? html`<p class="section-note">${t('experiment.srm', { p: pText(srm.p_value) })}</p>` : null}
    </section>`;
}

/* The plain interval of each arm and, under it, the always-valid one in the unit of the plain one. */
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

/* The smallest worthwhile effect, with the sign of the goal; null without one. */
function leastOf({ policy }) {
    const size = policy.minimum_worthwhile_effect;
    if (!known(size)) return null;
    return policy.direction === 'decrease' ? -size : size;
}

/** @param {{ stats: experiments.LiveStats, decision: experiments.LiveDecision }} live */
function intervalCard({ stats, decision }) {
    const rows = intervalsOf(stats);
    if (rows.length === 0 || borderOf(stats)) return null;
    const least = leastOf(decision);
    return html`<section class="card section" aria-labelledby="intervals-title">
        <div class="section-head"><h2 id="intervals-title">${t('experiment.intervals')}</h2></div>
        <div class="chart" id="intervals">
            ${forestPlot({
                label: t('experiment.intervals'),
                title: stats.metric_type === 'binary' ? t('observed.axis_points') : t('observed.effect'),
                format: (value) => formatNumber(value, 3),
                titles: { name: t('observed.what'), estimate: t('observed.effect'), lower: t('observed.from'), upper: t('observed.to') },
                rows,
                marks: known(least) ? [{ value: least, name: t('experiment.least') }] : [],
            })}
        </div>
        ${rows.some(({ name }) => name.endsWith(alwaysValid)) ? html`<p class="section-note">${t('experiment.any_look', { mark: alwaysValid })}</p>` : null}
        ${known(least)
            ? html`<p class="section-note">
                  ${t('experiment.least_line', {
                      value: difference(least, stats.metric_type),
                      share: relative(Math.sign(least) * Math.abs(decision.policy.minimum_worthwhile_effect_relative_pct)),
                  })}
              </p>`
            : null}
    </section>`;
}

/* Events under names that the design does not have: most likely a metric with another name. */
function unknownCard({ unknown_metrics: unknown, conversions_total: converted }, { project, outcome, actions }) {
    if (unknown.events_total === 0 || !project.data) return null;
    const key = converted === 0 ? 'experiment.use_primary' : 'experiment.use_secondary';
    return notice({
        tone: 'caution',
        title: t('experiment.unknown_title', { count: unknown.events_total }),
        body: html`<p>${t(converted === 0 ? 'experiment.unknown_primary' : 'experiment.unknown_secondary', { name: project.data.payload.metrics.primary_metric_name })}</p>`,
        actions: outcome.data?.current
            ? null
            : html`${unknown.metrics.slice(0, 5).map(
                  ({ name, events }) =>
                      html`<button type="button" class="button" data-size="small" data-take-over=${name} data-for=${writers} @click=${() => actions.takeOver(name)}>
                          <span dir="auto">${t(key, { name, count: formatInteger(events) })}</span>
                      </button>`,
              )}`,
    });
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

function snippets({ id, api, snippet, actions }, metric) {
    return html`${tabs({
            id: 'snippet',
            label: t('experiment.send_code'),
            tabs: Object.entries(languages).map(([name, { title }]) => ({ name, title })),
            current: snippet,
            onSelect: actions.snippet,
            panel: (name) => codeblock(snippetOf(name, { api, id, metric }), { language: languages[name].title }),
        })}
        <p class="section-note">${t('experiment.send_note')} <a href=${isUnderPortal ? portalAddress('/admin/keys') : address('/settings')}>${t('experiment.to_keys')}</a></p>`;
}

/** @param {experiments.LiveStats} stats */
function sendCard(page, stats) {
    const { sending, actions, upload, project } = page;
    const planned = project.data?.payload.metrics;
    const context = {
        arms: project.data?.payload.setup.variants_count ?? Math.max(2, stats.comparisons.length + 1),
        metric: stats.primary_metric_name,
        known: [stats.primary_metric_name, ...(planned?.secondary_metrics ?? []), planned?.numerator_metric_name, planned?.denominator_metric_name, ...(planned?.guardrail_metrics ?? []).map(({ name }) => name)].filter(Boolean),
        exposed: stats.exposures_total,
        type: stats.metric_type,
        baseline: planned?.baseline_value ?? 0,
    };
    return html`<section class="card section stack" aria-labelledby="send-title" id="send" data-for=${writers}>
        <div class="section-head"><h2 id="send-title">${t('experiment.send')}</h2></div>
        ${tabs({
            id: 'sending',
            label: t('experiment.send'),
            tabs: ['code', 'file'].map((name) => ({ name, title: t(`experiment.send_${name}`) })),
            current: sending,
            onSelect: actions.sending,
            panel: (name) => (name === 'code' ? snippets(page, stats.primary_metric_name) : upload.view(context)),
        })}
        ${stats.exposures_total + stats.conversions_total + stats.unknown_metrics.events_total === 0
            ? null
            : html`<div class="button-row no-print">
                  <button type="button" class="button" data-size="small" id="clear" @click=${actions.clear}>${t('experiment.clear')}</button>
              </div>`}
    </section>`;
}

function historyCard({ outcome }) {
    const made = outcome.data?.outcomes ?? [];
    if (made.length === 0) return null;
    return html`<section class="card section" aria-labelledby="history-title" id="history">
        <div class="section-head"><h2 id="history-title">${t('experiment.history')}</h2></div>
        ${table({
            caption: t('experiment.history'),
            columns: [
                { name: 'created_at', title: t('experiment.when'), cell: ({ created_at: at }) => formatDateTime(at) },
                {
                    name: 'decision',
                    title: t('experiment.decision'),
                    cell: ({ decision, variation_index: index }) => (decision === 'ship' ? t('experiment.shipped', { name: armName(index) }) : t(`experiment.was_${decision}`)),
                },
                { name: 'headline', title: t('experiment.recommended'), cell: ({ headline }) => headlineText(headline) },
                { name: 'actor', title: t('experiment.by'), cell: ({ actor }) => actorText(actor) },
                { name: 'note', title: t('experiment.note'), cell: ({ note }) => html`<span class="outcome-note" dir="auto">${note || '–'}</span>` },
            ],
            rows: made,
        })}
    </section>`;
}

/* Reports of the result, for people who do not come here. */
function reportCard({ actions }) {
    return html`<section class="card section stack" aria-labelledby="report-title" id="result-report">
        <div class="section-head"><h2 id="report-title">${t('experiment.result_report')}</h2></div>
        <p class="section-note">${t('experiment.result_report_note')}</p>
        <div class="button-row">
            ${['pdf', 'html', 'markdown'].map(
                (format) => html`<button type="button" class="button" @click=${() => actions.report(format)}>${t('experiment.report', { format: format === 'markdown' ? 'Markdown' : format.toUpperCase() })}</button>`,
            )}
        </div>
    </section>`;
}

const noData = (page) => html`<section class="card section">
    ${empty({
        title: t('headline.not_started'),
        text: t('headline.not_started_note'),
        action: html`<button type="button" class="button" data-for=${writers} @click=${() => page.actions.open('events')}>${t('experiment.send')}</button>`,
    })}
</section>`;

/** @param {experiments.LiveStats} stats */
const isStarted = ({ exposures_total: people, conversions_total: converted, unknown_metrics: unknown }) => people + converted + unknown.events_total > 0;

/* What each tab shows. */
const parts = {
    results: (page, { stats, decision }) =>
        decision.headline === 'not_started'
            ? noData(page)
            : html`${looksCard(stats, page)} ${hybridCard(stats, page)} ${goalsCard(stats)} ${sharesCard(stats)} ${adjustedCard(stats)} ${courseCard(page, stats.comparisons.length + 1, leastOf(decision))} ${sourceCard(stats)} ${known(decision.alarms) ? alarmsCard(decision, page.actions) : null} ${scorecard(stats)} ${groupsCard(stats)} ${intervalCard({ stats, decision })} ${posteriorsCard(page, stats)} ${splitCard(stats)}`,
    segments: (page, { decision }) => html`${decision.headline === 'not_started' ? noData(page) : null} ${segmentsView(page)} ${decision.headline === 'not_started' ? null : interactionsCard(page)}`,
    plan: (page, { stats }) => html`${planView(page.plan)} ${page.project.data ? rulesCard(page.project.data.payload, stats.exposures_total, page.actions.editRule) : null} ${page.adaptive.view(isStarted(stats))} ${bucketsCard(page, isStarted(stats))}`,
    flag: (page) => page.flag.view(),
    events: (page, { stats, decision }) => html`${decision.headline === 'not_started' ? null : html`${qualityView(page)} ${qualityFacts(stats)}`} ${alarmsCard(decision, page.actions)} ${sendCard(page, stats)}`,
    report: (page, { decision }) => html`${decision.headline === 'not_started' ? noData(page) : html`${reportCard(page)} ${certificateCard(page)}`} ${planReports(page.plan)}`,
    history: (page) => html`${historyCard(page)} ${planHistory(page.plan)}`,
};

const partShown = ({ part }, { decision }) => (part in parts ? part : decision.headline === 'not_started' ? 'events' : 'results');

function content(page, data) {
    return html`<div class="stack experiment">
        ${page.outcome.data ? outcomeNotice(page.outcome.data, page.actions) : null} ${alarmNotice(data.stats)} ${verdictCard(data, page)} ${unknownCard(data.stats, page)}
        ${tabs({
            id: 'part',
            label: t('experiment.parts'),
            tabs: Object.keys(parts).map((name) => ({ name, title: t(`experiment.part_${name}`) })),
            current: partShown(page, data),
            onSelect: page.actions.open,
            panel: (name) => html`<div class="stack">${parts[name](page, data)}</div>`,
        })}
    </div>`;
}

export function view(page) {
    const { project, live, actions } = page;
    if (project === null) return html``;
    return resourceView(live, {
        quiet: true,
        skeleton: { lines: 3, height: 'card' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.start) : errorNotice(error, { retry: actions.start })),
        ready: (data) => content(page, data),
    });
}
