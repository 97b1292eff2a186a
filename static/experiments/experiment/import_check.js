/*
 * What an import would do, shown before the press: which value is the control, which rows are left out
 * and why, and what the result would look like beside the plan. Templates only.
 */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { armName } from '../arms.js';
import { share } from '../figures.js';
import { areNumbers, metricColumn, namesIn } from './records.js';

const shownNames = 8;
const farFromPlan = 3; /* times more or less than planned is worth a question */

/* Values of the column that stand for arms, and the confirmation of the control; null where there is nothing to ask. */
export function armSelects({ kind, arms, armCount, confirmed }, { setArm, confirm }) {
    const values = Object.keys(arms);
    if (kind !== 'exposures' || values.length === 0 || areNumbers(arms)) return null;
    const controls = values.filter((value) => arms[value] === 0);
    const option = (value, arm, title) => html`<option value=${arm} .selected=${String(arms[value]) === String(arm)}>${title}</option>`;
    return html`<h3>${t('experiment.match_arms')}</h3>
        <div class="mapping">
            ${values.map(
                (value, index) =>
                    html`<div class="field">
                        <label class="field-label" for=${`arm-${index}`} dir="auto">${value}</label>
                        <select class="select" id=${`arm-${index}`} @change=${(event) => setArm(value, event.target.value)}>
                            ${option(value, 'null', t('experiment.choose_arm'))} ${Array.from({ length: armCount }, (_, arm) => option(value, arm, armName(arm)))}
                            ${option(value, 'out', t('experiment.leave_out'))}
                        </select>
                    </div>`,
            )}
        </div>
        ${controls.length === 0
            ? html`<p class="section-note" id="no-control">${t('experiment.which_control')}</p>`
            : html`<label class="check" for="control-confirmed">
                  <input type="checkbox" id="control-confirmed" .checked=${confirmed} @change=${(event) => confirm(event.target.checked)} />
                  <span class="check-text">${t('experiment.confirm_control', { names: controls.map((name) => `“${name}”`).join(', ') })}</span>
              </label>`}`;
}

/* Whether nothing about the arms is left to say. */
export const armsAreClear = ({ kind, arms, confirmed }) =>
    kind !== 'exposures' || areNumbers(arms) || (confirmed && Object.values(arms).includes(0) && !Object.values(arms).includes(null));

/* A fixed name beside a column that holds the names makes every row count: said, with the way out. */
function unusedColumn({ kind, columns, rows, chosen, metric, known }, { choose }) {
    const column = kind === 'conversions' && !chosen.metric ? metricColumn(columns, rows, known) : '';
    if (column === '') return null;
    return notice({
        tone: 'danger',
        body: html`<p id="unused-column">${t('experiment.column_fits', { column, metric })}</p>`,
        actions: html`<button type="button" class="button" data-size="small" id="use-column" @click=${() => choose('metric', column)}>${t('experiment.use_column', { column })}</button>`,
    });
}

function metricNames({ kind, rows, chosen, known, onlyKnown }, { setOnlyKnown }) {
    const names = kind === 'conversions' ? namesIn(rows, { columns: chosen, known }) : [];
    if (names.length === 0) return null;
    return html`<h3>${t('experiment.names_in_file')}</h3>
        <ul class="assumption-list" id="names-in-file">
            ${names.slice(0, shownNames).map(({ name, rows: count, known: planned }) => html`<li dir="auto">${t(planned ? 'experiment.name_planned' : 'experiment.name_unplanned', { name, count: formatInteger(count) })}</li>`)}
        </ul>
        ${names.every(({ known: planned }) => planned)
            ? null
            : html`<label class="check" for="only-known">
                  <input type="checkbox" id="only-known" .checked=${onlyKnown} @change=${(event) => setOnlyKnown(event.target.checked)} />
                  <span class="check-text">${t('experiment.only_known')}</span>
              </label>`}`;
}

function skippedView({ skipped }) {
    if (skipped.length === 0) return null;
    return html`<h3>${t('experiment.left_out')}</h3>
        <ul class="assumption-list" id="left-out">
            ${skipped.map(({ reason, count }) => html`<li>${t(`experiment.left_out_${reason}`, { count: formatInteger(count) })}</li>`)}
        </ul>`;
}

function exposureEffect({ arms, users, taken }) {
    const inAll = arms.reduce((sum, arm) => sum + arm.users, 0);
    const text = arms.map(({ name, users: count }) => `${armName(name)}: ${formatInteger(count)}`).join(' · ');
    return html`${taken === 0 ? null : notice({ tone: 'info', body: html`<p id="would-be">${t('experiment.would_expose', { arms: text })}</p>` })}
        ${inAll > users ? notice({ tone: 'caution', body: html`<p id="crossed">${t('experiment.would_cross', { count: formatInteger(inAll - users) })}</p>` }) : null}`;
}

/* Users of the file that convert, beside those of the experiment and what the plan expects of them. */
function conversionEffect({ converting }, { metric, exposed, type, baseline }) {
    if (exposed === 0) return notice({ tone: 'caution', body: html`<p id="would-be">${t('experiment.exposures_first')}</p>` });
    const rate = converting / exposed;
    const values = { count: formatInteger(converting), metric, exposed: formatInteger(exposed), share: share(rate) };
    if (type !== 'binary') return notice({ tone: 'info', body: html`<p id="would-be">${t('experiment.would_convert', values)}</p>` });
    const far = rate >= 1 || rate > baseline * farFromPlan || rate < baseline / farFromPlan;
    return notice({ tone: far ? 'caution' : 'info', body: html`<p id="would-be">${t('experiment.would_convert_planned', { ...values, planned: share(baseline) })}</p>` });
}

/* Everything that should be known before the press. `effect` is the consequence() of the mapping. */
export function importCheck(state, effect, plan, actions) {
    return html`${unusedColumn(state, actions)} ${metricNames(state, actions)} ${skippedView(effect)}
    ${state.kind === 'exposures' ? exposureEffect(effect) : conversionEffect(effect, { ...plan, metric: state.metric })}`;
}
