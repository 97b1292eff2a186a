/* The quality page as a template: answers to review, cases, experiments; runs and recommendations are beside. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatInteger, formatNumber } from '../../shared/numbers.js';
import { empty } from '../../shared/ui/empty.js';
import { html, repeat } from '../../shared/ui/lit.js';
import { pager } from '../../shared/ui/pager.js';
import { resourceView } from '../../shared/ui/resource.js';
import { filterBar } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { answerText, excerptText } from '../prose.js';
import { addresses, isAdmin } from '../service.js';
import { sameQuestion } from './queue.js';
import { readNotes } from './expectations.js';
import { settingName } from './names.js';
import { nextPanel } from './next.js';
import { evaluatorsPanel } from './evaluators.js';
import { choose, fact, intro, item, word } from './parts.js';
import { runsPanel } from './runs.js';
import { settingsFields } from './settings.js';
import { deployments, liveTraffic } from './splits.js';
import { whyOf } from './why.js';
import { expectationsOf, inWords } from './words.js';

export const reasons = ['thumbs_down', 'low_quality', 'escalated', 'fact_fail', 'slow_trace', 'manual'];
export const forAdmins = ['runs', 'experiments']; /* tabs whose API reviewers may not use */
export const statuses = ['pending', 'in_review', 'confirmed_good', 'confirmed_bad', 'dismissed'];

function traceLink(id) {
    return html`<a href=${`${addresses.admin}?${new URLSearchParams({ trace: id })}`}>${t('improve.trace')}</a>`;
}

function queueItem(row, { opened, actions }) {
    const said = html`${word(row.status)} ${whyOf(row)} · ${formatAgo(row.asked_at ?? row.created_at)}${row.quality === null ? null : html` · ${t('chat.quality', { quality: row.quality })}`}`;
    return item(String(row.id) === opened, row.question ?? row.trace_id, said, () => actions.go({ case: String(row.id) }));
}

/* A question that was asked several times is one row, which holds its other answers. */
function questionRows([first, ...others], page) {
    if (others.length === 0) return queueItem(first, page);
    const inside = others.some(({ id }) => String(id) === page.opened);
    return html`${queueItem(first, page)}
        <li>
            <details class="disclosure" data-plain ?open=${inside}>
                <summary>${t('improve.same_question', { count: others.length })}</summary>
                <ul class="case-list plain-list">${repeat(others, ({ id }) => id, (row) => queueItem(row, page))}</ul>
            </details>
        </li>`;
}

/**
 * The draw is no reason of the service, but stands among them.
 *
 * @param {{ reason?: string }} patch
 */
function reasonOf({ reason }) {
    if (reason === undefined) return {};
    return reason === 'drawn' ? { reason: '', drawn: 'true' } : { reason, drawn: '' };
}

function queueList(page) {
    const { queue, status, actions } = page;
    const searching = page.words !== '' || page.reason !== '' || status !== 'pending' || page.drawn !== '';
    return html`<section class="card section stack" aria-labelledby="cases-title">
        <div class="section-head"><h2 id="cases-title">${t('improve.cases')}</h2>
            <button type="button" class="button" data-size="small" id="choose" ?disabled=${page.busy} @click=${() => actions.choose(false)}>${t('improve.choose_cases')}</button></div>
        ${filterBar({
            filters: [
                { name: 'q', label: t('documents.search'), kind: 'search' },
                { name: 'status', label: t('improve.status'), kind: 'select', options: statuses.map((value) => ({ value, title: t(`improve.${value}`) })) },
                { name: 'reason', label: t('improve.why'), kind: 'select', options: [...reasons.map((value) => ({ value, title: t(`improve.${value}`) })), { value: 'drawn', title: t('improve.chosen_random') }] },
                { name: 'order', label: t('improve.order'), kind: 'select', any: t('improve.order_unsure'), options: [{ value: 'newest', title: t('improve.order_newest') }] },
            ],
            values: { q: page.words, status: status === '*' ? '' : status, reason: page.drawn === '' ? page.reason : 'drawn', order: page.order },
            clearable: searching,
            onFilter: ({ q, ...patch }) => {
                if (q === undefined) actions.go({ ...patch, ...reasonOf(patch), ...(patch.status === '' ? { status: '*' } : {}), case: '', page: '1' });
                else if (Object.keys(patch).length > 0) actions.go({ q: '', reason: '', drawn: '', status: 'pending', order: '', case: '', page: '1' });
                else actions.search(q);
            },
        })}
        ${resourceView(queue, {
            quiet: true,
            skeleton: { lines: 5, height: 'row' },
            isEmpty: ({ items }) => items.length === 0,
            empty: searching
                ? { title: t('chat.none_found') }
                : { title: t('improve.no_cases'), text: t('improve.no_cases_text'), action: isAdmin() ? html`<a class="button" data-size="small" href=${addresses.metrics}>${t('improve.to_insights')}</a>` : null },
            ready: ({ items, more, size }) =>
                html`<ul class="case-list plain-list">
                    ${repeat(sameQuestion(items), ([{ id }]) => id, (rows) => questionRows(rows, page))}
                </ul>
                ${pager({ page: Number(page.page), size, shown: items.length, more, onPage: (to) => actions.go({ page: String(to), case: '' }) })}`,
        })}
    </section>`;
}

