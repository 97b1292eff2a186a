/* The comparison as a template: one question, answers side by side. */
import { t } from '../../shared/i18n.js';
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

function answers({ answers: all, analysis, ...rest }) {
    const parts = differences(all.map(({ answer }) => answer));
    return html`<div class="stack">
        <p class="section-note">${t('compare.marked')} ${costText(rest)}</p>
        <div class="answers">
            ${all.map(
                ({ model_id: id, answer, status }, index) =>
                    html`<section class="card section stack" aria-labelledby=${`answer-${index}`}>
                        <div class="section-head">
                            <h2 id=${`answer-${index}`}>${`${index + 1}. ${id}`}</h2>
                            ${status === 'completed' ? null : badge(t(`compare.status_${status}`), 'danger')}
                        </div>
                        <p class="answer-text" dir="auto">${parts[index].map(({ text, own }) => (own ? html`<mark>${text}</mark>` : text))}</p>
                        ${answer === '' ? null : html`<div class="button-row">${copyButton({ text: () => answer })}</div>`}
                    </section>`,
            )}
        </div>
        ${analysis === null
            ? null
            : html`<section class="card section stack" aria-labelledby="analysis-title">
                  <h2 id="analysis-title">${t('compare.analysis')}</h2>
                  ${markdown(analysis)}
              </section>`}
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
        ${result.data === undefined && !result.busy && result.error === null ? null : resourceView(result, { skeleton: { lines: 2, height: 'card' }, ready: answers })}
    </div>`;
}
