/* The audit logs of the services in one shape: {key, area, at, actor, action, detail, subject, address}. */
import { hasRole, roleIn } from '../../shared/person.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';

const most = 500; /* entries of each service, the newest */

/** @type {Client<'accounts'>} */
const accounts = createClient({ service: 'accounts' });
/** @type {Client<'experiments'>} */
const experiments = createClient({ service: 'experiments' });
/** @type {Client<'support'>} */
const support = createClient({ service: 'support' });

async function ofAccounts(signal) {
    const { entries } = (await accounts.get('/api/audit', { query: { limit: most }, signal })).data;
    return entries.map(({ ts, actor, action, resource, detail, ip_address: address }) => ({
        at: ts,
        actor,
        action,
        detail,
        subject: resource.replace(/^\w+:/, ''), /* 'person:maria' */
        address,
    }));
}

async function ofExperiments(signal) {
    const { entries } = (await experiments.get('/api/v1/audit', { query: { limit: most }, signal })).data;
    return entries.map(({ ts, actor, action, project_id: project, project_name: name, key_id: key, ip_address: address }) => ({
        at: ts,
        actor: actor?.replace(/^user:/, ''),
        action,
        subject: name || project || key,
        address,
    }));
}

async function ofSupport(signal) {
    const { entries } = (await support.get('/api/admin/audit', { query: { limit: most }, signal })).data;
    return entries.map(({ ts, actor, action, resource, ip_address: address }) => ({ at: ts, actor, action, subject: resource?.replace(/^\w+:/, ''), address }));
}

const sources = {
    suite: { may: () => hasRole('suite:admin'), read: ofAccounts },
    experiments: { may: () => roleIn('experiments') !== null, read: ofExperiments },
    support: { may: () => hasRole('support:agent', 'support:reviewer', 'support:admin'), read: ofSupport },
};

export function areasWithAudit() {
    return Object.keys(sources).filter((area) => sources[area].may());
}

/* The entries of one area, of all for ''; failed names the areas whose log cannot be read now. */
export async function readAudit(area, signal) {
    const failed = [];
    const read = async (name) => {
        try {
            const entries = await sources[name].read(signal);
            return entries.map((entry, index) => ({ ...entry, area: name, key: `${name}-${index}` }));
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            failed.push(name);
            return [];
        }
    };
    const wanted = areasWithAudit().filter((name) => area === '' || name === area);
    const all = (await Promise.all(wanted.map(read))).flat();
    return { entries: all.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)), failed };
}
