/* Regression runs as a template: the list, and one of them case by case. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { empty } from '../../shared/ui/empty.js';
import { html, repeat } from '../../shared/ui/lit.js';
import { pager } from '../../shared/ui/pager.js';
import { resourceView } from '../../shared/ui/resource.js';
import { filterBar } from '../../shared/ui/table.js';
import { answerText } from '../prose.js';
import { choose, fact, intro, item, wordOf, word } from './parts.js';
import { inWords } from './words.js';

const shownAtOnce = 25;
const share = (value) => (value === null ? '–' : formatPercent(value, 3));

const stateOf = ({ result, status }) => (result === null && status === 'running' ? wordOf('run_running', 'info') : word(result ?? status));

/* An experiment by its name; the settings in force are called so. */
export function nameOf(id, experiments) {
    if (id === 'current') return t('improve.current_settings');
    return experiments.data?.experiments.find((one) => one.id === id)?.name ?? id;
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

/* Cases whose verdicts would let the gate decide, each a link. */
function labelNext({ report, label_next: cases }) {
    if (!(report?.gate.power.cases_missing > 0)) return null;
    return html`<section class="stack" id="label-next" aria-labelledby="label-next-title">
        <h3 id="label-next-title">${t('improve.label_next')}</h3>
        ${cases.length === 0
            ? html`<p>${t('improve.label_none')}</p>`
            : html`<p>${t('improve.label_text', { count: report.gate.power.cases_missing })}</p>
                  <ol class="plain-list">
                      ${cases.map((one) => html`<li><a dir="auto" href=${`?${new URLSearchParams({ case: one.review_id })}`}>${one.question ?? one.review_id}</a></li>`)}
                  </ol>`}
        <div class="button-row"><a class="button" href="?tab=queue" id="to-review">${t('improve.to_review')}</a></div>
    </section>`;
}

function side(name, result, failures) {
    return html`<div class="stack">
        <h4>${t(`improve.${name}`)} · ${t('chat.quality', { quality: formatInteger(result.quality_score) })}</h4>
        ${answerText(result.answer)}
        ${failures.length === 0 ? null : html`<ul class="failures">${failures.map((text) => html`<li dir="auto">${inWords(text)}</li>`)}</ul>`}
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

/* What became worse, failed or became better is of interest; what stayed the same comes last. */
const interest = ['regression', 'infrastructure_failure', 'new_pass'];
const placeOf = ({ outcome }) => (interest.includes(outcome) ? interest.indexOf(outcome) : interest.length);
const changedFirst = (cases) => cases.toSorted((one, other) => placeOf(one) - placeOf(other));

function summary({ aggregate, gate, cases }) {
    return html`<dl class="facts">
            ${fact(t('improve.passed_baseline'), share(aggregate.baseline_pass_rate))}
            ${fact(t('improve.passed_candidate'), share(aggregate.candidate_pass_rate))}
            ${fact(t('improve.became_worse'), formatInteger(aggregate.regressions))}
            ${fact(t('improve.became_better'), formatInteger(aggregate.new_passes))}
            ${fact(t('improve.p_value'), formatNumber(gate.power.p_value, 3))}
        </dl>
        ${powerNotice(gate)}
        ${gate.reasons.length === 0 ? null : html`<ul>${gate.reasons.map((text) => html`<li dir="auto">${inWords(text)}</li>`)}</ul>`}
        <ul class="plain-list">${changedFirst(cases).map(runCase)}</ul>`;
}

function progress({ cases_done: done, cases_total: total }) {
    return total === null ? null : html`<p>${t('improve.progress', { done, total })}</p>`;
}

/** Whether its result is still to come. */
export const isGoing = ({ run, report }) => report === null && run.status !== 'error';

/* What to do with the result: adopt what passed, look into what did not. */
function nextStep({ run }, { actions }) {
    const passed = run.result === 'pass';
    const own = run.candidate === 'current';
    const button = (id, key, kind, action) => html`<button type="button" class="button" id=${id} data-kind=${kind} @click=${action}>${t(`improve.${key}`)}</button>`;
    return html`<div class="notice" data-tone=${passed ? 'good' : 'caution'} id="next-step">
        <h3 class="notice-title">${t('improve.next_step')}</h3>
        <p>${t(`improve.${own ? 'current' : 'change'}_${passed ? 'passed' : 'failed'}`)}</p>
        <div class="button-row">
            ${passed && !own ? button('adopt', 'adopt', 'primary', () => actions.adopt(run.candidate)) : null}
            ${own ? null : button('to-experiment', 'to_experiment', 'secondary', () => actions.go({ tab: 'experiments', experiment: run.candidate, page: '1' }))}
            ${own && !passed ? button('to-cases', 'to_cases', 'secondary', () => actions.go({ tab: 'curated', page: '1' })) : null}
        </div>
    </div>`;
}

function runDetail(data, page) {
    const { run, report } = data;
    const { experiments } = page;
    const title = run.baseline === run.candidate ? nameOf(run.candidate, experiments) : t('improve.versus', { candidate: nameOf(run.candidate, experiments), baseline: nameOf(run.baseline, experiments) });
    return html`<section class="card section stack" id="run" aria-labelledby="run-title">
        <div class="section-head"><h2 id="run-title" dir="auto">${title}</h2>${stateOf(run)}</div>
        ${run.error === null ? null : html`<p class="case-text">${run.error}</p>`}
        ${report === null ? (isGoing(data) ? progress(run) : null) : html`${nextStep(data, page)} ${labelNext(data)} ${summary(report)}`}
    </section>`;
}

function list(rows, { run_id: opened, experiments, page, words, actions }) {
    const wanted = words.toLocaleLowerCase();
    const named = rows.map((row) => ({ ...row, name: nameOf(row.candidate, experiments) })).filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
    const from = (Number(page) - 1) * shownAtOnce;
    const shown = named.slice(from, from + shownAtOnce);
    if (shown.length === 0) return empty({ title: t('chat.none_found') });
    return html`<ul class="case-list plain-list">
            ${repeat(
                shown,
                (row) => row.run_id,
                (row) => item(row.run_id === opened, row.name, html`${stateOf(row)} ${formatAgo(row.created_at)}${row.candidate_pass_rate === null ? null : html` · ${t('improve.passed_share', { share: share(row.candidate_pass_rate) })}`}`, () => actions.go({ run: row.run_id })),
            )}
        </ul>
        ${named.length > shownAtOnce ? pager({ page: Number(page), size: shownAtOnce, shown: shown.length, total: named.length, onPage: (to) => actions.go({ page: String(to), run: '' }) }) : null}`;
}

export function runsPanel(page) {
    const { runs, run, run_id: opened, words, actions } = page;
    const start = html`<button type="button" class="button" id="run-current" @click=${() => actions.change('current', 'regression-run')}>${t('improve.run_current')}</button>`;
    return html`<div class="stack">
        ${intro('runs')}
        <div class="cases">
            <section class="card section stack" aria-labelledby="runs-title">
                <h2 id="runs-title">${t('improve.tab_runs')}</h2>
                <div class="button-row">${start}</div>
                ${(runs.data?.length ?? 0) > 5 ? filterBar({ filters: [{ name: 'q', label: t('documents.search'), kind: 'search' }], values: { q: words }, onFilter: ({ q }) => actions.search(q) }) : null}
                ${resourceView(runs, {
                    quiet: true,
                    skeleton: { lines: 4, height: 'row' },
                    isEmpty: (rows) => rows.length === 0,
                    empty: { title: t('improve.no_runs'), text: t('improve.no_runs_text') },
                    ready: (rows) => list(rows, page),
                })}
            </section>
            ${opened === '' ? choose('runs') : resourceView(run, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready: (data) => runDetail(data, page) })}
        </div>
    </div>`;
}
