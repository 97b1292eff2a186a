/* The page of consent as templates. */
import { t } from '../../shared/i18n.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { roleBadges } from '../roles.js';

/* The program's word: whatever its script, it keeps its own order and leaves that of the sentence alone. */
const inSentence = (name) => `\u2068${name}\u2069`;

const placeTitle = (service) => t(service === 'suite' ? 'authorize.whole_suite' : `service.${service}`);

function facts(person, asked) {
    const rows = [
        [t('authorize.account'), html`<span dir="auto">${person.name ?? person.username}</span> ${roleBadges(person.roles)}`],
        [t('authorize.place'), html`${placeTitle(asked.bound_to)} <code dir="ltr">${asked.resource}</code>`],
        [t('authorize.returns_to'), html`<code dir="ltr" id="returns-to">${asked.redirect_to}</code>`],
    ];
    return html`<dl class="facts">${rows.map(([name, value]) => html`<div class="fact"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function right(state, write) {
    const id = write ? 'right-write' : 'right-read';
    return html`<label class="check" for=${id}>
        <input type="radio" name="right" id=${id} .checked=${state.write === write} @change=${() => state.actions.choose(write)} />
        <span class="check-text">${t(write ? 'authorize.write' : 'authorize.read')}</span>
    </label>`;
}

function rights(state, asked) {
    return html`<fieldset class="consent-rights">
        <legend class="field-label">${t('authorize.rights')}</legend>
        ${right(state, false)} ${asked.may_write ? right(state, true) : nothing}
        <p class="section-note">${t('authorize.limit')}</p>
    </fieldset>`;
}

function question(state, asked) {
    return html`<h1 class="consent-name" dir="auto">${t('authorize.title', { name: inSentence(asked.client_name) })}</h1>
        <p class="lead">${t('authorize.lead')}</p>
        ${notice({ tone: 'caution', body: html`<p>${t('authorize.unchecked')}</p>` })} ${facts(state.person, asked)} ${rights(state, asked)}
        ${state.error === null ? nothing : errorNotice(state.error)}
        <div class="consent-actions">
            <button type="button" class="button" data-kind="primary" id="allow" ?disabled=${state.busy} @click=${() => state.actions.decide(true)}>${t('authorize.allow')}</button>
            <button type="button" class="button" id="refuse" ?disabled=${state.busy} @click=${() => state.actions.decide(false)}>${t('authorize.refuse')}</button>
        </div>`;
}

/* The program hears of it only if the person wants: the address is the program's word alone. */
function impossible(asked) {
    return html`<h1 class="consent-name" dir="auto">${asked.client_name}</h1>
        ${notice({
            tone: 'danger',
            body: html`<p>${t('authorize.wrong', { code: asked.error })}</p>
                <p lang="en" dir="ltr">${asked.error_description}</p>`,
            actions: html`<a class="button" rel="noreferrer" href=${asked.return_to}>${t('authorize.back')} <code dir="ltr">${asked.redirect_to}</code></a>`,
            alert: true,
        })}`;
}

const stopped = (key) => html`<h1>${t('authorize.heading')}</h1>
    ${notice({ tone: 'danger', body: html`<p>${t(key)}</p>`, alert: true })}`;

function failed(error) {
    const key = { oauth_client_unknown: 'authorize.unknown', oauth_redirect_unknown: 'authorize.redirect' }[error.code];
    return key === undefined ? html`<h1>${t('authorize.heading')}</h1>${errorNotice(error)}` : stopped(key);
}

export function view(state) {
    if (state.person === null) return null;
    if (state.done) return html`<h1>${t('authorize.heading')}</h1>${notice({ tone: 'good', body: html`<p id="done">${t('authorize.done')}</p>` })}`;
    if (state.isEmpty) return stopped('authorize.unknown');
    if (state.asked.error) return failed(state.asked.error);
    return resourceView(state.asked, {
        skeleton: { lines: 6 },
        ready: (asked) => html`<div class="stack">${asked.error === null ? question(state, asked) : impossible(asked)}</div>`,
    });
}
