/*
 * The search of the top bar: pages, experiments, documents, conversations, runs and data by their names. Each
 * source is asked only if the person has a role in its area; one that fails or is slow leaves the others alone.
 */
import { t } from './i18n.js';
import { hasRole, roleIn } from './person.js';
import { areaAddress, portalAddress } from './place.js';
import { afterPause } from './ui/app.js';
import { createClient } from './ui/client.js';
import { icon } from './ui/icons.js';
import { html, nothing, ref, render } from './ui/lit.js';

const most = 5; /* of each kind */
const pauseMs = 150;
const timeoutMs = 5000;
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

async function findExperiments(text, signal) {
    const { data: found } = await experiments.get('/api/v1/projects', { query: { q: text, limit: most }, signal, timeoutMs });
    return found.projects.map(({ id, project_name: title }) => ({ title, href: areaAddress('experiments', `/projects/${encodeURIComponent(id)}`) }));
}

async function findDocuments(text, signal) {
    const { data: found } = await support.get('/api/documents', { query: { limit: 200 }, signal, timeoutMs });
    const words = wordsOf(text);
    return found.documents
        .map((one) => one.title || one.doc_id)
        .filter((title) => contains(title, words))
        .map((title) => ({ title, href: areaAddress('support', `/static/documents.html?${new URLSearchParams({ q: title })}`) }));
}

async function findTickets(text, signal) {
    const { data: found } = await support.get('/api/agent/tickets', { signal, timeoutMs });
    const words = wordsOf(text);
    return found.tickets
        .filter(({ user_question: question }) => contains(question, words))
        .map(({ id, user_question: title }) => ({ title, href: areaAddress('support', `/agent?${new URLSearchParams({ ticket: id })}`) }));
}

async function findRuns(text, signal) {
    const { data: found } = await models.get('/api/v1/tasks', { query: { prompt_contains: text, limit: most }, signal, timeoutMs });
    return found.map((run) => ({ title: run.prompt_preview ?? run.task_id, href: areaAddress('models', `/tasks.html?${new URLSearchParams({ task: run.task_id })}`) }));
}

async function findEntities(text, signal) {
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
    { name: 'tickets', may: () => hasRole('support:agent', 'support:reviewer', 'support:admin'), find: findTickets },
    { name: 'documents', may: () => hasRole('support:agent', 'support:reviewer', 'support:admin'), find: findDocuments },
    { name: 'runs', may: () => roleIn('models') !== null, find: findRuns },
    { name: 'entities', may: () => roleIn('data') !== null, find: findEntities },
];

/*
 * find(text) asks all sources and calls changed() as each one answers; groups is what they found so far, busy
 * whether some are still out.
 */
function createSearch(changed) {
    let running = new AbortController();
    const search = { text: '', groups: [], busy: false };

    async function askOne({ name, find }, text, mine) {
        let found = [];
        try {
            found = (await find(text, mine.signal)).slice(0, most);
        } catch {
            /* what one service cannot find now is left out */
        }
        if (running !== mine) return;
        search.groups = sources.flatMap((source) =>
            source.name === name ? [{ name, found }] : search.groups.filter((group) => group.name === source.name),
        );
        changed();
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
    return search;
}

function resultView({ title, note, href }, index, chosen) {
    return html`<a
        class="palette-result"
        role="option"
        id=${`palette-${index}`}
        aria-selected=${String(index === chosen)}
        tabindex="-1"
        href=${href}
        ${ref(index === chosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined)}
    >
        <span class="palette-title" dir="auto">${title}</span>${note ? html`<span class="palette-note" dir="auto">${note}</span>` : null}
    </a>`;
}

function resultsView(search, chosen) {
    const groups = search.groups.filter(({ found }) => found.length > 0);
    let index = 0;
    return groups.map(
        ({ name, found }) =>
            html`<div role="group" aria-labelledby=${`palette-group-${name}`}>
                <p class="palette-group" id=${`palette-group-${name}`}>${t(`search.group_${name}`)}</p>
                ${found.map((one) => resultView(one, index++, chosen))}
            </div>`,
    );
}

/* Opens the search over the page; a second call while it is open changes nothing. */
export function openPalette() {
    if (document.querySelector('.palette')) return;
    const dialog = document.createElement('dialog');
    dialog.className = 'card palette';
    dialog.setAttribute('aria-label', t('search.title'));
    document.body.append(dialog);
    let chosen = 0;
    const search = createSearch(() => draw());
    const all = () => search.groups.flatMap(({ found }) => found);
    const later = afterPause(pauseMs, (text) => search.find(text));

    function onKey(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const count = all().length;
        if (step !== undefined && count > 0) {
            event.preventDefault();
            chosen = (chosen + step + count) % count;
            draw();
        } else if (event.key === 'Enter' && all()[chosen]) {
            event.preventDefault();
            location.assign(all()[chosen].href);
        }
    }

    function draw() {
        chosen = Math.min(chosen, Math.max(0, all().length - 1));
        const none = search.text !== '' && !search.busy && all().length === 0;
        render(
            html`<div class="palette-field">
                    ${icon('search')}
                    <input
                        type="search"
                        id="palette-input"
                        role="combobox"
                        aria-label=${t('search.title')}
                        aria-expanded="true"
                        aria-controls="palette-list"
                        aria-activedescendant=${all().length > 0 ? `palette-${chosen}` : nothing}
                        placeholder=${t('search.hint')}
                        autocomplete="off"
                        spellcheck="false"
                        @input=${(event) => {
                            chosen = 0;
                            later(event.target.value.trim());
                        }}
                        @keydown=${onKey}
                    />
                </div>
                <div class="palette-results" id="palette-list" role="listbox" aria-label=${t('search.results')} tabindex="-1">
                    ${none ? null : resultsView(search, chosen)}
                </div>
                <div role="status">${none ? html`<p class="palette-none">${t('search.none', { text: search.text })}</p>` : null}</div>`,
            dialog,
        );
    }

    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    draw();
    dialog.showModal();
    search.find('');
}
