/* One small input per variant: weights, shares, counts. */
import { byId, html } from '../shared/dom.js';
import { controlsOf, describeControls, fieldOf } from '../shared/forms.js';
import { t } from '../shared/i18n.js';

export const variantNames = 'ABCDEFGHIJ';

function variantInput(name, index, value, integer) {
    const input = html('input', {
        class: 'input',
        id: `${name}-${index}`,
        name,
        inputmode: integer ? 'numeric' : 'decimal',
        autocomplete: 'off',
    });
    input.value = value;
    return html(
        'div',
        { class: 'weight' },
        html('span', { class: 'weight-name', 'aria-hidden': 'true' }, variantNames[index]),
        input,
    );
}

/* Names the inputs in the language of the page; `label` is a key with {{variant}}. */
export function nameVariantInputs(form, name, label) {
    controlsOf(form, name).forEach((control, index) => {
        control.setAttribute('aria-label', t(label, { variant: variantNames[index] }));
    });
}

/*
 * Shows `count` inputs for the list `name`. What has been entered stays while the number of
 * variants does; otherwise they start from initial(index, count).
 */
export function showVariantInputs(form, name, count, { label, initial }) {
    if (controlsOf(form, name).length === count) return;
    const integer = name.endsWith('counts');
    const inputs = Array.from({ length: count }, (_, index) =>
        variantInput(name, index, String(initial(index, count)), integer),
    );
    byId(`${name}-weights`).replaceChildren(...inputs);
    nameVariantInputs(form, name, label);
    describeControls(fieldOf(form, name));
}
