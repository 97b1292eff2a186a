/*
 * Tables by description of their columns: sorted by a press on a head, with a head that stays in
 * sight, and as cards where there is no room for columns.
 */
import { currentLocale, t } from '../i18n.js';
import { html, nothing, repeat } from './lit.js';
import { icon } from './icons.js';

/* 'name' rising, '-name' falling. */
function sortOf(sort) {
    const falling = sort?.startsWith('-') ?? false;
    return { name: falling ? sort.slice(1) : sort, falling };
}

function nextSort(column, sort) {
    const { name, falling } = sortOf(sort);
    if (name !== column.name) return column.align === 'end' ? `-${column.name}` : column.name;
    return falling ? column.name : `-${column.name}`;
}

function compare(a, b) {
    const missing = (value) => value === null || value === undefined;
    if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a).localeCompare(String(b), currentLocale(), { numeric: true });
}

/* The rows in the order of `sort`, for lists that are here as a whole. */
export function sortRows(rows, columns, sort) {
    const { name, falling } = sortOf(sort);
    const column = columns.find((one) => one.name === name);
    if (!column) return rows;
    const value = column.value ?? ((row) => row[name]);
    return rows.toSorted((a, b) => compare(value(a), value(b)) * (falling ? -1 : 1));
}

function head(column, { sort, onSort }) {
    const { name, falling } = sortOf(sort);
    const current = name === column.name;
    const direction = falling ? 'descending' : 'ascending';
    return html`<th scope="col" data-align=${column.align ?? 'start'} aria-sort=${current ? direction : nothing}>
        ${column.sortable && onSort
            ? html`<button type="button" class="table-sort" @click=${() => onSort(nextSort(column, sort))}>
                  ${column.title}${current ? icon(falling ? 'down' : 'up') : null}
              </button>`
            : column.titleHidden
              ? html`<span class="visually-hidden">${column.title}</span>`
              : column.title}
    </th>`;
}

function cell(column, row, index) {
    const content = column.cell ? column.cell(row) : (row[column.name] ?? '–');
    const label = column.titleHidden ? nothing : column.title;
    return index === 0
        ? html`<th scope="row" data-align=${column.align ?? 'start'}>${content}</th>`
        : html`<td data-align=${column.align ?? 'start'} data-label=${label}>${content}</td>`;
}

/*
 * columns: [{name, title, cell?(row) a text or template, value?(row) to sort by, align: 'start' or
 * 'end', sortable?, titleHidden?}], the first one naming the row; rows; key(row); caption, for screen
 * readers unless captionShown; sort and onSort(sort); marked(row); plain: no cards on narrow screens.
 */
/** @param {any} description */
export function table({ columns, rows, key = null, caption, captionShown = false, marked = null, plain = false, ...order }) {
    const body = (row) =>
        html`<tr data-marked=${marked?.(row) ? '' : nothing}>
            ${columns.map((column, index) => cell(column, row, index))}
        </tr>`;
    return html`<div class="table-scroll" data-cards=${plain ? nothing : ''} tabindex=${plain ? 0 : nothing}>
        <table class="table" data-sticky>
            <caption class=${captionShown ? '' : 'visually-hidden'}>${caption}</caption>
            <thead>
                <tr>
                    ${columns.map((column) => head(column, order))}
                </tr>
            </thead>
            <tbody>
                ${key === null ? rows.map(body) : repeat(rows, key, body)}
            </tbody>
        </table>
    </div>`;
}

/* Filters above a list: [{name, label, kind: 'search', 'select' or 'date', options?, any?}]; values by name.
 * any: what a select says where nothing is chosen; clearable: whether what is set is more than the page begins with. */
export function filterBar({ filters, values, onFilter, label = t('filter.label'), clearable = true }) {
    const clear = Object.fromEntries(filters.map(({ name }) => [name, '']));
    const set = clearable && filters.some(({ name }) => values[name]);
    return html`<form class="filters" role="search" aria-label=${label} @submit=${(event) => event.preventDefault()}>
        ${filters.map((filter) => {
            const id = `filter-${filter.name}`;
            return html`<div class="field">
                <label class="field-label" for=${id}>${filter.label}</label>
                ${filter.kind === 'select'
                    ? html`<select
                          class="select"
                          id=${id}
                          @change=${(event) => onFilter({ [filter.name]: event.target.value })}
                      >
                          <option value="" ?selected=${!values[filter.name]}>${filter.any ?? t('filter.any')}</option>
                          ${filter.options.map(
                              ({ value, title }) =>
                                  html`<option value=${value} ?selected=${String(value) === String(values[filter.name])}>
                                      ${title}
                                  </option>`,
                          )}
                      </select>`
                    : html`<input
                          class="input"
                          id=${id}
                          type=${filter.kind === 'date' ? 'date' : 'search'}
                          autocomplete="off"
                          .value=${values[filter.name] ?? ''}
                          @input=${(event) => onFilter({ [filter.name]: event.target.value })}
                      />`}
            </div>`;
        })}
        ${set
            ? html`<button type="button" class="button" data-kind="quiet" @click=${() => onFilter(clear)}>
                  ${t('filter.clear')}
              </button>`
            : null}
    </form>`;
}
