/*
 * The landing page: lists the services that this installation runs, with their state. Which ones,
 * and where, is in /services.json; how each one is, under /health/<name> of this origin.
 */
import { byId, html } from '../../shared/dom.js';
import { hasText, onLocale, t } from '../../shared/i18n.js';
import '../../shared/shell.js';
import { links, listedServices, reachableUrl } from './services.js';

const checkEveryMs = 30000;
const checkTimeoutMs = 5000;

let services = [];
const health = new Map(); /* name → what /health said, null when it did not answer */

const states = {
    checking: { tone: 'plain', key: 'portal.state_checking' },
    up: { tone: 'good', key: 'portal.state_up' },
    down: { tone: 'danger', key: 'portal.state_down' },
};

function stateOf(name) {
    if (!health.has(name)) return states.checking;
    return health.get(name)?.status === 'ok' ? states.up : states.down;
}

function stateBadge(name) {
    const { tone, key } = stateOf(name);
    return html(
        'span',
        { class: 'badge', 'data-tone': tone },
        html('span', { class: 'status-dot', 'aria-hidden': 'true' }),
        t(key),
    );
}

/* A service that these pages do not know yet is still listed, under its own name. */
function textOf(key, fallback) {
    return hasText(key) ? t(key) : fallback;
}

function linkRow({ name, url }) {
    if (url === null) return html('p', { class: 'section-note' }, t('portal.no_address'));
    const [first, ...others] = links(name);
    const base = reachableUrl(url);
    const button = ({ page, href }, kind) =>
        html(
            'a',
            { class: 'button', 'data-kind': kind, href: new URL(href, base).href },
            textOf(`nav.${page}`, name),
        );
    return html(
        'div',
        { class: 'button-row' },
        button(first, 'primary'),
        others.map((link) => button(link)),
    );
}

function fact(name, value) {
    return html('div', { class: 'fact' }, html('dt', {}, name), html('dd', {}, value));
}

function healthFacts({ name, url }) {
    const answer = health.get(name) ?? {};
    const facts = [
        url === null ? null : fact(t('portal.address'), new URL(reachableUrl(url)).host),
        answer.version ? fact(t('portal.version'), answer.version) : null,
        answer.git_sha
            ? fact(t('portal.build'), html('span', { class: 'mono' }, answer.git_sha))
            : null,
        answer.environment ? fact(t('portal.environment'), answer.environment) : null,
    ];
    return facts.filter((item) => item !== null);
}

function serviceCard(service) {
    const { name } = service;
    const title = textOf(`service.${name}`, name);
    return html(
        'li',
        { class: 'card service', 'data-service': name },
        html(
            'div',
            { class: 'service-body' },
            html('div', { class: 'service-name' }, html('h3', {}, title), stateBadge(name)),
            html('p', { class: 'service-text' }, textOf(`portal.about.${name}`, '')),
            linkRow(service),
        ),
        html(
            'div',
            { class: 'service-side' },
            html('dl', { class: 'facts' }, healthFacts(service)),
        ),
    );
}

/* Redrawing must not take the focus off a link that has it. */
function render() {
    const focused = document.activeElement?.closest?.('#services')
        ? document.activeElement.href
        : null;
    byId('services').replaceChildren(...services.map(serviceCard));
    const again = [...byId('services').querySelectorAll('a')].find((link) => link.href === focused);
    again?.focus();
}

function announce() {
    const down = services.filter(({ name }) => stateOf(name) === states.down);
    const names = down.map(({ name }) => textOf(`service.${name}`, name)).join(', ');
    const text = down.length === 0 ? t('portal.all_up') : t('portal.some_down', { names });
    if (byId('checked').textContent !== text) byId('checked').textContent = text;
}

async function check({ name }) {
    try {
        const response = await fetch(`/health/${name}`, {
            cache: 'no-store',
            signal: AbortSignal.timeout(checkTimeoutMs),
        });
        health.set(name, response.ok ? await response.json() : null);
    } catch {
        health.set(name, null);
    }
}

async function checkAll() {
    await Promise.all(services.map(check));
    render();
    announce();
}

async function start() {
    services = await listedServices();
    render();
    onLocale(() => {
        render();
        announce();
    });
    await checkAll();
    setInterval(() => {
        if (document.visibilityState === 'visible') checkAll();
    }, checkEveryMs);
}

start();
