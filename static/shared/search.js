/* The search of the top bar: a box over the page with the first results of each kind, operated by keys. */
import { t } from './i18n.js';
import { createSearch, searchAddress } from './search_sources.js';
import { afterPause } from './ui/app.js';
import { icon } from './ui/icons.js';
import { html, nothing, ref, render } from './ui/lit.js';

const most = 5; /* of each kind */
const pauseMs = 150;

function resultView({ title, note, href }, index, chosen) {
    return html`<a
        class="palette-result"
        role="option"
        id=${`palette-${index}`}
        aria-selected=${String(index === chosen)}
        tabindex="-1"
        href=${href}
        ${ref(index === chosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined)}
    >
        <span class="palette-title" dir="auto">${title}</span>${note ? html`<span class="palette-note" dir="auto">${note}</span>` : null}
    </a>`;
}

function resultsView(search, chosen) {
    const groups = search.groups.filter(({ found }) => found.length > 0);
    let index = 0;
    return groups.map(
        ({ name, found }) =>
            html`<div role="group" aria-labelledby=${`palette-group-${name}`}>
                <p class="palette-group" id=${`palette-group-${name}`}>${t(`search.group_${name}`)}</p>
                ${found.map((one) => resultView(one, index++, chosen))}
            </div>`,
    );
}

/* Opens the search over the page; a second call while it is open changes nothing. */
export function openPalette() {
    if (document.querySelector('.palette')) return;
    const dialog = document.createElement('dialog');
    dialog.className = 'card palette';
    dialog.setAttribute('aria-label', t('search.title'));
    document.body.append(dialog);
    let chosen = 0;
    const search = createSearch(() => draw(), most);
    const all = () => search.groups.flatMap(({ found }) => found);
    const later = afterPause(pauseMs, (text) => search.find(text));

    function onKey(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const count = all().length;
        if (step !== undefined && count > 0) {
            event.preventDefault();
            chosen = (chosen + step + count) % count;
            draw();
        } else if (event.key === 'Enter' && (all()[chosen] || search.text !== '')) {
            event.preventDefault();
            location.assign(all()[chosen]?.href ?? searchAddress(search.text));
        }
    }

    function draw() {
        chosen = Math.min(chosen, Math.max(0, all().length - 1));
        const none = search.text !== '' && !search.busy && all().length === 0;
        render(
            html`<div class="palette-field">
                    ${icon('search')}
                    <input
                        type="search"
                        id="palette-input"
                        role="combobox"
                        aria-label=${t('search.title')}
                        aria-expanded="true"
                        aria-controls="palette-list"
                        aria-activedescendant=${all().length > 0 ? `palette-${chosen}` : nothing}
                        placeholder=${t('search.hint')}
                        autocomplete="off"
                        spellcheck="false"
                        @input=${(event) => {
                            chosen = 0;
                            later(event.target.value.trim());
                        }}
                        @keydown=${onKey}
                    />
                </div>
                <div class="palette-results" id="palette-list" role="listbox" aria-label=${t('search.results')} tabindex="-1">
                    ${none ? null : resultsView(search, chosen)}
                </div>
                <div role="status">
                    ${none ? html`<p class="palette-none">${t('search.none', { text: search.text })}</p>` : null}
                    ${search.failed().length > 0 ? html`<p class="palette-none">${t('search.failed', { names: search.failed().join(t('access.separator')) })}</p>` : null}
                </div>
                ${search.text === '' ? null : html`<a class="palette-all" href=${searchAddress(search.text)}>${t('search.all')}</a>`}`,
            dialog,
        );
    }

    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    draw();
    dialog.showModal();
    search.find('');
}
