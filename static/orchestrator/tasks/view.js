/* The runs as a template: the list, and one run with its steps over time and its events. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatMilliseconds, formatMoney, formatNumber } from '../../shared/numbers.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { html } from '../../shared/ui/lit.js';
import { waterfall } from '../../shared/ui/charts/waterfall.js';
import { markdown } from '../../shared/ui/markdown.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { statusBadge } from '../models.js';
import { spansOf } from './spans.js';

const money = (value) => (Number.isFinite(value) ? formatMoney(value, 'USD', 4) : '–');
const kinds = ['smart', 'consensus', 'compare', 'debate', 'pipeline', 'batch'];
const time = (ms) => (Number.isFinite(ms) ? formatMilliseconds(ms) : '–');

export function columns(onTask) {
    return [
        {
            name: 'prompt_preview',
            title: t('tasks.prompt'),
            cell: (row) =>
                html`<a
                    dir="auto"
                    href=${`?task=${row.task_id}`}
                    @click=${(event) => {
                        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                        event.preventDefault();
                        onTask(row.task_id);
                    }}
                    >${row.prompt_preview || row.task_id}</a
                >`,
        },
        { name: 'status', title: t('tasks.status'), cell: ({ status }) => statusBadge(status) },
        { name: 'models', title: t('tasks.models'), cell: (row) => row.requested_models.map(({ display_name: name }) => name).join(', ') },
        { name: 'execution_mode', title: t('tasks.mode'), cell: ({ execution_mode: mode }) => t(`tasks.mode_${mode}`) },
        { name: 'duration_ms', title: t('tasks.duration'), align: 'end', cell: (row) => time(row.duration_ms) },
        { name: 'cost_usd', title: t('tasks.cost'), align: 'end', cell: (row) => money(row.cost_usd) },
        { name: 'accepted_at', title: t('tasks.accepted'), cell: (row) => formatDateTime(row.accepted_at) },
    ];
}

/* Every model that was called, in the order of its first step; what was asked for where none was. */
/** @param {orchestrator.TaskDetail} task */
function modelNames(task) {
    const names = task.steps.map(({ model_display_name: name }) => name);
    return [...new Set(names.length > 0 ? names : task.requested_models.map(({ display_name: name }) => name))].join(', ');
}

/* What all steps cost and took in tokens, as far as it is known. */
/** @param {orchestrator.TaskDetail} task */
function sums(task) {
    const sum = (name) => task.steps.reduce((all, step) => (Number.isFinite(step[name]) ? (all ?? 0) + step[name] : all), null);
    return { cost: sum('cost_usd'), input: sum('input_tokens'), output: sum('output_tokens') };
}

function fact(name, value) {
    return html`<div class="fact">
        <dt>${name}</dt>
        <dd dir="auto">${value}</dd>
    </div>`;
}

/* How the answer was made, where it was not one call; null for that. */
/** @param {orchestrator.TaskDetail} task */
function kindOf({ metadata }) {
    const route = String(metadata?.route ?? '').split('/')[0];
    return kinds.includes(route) ? t(`tasks.kind_${route}`) : null;
}

/** @param {orchestrator.TaskDetail} task */
function facts(task) {
    const { cost, input, output } = sums(task);
    return html`<dl class="facts">
        ${fact(t('tasks.models'), modelNames(task))}
        ${kindOf(task) === null ? null : fact(t('tasks.kind'), kindOf(task))}
        ${fact(t('tasks.mode'), t(`tasks.mode_${task.execution_mode}`))}
        ${task.requested_models.length > 1 ? fact(t('tasks.merge'), t(`tasks.merge_${task.merge_strategy}`)) : null}
        ${task.quorum > 1 ? fact(t('tasks.quorum'), formatNumber(task.quorum)) : null}${fact(t('tasks.duration'), time(task.duration_ms))}
        ${fact(t('tasks.cost'), money(cost))}
        ${input === null ? null : fact(t('tasks.tokens'), t('tasks.tokens_of', { input: formatNumber(input), output: formatNumber(output ?? 0) }))}
        ${fact(t('tasks.accepted'), formatDateTime(task.accepted_at))}
        ${fact(t('tasks.id'), html`<span class="mono key-text">${task.task_id}</span>`)}
        ${task.retry_of_task_id ? fact(t('tasks.retry_of'), html`<a href=${`?task=${task.retry_of_task_id}`}>${task.retry_of_task_id.slice(0, 8)}</a>`) : null}
    </dl>`;
}

/** @param {orchestrator.TaskStep} step */
function stepView(step) {
    return html`<details class="disclosure">
        <summary>
            <h3>${step.step_index}. <bdi>${step.model_display_name}</bdi></h3>
            ${statusBadge(step.status)}
        </summary>
        <div class="disclosure-body stack">
            <p class="section-note">${[step.backend === 'browser' ? t('tasks.mode_browser') : step.provider, time(step.duration_ms), money(step.cost_usd)].join(' · ')}</p>
            ${step.failure_message ? html`<p class="field-error" dir="auto">${step.failure_message}</p>` : null}
            ${step.output_text ? markdown(step.output_text) : null}
        </div>
    </details>`;
}

