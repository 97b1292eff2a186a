/* Names and removes dimensions of a design, by which its results are told apart. */
import { t } from '../../shared/i18n.js';
import { namesOf } from '../../shared/lists.js';
import { confirm } from '../../shared/ui/dialog.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { attempt } from '../attempt.js';

const fields = [
    { name: 'name', kind: 'text', label: () => t('experiment.dimension'), hint: () => t('experiment.dimension_hint'), wide: true, maxLength: 100 },
    { name: 'values', kind: 'text', optional: true, label: () => t('experiment.dimension_values'), hint: () => t('experiment.dimension_values_hint'), wide: true },
    { name: 'values_max', kind: 'count', optional: true, label: () => t('experiment.dimension_max'), hint: () => t('experiment.dimension_max_hint'), applies: ({ values }) => !values },
];

const after = (payload, dimensions) => ({ ...payload, setup: { ...payload.setup, dimensions } });
const late = () => notice({ tone: 'caution', body: t('experiment.dimension_late') });

/* save(payload) resolves when the design is kept; people is the number of users so far. Resolves to whether one was added. */
export function addDimension({ payload, people, save }) {
    const before = payload.setup.dimensions ?? [];
    return formDialog({
        id: 'dimension',
        title: t('experiment.dimension_add'),
        fields,
        action: t('experiment.dimension_add'),
        intro: people > 0 ? late() : html``,
        send: async ({ name, values, values_max: most }) => {
            const listed = namesOf(values);
            const made = { name: name ?? '', ...(listed.length > 0 ? { values: listed } : most === undefined ? {} : { values_max: most }) };
            return { data: await save(after(payload, [...before, made])) };
        },
    });
}

export async function removeDimension(removed, { payload, save }) {
    const sure = await confirm({ title: t('experiment.dimension_remove_title', { name: removed }), text: t('experiment.dimension_remove_text'), action: t('experiment.dimension_remove') });
    const rest = (payload.setup.dimensions ?? []).filter(({ name }) => name !== removed);
    return sure && attempt(() => save(after(payload, rest)));
}
