/* What one user would get of every flag, and which check decides it. Nothing is recorded. */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { attributesIn, detailOf, givenName, json } from '../experiment/flag_preview.js';
import { partCard, verdictCard } from '../finding.js';

const label = (key) => () => t(key);

const fields = [
    { name: 'user', kind: 'text', initial: 'user-1', label: label('experiment.flag_user'), wide: true },
    { name: 'attributes', kind: 'textarea', rows: 4, optional: true, label: label('experiment.flag_attributes'), hint: label('experiment.flag_attributes_hint'), placeholder: '{"country": "DE"}', wide: true },
];

/* Attributes that are no object are sent as they are: the API says what is wrong. */
function request({ user, attributes = '' }) {
    const given = attributesIn(attributes);
    return { path: '/api/v1/flags/preview', body: { context: given === null ? attributes : { ...given, targetingKey: user } } };
}

/** @param {experiments.FlagPreviews} answer */
function sentenceOf({ flags }) {
    const inside = flags.filter((flag) => flag.in_experiment).length;
    return { title: t('all_flags.found', { inside: formatInteger(inside), flags: formatInteger(flags.length) }), text: t('experiment.flag_preview_note') };
}

function given(flag) {
    const name = givenName(flag);
    if (flag.error !== null) return flag.error;
    return html`${name === null ? '–' : html`<strong dir="auto">${name}</strong>`} ${flag.variant === null ? null : json(flag.value)}`;
}

function why({ steps }) {
    const last = steps.at(-1);
    return html`${t(`experiment.flag_check_${last.check}`)} · ${t(`experiment.flag_${last.outcome}`)} ${last.rule || last.layer || last.share || last.holdout ? html`<div>${detailOf(last)}</div>` : null}`;
}

/** @param {experiments.FlagPreviews} answer */
function result(answer) {
    const flags = table({
        caption: t('all_flags.flags'),
        columns: [
            { name: 'key', title: t('all_flags.flag'), cell: ({ key, experiment_id: id }) => html`<a href=${address(`/live/${encodeURIComponent(id)}?part=flag`)} dir="ltr">${key}</a>` },
            { name: 'given', title: t('experiment.flag_gets'), cell: given },
            { name: 'reason', title: t('all_flags.reason'), cell: ({ reason }) => html`<code dir="ltr">${reason ?? '–'}</code>` },
            { name: 'why', title: t('all_flags.why'), cell: why },
        ],
        rows: answer.flags,
    });
    return html`${verdictCard(sentenceOf(answer))} ${partCard('flags', t('all_flags.flags'), flags)} ${answer.truncated ? html`<p class="section-note">${t('all_flags.truncated')}</p>` : null}`;
}

export const flags = { fields, request, result, announcement: (answer) => sentenceOf(answer).title };
