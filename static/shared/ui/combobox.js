/*
 * A field that proposes what fits while one types: the pattern of an editable combobox with a list,
 * for choices too many for a select. Keys: arrows, Enter, Escape.
 */
import { t } from '../i18n.js';
import { afterPause } from './app.js';
import { html, live, nothing, repeat } from './lit.js';

const pauseMs = 200;

const textOf = (text) => (typeof text === 'function' ? text() : text);

/*
 * id; label and placeholder, texts or functions that give them; find(text, signal) resolves to
 * [{value, title, note?}]; onChoose(option or null).
 * The text that stands there is that of the choice, or what is being looked for.
 */
/** @param {() => void} update @param {{id: string, label: string | (() => string), find: Function, onChoose: Function, placeholder?: string | (() => string)}} options */
export function createCombobox(update, { id, label, find, onChoose, placeholder = '' }) {
    let text = '';
    let options = [];
    let active = -1;
    let open = false;
    let chosen = null;
    let running = null;

    const search = afterPause(pauseMs, async () => {
        running?.abort();
        const mine = (running = new AbortController());
        const found = await find(text, mine.signal).catch(() => []);
        if (running !== mine) return;
        options = found;
        active = found.length > 0 ? 0 : -1;
        update();
    });

    function close() {
        open = false;
        if (chosen !== null) text = chosen.title;
        update();
    }

    function choose(option) {
        chosen = option;
        text = option.title;
        open = false;
        onChoose(option);
        update();
    }

    function type(value) {
        text = value;
        open = true;
        if (chosen !== null) onChoose((chosen = null));
        search();
        update();
    }

    function onKey(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step !== undefined) {
            event.preventDefault();
            if (!open) {
                open = true;
                search.now();
            } else if (options.length > 0) active = (active + step + options.length) % options.length;
            update();
        } else if (event.key === 'Enter' && open && options[active]) {
            event.preventDefault();
            choose(options[active]);
        } else if (event.key === 'Escape' && open) {
            event.stopPropagation();
            close();
        }
    }

    function list() {
        if (!open) return nothing;
        if (options.length === 0) return html`<p class="combobox-none" role="status">${t('combobox.none')}</p>`;
        return html`<ul class="combobox-list" role="listbox" id=${`${id}-list`} aria-label=${textOf(label)}>
            ${repeat(
                options,
                ({ value }) => value,
                (option, index) =>
                    html`<li
                        role="option"
                        id=${`${id}-option-${index}`}
                        aria-selected=${String(index === active)}
                        @pointerdown=${(event) => {
                            event.preventDefault();
                            choose(option);
                        }}
                    >
                        <span>${option.title}</span>${option.note ? html`<span class="field-hint">${option.note}</span>` : null}
                    </li>`,
            )}
        </ul>`;
    }

    return {
        chosen: () => chosen,
        set(option) {
            chosen = option;
            text = option?.title ?? '';
            update();
        },

        view: () => html`<div class="field combobox">
            <label class="field-label" for=${id}>${textOf(label)}</label>
            <input
                class="input"
                id=${id}
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                placeholder=${textOf(placeholder) || nothing}
                aria-expanded=${String(open && options.length > 0)}
                aria-controls=${`${id}-list`}
                aria-autocomplete="list"
                aria-activedescendant=${open && options[active] ? `${id}-option-${active}` : nothing}
                .value=${live(text)}
                @input=${(event) => type(event.target.value)}
                @keydown=${onKey}
                @blur=${close}
            />
            ${list()}
        </div>`,
    };
}
