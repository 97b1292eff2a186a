/* Asks for an access token where the API has answered 401; it is kept for this tab only. */
import { accessToken, setAccessToken } from './api.js';
import { html } from './dom.js';
import { t } from './i18n.js';

/* A form for the token. `use` is called once one has been entered. */
export function tokenForm(error, use) {
    const refused = accessToken() !== null;
    const input = html('input', {
        class: 'input',
        id: 'access-token',
        type: 'password',
        autocomplete: 'off',
        spellcheck: 'false',
        required: true,
        'aria-describedby': 'access-token-hint',
        'aria-invalid': refused ? 'true' : null,
    });
    const form = html(
        'form',
        { class: 'notice', 'data-tone': 'info', 'aria-labelledby': 'access-token-title' },
        html(
            'h2',
            { class: 'notice-title', id: 'access-token-title' },
            t(refused ? 'token.refused' : 'token.title'),
        ),
        html('p', { id: 'access-token-hint' }, t('token.hint')),
        html('label', { class: 'field-label', for: 'access-token' }, t('token.label')),
        input,
        html(
            'div',
            { class: 'button-row' },
            html(
                'button',
                { type: 'submit', class: 'button', 'data-kind': 'primary' },
                t('token.use'),
            ),
        ),
        error.requestId
            ? html('p', { class: 'notice-meta' }, t('notice.request_id', { id: error.requestId }))
            : null,
    );
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        setAccessToken(input.value.trim());
        use();
    });
    return form;
}
