/* Which services there are, and where. */

/* The first page of a service is where its card leads. */
const pages = {
    experiments: [
        { page: 'calculator', href: '/' },
        { page: 'results', href: '/results' },
        { page: 'reference', href: '/redoc' },
    ],
};

/* Shown when the list cannot be had: their health is known all the same, their address is not. */
const withoutList = [{ name: 'experiments', url: null }];

export function links(name) {
    return pages[name] ?? [{ page: name, href: '/' }];
}

function isService(entry) {
    return (
        typeof entry?.name === 'string' &&
        /^[a-z][a-z0-9-]*$/.test(entry.name) &&
        /^https?:\/\//.test(entry.url)
    );
}

/* [{name, url}] of /services.json; url is null when only the name is known. */
export async function listedServices() {
    try {
        const response = await fetch('/services.json', { cache: 'no-store' });
        const list = response.ok ? await response.json() : [];
        const services = Array.isArray(list) ? list.filter(isService) : [];
        return services.length > 0 ? services : withoutList;
    } catch {
        return withoutList;
    }
}

function isLoopback(hostname) {
    return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/* A loopback address is of no use to a reader who came here by the host's name: the port stays, the
 * host becomes the reader's. */
export function reachableUrl(url) {
    const address = new URL(url);
    if (isLoopback(address.hostname) && !isLoopback(location.hostname))
        address.hostname = location.hostname;
    return address.href;
}
