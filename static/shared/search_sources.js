/*
 * What the search finds: pages, experiments, documents, conversations, runs and data by their names. Each source is
 * asked only if the person has a role in its area; one that fails or is slow leaves the others alone.
 */
import { t } from './i18n.js';
import { hasRole, roleIn } from './person.js';
import { areaAddress, portalAddress } from './place.js';
import { createClient } from './ui/client.js';

const timeoutMs = 5000;
const team = ['support:agent', 'support:reviewer', 'support:admin'];
const areaOf = { experiments: 'experiments', support: 'support', orchestrator: 'models', livedata: 'data', portal: 'suite' };

const contains = (text, words) => words.every((word) => text.toLocaleLowerCase().includes(word));
const wordsOf = (text) => text.toLocaleLowerCase().split(/\s+/).filter(Boolean);

/* Pages of the menus that the person may see, found by their names in the language of the page. */
async function findPages(text, signal) {
    const response = await fetch(portalAddress('/pages.json'), { signal });
    const services = response.ok ? await response.json() : {};
    const words = wordsOf(text);
    return Object.entries(services).flatMap(([service, pages]) =>
        pages
            .filter(({ path, to, menu, found }) => !to && (menu !== false || found) && !path.includes('{') && mayServe(service))
            .filter(({ roles }) => !roles || hasRole(...roles.map((role) => (role.includes(':') ? role : `${areaOf[service]}:${role}`))))
            .map(({ page, path }) => ({
                title: t(`nav.${page}`),
                note: service === 'portal' ? '' : t(`service.${service}`),
                href: service === 'portal' ? portalAddress(path) : areaAddress(/** @type {any} */ (service), path),
            }))
            .filter(({ title, note }) => contains(`${note} ${title}`, words)),
    );
}

const mayServe = (service) => service === 'portal' || roleIn(areaOf[service]) !== null;

/** @type {Client<'experiments'>} */
const experiments = createClient({ service: 'experiments' });
/** @type {Client<'support'>} */
const support = createClient({ service: 'support' });
/** @type {Client<'orchestrator'>} */
const models = createClient({ service: 'orchestrator' });
/** @type {Client<'livedata'>} */
const data = createClient({ service: 'livedata' });

async function findExperiments(text, signal, most) {
    const { data: found } = await experiments.get('/api/v1/projects', { query: { q: text, limit: most }, signal, timeoutMs });
    return found.projects.map(({ id, project_name: title }) => ({ title, href: areaAddress('experiments', `/projects/${encodeURIComponent(id)}`) }));
}

async function findDocuments(text, signal, most) {
    const { data: found } = await support.get('/api/documents', { query: { q: text, limit: most }, signal, timeoutMs });
    return found.documents
        .map((one) => one.title || one.doc_id)
        .map((title) => ({ title, href: areaAddress('support', `/static/documents.html?${new URLSearchParams({ q: title })}`) }));
}

async function findTickets(text, signal) {
    const { data: found } = await support.get('/api/agent/tickets', { signal, timeoutMs });
    const words = wordsOf(text);
    return found.tickets
        .filter(({ user_question: question }) => contains(question, words))
        .map(({ id, user_question: title }) => ({ title, href: areaAddress('support', `/agent?${new URLSearchParams({ ticket: id })}`) }));
}

/* The team finds those of its tenant, customers their own. */
async function findConversations(text, signal, most) {
    const isTeam = hasRole(...team);
    const page = isTeam ? '/conversations' : '/static/chat.html';
    const { data: found } = await support.get('/api/sessions', { query: { q: text, mine: isTeam ? undefined : true, limit: most }, signal, timeoutMs });
    return found.map(({ session_id: id, title, started_by: note }) => ({
        title: title || id.slice(0, 8),
        note: isTeam ? note : null,
        href: areaAddress('support', `${page}?${new URLSearchParams({ conversation: id })}`),
    }));
}

async function findRuns(text, signal, most) {
    const { data: found } = await models.get('/api/v1/tasks', { query: { prompt_contains: text, limit: most }, signal, timeoutMs });
    return found.map((run) => ({ title: run.prompt_preview ?? run.task_id, href: areaAddress('models', `/tasks.html?${new URLSearchParams({ task: run.task_id })}`) }));
}

async function findEntities(text, signal, most) {
    if (text.length < 2) return [];
    const { data: found } = await data.get('/v1/search', { query: { q: text, limit: most }, signal, timeoutMs });
    return found.results
        .filter(({ type }) => type !== 'catalog_field')
        .map(({ type, id, entity_type: kind, snippet }) => ({
            title: id,
            note: snippet,
            href: areaAddress(
                'data',
                `/explorer?${new URLSearchParams(type === 'metric' ? { tab: 'metric', metric: id } : { tab: 'entity', type: kind, id })}`,
            ),
        }));
}

/* In the order in which they are shown. */
const sources = [
    { name: 'pages', may: () => true, find: findPages },
    { name: 'experiments', may: () => roleIn('experiments') !== null, find: findExperiments },
    { name: 'tickets', may: () => hasRole(...team), find: findTickets },
    { name: 'conversations', may: () => roleIn('support') !== null, find: findConversations },
    { name: 'documents', may: () => hasRole(...team), find: findDocuments },
    { name: 'runs', may: () => roleIn('models') !== null, find: findRuns },
    { name: 'entities', may: () => roleIn('data') !== null, find: findEntities },
];

/*
 * find(text) asks all sources for up to `most` results each and calls changed() as each one answers; groups is what
 * they found so far, {name, found, failed}, in their order; busy whether some are still out.
 */
export function createSearch(changed, most) {
    let running = new AbortController();
    const search = { text: '', groups: [], busy: false };

    function put(group) {
        const others = search.groups.filter(({ name }) => name !== group.name);
        search.groups = sources.flatMap(({ name }) => [group, ...others].filter((one) => one.name === name));
        changed();
    }

    async function askOne({ name, find }, text, mine) {
        try {
            const found = (await find(text, mine.signal, most)).slice(0, most);
            if (running === mine) put({ name, found, failed: false });
        } catch {
            if (running === mine) put({ name, found: [], failed: true });
        }
    }

    search.find = async (text) => {
        running.abort();
        const mine = (running = new AbortController());
        Object.assign(search, { text, busy: true, groups: [] });
        const asked = text === '' ? sources.slice(0, 1) : sources.filter(({ may }) => may());
        await Promise.all(asked.map((source) => askOne(source, text, mine)));
        if (running !== mine) return;
        search.busy = false;
        changed();
    };

    /* Those that did not answer, by their names in words. */
    search.failed = () => search.groups.filter(({ failed }) => failed).map(({ name }) => t(`search.group_${name}`));
    search.count = () => search.groups.reduce((sum, { found }) => sum + found.length, 0);
    return search;
}

/* The page with more results. */
export const searchAddress = (text) => portalAddress(`/search${text === '' ? '' : `?${new URLSearchParams({ q: text })}`}`);
