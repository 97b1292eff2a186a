/* Evaluators as a template: how far each agrees with the reviewers, and the switch of each. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { addresses, isAdmin } from '../service.js';
import { intro } from './parts.js';

export const evaluatorName = (name) => t(`admin.evaluator_${name}`);

const kappa = (value) => formatNumber(value, 2);

function agreement({ kappa: value, kappa_low: low, kappa_high: high, observed }) {
    if (value === null) return '–';
    return html`<span class="cell-lines"><span><bdi>${kappa(value)}</bdi> <span class="section-note">${t('improve.from_to', { low: kappa(low), high: kappa(high) })}</span></span>
        <span class="section-note">${t('improve.same_verdict', { share: formatPercent(observed, 2) })}</span></span>`;
}

/* What to think of the number, in a word. */
function assessment({ active, status, advice, missing }) {
    if (!active) return badge(t('improve.is_off'), 'plain', { dot: true });
    if (status === 'too_few') return html`${badge(t('improve.too_few'), 'plain', { dot: true })} <span class="section-note">${t('improve.too_few_text', { count: missing })}</span>`;
    if (status === 'one_sided') return html`${badge(t('improve.one_sided'), 'plain', { dot: true })} <span class="section-note">${t('improve.one_sided_text')}</span>`;
    return advice === null
        ? badge(t('improve.agrees'), 'good', { dot: true })
        : html`${badge(t('improve.no_use'), 'caution', { dot: true })} <span class="section-note">${t(`improve.advice_${advice}`)}</span>`;
}

/* Both verdicts side by side, so that the number can be checked. */
function counts(row) {
    if (row.cases === 0) return formatInteger(0);
    return html`<details class="disclosure" data-plain>
        <summary>${formatInteger(row.cases)}</summary>
        <ul class="plain-list disclosure-body">
            <li>${t('improve.both_good', { number: row.both_good })}</li>
            <li>${t('improve.both_bad', { number: row.both_bad })}</li>
            <li>${t('improve.evaluator_only', { number: row.evaluator_only })}</li>
            <li>${t('improve.reviewer_only', { number: row.reviewer_only })}</li>
        </ul>
    </details>`;
}

function todo(row, { busy, actions }) {
    if (!row.can_switch) return row.advice === 'tune' ? html`<a class="button" data-size="small" href=${addresses.trends}>${t('improve.todo_threshold')}</a>` : null;
    if (!isAdmin()) return null;
    const advised = row.advice === 'switch_off';
    return html`<button type="button" class="button" data-size="small" data-kind=${advised ? 'primary' : 'quiet'} id=${`switch-${row.name}`} ?disabled=${busy}
        @click=${() => actions.switchEvaluator(row)}>${t(row.active ? 'improve.switch_off' : 'improve.switch_on')}</button>`;
}

const columns = (page) => [
    {
        name: 'name',
        title: t('admin.evaluator'),
        cell: (row) => html`<span class="cell-lines"><strong>${evaluatorName(row.name)}</strong><span class="section-note">${t(`improve.finds_${row.name}`)}</span>
            ${row.active ? null : html`<span class="section-note">${t('improve.off_since', { time: formatDateTime(row.switched_off_at) })}</span>`}</span>`,
    },
    { name: 'agreement', title: t('improve.agreement'), cell: agreement },
    { name: 'cases', title: t('improve.judged_cases'), align: 'end', cell: counts },
    { name: 'assessment', title: t('improve.assessment'), cell: assessment },
    { name: 'todo', title: t('improve.todo'), titleHidden: true, cell: (row) => todo(row, page) },
];

function progress({ drawn_judged: judged, drawn_waiting: waiting, cases_min: least }, { busy, actions }) {
    return html`<div class="notice" data-tone=${judged < least ? 'caution' : 'info'} id="drawn">
        <p>${t('improve.drawn_judged', { judged, least })} ${waiting > 0 ? t('improve.drawn_waiting', { count: waiting }) : null}</p>
        <div class="button-row">
            ${waiting > 0
                ? html`<button type="button" class="button" data-kind="primary" id="judge-drawn" @click=${() => actions.go({ tab: 'queue', status: 'pending', reason: '', q: '', drawn: 'true', page: '1', case: '' })}>${t('improve.judge_drawn')}</button>`
                : null}
            <button type="button" class="button" data-kind=${waiting > 0 ? 'secondary' : 'primary'} id="draw" ?disabled=${busy} @click=${() => actions.choose(true)}>${t('improve.draw')}</button>
        </div>
    </div>`;
}

export function evaluatorsPanel(page) {
    return html`<div class="stack">
        ${intro('evaluators')}
        <section class="card section stack" id="evaluators" aria-labelledby="evaluators-title">
            <h2 id="evaluators-title">${t('improve.tab_evaluators')}</h2>
            ${resourceView(page.evaluators, {
                quiet: true,
                skeleton: { lines: 6, height: 'row' },
                ready: (data) => html`${progress(data, page)} ${table({ caption: t('improve.tab_evaluators'), rows: data.evaluators, key: ({ name }) => name, columns: columns(page) })}
                    <p class="section-note">${t('improve.kappa_text', { value: kappa(data.kappa_min) })}</p>`,
            })}
        </section>
    </div>`;
}
