/*
 * One field of a form: label, control, what was understood, hint and error, tied together for screen
 * readers. Forms make them; a page asks form.field('name').
 */
import { t } from '../i18n.js';
import { html, live, nothing } from './lit.js';
import { echoText } from './units.js';

function described(field) {
    return [
        field.hint ? `${field.id}-hint` : null,
        field.echo ? `${field.id}-echo` : null,
        field.message ? `${field.id}-error` : null,
    ]
        .filter(Boolean)
        .join(' ');
}

function control(field, index = null) {
    const id = index === null ? field.id : `${field.id}-${index}`;
    const text = index === null ? field.text : (field.text[index] ?? '');
    const wrong = field.wrong(index);
    const numeric = ['percent', 'fraction', 'number', 'count'].includes(field.kind);
    return html`<input
        class="input"
        id=${id}
        name=${field.name}
        type=${['password', 'date', 'email', 'search', 'url'].includes(field.kind) ? field.kind : 'text'}
        inputmode=${numeric ? (field.kind === 'count' ? 'numeric' : 'decimal') : nothing}
        autocomplete=${field.autocomplete ?? 'off'}
        spellcheck=${numeric ? 'false' : nothing}
        placeholder=${field.placeholder ?? nothing}
        maxlength=${field.maxLength ?? nothing}
        ?required=${field.required}
        ?readonly=${field.readonly}
        aria-label=${index === null ? nothing : field.itemLabel(index)}
        aria-invalid=${wrong ? 'true' : nothing}
        aria-describedby=${described(field) || nothing}
        .value=${live(text)}
        @input=${(event) => field.type(event.target.value, index)}
        @paste=${(event) => field.paste(event, index)}
    />`;
}

function area(field) {
    return html`<textarea
        class="input"
        id=${field.id}
        name=${field.name}
        rows=${field.rows ?? 4}
        placeholder=${field.placeholder ?? nothing}
        maxlength=${field.maxLength ?? nothing}
        ?required=${field.required}
        ?readonly=${field.readonly}
        dir="auto"
        aria-invalid=${field.wrong(null) ? 'true' : nothing}
        aria-describedby=${described(field) || nothing}
        .value=${live(field.text)}
        @input=${(event) => field.type(event.target.value)}
    ></textarea>`;
}

function select(field) {
    return html`<select
        class="select"
        id=${field.id}
        name=${field.name}
        ?required=${field.required}
        aria-invalid=${field.wrong(null) ? 'true' : nothing}
        aria-describedby=${described(field) || nothing}
        .value=${live(field.text)}
        @change=${(event) => field.type(event.target.value)}
    >
        ${field.options.map(
            ({ value, title }) =>
                html`<option value=${value} ?selected=${String(value) === field.text}>${title}</option>`,
        )}
    </select>`;
}

function segments(field) {
    return html`<div class="segments" data-count=${field.options.length}>
        ${field.options.map(
            ({ value, title }) =>
                html`<label class="segment">
                    <input
                        type="radio"
                        name=${field.name}
                        value=${value}
                        .checked=${live(String(value) === field.text)}
                        @change=${() => field.type(String(value))}
                    />
                    <span>${title}</span>
                </label>`,
        )}
    </div>`;
}

function items(field) {
    return html`<div class="weights">
        ${Array.from(
            { length: field.count },
            (_, index) =>
                html`<div class="weight">
                    <span class="weight-name" aria-hidden="true">${field.itemName(index)}</span>
                    ${control(field, index)}
                </div>`,
        )}
    </div>`;
}

/* Beside the text of the control: its unit, or what the text was understood as. The control keeps its
 * place in the page whichever it is, and with it the focus. */
function affixed(field, inside) {
    const affix = field.affix && !field.echo ? field.affix : null;
    return html`<div class="affixed">
        ${inside}${field.echo
            ? html`<output class="affix" id=${`${field.id}-echo`}>${echoText(field.echo)}</output>`
            : affix === null
              ? null
              : html`<span class="affix" aria-hidden="true">${affix}</span>`}
    </div>`;
}

/* What was probably meant, one press away. */
function suggestion(field) {
    const meant = field.question ?? field.suggestion;
    if (!meant) return null;
    return html`<p class="field-question" role="status">
        <span>${t('field.did_you_mean')}</span>
        <button type="button" class="button" data-size="small" @click=${() => field.take(meant)}>
            ${meant.text}
        </button>
    </p>`;
}

function below(field) {
    return html`${suggestion(field)}
        ${field.hint ? html`<p class="field-hint" id=${`${field.id}-hint`}>${field.hint}</p>` : null}
        ${field.message ? html`<p class="field-error" id=${`${field.id}-error`}>${field.message}</p>` : null}`;
}

function labelText(field) {
    return html`<span>${field.label}</span>
        ${field.optional ? html`<span class="field-optional">${t('field.optional')}</span>` : null}`;
}

function classOf(field) {
    return field.wide ? 'field field-wide' : 'field';
}

function flag(field) {
    return html`<div class=${classOf(field)} data-field=${field.name}>
        <label class="check" for=${field.id}>
            <input
                type="checkbox"
                id=${field.id}
                name=${field.name}
                aria-describedby=${described(field) || nothing}
                .checked=${live(field.text === 'true')}
                @change=${(event) => field.type(String(event.target.checked))}
            />
            <span class="check-text">${field.label}</span>
        </label>
        ${below(field)}
    </div>`;
}

function group(field, inside, role) {
    return html`<div
        class=${classOf(field)}
        data-field=${field.name}
        id=${field.id}
        role=${role}
        aria-labelledby=${`${field.id}-label`}
        aria-describedby=${described(field) || nothing}
    >
        <p class=${field.labelHidden ? 'field-label visually-hidden' : 'field-label'} id=${`${field.id}-label`}>
            ${labelText(field)}
        </p>
        ${inside} ${below(field)}
    </div>`;
}

const controls = { select, textarea: area };

/* The template of a field as a form describes it. */
export function fieldView(field) {
    if (field.kind === 'flag') return flag(field);
    if (field.kind === 'choice') return group(field, segments(field), 'radiogroup');
    if (field.list) return group(field, items(field), 'group');
    const inside = (controls[field.kind] ?? control)(field);
    return html`<div class=${classOf(field)} data-field=${field.name}>
        <label class=${field.labelHidden ? 'field-label visually-hidden' : 'field-label'} for=${field.id}>
            ${labelText(field)}
        </label>
        ${affixed(field, inside)} ${below(field)}
    </div>`;
}
