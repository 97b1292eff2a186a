/* The comparison as a template: one question, answers side by side. */
import { t } from '../../shared/i18n.js';
import { formatMilliseconds, formatMoney } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html } from '../../shared/ui/lit.js';
import { markdown } from '../../shared/ui/markdown.js';
import { resourceView } from '../../shared/ui/resource.js';
import { costText } from '../models.js';
import { differences } from './differences.js';

function chooser(models, { chosen, actions }) {
    return html`<fieldset class="choices">
        <legend class="field-label">${t('compare.models')}</legend>
        ${models.map(
            ({ id, display_name: name }) =>
                html`<label class="check" for=${`model-${id}`}>
                    <input type="checkbox" id=${`model-${id}`} .checked=${chosen.has(id)} @change=${(event) => actions.choose(id, event.target.checked)} />
                    <span class="check-text">${name}</span>
                </label>`,
        )}
    </fieldset>`;
}

/* What one call took and cost, as far as it is known. */
function callText(call) {
    if (call === undefined) return '';
    return [
        Number.isFinite(call.duration_ms) ? formatMilliseconds(call.duration_ms) : null,
        Number.isFinite(call.cost_usd) ? formatMoney(call.cost_usd, 'USD', 4) : null,
    ]
        .filter((part) => part !== null)
        .join(' · ');
}

function textOf(answer, parts, marked) {
    if (!marked) return markdown(answer);
    return html`<p class="answer-text" dir="auto">${parts.map(({ text, own }) => (own ? html`<mark>${text}</mark>` : text))}</p>`;
}

function answers({ answers: all, analysis, calls, ...rest }, { models, marked, actions }) {
    const parts = differences(all.map(({ answer }) => answer));
    const nameOf = (id) => models.data?.models.find((model) => model.id === id)?.display_name ?? id;
    return html`<div class="stack">
        <div class="section-head">
            <p class="section-note">${costText(rest)}</p>
            ${all.length < 2
                ? null
                : html`<label class="check" for="marked">
                      <input type="checkbox" id="marked" .checked=${marked} @change=${(event) => actions.mark(event.target.checked)} />
                      <span class="check-text">${t('compare.mark')}</span>
                  </label>`}
        </div>
        ${marked ? html`<p class="section-note">${t('compare.marked')}</p>` : null}
        <div class="answers">
            ${all.map(
                ({ model_id: id, answer, status }, index) =>
                    html`<section class="card section stack" aria-labelledby=${`answer-${index}`}>
                        <div class="section-head">
                            <h2 id=${`answer-${index}`}>${`${index + 1}. ${nameOf(id)}`}</h2>
                            ${status === 'completed' ? html`<span class="section-note">${callText(calls[id])}</span>` : badge(t(`compare.status_${status}`), 'danger')}
                        </div>
                        ${textOf(answer, parts[index], marked)}
                        ${answer === '' ? null : html`<div class="button-row">${copyButton({ text: () => answer })}</div>`}
                    </section>`,
            )}
        </div>
        ${analysis === null
            ? null
            : html`<section class="card section stack" aria-labelledby="analysis-title">
                  <div class="section-head">
                      <h2 id="analysis-title">${t('compare.analysis')}</h2>
                      ${rest.judge_model_id ? html`<span class="section-note">${t('compare.by', { model: nameOf(rest.judge_model_id) })}</span>` : null}
                  </div>
                  ${markdown(analysis)}
              </section>`}
        ${rest.task_id ? html`<p><a href=${address(`/tasks.html?task=${rest.task_id}`)}>${t('ask.task')}</a></p>` : null}
    </div>`;
}

export function view(page) {
    const { models, result, prompt, chosen, actions } = page;
    return html`<div class="stack">
        <form class="card section stack" id="compare-form" @submit=${(event) => { event.preventDefault(); actions.compare(); }}>
            <div class="field">
                <label class="field-label" for="query-input">${t('ask.question')}</label>
                <textarea class="input" id="query-input" rows="3" maxlength="40000" dir="auto" .value=${prompt} @input=${(event) => actions.type(event.target.value)}></textarea>
            </div>
            ${resourceView(models, { skeleton: { lines: 2 }, ready: (data) => chooser(data.models, page) })}
            <div class="button-row">
                <button type="submit" class="button" data-kind="primary" id="btn-submit" ?disabled=${prompt.trim() === '' || chosen.size < 1 || chosen.size > 10 || result.busy}>
                    ${t('compare.action')}
                </button>
                ${result.busy ? html`<span role="status" class="section-note">${t('ask.waiting')}</span>` : null}
            </div>
        </form>
        ${result.data === undefined && !result.busy && result.error === null ? null : resourceView(result, { skeleton: { lines: 2, height: 'card' }, ready: (data) => answers(data, page) })}
    </div>`;
}
