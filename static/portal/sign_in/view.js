/* The sign-in page as templates. */
import { hasText, t } from '../../shared/i18n.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { nextPath } from './next.js';

/* What an identity provider's way back says in the address. */
function problemNotice(code) {
    if (code === '') return null;
    const key = `sign_in.problem_${code}`;
    return notice({ tone: 'danger', body: html`<p>${t(hasText(key) ? key : 'sign_in.problem')}</p>`, alert: true });
}

function refusal(error) {
    if (error === null) return null;
    if (error.kind === 'unauthorized' && error.retryAfterSeconds === null)
        return notice({ tone: 'danger', body: html`<p>${t('sign_in.refused')}</p>`, alert: true });
    return errorNotice(error, error.kind === 'limited' ? { title: t('sign_in.limited') } : {});
}

function provider(oidc) {
    const address = `${oidc.address}?${new URLSearchParams({ next: nextPath() })}`;
    return html`<p class="sign-in-or">${t('sign_in.or')}</p>
        <a class="button" id="oidc" href=${address}>${t('sign_in.with', { name: oidc.label })}</a>`;
}

/* Shown in development only: the API decides. */
function credentials({ form, busy }, { username, password }) {
    const fill = () => form.write({ username, password });
    return notice({
        tone: 'info',
        title: t('sign_in.development'),
        body: html`<p>${t('sign_in.development_text')}</p>
            <dl class="facts">
                <div class="fact"><dt>${t('sign_in.username')}</dt><dd><code dir="ltr">${username}</code></dd></div>
                <div class="fact"><dt>${t('sign_in.password')}</dt><dd><code dir="ltr">${password}</code></dd></div>
            </dl>`,
        actions: html`<button type="button" class="button" id="fill-in" ?disabled=${busy} @click=${fill}>${t('sign_in.fill_in')}</button>`,
    });
}

function signIn(state) {
    const ways = state.ways.data ?? {};
    return html`<h1>${t('sign_in.title')}</h1>
        ${problemNotice(state.problem)} ${refusal(state.error)}
        ${state.form.view(null, { label: t('sign_in.title'), action: t('sign_in.action'), busy: state.busy })}
        ${ways.oidc ? provider(ways.oidc) : nothing}
        ${ways.development ? credentials(state, ways.development) : nothing}`;
}

function accept(state) {
    const { data: invited, error } = state.invited;
    if (error?.kind === 'missing')
        return html`<h1>${t('sign_in.welcome')}</h1>
            ${notice({ tone: 'caution', body: html`<p>${t('sign_in.invitation_over')}</p>`, actions: html`<a class="button" href="/sign-in">${t('sign_in.title')}</a>` })}`;
    return html`<h1>${t('sign_in.welcome')}</h1>
        <p class="lead">${t('sign_in.welcome_text')}</p>
        <p class="section-note">${invited ? t('sign_in.invited_by', { name: invited.invited_by, email: invited.email }) : '\u00a0'}</p>
        ${error === null ? null : errorNotice(error)} ${state.error === null ? null : errorNotice(state.error)}
        ${state.acceptForm.view(null, { label: t('sign_in.welcome'), action: t('sign_in.accept'), busy: state.busy })}`;
}

export function view(state) {
    return state.invitation === '' ? signIn(state) : accept(state);
}
