/* The state of the installation as templates. */
import { hasText, t } from '../../shared/i18n.js';
import { hasRole } from '../../shared/person.js';
import { areaAddress } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

/* Words by which the services' health documents say that something is amiss. */
const amiss = ['degraded', 'unhealthy', 'error', 'not_ready', 'shutting_down'];

const states = {
    up: { tone: 'good', key: 'system.running' },
    partly: { tone: 'caution', key: 'system.partly' },
    down: { tone: 'danger', key: 'system.down' },
};

function stateOf({ health, down }) {
    if (health === null) return states.down;
    return down.length === 0 && !amiss.includes(health.status) ? states.up : states.partly;
}

/* A service or a part that these pages have no words for is named as it names itself. */
function textOf(key, fallback) {
    return hasText(key) ? t(key) : fallback;
}

const titleOf = ({ name }) => textOf(`service.${name}`, name);

/* Products have one name in all languages. */
const products = {
    redis: 'Redis',
    chromadb: 'ChromaDB',
    ollama: 'Ollama',
    mistral: 'Mistral',
    orch: 'Assay Models',
    'api.openai': 'OpenAI',
    'api.anthropic': 'Anthropic',
};

const partName = (name) => products[name] ?? textOf(`system.part_${name.replace(/\W/g, '_')}`, name.replace(/[._]/g, ' '));

const partColumns = () => [
    { name: 'name', title: t('system.part'), cell: ({ name }) => partName(name) },
    { name: 'state', title: t('system.state'), cell: ({ state }) => badge(t(`system.part_state_${state}`), state, { dot: true }) },
    { name: 'note', title: t('system.detail'), cell: ({ state, note }) => html`<span dir="auto">${state === 'good' || !note ? '–' : note}</span>` },
];

function facts({ health }) {
    const list = [
        [t('system.version'), health?.version],
        [t('system.build'), health?.git_sha ? html`<span class="mono">${health.git_sha}</span>` : null],
        [t('system.environment'), health?.environment],
    ].filter(([, value]) => value);
    if (list.length === 0) return null;
    return html`<dl class="facts">${list.map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/* Where the settings in force and what else a service's own pages show are found. */
function links({ name }) {
    return html`<div class="button-row">
        ${name === 'experiments' && hasRole('experiments:admin')
            ? html`<a class="button" data-size="small" href=${areaAddress('experiments', '/settings?tab=service')}>${t('system.settings')}</a>
                  <a class="button" data-size="small" href=${areaAddress('experiments', '/settings?tab=chat')}>${t('system.chat')}</a>`
            : null}
        ${name in areaPages ? html`<a class="button" data-size="small" href=${areaAddress(/** @type {any} */ (name), '/redoc')}>${t('nav.redoc')}</a>` : null}
    </div>`;
}

const areaPages = { experiments: true, support: true, orchestrator: true, livedata: true };

function card(service) {
    const { tone, key } = stateOf(service);
    const title = titleOf(service);
    return html`<section class="card section stack" data-service=${service.name} aria-labelledby=${`service-${service.name}`}>
        <div class="section-head">
            <h2 id=${`service-${service.name}`}>${title}</h2>
            ${badge(t(key), tone, { dot: true })}
        </div>
        ${service.down.length > 0 ? html`<p class="field-error">${t('system.pools_down', { names: service.down.join(', ') })}</p>` : null}
        ${facts(service)}
        ${service.parts === null || service.parts.length === 0
            ? null
            : table({ caption: t('system.parts_of', { name: title }), columns: partColumns(), rows: service.parts, key: ({ name }) => name })}
        ${links(service)}
    </section>`;
}

function summary(services) {
    const inState = (wanted) => services.filter((service) => stateOf(service) === wanted);
    const names = (list) => list.map(titleOf).join(', ');
    const parts = [
        [inState(states.down), 'system.some_down'],
        [inState(states.partly), 'system.some_partly'],
    ]
        .filter(([list]) => list.length > 0)
        .map(([list, key]) => t(key, { names: names(list) }));
    return parts.length > 0 ? parts.join(' · ') : t('system.all_up');
}

export function view({ services }) {
    return resourceView(services, {
        quiet: true,
        skeleton: { lines: 6, height: 'card' },
        ready: (rows) => html`<div class="stack">
            <p class="section-note" id="checked" role="status">${summary(rows)}</p>
            ${rows.map(card)}
        </div>`,
    });
}
