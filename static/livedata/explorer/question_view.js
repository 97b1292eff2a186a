/* A question in words, its answer as a table, and what ran for it. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatMilliseconds } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { attributeName, cellOf, currencyOf, currentBadge, isAmount } from '../words.js';
import { planEditor } from './plan_view.js';

const examples = ['revenue', 'undelivered', 'products', 'conversion', 'stock'];
const shownOnRefusal = 3;

function exampleButtons(names, actions) {
    return html`<div class="examples">
        ${names.map((name) => {
            const text = t(`example.${name}`);
            return html`<button type="button" class="button" data-size="small" lang="en" dir="ltr" @click=${() => actions.go({ question: text, plan: '' })}>${text}</button>`;
        })}
    </div>`;
}

/* One value stands alone, several rows are a table. */
function rowsView(rows, currency) {
    const all = Object.keys(rows[0] ?? {});
    const names = all.filter((name) => name !== 'currency' || !all.includes('total_amount')); /* which says it */
    if (rows.length === 0) return html`<p>${t('explorer.no_rows')}</p>`;
    if (rows.length === 1 && names.length === 1)
        return html`<p>
            <bdi class="figure-value">${cellOf(names[0], rows[0][names[0]], rows[0], currency)}</bdi> <bdi class="section-note">${attributeName(names[0])}</bdi>
        </p>`;
    return table({
        caption: t('explorer.answer'),
        columns: names.map((name) => ({
            name,
            title: attributeName(name),
            align: isAmount(name, rows[0][name]) ? 'end' : 'start',
            cell: (row) => cellOf(name, row[name], row, currency),
        })),
        rows,
    });
}

function statement(data) {
    const { explained, metadata } = data;
    return html`<details class="card disclosure" id="statement">
        <summary>${t('explorer.sql')}</summary>
        <div class="section stack">
            <p class="section-note">
                ${badge(t('guard.passed'), 'good', { dot: true })} ${t('guard.tables')} <span class="mono">${explained.tables_accessed.join(', ')}</span> ·
                ${formatMilliseconds(metadata.execution_time_ms)}
            </p>
            ${explained.warning ? notice({ tone: 'caution', body: html`<p>${explained.warning}</p>` }) : null} ${codeblock(data.sql, { language: 'SQL' })}
        </div>
    </details>`;
}

/* How the question was read, open where a person has changed it. */
function readingView({ answer, draft, catalog, actions }) {
    if (draft === null) return null;
    const { data, busy } = answer;
    return html`<details class="card disclosure" id="reading-card" ?open=${(data?.sent ?? 'x') !== ''}>
        <summary>${t('reading.title')}</summary>
        <div class="section">
            ${planEditor({ draft, shapes: catalog.data.shapes, catalog: catalog.data, changed: data !== undefined && draft !== data.plan, busy, ...actions })}
        </div>
    </details>`;
}

function answerView(data, page) {
    const { actions, catalog } = page;
    const { metadata } = data;
    return html`<div class="stack" id="answer">
        <section class="card section stack" aria-labelledby="answer-title">
            <div class="section-head">
                <h2 id="answer-title" dir="auto">${data.question || t('reading.untitled')}</h2>
                ${data.sent === '' ? null : badge(t('reading.changed'), 'info')}
            </div>
            <p id="interpretation" dir="auto">${data.interpretation}</p>
            ${rowsView(data.rows, currencyOf(catalog.data))}
            ${data.next_cursor
                ? html`<div class="button-row">
                      <span class="section-note">${t('explorer.rows', { count: data.rows.length, total: formatInteger(data.total_count ?? data.rows.length) })}</span>
                      <button type="button" class="button" @click=${() => actions.page(data.next_cursor)}>${t('pager.next')}</button>
                  </div>`
                : null}
            <p data-trust>${currentBadge(metadata.health, (metadata.data_freshness_seconds ?? Infinity) > 60)}</p>
        </section>
        ${readingView(page)} ${statement(data)}
    </div>`;
}

/* The words that the service names as not understood. */
const unknownWords = (message) => /Words that were not understood: (.+?)\. (?:Try|You)/.exec(message ?? '')?.[1] ?? null;

function refusal(error, retry, page) {
    const { actions, catalog } = page;
    if (error.kind === 'unauthorized') return tokenForm(error, retry);
    if (error.code === 'plan_invalid') return html`<div class="stack">${errorNotice(error)} ${readingView(page)}</div>`;
    if (!['unsafe_query', 'untranslatable'].includes(error.code)) return errorNotice(error, { retry });
    const words = unknownWords(error.message);
    return html`<div id="refusal">
        ${notice({
            tone: 'caution',
            title: t(error.code === 'unsafe_query' ? 'guard.refused' : 'guard.not_understood'),
            body: html`${words === null ? null : html`<p>${t('guard.words')} <bdi>${words}</bdi></p>`}
                ${catalog.data.entities.order ? html`<p>${t('guard.try')}</p> ${exampleButtons(examples.slice(0, shownOnRefusal), actions)}` : null}`,
            alert: true,
        })}
    </div>`;
}

export function questionPanel(page) {
    const { questionForm, answer, actions, catalog } = page;
    const asked = answer.data !== undefined || answer.error !== null || answer.busy;
    return html`<div class="stack">
        <div class="card section stack">
            ${questionForm.view(
                html`<div class="find-row">
                    ${questionForm.field('question')}
                    <button type="submit" class="button" data-kind="primary" ?disabled=${answer.busy}>${t('explorer.ask')}</button>
                </div>`,
                { label: t('explorer.question'), busy: answer.busy },
            )}
            ${exampleButtons(catalog.data.entities.order ? examples : [], actions)}
            <div><button type="button" class="button" data-size="small" id="build" @click=${actions.build}>${t('reading.build')}</button></div>
        </div>
        ${asked
            ? resourceView(answer.error === null ? answer : { ...answer, data: undefined }, {
                  skeleton: { lines: 2, height: 'card' },
                  failed: (error, retry) => refusal(error, retry, page),
                  ready: (data) => answerView(data, page),
              })
            : null}
    </div>`;
}
