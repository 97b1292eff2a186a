/* The parts of the quality page as templates. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing, repeat } from '../../shared/ui/lit.js';
import { pager } from '../../shared/ui/pager.js';
import { resourceView } from '../../shared/ui/resource.js';
import { filterBar, table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { addresses } from '../service.js';
import { readNotes } from './expectations.js';
import { settingName } from './names.js';
import { nextPanel } from './next.js';
import { settingsFields } from './settings.js';
import { deployments, liveTraffic } from './splits.js';

export const reasons = ['thumbs_down', 'low_quality', 'escalated', 'fact_fail', 'slow_trace', 'manual'];
export const statuses = ['pending', 'in_review', 'confirmed_good', 'confirmed_bad', 'dismissed'];
const tones = {
    pending: 'caution', in_review: 'info', confirmed_good: 'good', confirmed_bad: 'danger', dismissed: 'plain',
    draft: 'plain', running: 'info', deployed: 'good', completed: 'plain', archived: 'plain',
    queued: 'plain', error: 'danger', pass: 'good', fail: 'danger',
    neutral: 'plain', regression: 'danger', new_pass: 'good', infrastructure_failure: 'caution',
};

const word = (name) => badge(t(`improve.${name}`), tones[name] ?? 'plain', { dot: true });
const share = (value) => (value === null ? '–' : formatPercent(value, 3));

function fact(name, value) {
    return html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`;
}

function traceLink(id) {
    return html`<a href=${`${addresses.admin}?${new URLSearchParams({ trace: id })}`}>${t('improve.trace')}</a>`;
}

function item(current, name, meta, open) {
    return html`<li>
        <button type="button" class="case-item" aria-current=${current ? 'true' : nothing} @click=${open}>
            <span class="case-name" dir="auto">${name}</span>
            <span class="case-meta">${meta}</span>
        </button>
    </li>`;
}

function queueList(page) {
    const { queue, opened, status, actions } = page;
    return html`<section class="card section stack" aria-labelledby="cases-title">
        <h2 id="cases-title">${t('improve.cases')}</h2>
        ${filterBar({
            filters: [
                { name: 'status', label: t('improve.status'), kind: 'select', options: statuses.map((value) => ({ value, title: t(`improve.${value}`) })) },
                { name: 'reason', label: t('improve.why'), kind: 'select', options: reasons.map((value) => ({ value, title: t(`improve.${value}`) })) },
            ],
            values: { status: status === '*' ? '' : status, reason: page.reason },
            onFilter: (patch) => actions.go({ ...patch, ...(patch.status === '' ? { status: '*' } : {}), case: '', page: '1' }),
        })}
        ${resourceView(queue, {
            quiet: true,
            skeleton: { lines: 5, height: 'row' },
            isEmpty: ({ items }) => items.length === 0,
            empty: { title: t('improve.no_cases'), text: t('improve.no_cases_text') },
            ready: ({ items, more, size }) =>
                html`<ul class="case-list plain-list">
                    ${repeat(
                        items,
                        ({ id }) => id,
                        (row) =>
                            item(
                                String(row.id) === opened,
                                row.question ?? row.trace_id,
                                html`${word(row.status)} ${t(`improve.${row.reason}`)} · ${formatAgo(row.created_at)}${row.quality === null ? null : html` · ${t('chat.quality', { quality: row.quality })}`}`,
                                () => actions.go({ case: String(row.id) }),
                            ),
                    )}
                </ul>
                ${pager({ page: Number(page.page), size, shown: items.length, more, onPage: (to) => actions.go({ page: String(to), case: '' }) })}`,
        })}
    </section>`;
}

function quoted({ title, excerpt }) {
    return html`<li>
        <details class="disclosure" data-plain>
            <summary dir="auto">${title}</summary>
            <div class="disclosure-body case-text" dir="auto">${excerpt}</div>
        </details>
    </li>`;
}

function verdictNotes(text) {
    const { notes, must, mustNot } = readNotes(text);
    const list = (title, phrases) => (phrases.length === 0 ? null : html`<div><h3>${title}</h3><ul>${phrases.map((one) => html`<li dir="auto">${one}</li>`)}</ul></div>`);
    return html`${list(t('improve.must'), must)} ${list(t('improve.must_not'), mustNot)}
        ${notes === '' ? null : html`<p class="case-text" dir="auto">${notes}</p>`}`;
}

function caseDetail(data, { notes, busy, actions }) {
    const { item: row } = data;
    const judged = row.status !== 'pending' && row.status !== 'in_review';
    const button = (status, key, kind) =>
        html`<button type="button" class="button" data-kind=${kind} id=${status} ?disabled=${busy} aria-keyshortcuts=${key} @click=${() => actions.judge(status)}>
            ${t(`improve.say_${status}`)} <kbd>${key}</kbd>
        </button>`;
    return html`<section class="card section stack" aria-labelledby="case-title" id="case">
        <div class="section-head"><h2 id="case-title" dir="auto" tabindex="-1">${data.query}</h2>${word(row.status)}</div>
        <p class="section-note">${t(`improve.${row.reason}`)} · ${formatDateTime(row.created_at)} · ${traceLink(row.trace_id)}</p>
        <p class="case-text" dir="auto">${data.answer}</p>
        <dl class="facts">
            ${fact(t('inbox.score_quality'), row.quality === null ? '–' : `${formatInteger(row.quality)}%`)}
            ${fact(t('inbox.score_facts'), row.fact_score === null ? '–' : `${formatInteger(row.fact_score)}%`)}
            ${fact(t('admin.route'), data.route ? t(`admin.route_${data.route}`) : '–')}
        </dl>
        ${data.documents.length === 0 ? null : html`<div><h3>${t('improve.documents')}</h3><ul class="plain-list">${data.documents.map(quoted)}</ul></div>`}
        ${judged
            ? html`${row.reviewer_notes === '' ? null : verdictNotes(row.reviewer_notes)}
                  <div class="button-row"><button type="button" class="button" id="reopen" ?disabled=${busy} @click=${() => actions.judge('pending')}>${t('improve.reopen')}</button></div>`
            : html`<div class="stack">${notes.field('must')} ${notes.field('must_not')} ${notes.field('notes')}</div>
                  <div class="button-row">${button('confirmed_good', 'g', 'primary')} ${button('confirmed_bad', 'b', 'secondary')} ${button('dismissed', 'd', 'quiet')}</div>`}
        <p class="section-note">${t('improve.keys')} <kbd>j</kbd> <kbd>k</kbd></p>
    </section>`;
}

function queuePanel(page) {
    return html`<div class="cases">
        ${queueList(page)}
        ${page.opened === ''
            ? html`<p class="section-note">${t('improve.choose')}</p>`
            : resourceView(page.single, { skeleton: { lines: 2, height: 'card' }, ready: (data) => caseDetail(data, page) })}
    </div>`;
}

function curatedPanel({ curated, actions }) {
    const columns = [
        { name: 'query', title: t('improve.question'), cell: (row) => html`<span dir="auto">${row.query}</span>` },
        { name: 'verdict', title: t('improve.verdict'), cell: (row) => word(row.human_verdict === 'bad' ? 'confirmed_bad' : 'confirmed_good') },
        { name: 'phrases', title: t('improve.phrases'), cell: (row) => html`<span dir="auto">${(row.expected?.answer_contains ?? []).join(' · ')}</span>` },
        { name: 'tenant_id', title: t('improve.tenant') },
    ];
    return html`<section class="card section stack" id="curated">
        <div class="button-row"><button type="button" class="button" id="rebuild" @click=${actions.rebuild}>${t('improve.rebuild')}</button></div>
        ${resourceView(curated, {
            skeleton: { lines: 3, height: 'row' },
            ready: ({ stats, cases }) =>
                html`<dl class="facts">
                        ${fact(t('improve.count'), formatInteger(stats.count))}
                        ${fact(t('improve.confirmed_good'), formatInteger(stats.verdict_counts.good))}
                        ${fact(t('improve.confirmed_bad'), formatInteger(stats.verdict_counts.bad))}
                    </dl>
                    ${cases.length === 0
                        ? html`<p class="section-note">${t('improve.no_curated')}</p>`
                        : table({ caption: t('improve.tab_curated'), rows: cases, key: (row) => row.case_id, columns })}`,
        })}
    </section>`;
}

function powerNotice(gate) {
    const { power } = gate;
    const blind = gate.passed && !power.could_have_seen;
    return html`<div class="notice" data-tone=${blind ? 'caution' : 'info'}>
        <h3 class="notice-title">${blind ? t('improve.blind') : t('improve.power')}</h3>
        <p>
            ${power.detectable_drop === null ? t('improve.sees_nothing') : t('improve.sees', { drop: share(power.detectable_drop), power: share(power.power) })}
            ${power.cases_missing ? t('improve.missing', { count: power.cases_missing, drop: share(power.target_drop) }) : null}
        </p>
    </div>`;
}

function side(name, result, failures) {
    return html`<div>
        <h4>${t(`improve.${name}`)} · ${formatInteger(result.quality_score)}</h4>
        <p class="case-text" dir="auto">${result.answer}</p>
        ${failures.length === 0 ? null : html`<ul>${failures.map((text) => html`<li class="mono" dir="ltr">${text}</li>`)}</ul>`}
    </div>`;
}

function runCase(one) {
    return html`<li>
        <details class="disclosure" ?open=${one.outcome === 'regression'}>
            <summary><span dir="auto">${one.query}</span> ${word(one.outcome)}</summary>
            <div class="disclosure-body two-answers">
                ${side('baseline', one.baseline, one.baseline_failures)} ${side('candidate', one.candidate, one.candidate_failures)}
            </div>
        </details>
    </li>`;
}

function runDetail({ run, report }) {
    return html`<section class="card section stack" id="run" aria-labelledby="run-title">
        <div class="section-head"><h2 id="run-title" dir="ltr">${run.baseline} → ${run.candidate}</h2>${word(run.result ?? run.status)}</div>
        ${run.error === null ? null : html`<p class="case-text">${run.error}</p>`}
        ${report === null
            ? run.cases_total === null ? null : html`<p>${t('improve.progress', { done: run.cases_done, total: run.cases_total })}</p>`
            : html`<dl class="facts">
                      ${fact(t('improve.baseline'), share(report.aggregate.baseline_pass_rate))}
                      ${fact(t('improve.candidate'), share(report.aggregate.candidate_pass_rate))}
                      ${fact(t('improve.regression'), formatInteger(report.aggregate.regressions))}
                      ${fact(t('improve.new_pass'), formatInteger(report.aggregate.new_passes))}
                      ${fact(t('improve.p_value'), formatNumber(report.gate.power.p_value, 3))}
                  </dl>
                  ${powerNotice(report.gate)}
                  ${report.gate.reasons.length === 0 ? null : html`<ul>${report.gate.reasons.map((text) => html`<li dir="ltr">${text}</li>`)}</ul>`}
                  <ul class="plain-list">${report.cases.map(runCase)}</ul>`}
    </section>`;
}

function runsPanel(page) {
    const { runs, run, run_id: opened, actions } = page;
    return html`<div class="cases">
        <section class="card section stack" aria-labelledby="runs-title">
            <h2 id="runs-title">${t('improve.tab_runs')}</h2>
            <div class="button-row"><button type="button" class="button" id="run-current" @click=${() => actions.change('current', 'regression-run')}>${t('improve.run_current')}</button></div>
            ${resourceView(runs, {
                quiet: true,
                skeleton: { lines: 4, height: 'row' },
                isEmpty: (rows) => rows.length === 0,
                empty: { title: t('improve.no_runs') },
                ready: (rows) =>
                    html`<ul class="case-list plain-list">
                        ${repeat(
                            rows,
                            (row) => row.run_id,
                            (row) =>
                                item(
                                    row.run_id === opened,
                                    row.candidate,
                                    html`${word(row.result ?? row.status)} ${formatAgo(row.created_at)} · ${share(row.candidate_pass_rate)}`,
                                    () => actions.go({ run: row.run_id }),
                                ),
                        )}
                    </ul>`,
            })}
        </section>
        ${opened === ''
            ? html`<p class="section-note">${t('improve.choose')}</p>`
            : resourceView(run, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready: runDetail })}
    </div>`;
}

/* What may be done next with an experiment of a status. */
const steps = {
    draft: ['regression-run', 'stage', 'deploy', 'archive'],
    running: ['regression-run', 'deploy', 'archive'],
    completed: ['regression-run', 'stage', 'deploy', 'archive'],
    deployed: ['regression-run', 'rollback'],
    archived: [],
};

