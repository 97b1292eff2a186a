/*
 * Results in parts of the users: what is discovered, every segment of one metric drawn and listed, and the dimensions
 * that the design names. Effects are intervals that hold at every look; discoveries have a limited false discovery rate.
 */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { forestPlot } from '../../shared/ui/charts/forest.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { empty } from '../../shared/ui/empty.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { figure } from '../figure.js';
import { known, relative } from '../figures.js';
import { writers } from '../roles.js';
import { sliceInterval, sliceEffect, sliceValue, scaleOf } from './slice_figures.js';

const other = 'other'; /* the value of whatever has no place of its own */
const valueText = (value) => (value === other ? t('experiment.slice_other') : value);
const segmentText = ({ dimension, value }) => `${dimension}: ${valueText(value)}`;

/* A name of another script keeps its own order within a sentence. */
const inSentence = (name) => (document.documentElement.dir === 'rtl' ? `\u2068${name}\u2069` : name);

/* What an effect in a segment means, and its tone. */
function meaningOf({ status, is_discovered: found, is_improvement: better }) {
    if (status !== 'ok' && status !== 'zero_variance') return [status, 'plain'];
    if (!found) return ['open', 'plain'];
    return better ? ['better', 'good'] : ['worse', 'danger'];
}

const meaningBadge = (effect) => {
    const [meaning, tone] = meaningOf(effect);
    return badge(t(`experiment.slice_${meaning}`), tone);
};

/* Every effect of every segment, each with the metric that it is of. */
/** @param {experiments.LiveSlices} slices */
function effectsOf({ slices, metrics }) {
    const byName = new Map(metrics.map((metric) => [metric.name, metric]));
    return slices.flatMap(({ effects, ...slice }) => effects.map((effect) => ({ ...slice, ...effect, ...byName.get(effect.metric) })));
}

/** @param {experiments.LiveSlices} slices */
function summaryCard(slices) {
    const { discoveries, differences, hypotheses, users_needed: needed, false_discovery_rate: rate } = slices;
    const title = discoveries > 0 ? t('experiment.slices_found', { count: discoveries }) : t('experiment.slices_none');
    return html`<section class="card headline verdict" data-tone=${discoveries + differences > 0 ? 'info' : 'plain'} aria-labelledby="segments-title" id="segments">
        <div class="section">
            <h2 class="verdict-title" id="segments-title">${title}</h2>
            <p class="verdict-text">${t('experiment.slices_rate', { share: formatPercent(rate) })}</p>
        </div>
        <dl class="figures">
            ${figure(t('experiment.slices_discoveries'), formatInteger(discoveries), t('experiment.slices_of', { count: formatInteger(hypotheses) }))}
            ${figure(t('experiment.slices_differences'), formatInteger(differences), t('experiment.slices_differences_note'))}
            ${figure(t('experiment.slices_needed'), formatInteger(needed), t('experiment.slices_needed_note'))}
        </dl>
    </section>`;
}

/* Each discovery as a sentence: where, of what, and by how much. */
function discoveryText(effect) {
    const { metric, treatment_index: arm, is_improvement: better } = effect;
    return t(better ? 'experiment.slice_says_better' : 'experiment.slice_says_worse', {
        segment: inSentence(segmentText(effect)),
        metric: inSentence(metric),
        name: armName(arm),
        effect: sliceEffect(effect),
        interval: sliceInterval(effect.ci_lower, effect.ci_upper, effect.unit),
    });
}

function differenceText(effect) {
    return t('experiment.slice_says_differs', {
        segment: inSentence(segmentText(effect)),
        metric: inSentence(effect.metric),
        name: armName(effect.treatment_index),
        interval: sliceInterval(effect.difference_lower, effect.difference_upper, effect.unit),
    });
}

function foundCard(effects) {
    const lines = [...effects.filter(({ is_discovered: found }) => found).map(discoveryText), ...effects.filter(({ differs }) => differs).map(differenceText)];
    if (lines.length === 0) return null;
    return html`<section class="card section stack" aria-labelledby="found-title" id="discoveries">
        <div class="section-head"><h2 id="found-title">${t('experiment.slices_discoveries')}</h2></div>
        <ul class="assumption-list">
            ${lines.map((text) => html`<li>${text}</li>`)}
        </ul>
        <p class="section-note">${t('experiment.slices_next')}</p>
    </section>`;
}

