/* The form of a flag: what its variations stand for, who is forced into one, and how users are let in step by step. */
import { t } from '../../shared/i18n.js';
import { createForm } from '../../shared/ui/form.js';
import { readQuantity, writeQuantity } from '../../shared/ui/units.js';
import { armName, letterOf } from '../arms.js';
import { sentTime, shownTime } from '../plan/nested.js';
import { textIn, typedOf, valueIn } from './flag_typed.js';

const label = (name) => () => t(`experiment.flag_${name}`);
const linesOf = (text) => (text ?? '').split('\n').map((line) => line.trim()).filter((line) => line !== '');
const readerOf = (type) => (type === 'string' ? textIn : valueIn);

/* "user-17 B": the id of a user, and the letter of a variation. */
function forcedIn(line) {
    const [, user, letter] = /^(.*\S)\s+([A-Ja-j])$/.exec(line) ?? [];
    return letter && { user_id: user, variation_index: letter.toUpperCase().charCodeAt(0) - 65 };
}

/* "2026-12-01 08:00 10%": a moment of UTC, and the share from then on. */
function stepIn(line) {
    const [, day, time, share] = /^(\d{4}-\d\d-\d\d)(?:[T\s]+([\d:.]+)Z?)?\s+(\S.*)$/.exec(line) ?? [];
    return share && { starts_at: sentTime(`${day} ${time ?? '00:00'}`), share: readQuantity(share, 'fraction').value };
}

const stepText = ({ starts_at: start, share }) => `${shownTime(start)} ${writeQuantity(share, 'fraction')}`;

/* What a form that is about lines says of one that it cannot read, as the API would. */
function unreadable(name, text, read) {
    const line = linesOf(text).find((one) => !read(one));
    return line === undefined ? [] : [{ type: 'line', loc: [name], msg: t(`experiment.flag_${name}_wrong`, { line }) }];
}

/* The flag as it is sent; what the form does not ask for stays as it is in `flag`. */
export function sentFlag(values, { dimensions, ramp_held_at: held }) {
    const { value_type: type, ramp_goes_on: goesOn, holdout_name: holdout } = values;
    return {
        key: values.key ?? null,
        enabled: values.enabled ?? false,
        value_type: type,
        variants: (values.variants_value ?? []).map((value, index) => ({ name: values.variants_name?.[index] ?? '', value: readerOf(type)(value) })),
        default_variation: values.default_variation,
        fixed_variation: values.fixed_variation ?? null,
        forced: linesOf(values.forced).map(forcedIn),
        ramp: linesOf(values.ramp).map(stepIn),
        ramp_held_at: goesOn ? null : (held ?? null),
        holdout: holdout === undefined ? null : { name: holdout, share: values.holdout_share ?? null },
        dimensions,
    };
}

function valuesOf({ variants, forced, ramp, holdout, value_type: type, ...flag }) {
    const written = variants.length === 0 ? {} : { variants_name: variants.map(({ name }) => name), variants_value: variants.map(({ value }) => typedOf(value, readerOf(type))) };
    return {
        ...flag,
        value_type: type,
        ...written,
        forced: forced.map(({ user_id: user, variation_index: index }) => `${user} ${letterOf(index)}`).join('\n'),
        ramp: ramp.map(stepText).join('\n'),
        holdout_name: holdout?.name,
        holdout_share: holdout?.share,
    };
}

/* count() says how many variations the design has, held() whether a guardrail has stopped the ramp; save(values) is called
 * with what was entered, of which sentFlag makes a flag. */
export function createFlagForm(update, { count, held, save }) {
    const named = (name, label, initial) => ({ name, kind: 'text', wide: true, holds: ['variants'], label, list: { count, name: letterOf, label: armName, initial } });
    const arms = () => Array.from({ length: count() }, (_, index) => ({ value: index, title: armName(index) }));
    const fields = [
        { name: 'enabled', kind: 'flag', label: label('enabled'), hint: label('enabled_hint'), wide: true },
        { name: 'key', kind: 'text', label: label('key'), hint: label('key_hint'), maxLength: 100 },
        { name: 'value_type', kind: 'select', label: label('type'), options: () => ['boolean', 'string', 'number', 'object'].map((value) => ({ value, title: t(`experiment.flag_type_${value}`) })) },
        named('variants_name', label('names'), (index) => (index === 0 ? 'control' : `variant-${letterOf(index).toLowerCase()}`)),
        { ...named('variants_value', label('values'), (index) => String(index > 0)), hint: label('values_hint') },
        { name: 'default_variation', kind: 'select', label: label('default'), hint: label('default_hint'), options: arms },
        { name: 'fixed_variation', kind: 'select', optional: true, label: label('fixed'), hint: label('fixed_hint'), options: () => [{ value: '', title: t('experiment.flag_fixed_none') }, ...arms()] },
        { name: 'forced', kind: 'textarea', rows: 3, optional: true, wide: true, label: label('forced'), hint: label('forced_hint'), placeholder: 'user-17 B' },
        { name: 'ramp', kind: 'textarea', rows: 3, optional: true, wide: true, label: label('ramp'), hint: label('ramp_hint'), placeholder: '2026-12-01 08:00 10%' },
        { name: 'ramp_goes_on', kind: 'flag', label: label('goes_on'), hint: label('goes_on_hint'), wide: true, applies: held },
        { name: 'holdout_name', kind: 'text', optional: true, label: label('holdout'), hint: label('holdout_hint'), maxLength: 100 },
        { name: 'holdout_share', kind: 'fraction', label: label('holdout_share'), applies: ({ holdout_name: name }) => Boolean(name) },
    ];
    const form = createForm(update, { id: 'values', fields, onSubmit: submit });

    function submit(values) {
        if (form.unclear()) return;
        form.clearProblems();
        const items = [...unreadable('forced', values.forced, forcedIn), ...unreadable('ramp', values.ramp, stepIn)];
        if (items.length > 0) form.showError({ items });
        else save(values);
    }

    return {
        ...form,
        /** @param {experiments.Flag} flag */
        begin: (flag) => form.write(valuesOf(flag)),
    };
}
