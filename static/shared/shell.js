/*
 * The frame around every page: header with navigation, language and colour scheme, and footer. A
 * page says which it is with <body data-service="experiments" data-page="calculator">.
 */
import { accessToken, setAccessToken } from './api.js';
import { byId, html, icon, svg } from './dom.js';
import { currentLocale, locales, onLocale, setLocale, t } from './i18n.js';
import { onTheme, toggleTheme } from './theme.js';

/* Pages per service, in the order of the navigation; the names are keys `nav.<page>`. */
const pages = {
    portal: [],
    experiments: [
        { page: 'calculator', href: '/' },
        { page: 'results', href: '/results.html' },
        { page: 'docs', href: '/docs' },
        { page: 'reference', href: '/redoc' },
    ],
};

const sun = [
    'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z',
    'M10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4',
];
const moon = ['M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3Z'];

function brandMark() {
    return svg(
        'svg',
        { class: 'brand-mark', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
        svg('path', { d: 'M7 1.5h10L22.5 7v10L17 22.5H7L1.5 17V7Z', fill: 'currentColor' }),
        svg('path', {
            d: 'M7 17.2 12 6.4l5 10.8M9 13.4h6',
            fill: 'none',
            class: 'brand-letter',
            'stroke-width': 2,
            'stroke-linecap': 'round',
            'stroke-linejoin': 'round',
        }),
    );
}

function brand(service) {
    return html(
        'a',
        { class: 'brand', href: '/' },
        brandMark(),
        html('span', {}, 'Assay'),
        service === 'portal'
            ? null
            : html('span', { class: 'brand-service' }, t(`service.${service}`)),
    );
}

function navigation(service, current) {
    const links = pages[service].map(({ page, href }) =>
        html(
            'li',
            {},
            html('a', { href, 'aria-current': page === current ? 'page' : null }, t(`nav.${page}`)),
        ),
    );
    if (links.length === 0) return null;
    return html('nav', { class: 'site-nav', 'aria-label': t('nav.label') }, html('ul', {}, links));
}

function languageChoice() {
    const select = html(
        'select',
        {
            class: 'select',
            'data-size': 'small',
            id: 'language',
            'aria-label': t('shell.language'),
        },
        locales.map(({ tag, name }) =>
            html('option', { value: tag, lang: tag, selected: tag === currentLocale() }, name),
        ),
    );
    select.addEventListener('change', () => setLocale(select.value));
    return select;
}

function themeButton() {
    const button = html('button', {
        type: 'button',
        class: 'button button-icon',
        'data-kind': 'quiet',
        id: 'theme',
    });
    button.addEventListener('click', toggleTheme);
    return button;
}

/* The button shows the scheme that it leads to. */
function showTheme(theme) {
    const button = byId('theme');
    const leadsTo = theme === 'dark' ? 'light' : 'dark';
    button.replaceChildren(icon(...(leadsTo === 'light' ? sun : moon)));
    button.setAttribute('aria-label', t(`shell.theme_${leadsTo}`));
    button.setAttribute('title', t(`shell.theme_${leadsTo}`));
}

function tokenNote() {
    const button = html(
        'button',
        { type: 'button', class: 'button', 'data-kind': 'quiet', 'data-size': 'small' },
        t('token.forget'),
    );
    button.addEventListener('click', () => {
        setAccessToken(null);
        location.reload();
    });
    return html('span', {}, button);
}

function render() {
    const { service, page } = document.body.dataset;
    const focused = document.activeElement?.id;
    byId('site-header').replaceChildren(
        html(
            'div',
            { class: 'wrap' },
            brand(service),
            navigation(service, page),
            html('div', { class: 'site-tools' }, languageChoice(), themeButton()),
        ),
    );
    byId('site-footer').replaceChildren(
        html(
            'div',
            { class: 'wrap' },
            html('span', {}, t('shell.local')),
            html('span', { id: 'site-build', class: 'numeric', dir: 'ltr' }),
            accessToken() === null ? null : tokenNote(),
        ),
    );
    if (focused === 'language' || focused === 'theme') byId(focused).focus();
}

async function showBuild() {
    if (document.body.dataset.service === 'portal') return;
    try {
        const health = await (await fetch('/health')).json();
        byId('site-build').textContent = [health.version, health.git_sha, health.environment]
            .filter(Boolean)
            .join(' · ');
    } catch {
        /* a footer without a version is no failure */
    }
}

/* Draws header and footer, now and after each change of language. */
export function showShell() {
    const draw = () => {
        render();
        onTheme(showTheme);
        showBuild();
    };
    draw();
    onLocale(draw);
}
