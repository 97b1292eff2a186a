/* The settings that an experiment changes, as fields with the types and ranges that the service names. */
import { hasText, t } from '../../shared/i18n.js';
import { formatNumber } from '../../shared/numbers.js';
import { html } from '../../shared/ui/lit.js';
import { icon } from '../../shared/ui/icons.js';
import { settingName } from './names.js';

const textOf = (value) => (value === null || value === undefined ? '' : String(value));

/* A field that begins with the value in force. */
export function draftOf(name, settings) {
    return { name, text: textOf(settings.find((one) => one.name === name)?.value) };
}

function valueOf({ type, minimum, maximum }, text) {
    if (type === 'boolean') return text === 'true';
    if (type === 'choice' || type === 'text') return text.trim() === '' ? undefined : text.trim();
    const number = Number(text);
    const fits = text.trim() !== '' && Number.isFinite(number) && (type !== 'integer' || Number.isInteger(number));
    return fits && number >= (minimum ?? -Infinity) && number <= (maximum ?? Infinity) ? number : undefined;
}

/* {values} for the API, and the names of the fields that hold no value. */
export function overridesOf(overrides, settings) {
    const read = overrides.map(({ name, text }) => [name, valueOf(settings.find((one) => one.name === name), text)]);
    return {
        values: Object.fromEntries(read.filter(([, value]) => value !== undefined)),
        wrong: read.filter(([, value]) => value === undefined).map(([name]) => name),
    };
}

/* "1 to 50, now 5". */
function rangeOf({ minimum, maximum, value }) {
    const now = value === null || value === undefined ? null : typeof value === 'number' ? formatNumber(value, 6) : String(value);
    const range =
        typeof minimum !== 'number'
            ? null
            : typeof maximum === 'number'
              ? t('improve.range', { from: formatNumber(minimum, 6), to: formatNumber(maximum, 6) })
              : t('improve.range_from', { from: formatNumber(minimum, 6) });
    return [range, now === null ? null : t('improve.now', { value: now })].filter(Boolean).join(' · ');
}

function control(setting, text, wrong, actions) {
    const id = `set-${setting.name}`;
    const type = (event) => actions.type(setting.name, event.target.value);
    const options = setting.type === 'boolean' ? ['true', 'false'] : setting.choices;
    if (options.length > 0)
        return html`<select class="select" id=${id} @change=${type}>
            ${options.map((value) => html`<option value=${value} ?selected=${value === text}>${setting.type === 'boolean' ? t(`improve.${value === 'true' ? 'on' : 'off'}`) : value}</option>`)}
        </select>`;
    return html`<input
        class="input"
        id=${id}
        inputmode=${setting.type === 'text' ? 'text' : 'decimal'}
        .value=${text}
        aria-invalid=${String(wrong)}
        aria-describedby=${`${id}-hint`}
        @input=${type}
    />`;
}

/* What a setting does; one that the page has no words for is described as the service does. */
function about({ name, help }) {
    const key = `improve.about_${name}`;
    return hasText(key) ? t(key) : help;
}

function row({ name, text }, settings, wrong, actions) {
    const setting = settings.find((one) => one.name === name);
    const title = settingName(name);
    return html`<div class="field setting">
        <label class="field-label" for=${`set-${name}`}>${title}</label>
        <div class="button-row">
            ${control(setting, text, wrong.includes(name), actions)}
            <button type="button" class="button button-icon" data-kind="quiet" aria-label=${t('improve.remove_setting', { name: title })} @click=${() => actions.remove(name)}>${icon('close')}</button>
        </div>
        <p class="field-hint">${about(setting)}</p>
        <p class="field-hint" id=${`set-${name}-hint`}>${wrong.includes(name) ? t('improve.out_of_range') : ''} ${rangeOf(setting)}
            ${setting.reach === 'at_once' ? null : t(`improve.reach_${setting.reach}`)}</p>
    </div>`;
}

export function settingsFields({ settings, overrides, wrong, actions }) {
    const known = settings.data ?? [];
    const left = known.filter(({ name }) => !overrides.some((one) => one.name === name)).map(({ name }) => ({ name, title: settingName(name) }));
    return html`<fieldset class="stack settings-fields">
        <legend class="field-label">${t('improve.settings')}</legend>
        ${known.length === 0 ? null : overrides.map((one) => row(one, known, wrong, actions.setting))}
        <div class="field">
            <label class="field-label" for="add-setting">${t('improve.add_setting')}</label>
            <select
                class="select"
                id="add-setting"
                .value=${''}
                @change=${(event) => {
                    const { value } = event.target;
                    event.target.value = '';
                    if (value !== '') actions.setting.add(value);
                }}
            >
                <option value="">${t('improve.choose_setting')}</option>
                ${left.toSorted((a, b) => a.title.localeCompare(b.title)).map(({ name, title }) => html`<option value=${name}>${title}</option>`)}
            </select>
        </div>
    </fieldset>`;
}
