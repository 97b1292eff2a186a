/*
 * Where this page is, and the addresses of the others. The portal shows every service below a prefix
 * (/support/agent); on the port of a service the same pages have none (/agent), and lead to the
 * portal by its whole address. nginx writes both into the page, and boot.js reads them.
 */

const { prefix, portal, api } = globalThis.assayPlace ?? { prefix: '', portal: '', api: '' };

const areas = {
    experiments: '/experiments',
    support: '/support',
    orchestrator: '/models',
    models: '/models',
    livedata: '/data',
    data: '/data',
    accounts: '/accounts',
};

/* Where the own service begins: '/support', or '' on its port and on the portal's own pages. */
export const ownPrefix = prefix;

/* Whether the portal shows the page: its session counts here, and all services are of this origin. */
export const isUnderPortal = portal === '';

/* A path of the own service, '/projects', as the browser needs it. */
export function address(path) {
    return prefix + path;
}

/* The whole address of a path of the service's API, for commands that people run elsewhere. */
export function apiAddress(path) {
    return (api.startsWith('http') ? '' : location.origin) + api + path;
}

/* '/models' of the service 'orchestrator'. */
export function areaPrefix(service) {
    return areas[service];
}

/**
 * A path of another service, named as a service ('livedata') or as an area ('data').
 *
 * @param {keyof typeof areas} service
 */
export function areaAddress(service, path = '/') {
    return portal + areas[service] + path;
}

/* A page of the portal itself: '/profile'. */
export function portalAddress(path) {
    return portal + path;
}

/* The path of the page within its service: address() undone. */
export function ownPath(pathname = location.pathname) {
    return prefix !== '' && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
}