function shownValue(value) {
    if (typeof value === 'boolean') return t(value ? 'improve.on' : 'improve.off');
    return typeof value === 'number' ? formatNumber(value, 6) : String(value);
}

function experimentDetail(one, page) {
    const { actions } = page;
    const settings = Object.entries(one.settings_overrides);
    const asks = { deploy: true, rollback: true, archive: true };
    return html`<section class="card section stack" id="experiment" aria-labelledby="experiment-title">
        <div class="section-head"><h2 id="experiment-title" dir="auto">${one.name}</h2>${word(one.status)}</div>
        <p class="section-note"><span class="mono" dir="ltr">${one.id}</span> · ${formatDateTime(one.created_at)} · <bdi>${one.created_by}</bdi></p>
        ${one.active ? html`<p>${t('improve.active')}</p>` : null}
        ${settings.length === 0
            ? html`<p>${t('improve.no_changes')}</p>`
            : html`<dl class="facts">${settings.map(([name, value]) => fact(settingName(name), shownValue(value)))}</dl>`}
        <div class="button-row">
            ${steps[one.status].map(
                (action) => html`<button type="button" class="button" id=${action} @click=${() => actions.change(one.id, action, asks[action])}>${t(`improve.${action}`)}</button>`,
            )}
        </div>
        ${deployments(one.deployments)} ${liveTraffic(page)}
    </section>`;
}

