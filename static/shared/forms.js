/*
 * Forms whose controls carry the names of the API's fields: reading values, and showing what the
 * API says about each of them. A field is an element with data-field="<name>" around its controls.
 */
import { html } from './dom.js';
import { parseNumber } from './numbers.js';

export function fieldOf(form, name) {
    return form.querySelector(`[data-field="${name}"]`);
}

/* The controls of a field, in order; several for a list or a choice. */
export function controlsOf(form, name) {
    return [...(fieldOf(form, name)?.querySelectorAll('input, select, textarea') ?? [])];
}

/* Gives every field a place for its error and ties hint and error to its controls. */
export function prepareFields(form) {
    for (const field of form.querySelectorAll('[data-field]')) {
        const error = html('p', {
            class: 'field-error',
            id: `${field.dataset.field}-error`,
            hidden: true,
        });
        field.append(error);
        describeControls(field);
    }
}

/* Call again when the controls of a field have been replaced. */
export function describeControls(field) {
    const hint = field.querySelector('.field-hint');
    const ids = [hint?.id, `${field.dataset.field}-error`].filter(Boolean).join(' ');
    for (const control of field.querySelectorAll('input, select, textarea'))
        control.setAttribute('aria-describedby', ids);
}

/* What the API's field should be sent as; undefined leaves it out. `kind`: integer, decimal, text,
 * choice, flag (a ticked box is `flagValue`), integers, decimals. */
export function readField(form, name, kind, flagValue = true) {
    const controls = controlsOf(form, name);
    if (kind === 'flag') return controls[0].checked ? flagValue : undefined;
    if (kind === 'choice') {
        const chosen = controls.find((control) => control.type !== 'radio' || control.checked);
        return chosen?.value || undefined;
    }
    if (kind === 'integers' || kind === 'decimals') {
        const texts = controls.map((control) => control.value.trim());
        const integer = kind === 'integers';
        return texts.every((text) => text === '')
            ? undefined
            : texts.map((text) => parseNumber(text, { integer }));
    }
    const text = controls[0].value.trim();
    if (text === '') return undefined;
    return kind === 'text' ? text : parseNumber(text, { integer: kind === 'integer' });
}

/* Puts a value, or its text, into a field. */
export function writeField(form, name, kind, value, flagValue = true) {
    const controls = controlsOf(form, name);
    if (kind === 'flag') controls[0].checked = String(value) === String(flagValue);
    else if (controls[0].type === 'radio')
        for (const control of controls) control.checked = control.value === String(value);
    else if (Array.isArray(value))
        controls.forEach((control, index) => {
            control.value = value[index] ?? '';
        });
    else controls[0].value = value;
}

function setFieldError(form, name, problems) {
    const field = fieldOf(form, name);
    const error = field.querySelector('.field-error');
    const texts = [...new Set(problems.map((problem) => problem.message))];
    const message = texts.join(' ');
    if (error.textContent !== message) error.textContent = message;
    error.hidden = problems.length === 0;
    controlsOf(form, name).forEach((control, index) => {
        const wrong = problems.some((problem) => problem.index === null || problem.index === index);
        if (wrong) control.setAttribute('aria-invalid', 'true');
        else control.removeAttribute('aria-invalid');
    });
}

function unfold(element) {
    const details = element.closest('details');
    if (details) details.open = true;
}

/* Shows each problem at its field and clears all others. The field being typed in is spared with
 * `except`, one of its controls: it gets its message once it is left. */
export function showFieldErrors(form, problems, except = null) {
    for (const field of form.querySelectorAll('[data-field]')) {
        const mine = problems.filter((problem) => problem.field === field.dataset.field);
        const spared = except !== null && field.contains(except);
        setFieldError(form, field.dataset.field, spared ? [] : mine);
        if (mine.length > 0 && !spared) unfold(field);
    }
}

/* Moves to the control that a problem is about. */
export function focusField(form, problem) {
    const controls = controlsOf(form, problem.field);
    const control = controls[problem.index ?? 0] ?? controls[0];
    if (!control) return;
    unfold(control);
    control.focus();
    control.scrollIntoView({ block: 'center' });
}
