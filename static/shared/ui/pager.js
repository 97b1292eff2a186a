/* Leads through a long list, page by page. */
import { t } from '../i18n.js';
import { html } from './lit.js';
import { icon } from './icons.js';

/*
 * page counts from 1; total is the number of rows, null where nobody counts them, then `more` says
 * whether there is a next page. onPage(page) goes there.
 */
export function pager({ page, size, shown, total = null, more = false, onPage }) {
    const first = (page - 1) * size + 1;
    const last = first + shown - 1;
    const hasNext = total === null ? more : last < total;
    if (page === 1 && !hasNext && total === null) return null;
    const step = (name, to, enabled) =>
        html`<button
            type="button"
            class="button"
            data-size="small"
            ?disabled=${!enabled}
            aria-label=${t(`pager.${name}`)}
            @click=${() => onPage(to)}
        >
            ${icon(name)}
        </button>`;
    return html`<nav class="pager" aria-label=${t('pager.label')}>
        <p class="pager-range" role="status">
            ${total === null
                ? t('pager.range', { first, last: Math.max(last, 0) })
                : shown === 0
                  ? t('pager.none')
                  : t('pager.range_of', { first, last, total })}
        </p>
        ${step('previous', page - 1, page > 1)} ${step('next', page + 1, hasNext)}
    </nav>`;
}
