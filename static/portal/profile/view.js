/* The person's own page as templates. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDate, formatDateTime } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { issuedSecret } from '../../shared/ui/issued.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { press } from '../../experiments/settings/press.js';
import { roleBadges } from '../roles.js';

/* "Firefox on Linux", as far as the browser says it; the whole text is the title. */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari', curl: 'curl' };
const systems = { Android: 'Android', iPhone: 'iPhone', iPad: 'iPad', Windows: 'Windows', 'Mac OS': 'macOS', Linux: 'Linux' };

function deviceOf(agent) {
    const named = (all) => all[Object.keys(all).find((name) => agent.includes(name))];
    return [named(browsers), named(systems)].filter(Boolean).join(' · ') || t('profile.unknown_device');
}

const ago = (at) => html`<time datetime=${at} title=${formatDateTime(at)}>${formatAgo(at)}</time>`;

function details(person) {
    const facts = [
        [t('profile.name'), html`<span dir="auto">${person.name ?? '–'}</span>`],
        [t('profile.username'), html`<span dir="ltr">${person.username}</span>`],
        [t('profile.email'), html`<span dir="ltr">${person.email ?? '–'}</span>`],
        [t('profile.tenant'), person.tenant],
    ];
    return html`<section class="card section stack" aria-labelledby="details-title">
        <h2 id="details-title">${t('profile.details')}</h2>
        <dl class="facts">${facts.map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
        <div>${roleBadges(person.roles)}</div>
    </section>`;
}

function problemOf(state, form) {
    return state.problem?.form === form ? errorNotice(state.problem.error) : null;
}

function password(state) {
    return html`<section class="card section stack" aria-labelledby="password-title">
        <h2 id="password-title">${t('profile.password')}</h2>
        ${state.mustChange ? notice({ tone: 'caution', body: html`<p>${t('profile.must_change')}</p>` }) : null}
        ${problemOf(state, state.passwordForm)}
        ${state.passwordForm.view(null, { label: t('profile.password'), action: t('profile.change'), busy: state.busy })}
    </section>`;
}

const sessionColumns = (actions) => [
    { name: 'device', title: t('profile.device'), cell: ({ user_agent: agent }) => html`<span title=${agent ?? ''}>${deviceOf(agent ?? '')}</span>` },
    { name: 'ip_address', title: t('profile.address'), cell: ({ ip_address: address }) => html`<span dir="ltr">${address ?? '–'}</span>` },
    { name: 'created_at', title: t('profile.signed_in'), cell: ({ created_at: at }) => formatDateTime(at) },
    { name: 'last_seen_at', title: t('profile.last_seen'), cell: ({ last_seen_at: at, is_current: here }) => (here ? badge(t('profile.here'), 'good') : ago(at)) },
    {
        name: 'actions',
        title: t('profile.actions'),
        titleHidden: true,
        align: 'end',
        cell: (session) => press(t(session.is_current ? 'shell.sign_out' : 'profile.end'), session, actions.end, { name: deviceOf(session.user_agent ?? '') }),
    },
];

function sessionList({ sessions, actions }) {
    return html`<section class="card section stack" aria-labelledby="sessions-title" id="sessions">
        <div class="section-head">
            <h2 id="sessions-title">${t('profile.sessions')}</h2>
            <button type="button" class="button" data-size="small" id="everywhere" @click=${actions.everywhere}>${t('profile.everywhere')}</button>
        </div>
        ${resourceView(sessions, {
            skeleton: { lines: 2, height: 'row' },
            ready: (rows) => table({ caption: t('profile.sessions'), columns: sessionColumns(actions), rows, key: ({ id }) => id }),
        })}
    </section>`;
}