/* Steps from the start of their calls to their ends, with what came first and what each cost. */
/** @param {orchestrator.TaskDetail} task */
function timeline(task) {
    const spans = spansOf(task);
    if (spans.length === 0) return null;
    const hasMarks = spans.some(({ mark }) => mark !== null);
    return html`<section class="card section stack" aria-labelledby="timeline-title">
        <h2 id="timeline-title">${t('tasks.timeline')}</h2>
        ${waterfall({
            label: t('tasks.timeline'),
            spans,
            format: formatMilliseconds,
            axis: t('tasks.since_start'),
            titles: { name: t('tasks.step'), start: t('tasks.start'), duration: t('tasks.duration') },
            more: [
                ...(hasMarks ? [{ name: 'mark', title: t('tasks.first_token'), align: 'end', cell: ({ mark, start }) => (mark === null ? '–' : formatMilliseconds(mark - start)) }] : []),
                { name: 'cost', title: t('tasks.cost'), align: 'end', cell: ({ cost }) => money(cost) },
            ],
        })}
        ${hasMarks ? html`<p class="section-note">${t('tasks.first_token_note')}</p>` : null}
    </section>`;
}

/** @param {orchestrator.TaskDetail} task */
function events(task) {
    const start = Date.parse(task.accepted_at);
    const stepOf = ({ payload }) => task.steps.find(({ step_index: index }) => index === payload?.step_index);
    /* Steps are stored with the end of the run: they are shown at the end of their calls. */
    const rows = task.events
        .map((event) => ({ ...event, step: stepOf(event) }))
        .map((event) => ({ ...event, after: Math.max(0, Date.parse(event.step?.completed_at ?? event.created_at) - start) }))
        .toSorted((a, b) => a.after - b.after || a.sequence_no - b.sequence_no);
    return html`${table({
            caption: t('tasks.events'),
            rows,
            columns: [
                { name: 'event_type', title: t('tasks.event'), cell: (row) => t(`tasks.event_${row.event_type.replace('.', '_')}`) },
                { name: 'step', title: t('tasks.step'), cell: ({ step }) => (step === undefined ? '–' : html`${step.step_index}. <bdi>${step.model_display_name}</bdi>`) },
                { name: 'after', title: t('tasks.after'), align: 'end', cell: ({ after }) => formatMilliseconds(after) },
            ],
        })}
        <details class="disclosure" data-plain>
            <summary>${t('tasks.payloads')}</summary>
            <div class="disclosure-body">${codeblock(JSON.stringify(task.events, null, 2), { language: 'json', label: t('tasks.payloads') })}</div>
        </details>`;
}

/** @param {orchestrator.TaskDetail} task */
function detail(task, actions) {
    const retriable = task.status === 'failed' || task.status === 'cancelled';
    return html`<div class="stack" id="task">
        <section class="card section stack" aria-labelledby="task-title">
            <div class="section-head"><h2 id="task-title">${t('tasks.of', { time: formatDateTime(task.accepted_at) })}</h2>${statusBadge(task.status)}</div>
            <p class="task-prompt" dir="auto">${task.prompt}</p>
            ${task.failure_message ? notice({ tone: 'danger', title: t(`failure.${task.failure_code}`), body: html`<p>${task.failure_message}</p>` }) : null}
            ${facts(task)}
            <div class="button-row">
                <button type="button" class="button" data-size="small" id="export" @click=${() => actions.export(task.task_id)}>${t('tasks.export')}</button>
                ${retriable ? html`<button type="button" class="button" data-kind="primary" data-size="small" id="retry" @click=${() => actions.retry(task.task_id)}>${t('tasks.retry')}</button>` : null}
            </div>
        </section>
        <section class="card section stack" aria-labelledby="output-title">
            <h2 id="output-title">${t('tasks.output')}</h2>
            ${task.output_text ? markdown(task.output_text) : html`<p class="section-note">${t('tasks.no_output')}</p>`}
        </section>
        ${timeline(task)}
        ${task.steps.length === 0
            ? null
            : html`<section class="card" aria-labelledby="steps-title">
                  <div class="section"><h2 id="steps-title">${t('tasks.steps')}</h2></div>
                  ${task.steps.map(stepView)}
              </section>`}
        <section class="card section stack" aria-labelledby="events-title"><h2 id="events-title">${t('tasks.events')}</h2>${events(task)}</section>
    </div>`;
}

export function view({ list, task, modes, opened, actions }) {
    if (opened === '') return html`<div class="stack">${modes.view()}<div class="card section">${list.view()}</div></div>`;
    return html`<div class="stack">
        <div class="button-row"><button type="button" class="button" data-size="small" id="back" @click=${() => actions.open('')}>${t('tasks.back')}</button></div>
        ${resourceView(task, { skeleton: { lines: 3, height: 'card' }, ready: (data) => detail(data, actions) })}
    </div>`;
}
