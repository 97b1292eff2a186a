/* Asks before all sessions of the person end, and whether the personal tokens end as well. */
import { t } from '../../shared/i18n.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { html } from '../../shared/ui/lit.js';

/* Resolves to {endTokens}; undefined when it was dismissed. */
export function askSignOut({ hasTokens }) {
    let endTokens = hasTokens;
    const choice = html`<label class="check" for="sign-out-tokens">
        <input type="checkbox" id="sign-out-tokens" checked @change=${(event) => (endTokens = event.target.checked)} />
        <span class="check-text">${t('profile.end_tokens')}</span>
    </label>`;
    return openDialog({
        title: t('profile.everywhere'),
        tone: 'danger',
        body: () => html`<div class="stack"><p>${t('profile.everywhere_text')}</p>${hasTokens ? choice : null}</div>`,
        actions: (close) =>
            html`<button type="button" class="button" autofocus @click=${() => close()}>${t('confirm.cancel')}</button>
                <button type="button" class="button" data-kind="danger" @click=${() => close({ endTokens })}>${t('profile.everywhere')}</button>`,
    });
}
