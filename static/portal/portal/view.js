/* The list of services as a template. */
import { hasText, t } from '../../shared/i18n.js';
import { badge } from '../../shared/ui/badge.js';
import { html, nothing, repeat } from '../../shared/ui/lit.js';
import { reachableUrl } from './services.js';

/* Words by which the services' health documents say that something is amiss. */
const amiss = ['degraded', 'unhealthy', 'error', 'not_ready', 'shutting_down'];

const states = {
    checking: { tone: 'plain', key: 'portal.state_checking' },
    up: { tone: 'good', key: 'portal.state_up' },
    partly: { tone: 'caution', key: 'portal.state_partly' },
    down: { tone: 'danger', key: 'portal.state_down' },
};

export function stateOf(check) {
    if (check === undefined) return states.checking;
    if (check.health === null) return states.down;
    return check.down.length === 0 && !amiss.includes(check.health.status) ? states.up : states.partly;
}

/* A service that these pages do not know yet is still listed, under its own name. */
function textOf(key, fallback) {
    return hasText(key) ? t(key) : fallback;
}

const titleOf = ({ name }) => textOf(`service.${name}`, name);

function links({ name, url, pages }) {
    if (url === null) return html`<p class="section-note">${t('portal.no_address')}</p>`;
    const base = reachableUrl(url);
    const all = pages.length > 0 ? pages.slice(0, 3) : [{ page: name, path: '/', name: titleOf({ name }) }];
    return html`<div class="button-row">
        ${all.map(
            ({ page, path, name: english }, index) =>
                html`<a class="button" data-kind=${index === 0 ? 'primary' : nothing} href=${new URL(path, base).href}
                    >${textOf(`nav.${page}`, english)}</a
                >`,
        )}
    </div>`;
}

function facts({ url }, check) {
    const health = check?.health ?? {};
    const list = [
        [t('portal.address'), url === null ? null : new URL(reachableUrl(url)).host],
        [t('portal.version'), health.version],
        [t('portal.build'), health.git_sha ? html`<span class="mono">${health.git_sha}</span>` : null],
        [t('portal.environment'), health.environment],
    ];
    return html`<dl class="facts">
        ${list
            .filter(([, value]) => value)
            .map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>`;
}

function card(service, check) {
    const { tone, key } = stateOf(check);
    return html`<li class="card service" data-service=${service.name}>
        <div class="service-body">
            <div class="service-name">
                <h3>${titleOf(service)}</h3>
                ${badge(t(key), tone, { dot: true })}
            </div>
            <p class="service-text">${textOf(`portal.about.${service.name}`, '')}</p>
            ${check?.down.length > 0 ? html`<p class="field-error">${t('portal.parts_down', { parts: check.down.join(', ') })}</p>` : null}
            ${links(service)}
        </div>
        <div class="service-side">${facts(service, check)}</div>
    </li>`;
}

function summary({ services, checks }) {
    if (checks?.data === undefined) return '';
    const inState = (wanted) => services.filter(({ name }) => stateOf(checks.data[name]) === wanted);
    const names = (list) => list.map(titleOf).join(', ');
    const parts = [
        [inState(states.down), 'portal.some_down'],
        [inState(states.partly), 'portal.some_parts_down'],
    ]
        .filter(([list]) => list.length > 0)
        .map(([list, key]) => t(key, { names: names(list) }));
    return parts.length > 0 ? parts.join(' · ') : t('portal.all_up');
}

export function view(state) {
    return html`<div class="section-head">
            <h2 id="services-title">${t('portal.services')}</h2>
            <p class="section-note" id="checked" role="status">${summary(state)}</p>
        </div>
        <ul class="service-list" id="services">
            ${repeat(
                state.services,
                ({ name }) => name,
                (service) => card(service, state.checks?.data?.[service.name]),
            )}
        </ul>`;
}
