/*
 * A list page as a whole: filters, sorting and paging live in the address, rows come from the API or
 * from a list that is here already; a change of filters waits for a pause of typing.
 */
import { afterPause } from './app.js';
import { html } from './lit.js';
import { pager } from './pager.js';
import { onQuery, readQuery, writeQuery } from './query.js';
import { createResource, resourceView } from './resource.js';
import { filterBar, sortRows, table } from './table.js';

const pauseMs = 300;

/*
 * load(signal, {page, size, sort, …filters}) resolves to {rows, total?, more?}; where the API sorts
 * nothing, `sortHere` sorts the rows of the page. columns() and filters() are functions, so that they
 * follow the language. prefix keeps two lists on one page apart.
 */
export function createList(update, { load, columns, filters = () => [], size = 25, sort = '', key, caption, empty = null, sortHere = false, prefix = '', marked = null }) {
    const names = ['page', 'sort', ...filters().map(({ name }) => name)];
    const inAddress = (name) => prefix + name;
    const defaults = Object.fromEntries(
        names.map((name) => [inAddress(name), { page: '1', sort }[name] ?? '']),
    );
    const resource = createResource(update, load);
    let values = fromAddress();

    function fromAddress() {
        const read = readQuery(defaults);
        return Object.fromEntries(names.map((name) => [name, read[inAddress(name)]]));
    }

    function request() {
        return { ...values, page: Math.max(1, Number(values.page) || 1), size };
    }

    const fetchLater = afterPause(pauseMs, () => resource.load(request()));

    function change(patch, { step = false, later = false } = {}) {
        values = { ...values, ...patch };
        writeQuery(Object.fromEntries(names.map((name) => [inAddress(name), values[name]])), defaults, { step });
        resource.outdate();
        if (later) fetchLater();
        else fetchLater.now();
    }

    onQuery(() => {
        values = fromAddress();
        resource.load(request());
    });

    const list = {
        resource,
        values: () => values,
        start: () => resource.load(request()),
        reload: () => resource.load(request()),
        filter: (patch) => change({ ...patch, page: '1' }, { later: true }),

        view() {
            const described = columns();
            const bar = filters();
            return html`<div class="list">
                ${bar.length > 0 ? filterBar({ filters: bar, values, onFilter: list.filter }) : null}
                ${resourceView(resource, {
                    skeleton: { lines: 6, height: 'row' },
                    isEmpty: ({ rows }) => rows.length === 0 && Number(values.page) <= 1,
                    empty: typeof empty === 'function' ? empty(values) : empty,
                    ready: ({ rows, total = null, more = false }) => html`${table({
                            columns: described,
                            rows: sortHere ? sortRows(rows, described, values.sort) : rows,
                            key,
                            caption: typeof caption === 'function' ? caption() : caption,
                            marked,
                            sort: values.sort,
                            onSort: (next) => change({ sort: next, page: '1' }),
                        })}
                        ${pager({
                            page: request().page,
                            size,
                            shown: rows.length,
                            total,
                            more,
                            onPage: (page) => change({ page: String(page) }, { step: true }),
                        })}`,
                })}
            </div>`;
        },
    };
    return list;
}
