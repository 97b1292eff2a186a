/* Thresholds with their curves, and the backlog, as a template. */
import { t } from '../../shared/i18n.js';
import { formatDate, formatDateTime, formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';

/* Those that answering goes by; the others are for the eye. */
const choosable = ['quality_threshold', 'fact_verification_min_score'];
const tones = { holds: 'info', undecided: 'caution', broken: 'danger' };
const pageOfTraces = address('/static/admin.html');

const share = (value) => formatPercent(value, 3);

/* Marks that would stand on each other's names are left out: the facts above say them all. */
function marksOf(one, choice) {
    const wanted = [{ x: choice?.cutoff ?? one.current, name: t(choice ? 'trends.chosen' : 'trends.current') }];
    if (one.risk?.status === 'found') wanted.push({ x: one.risk.cutoff, name: t('trends.risk_cut') });
    if (choice) wanted.push({ x: one.current, name: t('trends.current') });
    const range = one.curve.at(-1).cutoff - one.curve[0].cutoff;
    const marks = [];
    for (const mark of wanted) if (marks.every(({ x }) => Math.abs(x - mark.x) > range * 0.35)) marks.push(mark);
    return marks;
}

function curve(one, choice) {
    const marks = marksOf(one, choice);
    const places = [...one.curve.map(({ cutoff }) => cutoff), ...marks.map(({ x }) => x)];
    const series = (name, key) => ({ name, points: one.curve.map((point) => ({ x: point.cutoff, y: point[key] })) });
    const all = [series(t('trends.f1'), 'f1'), series(t('trends.coverage'), 'coverage'), series(t('trends.wrong'), 'risk')];
    return lineChart({
        label: `${t('trends.curve')}: ${t(`trends.${one.name}`)}`,
        series: all,
        x: { title: t('trends.cutoff'), format: (value) => formatNumber(value, 4), min: Math.min(...places), max: Math.max(...places) },
        y: { title: t('trends.share'), format: share, min: 0, max: 1 },
        marks,
    });
}

function riskFact(risk) {
    if (risk === null) return '–';
    if (risk.status === 'too_few') return t('trends.too_few', { count: risk.needed });
    if (risk.status === 'not_reached') return t('trends.not_reached');
    return html`${formatNumber(risk.cutoff, 4)} · ${t('trends.coverage_of', { share: share(risk.coverage) })}`;
}

function suggestedFact(one) {
    if (one.suggested === null) return t('trends.insufficient');
    return html`${formatNumber(one.suggested, 6)} · F1 ${formatNumber(one.suggested_metrics.f1, 3)}`;
}

function choiceFact(choice) {
    const state = choice.risk === null ? null : (choice.state ?? 'new');
    return html`<div class="fact">
        <dt>${t('trends.chosen')}</dt>
        <dd>${formatNumber(choice.cutoff, 4)} ${state === null ? null : badge(t(`trends.state_${state}`), tones[state])}</dd>
    </div>`;
}

function buttons(one, choice, actions) {
    const use = (source, cutoff, kind) =>
        html`<button type="button" class="button" data-size="small" @click=${() => actions.choose(one.name, source)}>
            ${kind}: ${t('trends.use', { cutoff: formatNumber(cutoff, 4) })}
        </button>`;
    return html`<div class="button-row">
        ${one.risk?.status === 'found' ? use('risk', one.risk.cutoff, t('trends.risk_cut')) : null}
        ${one.suggested === null ? null : use('f1', one.suggested, t('trends.suggested'))}
        ${
            choice
                ? html`<button type="button" class="button" data-size="small" @click=${() => actions.unchoose(one.name)}>${t('trends.back')}</button>`
                : null
        }
    </div>`;
}

function thresholdCard(one, choice, actions) {
    return html`<section class="card section stack" aria-labelledby=${`title-${one.name}`}>
        <div class="section-head"><h2 id=${`title-${one.name}`}>${t(`trends.${one.name}`)}</h2></div>
        <dl class="facts threshold-facts">
            <div class="fact"><dt>${t('trends.current')}</dt><dd>${formatNumber(one.current, 6)}</dd></div>
            <div class="fact"><dt>${t('trends.suggested')}</dt><dd>${suggestedFact(one)}</dd></div>
            <div class="fact"><dt>${t('trends.risk_cut')}</dt><dd>${riskFact(one.risk)}</dd></div>
            ${choice ? choiceFact(choice) : null}
        </dl>
        ${one.curve.length === 0 ? html`<p class="section-note">${t('trends.no_values')}</p>` : curve(one, choice)}
        ${choosable.includes(one.name) ? buttons(one, choice, actions) : null}
    </section>`;
}

function thresholdsReady({ analysis, choices }, { actions }) {
    const judged = { count: analysis.label_count, days: analysis.days };
    return html`<div class="stack">
        <p class="threshold-basis">
            ${t('trends.judged', judged)}
            ${badge(t(analysis.label_source === 'human_review' ? 'trends.by_people' : 'trends.by_route'), analysis.label_source === 'human_review' ? 'info' : 'caution')}
            <span class="section-note">${formatDateTime(analysis.generated_at)}</span>
        </p>
        ${Object.values(analysis.thresholds).map((one) =>
            thresholdCard(
                one,
                choices.find(({ metric }) => metric === one.name),
                actions,
            ),
        )}
    </div>`;
}

function thresholdsPanel(page) {
    return html`<div class="stack">
        <form
            class="card section button-row threshold-choice"
            @submit=${(event) => {
                event.preventDefault();
                if (!page.form.unclear()) page.actions.refresh();
            }}
        >
            ${page.form.field('risk')} ${page.form.field('confidence')}
            <button type="submit" class="button" data-kind="primary">${t('trends.refresh')}</button>
        </form>
        ${resourceView(page.thresholds, { skeleton: { lines: 3, height: 'chart' }, ready: (data) => thresholdsReady(data, page) })}
    </div>`;
}

function traceLinks(ids) {
    if (ids.length === 0) return '–';
    return ids.slice(0, 3).map((id, at) => html`${at > 0 ? ', ' : ''}<a href=${`${pageOfTraces}?${new URLSearchParams({ trace: id })}`}>${id.slice(0, 8)}</a>`);
}

const columns = () => [
    { name: 'priority', title: t('trends.priority'), align: 'end', cell: ({ priority }) => formatNumber(priority, 3) },
    { name: 'title', title: t('trends.what'), cell: ({ title }) => html`<span dir="auto">${title}</span>` },
    { name: 'source', title: t('trends.from'), cell: ({ source }) => t(`trends.source_${source}`) },
    { name: 'frequency', title: t('trends.times'), align: 'end', cell: ({ frequency }) => formatInteger(frequency) },
    { name: 'latest_at', title: t('trends.seen'), cell: ({ latest_at: at }) => formatDateTime(at) },
    { name: 'trace_ids', title: t('trends.traces'), cell: ({ trace_ids: ids }) => traceLinks(ids) },
    { name: 'action', title: t('trends.action'), cell: ({ source }) => t(`trends.action_${source}`) },
];

function backlogReady({ week, week_start: from, week_end: to, items }) {
    const title = t('trends.week', { week, from: formatDate(from), to: formatDate(to) });
    return html`<section class="card section stack" aria-labelledby="week">
        <div class="section-head"><h2 id="week">${title}</h2></div>
        ${
            items.length === 0
                ? empty({ title: t('trends.no_items'), text: t('trends.no_items_text') })
                : table({ caption: title, rows: items, columns: columns() })
        }
    </section>`;
}

function backlogPanel({ backlog }) {
    return html`<div class="stack">
        <p><a href=${`${pageOfTraces}?tab=evaluations`}>${t('trends.worst')}</a></p>
        ${resourceView(backlog, { skeleton: { lines: 3, height: 'card' }, ready: backlogReady })}
    </div>`;
}

export function view(page) {
    const panels = { thresholds: thresholdsPanel, backlog: backlogPanel };
    return tabs({
        id: 'trends',
        label: t('trends.title'),
        tabs: Object.keys(panels).map((name) => ({ name, title: t(`trends.tab_${name}`) })),
        current: page.tab,
        onSelect: page.actions.tab,
        panel: (name) => panels[name](page),
    });
}
