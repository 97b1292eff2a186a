/* Which services there are, where, and whether they and all of their parts answer. */
import { ApiError } from '../../shared/ui/errors.js';

const checkTimeoutMs = 6000;

/* Shown when the list cannot be had: their health is known all the same, their address is not. */
const withoutList = [{ name: 'experiments', url: null, pools: [], pages: [] }];

function isService(entry) {
    return (
        typeof entry?.name === 'string' &&
        /^[a-z][a-z0-9-]*$/.test(entry.name) &&
        /^https?:\/\//.test(entry.url)
    );
}

/* [{name, url, pools, pages}] of /services.json; url is null when only the name is known. */
export async function listedServices(client, signal) {
    try {
        const { data } = await client.get('/services.json', { signal });
        const services = Array.isArray(data) ? data.filter(isService) : [];
        return services.length > 0
            ? services.map(({ pools = [], pages = [], ...rest }) => ({ ...rest, pools, pages }))
            : withoutList;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return withoutList;
    }
}

/* By name {health, down}: what each service says of itself, null when it says nothing; parts that do not answer. */
export async function checkServices(client, services, signal) {
    let all = {};
    try {
        all = (await client.get('/health.json', { signal, timeoutMs: checkTimeoutMs })).data;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
    }
    return Object.fromEntries(
        services.map(({ name, pools }) => {
            const { health = null, pools: states = {} } = all[name] ?? {};
            const answers = typeof health?.status === 'string';
            return [name, { health: answers ? health : null, down: pools.filter((pool) => states[pool]?.state !== 'up') }];
        }),
    );
}