const tokenColumns = (actions) => [
    { name: 'name', title: t('profile.token_name'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
    { name: 'prefix', title: t('profile.token_begins'), cell: ({ prefix }) => html`<code dir="ltr">${prefix}…</code>` },
    { name: 'read_only', title: t('profile.token_rights'), cell: ({ read_only: reads }) => t(reads ? 'profile.token_reads' : 'profile.token_all') },
    { name: 'expires_at', title: t('profile.token_expiry'), cell: ({ expires_at: at }) => (at === null ? t('profile.token_forever') : formatDate(at)) },
    { name: 'last_used_at', title: t('profile.token_used'), cell: ({ last_used_at: at }) => (at === null ? t('profile.never') : ago(at)) },
    { name: 'actions', title: t('profile.actions'), titleHidden: true, align: 'end', cell: (token) => press(t('profile.revoke'), token, actions.revoke, { kind: 'danger' }) },
];

function tokenList(state) {
    return html`<section class="card section stack" aria-labelledby="tokens-title" id="tokens">
        <h2 id="tokens-title">${t('profile.tokens')}</h2>
        <p class="section-note">${t('profile.tokens_text')}</p>
        ${state.made === null ? null : issuedSecret({ title: t('profile.token_made', { name: state.made.name }), text: t('profile.token_once'), secret: state.made.token })}
        ${resourceView(state.tokens, {
            skeleton: { lines: 2, height: 'row' },
            isEmpty: (rows) => rows.length === 0,
            empty: { title: t('profile.no_tokens') },
            ready: (rows) => table({ caption: t('profile.tokens'), columns: tokenColumns(state.actions), rows, key: ({ id }) => id }),
        })}
        <h3>${t('profile.new_token')}</h3>
        ${problemOf(state, state.tokenForm)}
        ${state.tokenForm.view(null, { label: t('profile.new_token'), action: t('profile.create_token'), busy: state.busy })}
    </section>`;
}

const programColumns = (actions) => [
    { name: 'client_name', title: t('profile.program'), cell: ({ client_name: name }) => html`<span dir="auto">${name}</span>` },
    { name: 'resource', title: t('profile.program_for'), cell: ({ resource }) => html`<code dir="ltr">${resource}</code>` },
    { name: 'read_only', title: t('profile.token_rights'), cell: ({ read_only: reads }) => t(reads ? 'profile.token_reads' : 'profile.token_all') },
    { name: 'expires_at', title: t('profile.program_until'), cell: ({ expires_at: at }) => formatDate(at) },
    { name: 'last_used_at', title: t('profile.token_used'), cell: ({ last_used_at: at }) => (at === null ? t('profile.never') : ago(at)) },
    {
        name: 'actions',
        title: t('profile.actions'),
        titleHidden: true,
        align: 'end',
        cell: (program) => press(t('profile.revoke'), program, actions.endProgram, { kind: 'danger', name: program.client_name }),
    },
];

function programList({ programs, actions }) {
    return html`<section class="card section stack" aria-labelledby="programs-title" id="programs">
        <h2 id="programs-title">${t('profile.programs')}</h2>
        <p class="section-note">${t('profile.programs_text')}</p>
        ${resourceView(programs, {
            skeleton: { lines: 1, height: 'row' },
            isEmpty: (rows) => rows.length === 0,
            empty: { title: t('profile.no_programs') },
            ready: (rows) => table({ caption: t('profile.programs'), columns: programColumns(actions), rows, key: ({ id }) => id }),
        })}
    </section>`;
}

/* The languages are those of the person's menu. */
function languages() {
    const select = /** @type {HTMLSelectElement} */ (document.getElementById('language'));
    return [...select.options].map(({ value, text }) => ({ value, text }));
}

function display({ actions, language, chosenTheme }) {
    const option = (value, text, current) => html`<option value=${value} ?selected=${value === current} lang=${value}>${text}</option>`;
    return html`<section class="card section stack" aria-labelledby="display-title" id="display">
        <h2 id="display-title">${t('profile.display')}</h2>
        <div class="field-grid">
            <div class="field">
                <label class="field-label" for="profile-language">${t('shell.language')}</label>
                <select class="select" id="profile-language" @change=${(event) => actions.language(event.target.value)}>
                    ${languages().map(({ value, text }) => option(value, text, language()))}
                </select>
            </div>
            <div class="field">
                <label class="field-label" for="profile-theme">${t('profile.theme')}</label>
                <select class="select" id="profile-theme" @change=${(event) => actions.theme(event.target.value)}>
                    ${['system', 'light', 'dark'].map(
                        (value) => html`<option value=${value} ?selected=${value === chosenTheme()}>${t(`profile.theme_${value}`)}</option>`,
                    )}
                </select>
            </div>
        </div>
    </section>`;
}

export function view(state) {
    if (state.person === null) return null;
    return html`<div class="stack">
        ${state.mustChange ? password(state) : details(state.person)}
        ${state.mustChange ? details(state.person) : password(state)}
        ${state.person.must_change_password ? null : [sessionList(state), tokenList(state), programList(state)]} ${display(state)}
    </div>`;
}
