/* The roles that each area gives, as fields of a form and in words. */
import { t } from '../shared/i18n.js';
import { badge } from '../shared/ui/badge.js';
import { html } from '../shared/ui/lit.js';

const areas = {
    experiments: { title: () => t('service.experiments'), roles: ['viewer', 'analyst', 'admin'] },
    support: { title: () => t('service.support'), roles: ['viewer', 'agent', 'reviewer', 'admin'] },
    models: { title: () => t('service.orchestrator'), roles: ['viewer', 'analyst', 'admin'] },
    data: { title: () => t('service.livedata'), roles: ['viewer', 'operator', 'admin'] },
    suite: { title: () => t('role.suite'), roles: ['admin'] },
};

const roleTitle = (role) => (role === '' ? t('role.none') : t(`role.${role}`));

/* One select per area, named role_<area>. */
export function roleFields() {
    return Object.entries(areas).map(([area, { title, roles }]) => ({
        name: `role_${area}`,
        kind: 'select',
        label: title,
        hint: () => t(`role.hint_${area}`),
        options: () => ['', ...roles].map((value) => ({ value, title: roleTitle(value) })),
    }));
}

/* {experiments: 'analyst', support: null, …} of the values of such a form. */
export function rolesOf(values) {
    return Object.fromEntries(Object.keys(areas).map((area) => [area, values[`role_${area}`] ?? null]));
}

/* The values of the fields for a person's roles. */
export function roleValues(roles) {
    return Object.fromEntries(Object.keys(areas).map((area) => [`role_${area}`, roles?.[area] ?? '']));
}

/* 'support=agent,data=viewer' as "Support: Agent, Data: Viewer". */
export function roleText(pairs) {
    return pairs
        .split(',')
        .map((pair) => pair.split('='))
        .map(([area, role]) => `${areas[area]?.title() ?? area}: ${roleTitle(role)}`)
        .join(t('access.separator'));
}

/* "Experiments: Analyst", one badge per area with a role. */
export function roleBadges(roles) {
    const held = Object.entries(areas).filter(([area]) => roles?.[area]);
    if (held.length === 0) return badge(t('role.none'));
    return html`<span class="badges">${held.map(([area, { title }]) => badge(`${title()}: ${roleTitle(roles[area])}`, roles[area] === 'admin' ? 'info' : 'plain'))}</span>`;
}
