/* Notices: what went wrong or should be known, with what can be done about it. */
import { hasText, t } from '../i18n.js';
import { formatUnit } from '../numbers.js';
import { html, nothing } from './lit.js';
import { askForSecret } from './secret.js';
import { accessToken, setAccessToken } from './session.js';

/* tone: danger, caution, info, good, plain; body and actions are templates. */
export function notice({ tone = 'info', title = null, body = null, meta = null, actions = null, alert = false }) {
    return html`<div class="notice" data-tone=${tone} role=${alert ? 'alert' : nothing} tabindex=${alert ? -1 : nothing}>
        ${title === null ? null : html`<h2 class="notice-title">${title}</h2>`}
        ${body === null ? null : html`<div dir="auto">${body}</div>`}
        ${meta ? html`<p class="notice-meta">${meta}</p>` : null}
        ${actions === null ? null : html`<div class="button-row">${actions}</div>`}
    </div>`;
}

function metaOf(error) {
    const wait = error.retryAfterSeconds;
    const status = [error.status, error.code].filter(Boolean).join(' ');
    return [
        wait === null ? null : t('notice.retry_after', { time: formatUnit(wait, 'second') }),
        status || null,
        error.requestId ? t('notice.request_id', { id: error.requestId }) : null,
    ]
        .filter((part) => part !== null)
        .join(' · ');
}

/* What an ApiError says; `retry` is offered as a button, `title` replaces that of its kind. */
export function errorNotice(error, { retry = null, title = null } = {}) {
    const key = `notice.${error.kind}`;
    return notice({
        tone: error.kind === 'limited' ? 'caution' : 'danger',
        title: title ?? t(hasText(key) ? key : 'notice.server'),
        body: error.message && error.kind !== 'network' ? html`<p>${error.message}</p>` : null,
        meta: metaOf(error),
        alert: true,
        actions:
            retry === null
                ? null
                : html`<button type="button" class="button" data-size="small" @click=${retry}>
                      ${t('notice.retry')}
                  </button>`,
    });
}

/* Asks for an access token where the API has answered 401; `use` is called once one was given. */
export function tokenForm(error, use) {
    const refused = accessToken() !== null;
    return askForSecret({
        id: 'access-token',
        title: t(refused ? 'token.refused' : 'token.title'),
        hint: t('token.hint'),
        label: t('token.label'),
        refused,
        use: (token) => {
            setAccessToken(token);
            use();
        },
        meta: error.requestId ? t('notice.request_id', { id: error.requestId }) : null,
    });
}