function experimentsPanel(page) {
    const { experiments, experiment, experiment_id: opened, draft, actions } = page;
    return html`<div class="cases">
        <section class="card section stack" aria-labelledby="experiments-title">
            <h2 id="experiments-title">${t('improve.tab_experiments')}</h2>
            ${resourceView(experiments, {
                quiet: true,
                skeleton: { lines: 4, height: 'row' },
                isEmpty: (data) => data.experiments.length === 0,
                empty: { title: t('improve.no_experiments') },
                ready: (data) =>
                    html`<ul class="case-list plain-list">
                        ${repeat(
                            data.experiments,
                            ({ id }) => id,
                            (row) => item(row.id === opened, row.name, word(row.status), () => actions.go({ experiment: row.id })),
                        )}
                    </ul>`,
            })}
            <h3>${t('improve.new_draft')}</h3>
            ${draft.view(html`${draft.field('name')} ${settingsFields(page)}`, { label: t('improve.new_draft'), action: t('improve.make') })}
        </section>
        ${opened === ''
            ? html`<p class="section-note">${t('improve.choose')}</p>`
            : resourceView(experiment, { skeleton: { lines: 2, height: 'card' }, ready: (data) => experimentDetail(data, page) })}
    </div>`;
}

export function view(page) {
    const panel = { queue: queuePanel, curated: curatedPanel, runs: runsPanel, experiments: experimentsPanel, next: nextPanel };
    return tabs({
        id: 'improve',
        label: t('improve.title'),
        current: page.tab,
        onSelect: (tab) => page.actions.go({ tab }),
        tabs: Object.keys(panel).map((name) => ({ name, title: t(`improve.tab_${name}`) })),
        panel: (name) => panel[name](page),
    });
}
