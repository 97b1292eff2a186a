/* Dialogs of a segment: its name and description, and a change of its list. */
import { t } from '../../shared/i18n.js';
import { formDialog } from '../../shared/ui/form-dialog.js';

const label = (key) => () => t(key);
export const pathOf = (id) => /** @type {const} */ (`/api/v1/segments/${encodeURIComponent(id)}`);

const names = [
    { name: 'name', kind: 'text', label: label('segments.name'), hint: label('segments.name_hint'), wide: true },
    { name: 'description', kind: 'textarea', rows: 3, optional: true, label: label('segments.description'), wide: true },
];

/* Asks for a new segment, or for another name of `segment`; resolves to the answer of the API, undefined when dismissed. */
/** @param {Client<'experiments'>} client */
export function askForSegment(client, segment = null) {
    const { match, rules } = segment?.definition ?? { match: 'all', rules: [] };
    return formDialog({
        id: 'segment',
        title: t(segment === null ? 'segments.new' : 'segments.rename'),
        fields: names,
        values: segment === null ? {} : segment.definition,
        action: t(segment === null ? 'segments.create' : 'segments.save'),
        send: ({ name, description = '' }) => {
            const body = { name, description, match, rules };
            return segment === null ? client.post('/api/v1/segments', body) : client.put(pathOf(segment.id), body, { headers: { 'If-Match': String(segment.version) } });
        },
    });
}

const changes = ['add', 'remove', 'replace'];
const lines = [
    { name: 'change', kind: 'choice', initial: 'add', label: label('segments.change'), wide: true, options: () => changes.map((value) => ({ value, title: t(`segments.change_${value}`) })) },
    { name: 'lines', kind: 'textarea', rows: 10, optional: true, label: label('segments.lines'), hint: label('segments.lines_hint'), wide: true },
];

/* Asks what becomes of users that are typed, or of those of a file, and sends them. */
/**
 * @param {Client<'experiments'>} client
 * @param {File | null} file
 */
export function askForUsers(client, segment, file = null) {
    return formDialog({
        id: 'users',
        title: file === null ? t('segments.change_list') : t('segments.change_by', { name: file.name }),
        fields: file === null ? lines : lines.slice(0, 1),
        action: t('segments.send'),
        wide: true,
        send: ({ change, lines: sent = '' }) =>
            client.post(/** @type {const} */ (`${pathOf(segment.id)}/users`), undefined, {
                query: { change },
                form: file ?? new Blob([sent]),
                headers: { 'Content-Type': 'text/csv', 'If-Match': String(segment.version) },
            }),
    });
}
