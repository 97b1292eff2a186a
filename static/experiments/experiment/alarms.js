/*
 * Guardrail alarms: figures of live data without users that watch an experiment. They warn beside the verdict, say how fresh
 * they are, and are added from the names that live data offers.
 */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatNumber, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { table } from '../../shared/ui/table.js';
import { offerOf } from '../catalog/source_fields.js';
import { known } from '../figures.js';
import { writers } from '../roles.js';

const tones = { quiet: 'good', raised: 'danger', stale: 'caution', never_read: 'plain', no_value: 'caution' };
const label = (key) => () => t(key);
const hasReference = ({ condition }) => condition === 'changed';
const withUnit = (value, unit) => (known(value) ? html`<bdi>${formatNumber(value, 6)} ${unit ?? ''}</bdi>` : '–');

/** @param {experiments.ExperimentAlarm} alarm */
function ruleText({ condition, threshold, reference }) {
    if (condition !== 'changed') return t(`alarm.rule_${condition}`, { threshold: formatNumber(threshold, 6) });
    const share = formatPercent(threshold / 100);
    return known(reference) ? t('alarm.rule_changed', { share, reference: formatNumber(reference, 6) }) : t('alarm.rule_changed_first', { share });
}

/* When it was read; why not, where reading failed. */
function readText({ read_at: at, failure }) {
    return html`${at === null ? '–' : formatDateTime(at)}${failure === null ? null : html`<p class="section-note" dir="auto">${failure}</p>`}`;
}

/* Above the verdict, whichever part is open. */
/** @param {experiments.LiveStats} stats */
export function alarmNotice({ warnings }) {
    const raised = warnings.find(({ code }) => code === 'ALARM_RAISED');
    return raised ? html`<div id="alarm-raised">${notice({ tone: 'danger', title: t('alarm.status_raised'), body: html`<p dir="auto">${raised.message}</p>` })}</div>` : null;
}

/** @param {experiments.LiveDecision} decision */
export function alarmsCard({ alarms }, actions) {
    const rows = alarms ?? [];
    return html`<section class="card section stack" aria-labelledby="alarms-title" id="alarms">
        <div class="section-head">
            <h2 id="alarms-title">${t('alarm.title')}</h2>
            <button type="button" class="button no-print" data-size="small" id="add-alarm" data-for=${writers} @click=${actions.addAlarm}>${t('alarm.add')}</button>
        </div>
        <p class="section-note">${t('alarm.note')}</p>
        ${rows.length === 0
            ? null
            : table({
                  caption: t('alarm.title'),
                  columns: [
                      { name: 'metric', title: t('alarm.figure'), cell: ({ metric, window }) => html`<code dir="ltr">${metric}</code> <span class="section-note" dir="ltr">${window}</span>` },
                      { name: 'status', title: t('list.state'), cell: ({ status }) => badge(t(`alarm.status_${status}`), tones[status], { dot: true }) },
                      { name: 'rule', title: t('alarm.rule'), cell: ruleText },
                      { name: 'value', title: t('alarm.value'), align: 'end', cell: ({ value, unit }) => withUnit(value, unit) },
                      { name: 'read', title: t('alarm.read_at'), cell: readText },
                      {
                          name: 'remove',
                          title: t('alarm.remove'),
                          titleHidden: true,
                          cell: ({ id, metric }) => html`<button type="button" class="button no-print" data-size="small" data-for=${writers} aria-label=${`${t('alarm.remove')}: ${metric}`} @click=${() => actions.removeAlarm(id)}>${t('alarm.remove')}</button>`,
                      },
                  ],
                  rows,
              })}
    </section>`;
}

/* A name of a list, or one that is typed where there is no list. */
function named(name, listOf, isKnown, hint) {
    const field = { name, label: label(`alarm.${name}`), wide: true, ...(hint ? { hint } : {}) };
    if (!isKnown) return { ...field, kind: 'text', maxLength: 100 };
    return { ...field, kind: 'select', options: (values) => [{ value: '', title: t('catalog.choose') }, ...listOf(values)] };
}

/** @param {experiments.LivedataOffer} offer */
function fieldsOf({ status, text, figures }) {
    const isKnown = figures.length > 0;
    const titles = () => figures.map(({ name, description }) => ({ value: name, title: `${name} — ${description}` }));
    const windows = ({ metric }) => (figures.find(({ name }) => name === metric)?.windows ?? []).map((value) => ({ value, title: value }));
    const away = status === 'available' ? null : () => t(`catalog.livedata_${status}`, { reason: text });
    return [
        named('metric', titles, isKnown, away),
        named('window', windows, isKnown, null),
        { name: 'condition', kind: 'choice', label: label('alarm.rule'), wide: true, options: () => ['above', 'below', 'changed'].map((value) => ({ value, title: t(`alarm.condition_${value}`) })) },
        { name: 'threshold', kind: (values) => (hasReference(values) ? 'percent' : 'number'), label: label('alarm.threshold') },
        { name: 'reference', kind: 'number', optional: true, label: label('alarm.reference'), hint: label('alarm.reference_hint'), applies: hasReference },
    ];
}

/* Resolves to the alarm; to undefined when dismissed. */
/** @param {Client<'experiments'>} client */
export async function askForAlarm(client, path) {
    const offer = await offerOf(client);
    return formDialog({
        id: 'alarm',
        title: t('alarm.add'),
        fields: fieldsOf(offer),
        wide: true,
        action: t('alarm.add'),
        send: (values) => client.post(path, values),
        intro: html`<p class="section-note">${t('alarm.note')}</p>`,
    });
}
