/* One trace as a template: what was asked and answered, the steps on a time line, each with what it
 * was given and what it changed, and what evaluators and people said. */
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime, formatMilliseconds, formatMoney, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { waterfall } from '../../shared/ui/charts/waterfall.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html, repeat } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { answerText, documentText } from '../prose.js';
import { reasonOf } from './reason.js';
import { documentOf, stepsOf } from './steps.js';

const shownText = 400;

export function routeBadge(route) {
    const tones = { auto: 'good', agentic: 'good', human: 'caution', timeout: 'danger', error_escalation: 'danger' };
    return route ? badge(t(`admin.route_${route}`), tones[route] ?? 'plain') : badge(t('admin.unfinished'), 'plain');
}

function fact(name, value) {
    return html`<div class="fact">
        <dt>${name}</dt>
        <dd dir="auto">${value}</dd>
    </div>`;
}

/* A verdict of an evaluator in words. */
export function verdictText(verdict) {
    const key = `admin.verdict_${verdict}`;
    return hasText(key) ? t(key) : verdict;
}

/** @param {support.Trace} trace */
function summary(trace, needed, onReview) {
    const reason = reasonOf(trace, needed);
    return html`<section class="card section" aria-labelledby="trace-question">
        <div class="section-head">
            <h2 id="trace-question" dir="auto">${trace.question}</h2>
            <div class="button-row">
                ${onReview ? html`<button type="button" class="button" data-size="small" id="to-review" @click=${() => onReview(trace.trace_id)}>${t('review.send')}</button>` : null}
                ${copyButton({ title: t('admin.copy_id'), text: () => trace.trace_id })}
            </div>
        </div>
        ${reason === null ? null : html`<p id="reason"><strong>${reason}</strong></p>`}
        ${trace.withheld ? html`<p id="withheld">${t('chat.withheld')}</p>` : null} ${trace.answer ? answerText(trace.answer) : null}
        <dl class="facts trace-facts">
            ${fact(t('admin.route'), routeBadge(trace.final_route))}
            ${fact(t('admin.quality'), trace.final_quality === null ? '–' : `${trace.final_quality}%`)}
            ${fact(t('admin.relevance'), trace.final_relevance === null ? '–' : formatPercent(trace.final_relevance, 3))}
            ${fact(t('admin.duration'), trace.duration_ms === null ? '–' : formatMilliseconds(trace.duration_ms))}
            ${fact(t('admin.cost'), formatMoney(trace.cost_usd, 'USD', 6))}
            ${fact(t('admin.started'), formatDateTime(trace.started_at))}
            ${fact(t('admin.votes'), trace.feedback.map(({ rating }) => t(`chat.vote_${rating}`)).join(', ') || '–')}
        </dl>
    </section>`;
}

function documents(list) {
    return html`<ul class="plain-list">
        ${list.map((one) => {
            const { title, text, name } = documentOf(one);
            return html`<li>
                <details class="disclosure" data-plain>
                    <summary dir="auto">${title}</summary>
                    <div class="disclosure-body">${documentText(text, { name })}</div>
                </details>
            </li>`;
        })}
    </ul>`;
}

function valueView(value, label) {
    if (Array.isArray(value) && value.length > 0 && value.every(documentOf)) return documents(value);
    if (value !== null && typeof value === 'object' && Object.keys(value).length > 0)
        return codeblock(JSON.stringify(value, null, 2), { language: 'json', label });
    if (typeof value === 'string' && value.length > shownText)
        return html`<details class="disclosure" data-plain>
            <summary dir="auto">${value.slice(0, 80)}…</summary>
            <div class="disclosure-body document-text" dir="auto">${value}</div>
        </details>`;
    return html`<span dir="auto">${typeof value === 'string' ? value || '–' : JSON.stringify(value)}</span>`;
}