/* The effect over all users, as a line to hold the segments against. */
/** @param {experiments.LiveStats} stats */
function overallOf({ metrics = [] }, { name, unit }, arm) {
    const one = metrics.find((metric) => metric.name === name)?.comparisons.find(({ treatment_index: index }) => index === arm);
    return known(one?.effect) ? [{ value: scaleOf(unit) * one.effect, name: t('experiment.slices_all_users') }] : [];
}

function plot(rows, marks, { unit }, label) {
    const drawn = rows.filter(({ effect }) => known(effect));
    if (drawn.length === 0) return null;
    const scale = scaleOf(unit);
    const end = (value) => (known(value) ? scale * value : null);
    return html`<div class="chart" id="segments-plot">
        ${forestPlot({
            label,
            title: unit === 'rate' ? t('observed.axis_points') : t('observed.effect'),
            format: (value) => formatNumber(value, 3),
            titles: { name: t('experiment.slice'), estimate: t('observed.effect'), lower: t('observed.from'), upper: t('observed.to') },
            marks,
            rows: drawn.map((row) => ({
                name: segmentText(row),
                estimate: scale * row.effect,
                lower: end(row.ci_lower),
                upper: end(row.ci_upper),
                tone: row.is_discovered ? meaningOf(row)[1] : 'accent',
            })),
        })}
    </div>`;
}

function segmentTable(rows, caption) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return table({
        caption,
        columns: [
            { name: 'segment', title: t('experiment.slice'), cell: (row) => html`<span dir="auto">${segmentText(row)}</span>` },
            end('people', t('experiment.people'), ({ people }) => formatInteger(people)),
            end('control', t('arm.control'), ({ control_value: value, unit }) => sliceValue(value, unit)),
            end('treatment', t('arm.treatment'), ({ treatment_value: value, unit }) => sliceValue(value, unit)),
            end('effect', t('experiment.change'), (row) =>
                known(row.effect) ? html`${sliceEffect(row)}${known(row.effect_relative) ? html` <span class="section-note">${relative(row.effect_relative)}</span>` : null}` : '–',
            ),
            end('interval', t('experiment.interval_any'), ({ ci_lower: lower, ci_upper: upper, unit }) => sliceInterval(lower, upper, unit)),
            { name: 'meaning', title: t('experiment.meaning'), cell: (row) => html`${meaningBadge(row)}${row.differs ? html` ${badge(t('experiment.slice_differs'), 'info')}` : null}` },
        ],
        rows,
        marked: ({ is_discovered: found, differs }) => found || differs,
    });
}

function choice(id, label, options, current, choose) {
    if (options.length < 2) return null;
    return html`<div class="field">
        <label class="field-label" for=${id}>${label}</label>
        <select class="select" id=${id} @change=${(event) => choose(event.target.value)}>
            ${options.map(({ value, title }) => html`<option value=${value} ?selected=${value === current}>${title}</option>`)}
        </select>
    </div>`;
}

/* One metric and one treatment at a time: a dozen of both would hide what matters. */
/** @param {experiments.LiveSlices} slices */
function tableCard(slices, effects, { segment, actions, live }) {
    if (slices.slices.length === 0) return null;
    const arms = [...new Set(effects.map(({ treatment_index: arm }) => arm))];
    const metric = slices.metrics.find(({ name }) => name === segment.metric) ?? slices.metrics[0];
    const arm = arms.includes(segment.arm) ? segment.arm : arms[0];
    const rows = effects.filter((one) => one.metric === metric.name && one.treatment_index === arm);
    const marks = overallOf(live.data.stats, metric, arm);
    const caption = t('experiment.slices_caption', { metric: inSentence(metric.name), name: armName(arm) });
    return html`<section class="card section stack" aria-labelledby="segment-list-title" id="segment-list">
        <div class="section-head"><h2 id="segment-list-title">${caption}</h2></div>
        <div class="filters">
            ${choice('segment-metric', t('experiment.metric'), slices.metrics.map(({ name }) => ({ value: name, title: name })), metric.name, (name) => actions.segment({ metric: name }))}
            ${choice('segment-arm', t('split.variant'), arms.map((index) => ({ value: String(index), title: armName(index) })), String(arm), (index) => actions.segment({ arm: Number(index) }))}
        </div>
        ${plot(rows, marks, metric, caption)}
        <p class="section-note">${t('experiment.slices_reading')}${marks.length > 0 ? html` ${t('experiment.slices_line')}` : nothing}</p>
        ${segmentTable(rows, caption)}
    </section>`;
}

