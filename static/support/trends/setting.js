/* One setting as a card: what it does, its value, what another value would change, and three things to do about it. */
import { t } from '../../shared/i18n.js';
import { formatDateTime, formatInteger, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { html, live } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { isAdmin } from '../service.js';
import { effectOf, least, most, suggestionOf, valueOf } from './effects.js';

const tones = { holds: 'good', undecided: 'caution', broken: 'danger' };
const share = (value) => formatPercent(value, 3);
const percent = (value) => formatPercent(value / 100, 3);

function effects(one, rows, reviewed) {
    const columns = [
        { name: 'title', title: t('trends.value'), cell: ({ title, value }) => html`${title}: <strong>${percent(value)}</strong>` },
        { name: 'answered', title: t('trends.answered'), align: 'end', cell: ({ answered, count }) => html`${share(answered)} <span class="section-note">(${t('trends.of', { count: formatInteger(count), total: formatInteger(one.labeled_count) })})</span>` },
        { name: 'team', title: t('trends.to_team'), align: 'end', cell: ({ answered }) => share(1 - answered) },
        ...(reviewed ? [{ name: 'wrong', title: t('trends.wrong'), align: 'end', cell: ({ wrong }) => (wrong === null ? '–' : share(wrong)) }] : []),
    ];
    return table({ caption: t('trends.effects'), rows, key: ({ title }) => title, columns });
}

function suggestionText(one, suggestion) {
    if (suggestion.source === 'risk') return t('trends.suggest_risk', { value: percent(suggestion.value), risk: share(one.risk.risk), confidence: share(one.risk.confidence) });
    if (suggestion.source === 'f1') return t('trends.suggest_f1', { value: percent(suggestion.value) });
    return t(`trends.suggest_${suggestion.reason}`);
}

function curve(one, reviewed) {
    const series = (name, key) => ({ name, points: one.curve.map((point) => ({ x: point.cutoff, y: point[key] })) });
    return html`<details class="disclosure" data-plain>
        <summary>${t('trends.curve')}</summary>
        <div class="disclosure-body">
            ${lineChart({
                label: `${t('trends.curve')}: ${t(`trends.${one.name}`)}`,
                series: [series(t('trends.answered'), 'coverage'), ...(reviewed ? [series(t('trends.wrong'), 'risk')] : [])],
                x: { title: t('trends.value'), format: percent, min: 0, max: most },
                y: { title: t('trends.share'), format: share, min: 0, max: 1 },
                marks: [],
            })}
        </div>
    </details>`;
}

function since(choice) {
    if (!choice) return html`<span class="section-note">${t('trends.from_settings')}</span>`;
    const state = choice.risk === null ? null : (choice.state ?? 'new');
    return html`<span class="section-note">${t('trends.adopted', { date: formatDateTime(choice.chosen_at) })}</span>
        ${state === null ? null : badge(t(`trends.state_${state}`), tones[state] ?? 'plain', { dot: true })}`;
}

function controls(one, { text, value, inForce, choice, busy, actions }) {
    const id = `value-${one.name}`;
    const unchanged = value === null || value === inForce;
    return html`<div class="field">
            <label class="field-label" for=${id}>${t('trends.another')}</label>
            <div class="button-row">
                <input class="input setting-value" id=${id} type="number" min=${least[one.name]} max=${most} step="1" .value=${live(text)} aria-invalid=${String(value === null)}
                    aria-describedby=${`${id}-hint`} @input=${(event) => actions.type(one.name, event.target.value)} /> %
                <button type="button" class="button" data-action="try" ?disabled=${unchanged || busy} @click=${() => actions.tryOut(one.name, value)}>${t('trends.try')}</button>
                <button type="button" class="button" data-kind="primary" data-action="adopt" ?disabled=${unchanged || busy} @click=${() => actions.adopt(one, value)}>${t('trends.adopt')}</button>
                ${choice
                    ? html`<button type="button" class="button" data-kind="quiet" data-action="back" ?disabled=${busy} @click=${() => actions.back(one)}>${t('trends.back', { value: percent(one.current) })}</button>`
                    : null}
            </div>
            <p class="field-hint" id=${`${id}-hint`}>${t('trends.range', { from: percent(least[one.name]), to: percent(most) })}</p>
        </div>
        <p class="section-note">${t('trends.actions_text')}</p>`;
}

/* page: {reviewed, choice, text of the field, busy, actions}. */
export function settingCard(one, { reviewed, choice, text, busy, actions }) {
    const inForce = choice?.cutoff ?? one.current;
    const suggestion = suggestionOf(one, { inForce, reviewed });
    const shown = text ?? String(suggestion.value ?? inForce);
    const value = valueOf(one.name, shown);
    const rows = [{ title: t('trends.now'), ...effectOf(one, inForce) }];
    if (value !== null && value !== inForce) rows.push({ title: t(value === suggestion.value ? 'trends.suggested' : 'trends.tried'), ...effectOf(one, value) });
    return html`<section class="card section stack" aria-labelledby=${`title-${one.name}`} id=${one.name}>
        <div class="section-head">
            <h2 id=${`title-${one.name}`}>${t(`trends.${one.name}`)}</h2>
            <p class="setting-now"><strong>${percent(inForce)}</strong> ${since(choice)}</p>
        </div>
        <p>${t(`trends.${one.name}_text`)}</p>
        <p class="suggestion" data-found=${String(suggestion.value !== undefined)}>${suggestionText(one, suggestion)}</p>
        ${one.labeled_count === 0 ? html`<p class="section-note">${t('trends.no_values')}</p>` : html`${effects(one, rows, reviewed)} ${curve(one, reviewed)}`}
        ${isAdmin() ? controls(one, { text: shown, value, inForce, choice, busy, actions }) : html`<p class="section-note">${t('trends.admins')}</p>`}
    </section>`;
}
