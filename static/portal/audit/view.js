/* The audit page as templates. */
import { actionText as experimentAction } from '../../experiments/audit.js';
import { hasText, t } from '../../shared/i18n.js';
import { formatDateTime } from '../../shared/numbers.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { roleText } from '../roles.js';

const titles = {
    suite: () => t('role.suite'),
    experiments: () => t('service.experiments'),
    support: () => t('service.support'),
};

export function areaTitle(area) {
    return titles[area]();
}

/* An action in words; one that has none is shown as it is, without its punctuation. */
function actionText(area, action) {
    if (area === 'experiments') return experimentAction(action);
    const key = `audit.action_${action.replace(/\W/g, '_')}`;
    return hasText(key) ? t(key) : action.replace(/[._]/g, ' ');
}

/* 'support=agent,data=viewer' and '2 tokens deleted' of the account store in words; a name of a token stays. */
function detailText(detail) {
    const tokens = /^(\d+) tokens? deleted$/.exec(detail);
    if (tokens) return t('audit.tokens_deleted', { count: Number(tokens[1]) });
    if (detail === 'none') return t('role.none');
    return /^\w+=\w+(,\w+=\w+)*$/.test(detail) ? roleText(detail) : detail;
}

function action({ area, action: name, detail = null }) {
    return html`<span title=${name}>${actionText(area, name)}</span>${detail === null ? null : html`<br /><span class="section-note" dir="auto">${detailText(detail)}</span>`}`;
}

export function columns() {
    return [
        { name: 'at', title: t('audit.when'), cell: ({ at }) => formatDateTime(at) },
        { name: 'actor', title: t('audit.who'), cell: ({ actor }) => html`<span dir="auto">${actor ?? '–'}</span>` },
        { name: 'action', title: t('audit.what'), cell: action },
        { name: 'subject', title: t('audit.subject'), cell: ({ subject }) => html`<span class="key-text" dir="auto">${subject || '–'}</span>` },
        { name: 'area', title: t('audit.area'), cell: ({ area }) => areaTitle(area) },
        { name: 'address', title: t('audit.address'), cell: ({ address }) => html`<span dir="ltr">${address ?? '–'}</span>` },
    ];
}

export function emptyList({ q, area }) {
    return { title: t(q || area ? 'audit.none_found' : 'audit.none') };
}

export function view({ list, failed }) {
    return html`<div class="stack">
        ${failed.length === 0 ? null : notice({ tone: 'caution', body: html`<p>${t('audit.failed', { names: failed.map(areaTitle).join(', ') })}</p>` })}
        <section class="card section" id="audit" aria-label=${t('audit.title')}>${list.view()}</section>
    </div>`;
}
