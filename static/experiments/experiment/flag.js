/* The feature flag of an experiment: its key, what each variation stands for, and what a user would get of it and why. */
import { t } from '../../shared/i18n.js';
import { formatNumber } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';

const code = (text) => html`<code dir="ltr">${text}</code>`;
const json = (value) => code(JSON.stringify(value));
const tones = { decided: 'caution', missing: 'plain', passed: 'good' };

/* What is typed as attributes: an object, or null when it is none. */
function attributesIn(text) {
    try {
        const value = JSON.parse(text || '{}');
        return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}

/** @param {experiments.PreviewRule} rule */
function ruleText({ attribute, operator, value, told }) {
    if (attribute === null) return t('experiment.flag_no_rule');
    return html`${code(`${attribute} ${operator} ${JSON.stringify(value)}`)} · ${t('experiment.flag_told')} ${json(told)}`;
}

const placeText = (position, from, to) => t('experiment.flag_place', { position: formatNumber(position, 4), from: formatNumber(from, 4), to: formatNumber(to, 4) });

/** @param {experiments.PreviewStep} step */
function detailOf({ rule, layer, share, holdout }) {
    if (rule) return ruleText(rule);
    if (layer) return html`<span dir="auto">${layer.namespace}</span> · ${placeText(layer.position, layer.range_start, layer.range_end)} ${layer.taken_by ? html` · <strong dir="auto">${layer.taken_by}</strong>` : null}`;
    if (share) return placeText(share.position, 0, share.share);
    if (holdout) return html`<span dir="auto">${holdout.name}</span>`;
    return '–';
}

/** @param {experiments.FlagPreview} preview */
function resultOf(preview) {
    const { variant, variation_index: index, value, reason, error, steps } = preview;
    const name = variant ?? (index < 0 ? null : armName(index));
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

/** @param {experiments.Flag} flag */
function flagFacts({ key, enabled, variants, value_type: type }) {
    return html`<p>${code(key)} ${badge(t(enabled ? 'experiment.flag_on' : 'experiment.flag_off'), enabled ? 'good' : 'plain', { dot: true })}</p>
        ${variants.length === 0
            ? html`<p class="section-note">${t('experiment.flag_unset')}</p>`
            : table({
                  caption: t('experiment.flag'),
                  columns: [
                      { name: 'name', title: t('split.variant'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
                      { name: 'value', title: `${t('experiment.value')} (${type})`, cell: ({ value }) => json(value) },
                  ],
                  rows: variants,
              })}`;
}

/**
 * @param {Client<'experiments'>} client
 * @param {`/api/v1/experiments/${string}`} base
 */
export function createFlag(update, client, base) {
    let preview = null;
    let failure = null;
    let busy = false;
    const flag = createResource(update, async (signal) => (await client.get(/** @type {const} */ (`${base}/flag`), { signal })).data);
    const form = createForm(update, {
        id: 'flag',
        fields: [
            { name: 'user', kind: 'text', label: () => t('experiment.flag_user'), placeholder: 'user-1', maxLength: 200 },
            { name: 'attributes', kind: 'textarea', optional: true, label: () => t('experiment.flag_attributes'), hint: () => t('experiment.flag_attributes_hint'), placeholder: '{"country": "DE"}', wide: true },
        ],
        onSubmit: ask,
    });

    async function ask({ user, attributes }) {
        const context = attributesIn(attributes);
        preview = null;
        failure = context === null ? notice({ tone: 'caution', body: t('experiment.flag_attributes_wrong') }) : null;
        busy = context !== null;
        update();
        if (context === null) return;
        try {
            preview = (await client.post(/** @type {const} */ (`${base}/flag/preview`), { context: { ...context, targetingKey: user } })).data;
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            failure = errorNotice(error);
        } finally {
            busy = false;
            update();
        }
    }

    return {
        load: flag.load,
        view: () => html`<section class="card section stack" aria-labelledby="flag-title" id="flag">
                <div class="section-head"><h2 id="flag-title">${t('experiment.flag')}</h2></div>
                ${resourceView(flag, { quiet: true, skeleton: { lines: 2, height: 'line' }, ready: flagFacts })}
            </section>
            <section class="card section stack" aria-labelledby="preview-title" id="flag-preview">
                <div class="section-head"><h2 id="preview-title">${t('experiment.flag_preview')}</h2></div>
                <p class="section-note">${t('experiment.flag_preview_note')}</p>
                ${form.view(null, { label: t('experiment.flag_preview'), action: t('experiment.flag_ask'), busy })} ${failure} ${preview === null ? null : resultOf(preview)}
            </section>`,
    };
}