const dimensionsOf = ({ project }) => project.data?.payload.setup.dimensions ?? [];

const ruleText = ({ values, values_max: most }) =>
    values?.length > 0 ? [...values, t('experiment.slice_other')].join(', ') : t('experiment.dimension_first', { count: formatInteger(most ?? 20) });

/* A name as JSON writes it, within quotation marks of a shell. */
const quoted = (name) => JSON.stringify(name).replaceAll("'", '\\u0027');

const snippetOf = ({ id, api }, name, value) =>
    `curl -X POST ${api}/api/v1/experiments/${encodeURIComponent(id)}/exposures -H 'Content-Type: application/json' \\
  -d '{"exposures":[{"user_id":"user-1","variation_index":1,
       "dimensions":[{"name":${quoted(name)},"value":${quoted(value)}}]}]}'`;

/* The dimensions of the design, and how they are named and sent. */
function dimensionsCard(page, slices) {
    const named = dimensionsOf(page);
    const arrived = new Map(slices.dimensions.map((one) => [one.name, one]));
    const remove = ({ name }) => html`<button type="button" class="button" data-size="small" data-for=${writers} data-remove=${name} aria-label=${`${t('experiment.dimension_remove')}: ${name}`} @click=${() => page.actions.removeDimension(name)}>${t('experiment.dimension_remove')}</button>`;
    const [first] = named;
    return html`<section class="card section stack" aria-labelledby="dimensions-title" id="dimensions">
        <div class="section-head">
            <h2 id="dimensions-title">${t('experiment.dimensions')}</h2>
            <button type="button" class="button" data-size="small" data-for=${writers} id="add-dimension" ?disabled=${!page.project.data} @click=${page.actions.addDimension}>${t('experiment.dimension_add')}</button>
        </div>
        <p class="section-note">${t('experiment.dimensions_note')}</p>
        ${named.length === 0
            ? null
            : table({
                  caption: t('experiment.dimensions'),
                  columns: [
                      { name: 'name', title: t('experiment.dimension'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
                      { name: 'rule', title: t('experiment.dimension_values'), cell: (row) => html`<span dir="auto">${ruleText(row)}</span>` },
                      { name: 'sent', title: t('experiment.dimension_sent'), align: 'end', cell: ({ name }) => formatInteger(arrived.get(name)?.values ?? 0) },
                      { name: 'remove', title: t('experiment.dimension_remove'), titleHidden: true, cell: remove },
                  ],
                  rows: named,
              })}
        ${slices.dimensions.some(({ status }) => status === 'too_many_values') ? notice({ tone: 'caution', body: t('experiment.dimension_late') }) : null}
        ${codeblock(snippetOf(page, first?.name ?? 'platform', first?.values?.[0] ?? 'ios'), { language: 'curl', label: t('experiment.dimensions') })}
    </section>`;
}

const nothingYet = (title, text) => html`<section class="card section" id="segments">${empty({ title: t(title), text: t(text) })}</section>`;

/** @param {experiments.LiveSlices} slices */
function ready(slices, page) {
    const effects = effectsOf(slices);
    const results =
        slices.status === 'no_dimensions'
            ? nothingYet('experiment.slices_no_dimensions', 'experiment.slices_no_dimensions_text')
            : slices.status === 'no_metrics'
              ? nothingYet('experiment.slices_no_metrics', 'experiment.slices_no_metrics_text')
              : slices.status !== 'available'
                ? nothingYet('experiment.slices_withheld', 'experiment.slices_withheld_text')
                : slices.slices.length === 0
                  ? nothingYet('experiment.slices_no_values', 'experiment.slices_no_values_text')
                  : html`${summaryCard(slices)} ${foundCard(effects)} ${tableCard(slices, effects, page)}`;
    return html`<div class="stack">${results} ${dimensionsCard(page, slices)}</div>`;
}

export function segmentsView(page) {
    return resourceView(page.slices, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready: (slices) => ready(slices, page) });
}
