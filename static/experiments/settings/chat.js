/* The chat platform: whether the app is set up and in a workspace, when that last called, and what is still to be done. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime } from '../../shared/numbers.js';
import { address, apiAddress } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';

const keys = ['AB_CHATAPP_CLIENT_ID', 'AB_CHATAPP_CLIENT_SECRET', 'AB_CHATAPP_SIGNING_SECRET', 'AB_CHATAPP_BASE_URL'];
const scopes = 'commands, chat:write, chat:write.public, users:read';
/* How an install may have gone when the platform sends the browser back, and the tone in which that is told. */
const outcomes = { done: 'good', cancelled: 'caution', state: 'caution', platform: 'danger', team: 'danger', failed: 'danger' };
const code = (text) => html`<span class="mono key-text" dir="ltr">${text}</span>`;

/* What the platform has to be told, each with its own name. */
const addresses = () => [
    { name: 'command', value: apiAddress('/chatapp/commands') },
    { name: 'interactive', value: apiAddress('/chatapp/interactive') },
    { name: 'events', value: apiAddress('/chatapp/events') },
    { name: 'redirect', value: apiAddress('/chatapp/oauth/callback') },
    { name: 'scopes', value: scopes },
];

const columns = () => [
    { name: 'name', title: t('settings.chat_there'), cell: ({ name }) => t(`settings.chat_${name}`) },
    { name: 'value', title: t('settings.chat_here'), cell: ({ value }) => code(value) },
    { name: 'copy', title: t('settings.actions'), cell: ({ name, value }) => copyButton({ text: () => value }) },
];

/** @param {experiments.ChatStatus} status */
function stateOf({ configured, installed }) {
    if (!configured) return badge(t('settings.chat_off'));
    return installed ? badge(t('settings.chat_installed'), 'good', { dot: true }) : badge(t('settings.chat_missing'), 'caution', { dot: true });
}

/** @param {experiments.ChatStatus} status */
function facts(status) {
    const called = status.last_event_at;
    const told = [
        ['settings.chat_workspace', html`<span dir="auto">${status.team_name}</span> ${code(status.team_id)}`],
        ['settings.chat_since', formatDateTime(status.installed_at)],
        ['settings.chat_called', called === null ? t('settings.never') : html`<time datetime=${called} title=${formatDateTime(called)}>${formatAgo(called)}</time>`],
    ];
    return html`<dl class="facts">${told.map(([name, value]) => html`<div class="fact"><dt>${t(name)}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** @param {Client<'experiments'>} client */
export function createChat(update, client) {
    const state = createResource(update, async (signal) => (await client.get('/api/v1/chatapp/status', { signal })).data);

    let outcome = null;

    /* Out of the address, where a reload would tell it again. */
    function takeOutcome() {
        const { install } = readQuery({ install: '' });
        if (Object.hasOwn(outcomes, install)) outcome = install;
        writeQuery({ install: '' });
    }

    /** @param {experiments.ChatStatus} status */
    const whole = (status) => html`<div class="stack">
        ${outcome === null ? null : html`<div id="chat-outcome">${notice({ tone: outcomes[outcome], title: t(`settings.chat_install_${outcome}`), alert: true })}</div>`}
        <section class="card section stack" aria-labelledby="chat-title" id="chat">
            <div class="section-head"><h2 id="chat-title">${t('settings.tab_chat')}</h2>${stateOf(status)}</div>
            <p class="section-note">${t('settings.chat_note')}</p>
            ${status.installed ? facts(status) : null}
            <div class="button-row">
                ${status.can_be_installed ? html`<a class="button" data-kind=${status.installed ? null : 'primary'} id="chat-install" href=${address('/chatapp/install')}>${t(status.installed ? 'settings.chat_again' : 'settings.chat_install')}</a>` : null}
                <button type="button" class="button" @click=${() => state.reload()}>${t('settings.refresh')}</button>
            </div>
        </section>
        <section class="card section stack" aria-labelledby="chat-steps-title" id="chat-steps">
            <h2 id="chat-steps-title">${t('settings.chat_steps')}</h2>
            <div class="prose"><ol>
                <li>${t('settings.chat_step_app')}</li>
                <li>${t('settings.chat_step_settings')} ${keys.map((key, place) => html`${place ? ', ' : null}${code(key)}`)}</li>
                <li>${t('settings.chat_step_install')}</li>
                <li>${t('settings.chat_step_use')} ${code('/ab-test projects')}</li>
            </ol></div>
            ${table({ caption: t('settings.chat_addresses'), columns: columns(), rows: addresses(), key: ({ name }) => name })}
        </section>
    </div>`;

    return {
        load: () => {
            takeOutcome();
            return state.load();
        },
        view: () => resourceView(state, { quiet: true, skeleton: { lines: 3, height: 'card' }, ready: whole }),
    };
}
