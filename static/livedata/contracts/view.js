/* Contracts as a template: what there is at the side, the chosen one beside it, changed files below. */
import { t } from '../../shared/i18n.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice, notice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { domainName, metricName, typeName } from '../words.js';
import { entityView, metricView } from './detail_view.js';

function entry(title, patch, current, { actions }) {
    return html`<li>
        <button type="button" class="link-button" aria-current=${current ? 'true' : nothing} @click=${() => actions.go(patch)}>${title}</button>
    </li>`;
}

function list(title, names, entries) {
    return names.length === 0
        ? null
        : html`<h3 class="contract-kind">${title}</h3>
              <ul class="plain-list contract-names">${entries}</ul>`;
}

function domainView({ name, entities, metrics }, page) {
    const { shown } = page;
    return html`<section class="stack" aria-labelledby=${`domain-${name}`} data-domain=${name}>
        <h2 id=${`domain-${name}`}>${domainName(name)}</h2>
        ${list(t('contracts.entities'), entities, entities.map((one) => entry(typeName(one.name), { entity: one.name }, shown?.entity === one.name && shown.metric === '', page)))}
        ${list(t('contracts.metrics'), metrics, metrics.map((one) => entry(metricName(one), { metric: one }, shown?.metric === one, page)))}
    </section>`;
}

function chosenView({ domains, metrics, contracts }, page) {
    const { shown } = page;
    if (shown === null) return null;
    const entity = domains.flatMap((one) => one.entities).find(({ name }) => name === shown.entity);
    const metric = metrics[shown.metric];
    if (shown.metric !== '' && metric) return metricView(shown.metric, metric, contracts, page);
    return entity ? entityView(entity, contracts, page) : notice({ tone: 'caution', title: t('contracts.unknown') });
}

function planTable({ changes, fault }) {
    if (fault !== null) return notice({ tone: 'danger', title: t('contracts.plan_fault'), body: html`<p lang="en" dir="ltr">${fault}</p>` });
    if (changes.length === 0) return html`<p id="plan-none">${t('contracts.plan_none')}</p>`;
    return table({
        caption: t('contracts.plan'),
        columns: [
            { name: 'entity', title: t('contracts.entity'), cell: ({ entity, domain }) => html`${typeName(entity)} <span class="section-note">${domainName(domain)}</span>` },
            { name: 'text', title: t('contracts.change'), cell: ({ text }) => html`<span lang="en" dir="ltr">${text}</span>` },
            { name: 'refused', title: t('contracts.effect'), cell: ({ refused }) => (refused ? badge(t('contracts.plan_refused'), 'danger') : badge(t('contracts.plan_done'), 'good')) },
        ],
        rows: changes,
    });
}

/* For whoever changes the files of a running service. */
function planView({ plan, mayPlan, actions }) {
    if (!mayPlan) return null;
    return html`<section class="card section stack" id="plan" aria-labelledby="plan-title">
        <div class="section-head">
            <h2 id="plan-title">${t('contracts.plan')}</h2>
            <button type="button" class="button" @click=${actions.check}>${t('contracts.plan_check')}</button>
        </div>
        <p class="section-note">${t('contracts.plan_text')}</p>
        ${plan.data === undefined && !plan.busy && plan.error === null ? null : resourceView(plan, { quiet: true, ready: planTable })}
    </section>`;
}

export function view(page) {
    const { all, actions } = page;
    return resourceView(all, {
        skeleton: { lines: 6, height: 'row' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.start) : errorNotice(error, { retry: actions.start })),
        ready: (data) =>
            html`<div class="stack">
                <div class="contracts">
                    <nav class="card section stack contract-list" aria-label=${t('contracts.title')}>${data.domains.map((one) => domainView(one, page))}</nav>
                    <div class="stack" id="contract">${chosenView(data, page)}</div>
                </div>
                ${planView(page)}
            </div>`,
    });
}
