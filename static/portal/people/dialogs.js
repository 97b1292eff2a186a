/* The dialogs of the people page: a person, an invitation, a new password. Each resolves to what the API made of it. */
import { t } from '../../shared/i18n.js';
import { namesOf } from '../../shared/lists.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { roleFields, rolesOf, roleValues } from '../roles.js';

const text = (name, options = {}) => ({ name, kind: 'text', label: () => t(`people.${name}`), ...options });

/* What both a person and an invitation have. */
const common = () => [text('name', { optional: true }), text('tenant', { optional: true, initial: 'default', hint: () => t('people.tenant_hint') }), ...roleFields()];

const groups = () => text('groups', { optional: true, hint: () => t('people.groups_hint') });

const nullable = (value) => value ?? null;

/* A new person, or changes to one. */
export function askForPerson(client, person = null) {
    const isNew = person === null;
    const described = ({ username, email, name, tenant, password, groups: named, ...values }) => ({
        ...(isNew ? { username: username ?? '', ...(password === undefined ? {} : { password }) } : {}),
        email: nullable(email),
        name: nullable(name),
        ...(tenant === undefined ? {} : { tenant }),
        roles: rolesOf(values),
        groups: namesOf(named),
    });
    return formDialog({
        id: 'person',
        wide: true,
        title: isNew ? t('people.add') : t('people.edit_title', { name: person.name || person.username }),
        action: t(isNew ? 'people.add' : 'people.save'),
        fields: [
            ...(isNew ? [text('username', { hint: () => t('people.username_hint') })] : []),
            text('email', { kind: 'email', optional: true }),
            ...common(),
            groups(),
            ...(isNew ? [{ name: 'password', kind: 'password', label: () => t('people.password'), hint: () => t('people.password_hint'), optional: true, autocomplete: 'new-password' }] : []),
        ],
        values: isNew ? {} : { ...person, ...roleValues(person.roles), groups: person.groups.join(', ') },
        send: (values) => (isNew ? client.post('/api/people', described(values)) : client.patch(`/api/people/${encodeURIComponent(person.id)}`, described(values))),
    });
}

/* Resolves to {link, expires_at}. */
export function askForInvitation(client) {
    return formDialog({
        id: 'invitation',
        wide: true,
        title: t('people.invite'),
        action: t('people.invite_action'),
        fields: [text('email', { kind: 'email' }), ...common()],
        send: ({ email = '', name, tenant, ...values }) =>
            client.post('/api/invitations', { email, name: nullable(name), ...(tenant === undefined ? {} : { tenant }), roles: rolesOf(values) }),
    });
}

export function askForPassword(client, person) {
    return formDialog({
        id: 'new-password',
        title: t('people.password_title', { name: person.name || person.username }),
        action: t('people.save'),
        fields: [{ name: 'new', kind: 'password', label: () => t('people.new_password'), hint: () => t('people.new_password_hint'), autocomplete: 'new-password' }],
        send: ({ new: password = '' }) => client.post(`/api/people/${encodeURIComponent(person.id)}/password`, { new: password }),
    });
}
