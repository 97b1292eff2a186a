/* The plan of a group sequential test, as fields of a form and as the service asks for it. */
import { t } from '../../../shared/i18n.js';
import { spendings, withParameter } from '../../boundaries.js';
import { numbersIn } from '../words.js';

const label = (key) => () => t(key);
const hasOneSide = (values) => values.sides === 1;
const isFutile = (values) => hasOneSide(values) && values.futility !== 'none';

const options = (values, titleOf) => () => values.map((value) => ({ value, title: titleOf(value) }));

function spendingFields(error, applies) {
    const kind = `${error}_spending`;
    return [
        {
            name: kind,
            kind: 'select',
            label: label(`looks.${kind}`),
            hint: (values) => t(`looks.spending_hint.${values[kind]}`),
            options: options(spendings, (value) => t(`looks.spending.${value}`)),
            wide: true,
            applies,
        },
        {
            name: `${error}_parameter`,
            kind: 'number',
            initial: 2,
            label: label('looks.parameter'),
            hint: (values) => t(`looks.parameter_hint.${values[kind]}`),
            applies: (values) => (!applies || applies(values)) && withParameter.includes(values[kind]),
        },
    ];
}

export const planFields = [
    { name: 'information_fractions', kind: 'text', initial: '25% 50% 75% 100%', label: label('looks.fractions'), hint: label('looks.fractions_hint'), wide: true },
    { name: 'sides', kind: 'select', label: label('looks.sides'), options: options([2, 1], (value) => t(`looks.sides.${value}`)) },
    { name: 'direction', kind: 'select', label: label('looks.direction'), options: options(['increase', 'decrease'], (value) => t(`looks.direction.${value}`)), applies: hasOneSide },
    { name: 'alpha', kind: 'fraction', initial: 0.05, label: label('field.alpha'), hint: label('looks.alpha_hint') },
    { name: 'power', kind: 'fraction', initial: 0.8, label: label('field.power') },
    ...spendingFields('alpha', null),
    {
        name: 'futility',
        kind: 'select',
        label: label('looks.futility'),
        hint: (values) => t(`looks.futility_hint.${values.futility}`),
        options: options(['none', 'non_binding', 'binding'], (value) => t(`looks.futility.${value}`)),
        wide: true,
        applies: hasOneSide,
    },
    ...spendingFields('beta', isFutile),
];

const planNames = planFields.map(({ name }) => name);

export function planOf(values) {
    const given = Object.fromEntries(planNames.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));
    return { ...given, information_fractions: numbersIn(values.information_fractions) };
}
