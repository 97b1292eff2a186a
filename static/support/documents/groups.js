/* Who may read a document: everyone of the tenant, or the people of some groups. */
import { t } from '../../shared/i18n.js';
import { namesOf } from '../../shared/lists.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';

/* Resolves to the groups that were chosen; undefined when the dialog was dismissed. */
export async function askForGroups(client, { doc_id: id, title }) {
    const path = /** @type {const} */ (`/api/documents/${encodeURIComponent(id)}/groups`);
    const { groups, known } = (await client.get(path)).data;
    const choices = [...new Set([...known, ...groups])];
    return formDialog({
        id: 'groups',
        title: t('documents.groups_of', { name: title }),
        action: t('documents.save'),
        intro: html`<p class="section-note">${t('documents.groups_text')}</p>`,
        fields: [
            ...choices.map((name, at) => ({ name: `known_${at}`, kind: 'flag', label: () => name })),
            { name: 'others', kind: 'text', label: () => t('documents.groups_new'), hint: () => t('documents.groups_hint'), optional: true },
        ],
        values: Object.fromEntries(choices.map((name, at) => [`known_${at}`, groups.includes(name)])),
        send: ({ others, ...chosen }) => client.put(path, { groups: [...choices.filter((name, at) => chosen[`known_${at}`]), ...namesOf(others)] }),
    });
}
