/* All results of a search: of every kind that the person may see, with what could not be searched. */
import '../../shared/shell.js';
import { currentPerson } from '../../shared/person.js';
import { createSearch } from '../../shared/search_sources.js';
import { afterPause, mount } from '../../shared/ui/app.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { view } from './view.js';

const most = 25; /* of each kind */
const pauseMs = 250;
const defaults = { q: '' };

let app = null;
const search = createSearch(() => app?.update(), most);

/* Looks for what the address says; without words there is nothing to show. */
function look() {
    const { q } = readQuery(defaults);
    app.set({ text: q });
    if (q !== search.text) search.find(q);
}

const later = afterPause(pauseMs, (text) => {
    writeQuery({ q: text }, defaults);
    look();
});

/* The arrows lead from the box through the results and back. */
function onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    /** @type {HTMLElement[]} */
    const stops = [document.getElementById('search-input'), .../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.search-result'))];
    const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = stops[at + step];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
}

await currentPerson();
app = mount(document.getElementById('page'), view, {
    search,
    text: '',
    actions: { type: (text) => later(text.trim()), again: () => search.find(search.text) },
});
document.getElementById('page').addEventListener('keydown', onKey);
onQuery(look);
look();
document.getElementById('search-input').focus();
