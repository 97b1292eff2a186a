/* The sign-in page as a template. */
import { t } from '../../shared/i18n.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';

function failure(error) {
    if (error === null) return null;
    if (error.kind === 'unauthorized')
        return notice({ tone: 'danger', title: t('login.refused'), body: html`<p>${t('login.refused_hint')}</p>`, alert: true });
    return errorNotice(error);
}

export function view({ form, busy, error }) {
    if (form === null) return html``;
    return html`<div class="card section sign-in">
        <p class="lead">${t('login.lead')}</p>
        ${failure(error)} ${form.view(null, { label: t('login.title'), action: t('login.action'), busy })}
    </div>`;
}