function quoted({ title, excerpt, source }) {
    return html`<li>
        <details class="disclosure" data-plain>
            <summary dir="auto">${title}</summary>
            <div class="disclosure-body">${excerptText(excerpt, source)}</div>
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
        <p class="section-note">${whyOf(row)} · ${formatDateTime(row.asked_at ?? row.created_at)} · ${traceLink(row.trace_id)}</p>
        ${data.withheld ? html`<p>${t('chat.withheld')}</p>` : answerText(data.answer)}
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
    return html`<div class="stack">
        ${intro('queue')}
        <div class="cases">
            ${queueList(page)}
            ${page.opened === '' ? choose('queue') : resourceView(page.single, { skeleton: { lines: 2, height: 'card' }, ready: (data) => caseDetail(data, page) })}
        </div>
    </div>`;
}

export function curatedColumns(rows) {
    const several = new Set(rows.map(({ tenant_id: tenant }) => tenant)).size > 1;
    return [
        { name: 'query', title: t('improve.question'), cell: (row) => html`<span dir="auto">${row.query}</span>` },
        { name: 'verdict', title: t('improve.verdict'), cell: (row) => word(row.human_verdict === 'bad' ? 'confirmed_bad' : 'confirmed_good') },
        { name: 'expected', title: t('improve.expected'), cell: ({ expected }) => html`<ul class="plain-list">${expectationsOf(expected).map((line) => html`<li dir="auto">${line}</li>`)}</ul>` },
        { name: 'trace', title: t('improve.from'), cell: ({ source_trace_id: id }) => (id ? traceLink(id) : t('improve.manual')) },
        ...(several ? [{ name: 'tenant_id', title: t('improve.tenant') }] : []),
    ];
}

/* What the last press made of the verdicts, and why some made no case. */
function outcome({ result, summary }) {
    const { added, changed, skipped, skipped_cases: left } = result;
    return html`<div class="notice" data-tone=${skipped > 0 ? 'caution' : 'good'} role="status" id="rebuilt">
        <p>${t('improve.rebuilt', { added, changed, unchanged: summary.count - added - changed, skipped })}</p>
        ${skipped === 0
            ? null
            : html`<p>${t('improve.left_out')}</p>
                  <ul>${left.map(({ query, failures }) => html`<li><span dir="auto">${query}</span> · ${failures.map(inWords).join(' · ')}</li>`)}</ul>`}
    </div>`;
}

function curatedPanel({ stats, curated, busy, rebuilt, actions }) {
    return html`<div class="stack">
        ${intro('curated')}
        <section class="card section stack" id="curated">
            <div class="button-row">
                <button type="button" class="button" id="rebuild" ?disabled=${busy} @click=${actions.rebuild}>${t('improve.rebuild')}</button>
                ${isAdmin() ? html`<button type="button" class="button" data-kind="quiet" @click=${() => actions.go({ tab: 'runs' })}>${t('improve.to_runs')}</button>` : null}
            </div>
            ${rebuilt === null ? null : outcome(rebuilt)}
            ${resourceView(stats, {
                skeleton: { lines: 1, height: 'row' },
                ready: (counts) => html`<dl class="facts">
                    ${fact(t('improve.count'), formatInteger(counts.count))}
                    ${fact(t('improve.confirmed_good'), formatInteger(counts.verdict_counts.good))}
                    ${fact(t('improve.confirmed_bad'), formatInteger(counts.verdict_counts.bad))}
                </dl>`,
            })}
            ${curated.view()}
        </section>
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
        <p class="section-note">${formatDateTime(one.created_at)} · <bdi>${one.created_by}</bdi></p>
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

function experimentList({ experiments: all }, { experiment_id: opened, words, actions }) {
    const wanted = words.toLocaleLowerCase();
    const shown = all.filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
    if (shown.length === 0) return empty({ title: t('chat.none_found') });
    return html`<ul class="case-list plain-list">
        ${repeat(
            shown,
            ({ id }) => id,
            (row) => item(row.id === opened, row.name, word(row.status), () => actions.go({ experiment: row.id })),
        )}
    </ul>`;
}

function experimentsPanel(page) {
    const { experiments, experiment, experiment_id: opened, draft, words, actions } = page;
    return html`<div class="stack">
        ${intro('experiments')}
        <div class="cases">
            <section class="card section stack" aria-labelledby="experiments-title">
                <h2 id="experiments-title">${t('improve.tab_experiments')}</h2>
                ${(experiments.data?.experiments.length ?? 0) > 5 ? filterBar({ filters: [{ name: 'q', label: t('documents.search'), kind: 'search' }], values: { q: words }, onFilter: ({ q }) => actions.search(q) }) : null}
                ${resourceView(experiments, {
                    quiet: true,
                    skeleton: { lines: 4, height: 'row' },
                    isEmpty: (data) => data.experiments.length === 0,
                    empty: { title: t('improve.no_experiments'), text: t('improve.no_experiments_text') },
                    ready: (data) => experimentList(data, page),
                })}
                <h3>${t('improve.new_draft')}</h3>
                ${draft.view(html`${draft.field('name')} ${settingsFields(page)}`, { label: t('improve.new_draft'), action: t('improve.make') })}
            </section>
            ${opened === '' ? choose('experiments') : resourceView(experiment, { skeleton: { lines: 2, height: 'card' }, ready: (data) => experimentDetail(data, page) })}
        </div>
    </div>`;
}

export function view(page) {
    const panel = { queue: queuePanel, evaluators: evaluatorsPanel, curated: curatedPanel, runs: runsPanel, experiments: experimentsPanel, next: nextPanel };
    const shown = Object.keys(panel).filter((name) => isAdmin() || !forAdmins.includes(name));
    return tabs({
        id: 'improve',
        label: t('improve.title'),
        current: page.tab,
        onSelect: (tab) => page.actions.go({ tab, q: '', drawn: '', page: '1' }),
        tabs: shown.map((name) => ({ name, title: t(`improve.tab_${name}`) })),
        panel: (name) => panel[name](page),
    });
}
