/*
 * Whether the person may use the page that is open: the frame names the roles of which it needs one (data-needs,
 * from pages.json). Whoever has none sees which they are and who gives them, and the page itself does not begin.
 */
import { t } from './i18n.js';
import { currentPerson, hasRole, isForPeople, knownPerson, onPerson, roleIn } from './person.js';
import { areaAddress, portalAddress } from './place.js';
import { html, render } from './ui/lit.js';
import { accessToken } from './ui/session.js';

const titles = {
    experiments: () => t('service.experiments'),
    support: () => t('service.support'),
    models: () => t('service.orchestrator'),
    data: () => t('service.livedata'),
    suite: () => t('role.suite'),
};

const never = new Promise(() => {});

/* ['support:agent', 'support:admin'] as [{area, roles: ['agent', 'admin']}]. */
function byArea(needs) {
    const areas = [...new Set(needs.map((role) => role.split(':')[0]))];
    return areas.map((area) => ({ area, roles: needs.filter((role) => role.startsWith(`${area}:`)).map((role) => role.split(':')[1]) }));
}

const listOf = (words) => words.join(t('access.separator'));

function needView({ area, roles }) {
    const own = roleIn(area);
    return html`<li>
        <strong>${titles[area]()}</strong>: ${listOf(roles.map((role) => t(`role.${role}`)))}
        <span class="section-note">${own === null ? t('access.no_role') : t('access.own_role', { role: t(`role.${own}`) })}</span>
    </li>`;
}

function administratorView({ name, username, email }) {
    return html`<li>
        <bdi>${name || username}</bdi>${email ? html` · <a href=${`mailto:${email}`} dir="ltr">${email}</a>` : null}
    </li>`;
}

async function findAdministrators() {
    try {
        const response = await fetch(areaAddress('accounts', '/api/administrators'), { headers: { Accept: 'application/json' } });
        return response.ok ? (await response.json()).administrators : [];
    } catch {
        return [];
    }
}

function refusalView(needs, administrators) {
    return html`<div class="wrap" id="access">
        <div class="page-head">
            <h1>${t('access.title')}</h1>
            <p class="lead">${t('access.text')}</p>
        </div>
        <div class="stack">
            <section class="card section stack" aria-label=${t('access.needed')}>
                <h2>${t('access.needed')}</h2>
                <ul>${byArea(needs).map(needView)}</ul>
                <h2>${t('access.ask')}</h2>
                ${administrators.length === 0 ? html`<p>${t('access.ask_suite')}</p>` : html`<ul>${administrators.map(administratorView)}</ul>`}
            </section>
            <p class="button-row">
                <a class="button" data-kind="primary" href=${portalAddress('/')}>${t('nav.portal')}</a>
                <a class="button" href=${portalAddress('/profile')}>${t('access.profile')}</a>
            </p>
        </div>
    </div>`;
}

async function refuse(needs) {
    const place = document.getElementById('main');
    const administrators = await findAdministrators();
    place.replaceChildren();
    render(refusalView(needs, administrators), place);
    return never;
}

/* Resolves when the page may begin; never where the person may not use it. */
export async function admission() {
    const needs = (document.getElementById('site-header')?.dataset.needs ?? '').split(' ').filter(Boolean);
    if (needs.length === 0 || !isForPeople() || accessToken() !== null) return;
    const person = knownPerson() ?? (await currentPerson());
    if (person === null) await never; /* on the way to the sign-in */
    if (!hasRole(...needs)) {
        /* What the browser remembers may be old. */
        if ((await currentPerson()) === null) await never;
        if (!hasRole(...needs)) await refuse(needs);
    }
    onPerson((now) => now !== null && !hasRole(...needs) && location.reload());
}
