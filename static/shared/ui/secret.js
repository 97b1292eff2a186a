/* A form that asks for a secret: an access token, an administration's key. */
import { t } from '../i18n.js';
import { html, nothing } from './lit.js';

/* use(secret) is called once one was given. id is that of the field. */
export function askForSecret({ id, title, hint, label, refused, use, meta = null }) {
    const submit = (event) => {
        event.preventDefault();
        use(event.target.elements.secret.value.trim());
    };
    return html`<form class="notice" data-tone="info" aria-labelledby=${`${id}-title`} @submit=${submit}>
        <h2 class="notice-title" id=${`${id}-title`}>${title}</h2>
        <p id=${`${id}-hint`}>${hint}</p>
        <label class="field-label" for=${id}>${label}</label>
        <input
            class="input"
            id=${id}
            name="secret"
            type="password"
            autocomplete="off"
            spellcheck="false"
            required
            aria-describedby=${`${id}-hint`}
            aria-invalid=${refused ? 'true' : nothing}
        />
        <div class="button-row"><button type="submit" class="button" data-kind="primary">${t('token.use')}</button></div>
        ${meta === null ? null : html`<p class="notice-meta">${meta}</p>`}
    </form>`;
}
