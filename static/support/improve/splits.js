/* What came of an experiment among people: its shares of live conversations, and what ended it. */
import { hasText, t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatInteger, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

const tones = { ship: 'good', no_ship: 'danger', keep_running: 'info' };

function fact(name, value) {
    return html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`;
}

/* A code of the API in words where there are any. */
function told(prefix, code) {
    const key = `improve.${prefix}_${code.replaceAll(' ', '_')}`;
    return hasText(key) ? t(key) : html`<code dir="ltr">${code}</code>`;
}

function stateOf(split) {
    if (split.withdrawn_at !== null) return badge(t('improve.withdrawn'), 'danger', { dot: true });
    return split.live ? badge(t('improve.at_work'), 'info', { dot: true }) : badge(t('improve.completed'), 'plain', { dot: true });
}

function verdictOf({ verdict, confidence }) {
    if (verdict === null) return t('improve.not_read');
    return html`${badge(t(`improve.verdict_${verdict}`), tones[verdict] ?? 'plain', { dot: true })} ${t('improve.sure', { level: told('sure', confidence) })}`;
}

/** @param {support.Split} split */
function splitCard(split) {
    const reasons = split.reasons ?? [];
    return html`<li class="split stack">
        <div class="section-head">
            <h4>${t('improve.share_of', { share: formatPercent(split.rollout_percentage / 100, 3), tenant: split.tenant_id })}</h4>
            ${stateOf(split)}
        </div>
        <dl class="facts">
            ${fact(t('improve.answered_before'), formatInteger(split.control_exposed))}
            ${fact(t('improve.answered_by_it'), formatInteger(split.treatment_exposed))}
            ${fact(t('improve.verdict'), verdictOf(split))}
        </dl>
        ${reasons.length === 0
            ? null
            : html`<ul>
                  ${reasons.map(({ text }) => html`<li dir="auto">${text}</li>`)}
              </ul>`}
        <p class="section-note">
            ${t('improve.since', { date: formatDateTime(split.started_at) })}${split.read_at === null ? null : html` · ${t('improve.read', { time: formatAgo(split.read_at) })}`}${split.waiting ===
            0
                ? null
                : html` · ${t('improve.to_send', { count: split.waiting })}`}${split.withdrawn_at === null
                ? null
                : html` · ${t('improve.withdrawn_on', { date: formatDateTime(split.withdrawn_at) })}`}
            ${split.project_id === null ? null : html`<br />${t('improve.judged_as')} <code dir="ltr">${split.project_id}</code>`}
        </p>
    </li>`;
}

/** @param {support.Deployment} one */
function endOf(one) {
    if (one.rolled_back_at !== null) return html`${t('improve.rolled_back')} ${formatDateTime(one.rolled_back_at)}`;
    if (one.superseded_at !== null) return html`${t('improve.superseded')} ${formatDateTime(one.superseded_at)}`;
    return t('improve.in_force');
}

/* When it was deployed, and why it is not any more. */
export function deployments(rows) {
    if (rows.length === 0) return null;
    return html`<section class="stack" aria-labelledby="deployments-title" id="deployments">
        <h3 id="deployments-title">${t('improve.deployments')}</h3>
        ${table({
            caption: t('improve.deployments'),
            rows,
            key: (row) => row.deployed_at,
            columns: [
                { name: 'deployed_at', title: t('improve.deployed'), cell: (row) => formatDateTime(row.deployed_at) },
                { name: 'end', title: t('improve.state'), cell: endOf },
                { name: 'reason', title: t('improve.why'), cell: (row) => (row.rollback_reason === null ? '–' : told('reason', row.rollback_reason)) },
            ],
        })}
    </section>`;
}

/* Shares of conversations: what each came to, and a form for another one. */
export function liveTraffic({ splits, share }) {
    return html`<section class="stack" aria-labelledby="splits-title" id="splits">
        <h3 id="splits-title">${t('improve.splits')}</h3>
        <p class="section-note">${t('improve.splits_text')}</p>
        ${resourceView(splits, {
            quiet: true,
            skeleton: { lines: 2, height: 'row' },
            isEmpty: (rows) => rows.length === 0,
            empty: { title: t('improve.no_splits') },
            ready: (rows) => html`<ul class="plain-list stack">${rows.map(splitCard)}</ul>`,
        })}
        <h4>${t('improve.share_title')}</h4>
        ${share.view(html`${share.field('tenant_id')} ${share.field('rollout_percentage')}`, { label: t('improve.share_title'), action: t('improve.give_share') })}
    </section>`;
}
