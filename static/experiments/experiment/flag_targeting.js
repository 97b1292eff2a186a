/* Whom the design lets in: rules on what is known of a user, and groups of them that count as one; edited in rows. */
import { t } from '../../shared/i18n.js';
import { html, live } from '../../shared/ui/lit.js';
import { listIn, textIn, typedOf, valueIn } from './flag_typed.js';

/* As the API bounds them. */
const rulesMax = 20;
const groupsMax = 10;

const signs = { equals: '=', not_equals: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' };
const versions = { version_eq: '=', version_gt: '>', version_gte: '≥', version_lt: '<', version_lte: '≤' };
const worded = ['in', 'not_in', 'contains', 'not_contains', 'starts_with', 'ends_with'];
const ofSegments = ['in_segment', 'not_in_segment'];
const operators = ['equals', 'not_equals', ...worded, ...Object.keys(signs).slice(2), ...Object.keys(versions), 'exists'];
const asksSegment = ({ operator }) => ofSegments.includes(operator);

function operatorText(operator) {
    if (operator in signs) return signs[operator];
    if (operator in versions) return t('experiment.rule_version', { sign: versions[operator] });
    return t(`experiment.rule_${operator}`);
}

/* How what is typed becomes the value of an operator. */
function readerOf(operator) {
    if (operator === 'in' || operator === 'not_in') return listIn;
    return operator in versions || operator === 'starts_with' || operator === 'ends_with' || ofSegments.includes(operator) ? textIn : valueIn;
}

const rowOf = ({ attribute, operator, value }) => ({ attribute, operator, typed: typedOf(value, readerOf(operator)) });
const ruleOf = ({ attribute, operator, typed }) => ({ attribute: attribute.trim(), operator, value: readerOf(operator)(typed.trim()) });
const emptyRow = () => ({ attribute: '', operator: 'equals', typed: '' });

/* The rows of a design. */
/** @param {experiments.ExperimentPayload['setup']} setup */
function rowsOf({ targeting_rules: rules, targeting_groups: groups, targeting_match: match }) {
    return { match: match ?? 'all', rules: (rules ?? []).map(rowOf), groups: (groups ?? []).map((group) => ({ match: group.match, rules: group.rules.map(rowOf) })) };
}

const sentRules = ({ match, rules, groups }) => ({
    targeting_match: match,
    targeting_rules: rules.map(ruleOf),
    targeting_groups: groups.map((group) => ({ match: group.match, rules: group.rules.map(ruleOf) })),
});

const code = (text) => html`<code dir="ltr">${text}</code>`;
const ruleText = ({ attribute, operator, value }) => code(`${attribute} ${operator} ${JSON.stringify(value)}`);
const matchText = (match) => t(`experiment.match_${match}`);

/* The rules as they are saved. */
/** @param {experiments.ExperimentPayload['setup']} setup */
export function targetingFacts({ targeting_rules: rules, targeting_groups: groups, targeting_match: match }) {
    const all = [...(rules ?? []).map(ruleText), ...(groups ?? []).map((group) => html`${matchText(group.match)}<ul>${group.rules.map((rule) => html`<li>${ruleText(rule)}</li>`)}</ul>`)];
    if (all.length === 0) return html`<p class="section-note">${t('experiment.rules_open')}</p>`;
    return html`<p>${matchText(match ?? 'all')}</p>
        <ul class="rule-list" id="rules-saved">${all.map((one) => html`<li>${one}</li>`)}</ul>`;
}

/* "2", or "1 · 2" in a group; null where the problem is about none of the rules. */
function placeOf(loc) {
    const at = loc.findIndex((part) => part === 'targeting_rules' || part === 'targeting_groups');
    const numbers = at < 0 ? [] : loc.slice(at).filter(Number.isInteger).map((index) => index + 1);
    return numbers.length === 0 ? null : numbers.join(' · ');
}

/*
 * The editor: begin(setup) fills it, sent() is the part of the setup that it edits, problems says per line what is wrong.
 * save() is called when the reader asks. Without `groups` there are single rules only; segments() is the names of the segments
 * that rules may ask for, null where they may ask for none.
 */
export function createTargeting(update, { save, groups = true, segments = () => null }) {
    const state = { ...rowsOf(/** @type {any} */ ({})), problems: [] };

    function change(act) {
        act();
        update();
    }

    const matchSelect = (holder, id) => html`<select class="select" id=${id} aria-label=${t('experiment.match')} .value=${live(holder.match)} @change=${(event) => change(() => (holder.match = event.target.value))}>
        ${['all', 'any'].map((match) => html`<option value=${match} ?selected=${match === holder.match}>${matchText(match)}</option>`)}
    </select>`;

    const input = (row, name, label, placeholder) => html`<input class="input" dir="auto" autocomplete="off" data-rule-part=${name} aria-label=${label} placeholder=${placeholder} .value=${live(row[name])} @input=${(event) => change(() => (row[name] = event.target.value))} />`;

    /* Segments are of users. */
    function chooseOperator(row, operator) {
        if (ofSegments.includes(operator) !== asksSegment(row)) Object.assign(row, { attribute: ofSegments.includes(operator) ? 'targetingKey' : '', typed: '' });
        row.operator = operator;
    }

    const segmentInput = (row) => html`<select class="select" data-rule-part="typed" aria-label=${t('experiment.rule_segment')} .value=${live(row.typed)} @change=${(event) => change(() => (row.typed = event.target.value))}>
        ${[...new Set([row.typed, ...segments()])].map((name) => html`<option value=${name} dir="auto" ?selected=${name === row.typed}>${name}</option>`)}
    </select>`;

    const choices = (row) => (segments() === null && !asksSegment(row) ? operators : [...operators, ...ofSegments]);

    const ruleRow = (rows, row, index) => html`<div class="rule-row" role="group" aria-label=${t('experiment.rule_number', { number: index + 1 })}>
        ${input(row, 'attribute', t('experiment.rule_attribute'), 'country')}
        <select class="select" data-rule-part="operator" aria-label=${t('experiment.rule_operator')} .value=${live(row.operator)} @change=${(event) => change(() => chooseOperator(row, event.target.value))}>
            ${choices(row).map((operator) => html`<option value=${operator} ?selected=${operator === row.operator}>${operatorText(operator)}</option>`)}
        </select>
        ${asksSegment(row) && segments() !== null ? segmentInput(row) : input(row, 'typed', t('experiment.value'), row.operator === 'exists' ? 'true' : 'DE')}
        <button type="button" class="button" data-size="small" @click=${() => change(() => rows.splice(index, 1))}>${t('experiment.rule_remove')}</button>
    </div>`;

    const ruleRows = (rows) => html`${rows.map((row, index) => ruleRow(rows, row, index))}
        <div class="button-row">
            <button type="button" class="button" data-size="small" data-add="rule" ?disabled=${rows.length >= rulesMax} @click=${() => change(() => rows.push(emptyRow()))}>${t('experiment.rule_add')}</button>
        </div>`;

    const groupRows = (group, index) => html`<fieldset class="rule-group stack">
        <legend>${t('experiment.rule_group', { number: index + 1 })}</legend>
        ${matchSelect(group, `match-${index}`)} ${ruleRows(group.rules)}
        <div class="button-row">
            <button type="button" class="button" data-size="small" @click=${() => change(() => state.groups.splice(index, 1))}>${t('experiment.rule_group_remove')}</button>
        </div>
    </fieldset>`;

    const problemLines = () => html`<div class="notice" data-tone="danger" role="alert" id="targeting-problems">
        <ul>
            ${state.problems.map(({ loc, msg }) => html`<li>${placeOf(loc) === null ? null : html`<strong>${placeOf(loc)}</strong> — `}${msg}</li>`)}
        </ul>
    </div>`;

    return {
        begin: (setup) => Object.assign(state, rowsOf(setup), { problems: [] }),
        sent: () => sentRules(state),

        /* Whether the error is about single rules; then it is shown. */
        explain({ items }) {
            state.problems = items.map(({ loc = [], msg }) => ({ loc, msg: String(msg ?? '').replace(/^Value error, /, '') }));
            return items.length > 0;
        },

        view: (actions) => html`<form
            class="form stack"
            id="targeting-form"
            novalidate
            aria-label=${t('experiment.targeting')}
            @submit=${(event) => {
                event.preventDefault();
                state.problems = [];
                save();
            }}
        >
            ${state.problems.length === 0 ? null : problemLines()}
            <p class="section-note">${t('experiment.targeting_typed')}</p>
            ${matchSelect(state, 'match')} ${ruleRows(state.rules)} ${state.groups.map(groupRows)}
            <div class="button-row" ?hidden=${!groups}>
                <button type="button" class="button" data-size="small" data-add="group" ?disabled=${state.groups.length >= groupsMax} @click=${() => change(() => state.groups.push({ match: 'any', rules: [emptyRow()] }))}>${t('experiment.rule_group_add')}</button>
            </div>
            ${actions}
        </form>`,
    };
}
