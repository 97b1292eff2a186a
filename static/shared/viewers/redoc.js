/* The API reference: Redoc on /openapi.json of this origin, in the colours of the page. */
import '../shell.js';
import { address } from '../place.js';
import { onTheme } from '../theme.js';

/* Redoc computes with colours, so it needs them resolved: the tokens of the scheme that is
 * shown. */
function token(name) {
    const probe = document.createElement('span');
    probe.className = `token-${name}`;
    probe.hidden = true;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
}

function theme() {
    return {
        colors: {
            primary: { main: token('accent') },
            text: { primary: token('ink'), secondary: token('ink-soft') },
            border: { dark: token('line'), light: token('line') },
            success: { main: token('good') },
            warning: { main: token('caution') },
            error: { main: token('danger') },
            responses: {
                success: { color: token('good'), backgroundColor: token('good-soft') },
                error: { color: token('danger'), backgroundColor: token('danger-soft') },
                redirect: { color: token('caution'), backgroundColor: token('caution-soft') },
                info: { color: token('info'), backgroundColor: token('info-soft') },
            },
            http: {
                get: '#1d5790',
                post: '#176a3c',
                put: '#7d5300',
                patch: '#7d5300',
                delete: '#ad2218',
            },
        },
        typography: {
            fontFamily: 'var(--sans)',
            fontSize: '15px',
            headings: { fontFamily: 'var(--sans)', fontWeight: '620' },
            code: {
                fontFamily: 'var(--mono)',
                fontSize: '13px',
                color: token('ink'),
                backgroundColor: token('sunken'),
            },
            links: { color: token('accent') },
        },
        sidebar: {
            backgroundColor: token('surface'),
            textColor: token('ink-soft'),
            width: '260px',
        },
        rightPanel: { backgroundColor: '#111816', textColor: '#e8edeb' },
        schema: {
            nestedBackground: token('sunken'),
            typeNameColor: token('ink-soft'),
            typeTitleColor: token('ink-soft'),
            requireLabelColor: token('danger'),
            linesColor: token('line-strong'),
        },
    };
}

function render() {
    const place = document.createElement('div');
    document.getElementById('viewer').replaceChildren(place);
    const options = {
        disableSearch: false,
        hideDownloadButton: true,
        nativeScrollbars: true,
        expandResponses: '200',
        requiredPropsFirst: true,
        scrollYOffset: 0,
        theme: theme(),
    };
    globalThis.Redoc.init(address('/openapi.json'), options, place);
}

function start() {
    onTheme(render);
}

start();
