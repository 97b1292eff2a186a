/* The search page as templates. */
import { t } from '../../shared/i18n.js';
import { empty } from '../../shared/ui/empty.js';
import { icon } from '../../shared/ui/icons.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { skeleton } from '../../shared/ui/skeleton.js';

function box({ text, actions }) {
    return html`<form class="card search-box" role="search" @submit=${(event) => event.preventDefault()}>
        ${icon('search')}
        <input
            type="search"
            id="search-input"
            aria-label=${t('search.title')}
            placeholder=${t('search.hint')}
            autocomplete="off"
            spellcheck="false"
            .value=${text}
            @input=${(event) => actions.type(event.target.value)}
        />
    </form>`;
}

function result({ title, note, href }) {
    return html`<li>
        <a class="search-result" href=${href}><span dir="auto">${title}</span>${note ? html`<span class="search-note" dir="auto">${note}</span>` : null}</a>
    </li>`;
}

function group({ name, found }) {
    return html`<section class="card section" aria-labelledby=${`results-${name}`}>
        <h2 id=${`results-${name}`}>${t(`search.group_${name}`)}</h2>
        <ul class="search-results">${found.map(result)}</ul>
    </section>`;
}

function failures({ search, actions }) {
    const names = search.failed();
    if (names.length === 0 || search.busy) return null;
    return notice({
        tone: 'caution',
        body: html`<p>${t('search.failed', { names: names.join(t('access.separator')) })}</p>`,
        actions: html`<button type="button" class="button" @click=${actions.again}>${t('notice.retry')}</button>`,
    });
}

function results({ search }) {
    if (search.text === '') return empty({ title: t('results.start'), text: t('results.start_text') });
    /* All at once, in their order: what comes one by one would push the rest down under the reader's pointer. */
    if (search.busy) return html`<section class="card section">${skeleton({ lines: 4, height: 'row' })}</section>`;
    if (search.count() > 0) return search.groups.filter(({ found }) => found.length > 0).map(group);
    return empty({ title: t('search.none', { text: search.text }), text: t('results.none_text') });
}

/* How many there are is said aloud once all have answered. */
function count({ search }) {
    if (search.text === '' || search.busy) return html`<p class="section-note">\u00a0</p>`;
    return html`<p class="section-note">${t('results.count', { count: search.count() })}</p>`;
}

export function view(state) {
    return html`<div class="stack" aria-busy=${String(state.search.busy)}>
        ${box(state)}
        <div role="status">${count(state)}</div>
        ${failures(state)} ${results(state)}
    </div>`;
}
