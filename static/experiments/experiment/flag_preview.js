/* What a user would get of a flag, and why: the answer of a preview as a template. */
import { t } from '../../shared/i18n.js';
import { formatNumber } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';

const code = (text) => html`<code dir="ltr">${text}</code>`;
export const json = (value) => code(JSON.stringify(value));
const tones = { decided: 'caution', missing: 'plain', passed: 'good' };

/* What is typed as attributes: an object, or null when it is none. */
export function attributesIn(text) {
    try {
        const value = JSON.parse(text || '{}');
        return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}

/* Whether the user belongs to the segment of a rule, and why. */
/** @param {experiments.PreviewSegment} segment */
function segmentText({ exists, listed, rules_hold: hold, attribute, operator, value }) {
    if (!exists) return t('experiment.segment_gone');
    if (listed) return t('experiment.segment_listed');
    if (hold) return t('experiment.segment_by_rules');
    if (attribute === null) return t('experiment.segment_not_listed');
    return html`${t('experiment.segment_not_listed')} ${code(`${attribute} ${operator} ${JSON.stringify(value)}`)}`;
}

/** @param {experiments.PreviewRule} rule */
function ruleText({ attribute, operator, value, told, segment = null }) {
    if (attribute === null) return t('experiment.flag_no_rule');
    return html`${segment === null ? null : html`${segmentText(segment)} · `}${code(`${attribute} ${operator} ${JSON.stringify(value)}`)} · ${t('experiment.flag_told')} ${json(told)}`;
}

const placeText = (position, from, to) => t('experiment.flag_place', { position: formatNumber(position, 4), from: formatNumber(from, 4), to: formatNumber(to, 4) });

/** @param {experiments.PreviewStep} step */
export function detailOf({ rule, layer, share, holdout }) {
    if (rule) return ruleText(rule);
    if (layer) return html`<span dir="auto">${layer.namespace}</span> · ${placeText(layer.position, layer.range_start, layer.range_end)} ${layer.taken_by ? html` · <strong dir="auto">${layer.taken_by}</strong>` : null}`;
    if (share) return placeText(share.position, 0, share.share);
    if (holdout) return html`<span dir="auto">${holdout.name}</span>`;
    return '–';
}

/* The name of what a user gets; null where it is nothing. */
/** @param {experiments.FlagPreview} preview */
export const givenName = ({ variant, variation_index: index }) => variant ?? (index < 0 ? null : armName(index));

/** @param {experiments.FlagPreview} preview */
export function resultOf(preview) {
    const { variant, value, reason, error, steps } = preview;
    const name = givenName(preview);
    return html`<div class="stack" id="flag-result" role="status">
        ${error
            ? notice({ tone: 'caution', body: error })
            : html`<p>${name === null ? t('experiment.flag_outside') : html`${t('experiment.flag_gets')} <strong dir="auto">${name}</strong>`} ${variant === null ? null : json(value)} ${reason === null ? null : code(reason)}</p>`}
        ${table({
            caption: t('experiment.flag_checks'),
            columns: [
                { name: 'check', title: t('experiment.flag_check'), cell: ({ check }) => t(`experiment.flag_check_${check}`) },
                { name: 'outcome', title: t('experiment.flag_outcome'), cell: ({ outcome }) => badge(t(`experiment.flag_${outcome}`), tones[outcome], { dot: true }) },
                { name: 'detail', title: t('experiment.flag_detail'), cell: detailOf },
            ],
            rows: steps,
        })}
    </div>`;
}
