/* The people page as templates. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html } from '../../shared/ui/lit.js';
import { menu } from '../../shared/ui/menu.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { press } from '../../experiments/settings/press.js';
import { roleBadges } from '../roles.js';

const nameOf = ({ name, username }) => name || username;

function who(person) {
    const second = [person.name ? person.username : null, person.email].filter(Boolean).join(' · ');
    return html`<span dir="auto">${nameOf(person)}</span>${second === '' ? null : html`<br /><span class="section-note person-second" dir="ltr">${second}</span>`}`;
}

export function columns(actions) {
    return [
        { name: 'username', title: t('people.person'), cell: who, value: nameOf, sortable: true },
        { name: 'roles', title: t('people.roles'), cell: ({ roles }) => roleBadges(roles) },
        { name: 'groups', title: t('people.groups'), cell: ({ groups }) => html`<span class="button-row">${groups.map((name) => badge(name))}</span>` },
        { name: 'tenant', title: t('people.tenant'), sortable: true },
        {
            name: 'is_active',
            title: t('people.state'),
            cell: ({ is_active: active }) => badge(t(active ? 'people.state_active' : 'people.state_off'), active ? 'good' : 'plain'),
        },
        {
            name: 'last_seen_at',
            title: t('people.last_seen'),
            sortable: true,
            cell: ({ last_seen_at: at }) => (at === null ? t('people.never') : html`<time datetime=${at} title=${formatDateTime(at)}>${formatAgo(at)}</time>`),
        },
        {
            name: 'actions',
            title: t('people.actions'),
            titleHidden: true,
            align: 'end',
            cell: (person) =>
                html`<div class="row-actions">
                    ${press(t('people.edit'), person, actions.edit, { name: nameOf(person) })}
                    ${menu({
                        label: t('people.more', { name: nameOf(person) }),
                        items: [
                            { title: t('people.set_password'), run: () => actions.password(person) },
                            { title: t(person.is_active ? 'people.off' : 'people.on'), tone: person.is_active ? 'danger' : undefined, run: () => actions.turn(person) },
                        ],
                    })}
                </div>`,
        },
    ];
}

export function emptyList({ q, state }) {
    return q || state ? { title: t('people.none_found') } : { title: t('people.none') };
}

export function invitationColumns(actions) {
    return [
        { name: 'email', title: t('people.email'), cell: ({ email }) => html`<span dir="ltr">${email}</span>` },
        { name: 'roles', title: t('people.roles'), cell: ({ roles }) => roleBadges(roles) },
        { name: 'expires_at', title: t('people.expires'), cell: ({ expires_at: at }) => formatDateTime(at) },
        {
            name: 'actions',
            title: t('people.actions'),
            titleHidden: true,
            align: 'end',
            cell: (invitation) => press(t('people.withdraw'), invitation, actions.withdraw, { name: invitation.email }),
        },
    ];
}

/* The link is shown once, and is for the person to whom it is sent. */
function invitedNotice({ link, expires_at: until }) {
    return html`<div id="made" tabindex="-1">
        ${notice({
            tone: 'good',
            title: t('people.invited'),
            body: html`<p>${t('people.invited_text', { time: formatDateTime(until) })}</p>
                <p><code class="key-text link-text" dir="ltr">${link}</code></p>`,
            actions: copyButton({ text: () => link }),
        })}
    </div>`;
}

function invitationList({ invitations, invitationColumns: described }) {
    const rows = invitations.data ?? [];
    if (rows.length === 0) return null;
    return html`<section class="card section" aria-labelledby="invitations-title" id="invitations">
        <h2 id="invitations-title">${t('people.invitations')}</h2>
        ${resourceView(invitations, { ready: (all) => table({ caption: t('people.invitations'), columns: described(), rows: all, key: ({ id }) => id }) })}
    </section>`;
}

export function view(state) {
    return html`<div class="stack">
        <div class="page-actions">
            <button type="button" class="button" data-kind="primary" id="invite" @click=${state.actions.invite}>${t('people.invite')}</button>
            <button type="button" class="button" id="add" @click=${state.actions.add}>${t('people.add')}</button>
        </div>
        ${state.invited === null ? null : invitedNotice(state.invited)}
        <section class="card section" id="people" aria-label=${t('people.title')}>${state.people.view()}</section>
        ${invitationList(state)}
    </div>`;
}