function values(title, list, node) {
    return html`<h4>${title}</h4>
        ${list.length === 0
            ? html`<p class="section-note">${t('admin.nothing')}</p>`
            : html`<dl class="step-values">
                  ${list.map(({ name, value }) => html`<dt>${valueName(name)}</dt><dd>${valueView(value, `${node} ${name}: ${title}`)}</dd>`)}
              </dl>`}`;
}

export function stepName(node) {
    const key = `admin.node_${node}`;
    return hasText(key) ? t(key) : node.replaceAll('_', ' ');
}

function stepView(step, marked) {
    return html`<details class="disclosure" id=${`step-${step.order}`} ?open=${marked}>
        <summary>
            <h3 class="step-name">${step.order + 1}. ${stepName(step.node)}</h3>
            <span class="section-note">${formatMilliseconds(step.duration)}</span>
        </summary>
        <div class="disclosure-body stack">
            ${values(t('admin.given'), step.given, step.node)} ${values(t('admin.changed'), step.changed, step.node)}
            <details class="disclosure" data-plain>
                <summary>${t('admin.state')}</summary>
                <div class="disclosure-body">${codeblock(JSON.stringify(step.state, null, 2), { language: 'json', label: `${step.order + 1}. ${step.node}: ${t('admin.state')}` })}</div>
            </details>
        </div>
    </details>`;
}

/* What a step or an evaluator recorded, by its name. */
function valueName(name) {
    const key = `admin.value_${name}`;
    return hasText(key) ? t(key) : name.replaceAll('_', ' ');
}

/* What an evaluator counted: its numbers by name. */
function details(metadata) {
    const rows = Object.entries(metadata).filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0));
    return rows.length === 0
        ? '–'
        : html`<ul class="plain-list">${rows.map(([name, value]) => html`<li>${valueName(name)}: <bdi>${typeof value === 'number' ? formatNumber(value, 3) : [value].flat().join(', ')}</bdi></li>`)}</ul>`;
}

/** @param {support.TraceEvaluation[]} list */
function evaluations(list) {
    return table({
        caption: t('admin.evaluations'),
        rows: list,
        columns: [
            { name: 'evaluator_name', title: t('admin.evaluator'), cell: (row) => t(`admin.evaluator_${row.evaluator_name}`) },
            { name: 'score', title: t('admin.score'), align: 'end', cell: ({ score }) => formatNumber(score, 3) },
            { name: 'verdict', title: t('admin.verdict'), cell: ({ verdict }) => verdictText(verdict) },
            { name: 'metadata', title: t('admin.detail'), cell: ({ metadata }) => details(metadata ?? {}) },
        ],
    });
}

/** @param {support.Trace} trace */
export function traceView(trace, { step: marked, needed, onStep, onReview }) {
    const steps = stepsOf(trace);
    const spans = steps.map((step) => ({ id: step.order, parent: null, name: stepName(step.node), start: step.start, duration: step.duration, order: step.order }));
    return html`<div class="stack">
        ${summary(trace, needed, onReview)}
        <section class="card" aria-labelledby="steps-title">
            <div class="section stack">
                <h2 id="steps-title">${t('admin.steps')}</h2>
                ${spans.length === 0
                    ? html`<p class="section-note">${t('admin.nothing')}</p>`
                    : waterfall({
                          label: t('admin.timeline'),
                          spans,
                          format: formatMilliseconds,
                          axis: t('admin.since_start'),
                          titles: { name: t('admin.step'), start: t('admin.start'), duration: t('admin.duration') },
                          onSelect: ({ order }) => onStep(order),
                      })}
            </div>
            <div class="steps">${repeat(steps, ({ order }) => order, (step) => stepView(step, step.order === marked))}</div>
        </section>
        <section class="card section" aria-labelledby="evaluations-title">
            <div class="section-head"><h2 id="evaluations-title">${t('admin.evaluations')}</h2></div>
            ${trace.evaluations.length === 0 ? html`<p class="section-note">${t('admin.no_evaluations')}</p>` : evaluations(trace.evaluations)}
        </section>
    </div>`;
}
