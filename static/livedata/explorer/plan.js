/*
 * The plan of a question while a person changes it: which columns it may name, what its fields mean
 * to each other, and the plan that is sent. Knows nothing of the page.
 */

/** @typedef {{name: string, type: string, values: string[], refers_to: string | null}} Column */
/** @typedef {{name: string, primary_key: string, table: string, columns: Column[]}} Shape */

export const selects = ['rows', 'record', 'count', 'sum', 'average', 'min', 'max', 'distinct', 'quantile', 'metric'];
export const units = ['hour', 'day', 'week', 'month'];
const ordered = ['<', '<=', '>', '>=', 'between'];
const lists = ['in', 'not_in'];
const withoutValues = ['is_null', 'is_not_null'];

/* Each entity by its name, as the domains declare it. */
/** @param {livedata.Domain[]} domains @returns {Record<string, Shape>} */
export function shapesOf(domains) {
    return Object.fromEntries(domains.flatMap(({ entities }) => entities.map((entity) => [entity.name, entity])));
}

const columnNamed = (shape, path) => shape?.columns.find(({ name }) => name === path);

/* A column, or that of a related row: "machine.site". */
/** @returns {Column | undefined} */
export function columnAt(shapes, entity, path) {
    const [first, ...rest] = String(path ?? '').split('.');
    return rest.length === 0 ? columnNamed(shapes[entity], first) : columnAt(shapes, first, rest.join('.'));
}

/* Every path that a plan about the entity may name; rows that it refers to come after its own. */
export function pathsOf(shapes, entity) {
    const own = shapes[entity]?.columns ?? [];
    const related = own.filter(({ refers_to: to }) => to && to !== entity && shapes[to]);
    return [...own.map(({ name }) => name), ...related.flatMap(({ refers_to: to }) => shapes[to].columns.map(({ name }) => `${to}.${name}`))];
}

/* The first time that the entity has: what its newest rows are ordered by. */
export const timeOf = (shape) => shape?.columns.find(({ type }) => type === 'time')?.name ?? null;

/* The newest rows, all or those whose `column` has the value. */
export function newestPlan(shape, limit, column = null, value = null) {
    const time = timeOf(shape);
    return {
        entity: shape.name,
        select: 'rows',
        ...(column === null ? {} : { filters: [{ column, op: '=', values: [value] }] }),
        ...(time === null ? {} : { order: { by: time, descending: true } }),
        limit,
    };
}

const numeric = ({ type }) => ['integer', 'decimal', 'boolean'].includes(type);

/* Whether a computation over the column means anything. */
export function computes(select, column) {
    if (column === undefined || column.type === 'json') return false;
    if (select === 'distinct' || select === 'rows') return true;
    return numeric(column) || (column.type === 'time' && ['min', 'max'].includes(select));
}

/* The operators that a column has. */
export function operatorsOf(column) {
    const isOrdered = ['integer', 'decimal', 'time'].includes(column?.type);
    return ['=', '!=', ...(isOrdered ? ordered : []), ...lists, ...(column?.type === 'text' ? ['contains'] : []), ...withoutValues];
}

/* How many controls its values have: 0, 1, 2, or a list. */
export function valuesOf(op) {
    if (withoutValues.includes(op)) return 'none';
    if (lists.includes(op)) return 'list';
    return op === 'between' ? 'two' : 'one';
}

const hasColumn = (select) => !['count', 'metric', 'record'].includes(select);
const isRows = (select) => select === 'rows' || select === 'record';

/* Which fields what is computed has. */
export function fieldsOf({ select, group_by: groups, period }) {
    const lines = select === 'rows' || (!isRows(select) && (groups ?? []).length > 0);
    return {
        metric: select === 'metric',
        column: hasColumn(select),
        key: select === 'record',
        quantile: select === 'quantile',
        filters: select !== 'record',
        groups: !isRows(select),
        period: select !== 'record',
        compare: !isRows(select) && Boolean(period),
        order: lines,
        limit: lines,
    };
}

/* Conditions, groups and an order that the entity has no column for. */
export function forEntity(shapes, draft, entity) {
    const known = (path) => columnAt(shapes, entity, path) !== undefined;
    return {
        ...draft,
        entity,
        column: known(draft.column) ? draft.column : null,
        filters: (draft.filters ?? []).filter(({ column }) => known(column)),
        group_by: (draft.group_by ?? []).filter((path) => units.includes(path) || known(path)),
        order: draft.order && (draft.order.by === 'value' || known(draft.order.by)) ? draft.order : null,
    };
}

/* A value as its column has it; what is no number stays text, for the service to refuse. */
function typed(column, text) {
    if (column?.type === 'boolean') return text === true || text === 'true';
    if (!['integer', 'decimal'].includes(column?.type)) return text;
    return String(text).trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

function sentFilter(shapes, entity, { column, op, values }) {
    const count = { none: 0, one: 1, two: 2, list: Infinity }[valuesOf(op)];
    const found = columnAt(shapes, entity, column);
    const given = (values ?? []).slice(0, count).map((value) => typed(found, value));
    return { column, op, values: valuesOf(op) === 'list' ? given.filter((value) => value !== '') : given };
}

const periodOr = (period) => (period && (period.from || period.to) ? { from: period.from || null, to: period.to || null } : null);

/* What is sent: only what the computation has. */
export function sentPlan(shapes, draft) {
    const has = fieldsOf({ ...draft, period: periodOr(draft.period) });
    const ordersBy = has.order && draft.order ? draft.order.by : null;
    const orderHolds = ordersBy !== null && (draft.select === 'rows' || ordersBy === 'value' || (draft.group_by ?? []).includes(ordersBy));
    return {
        entity: draft.entity,
        select: draft.select,
        column: has.column ? (draft.column ?? null) : null,
        metric: has.metric ? draft.metric : null,
        key: has.key ? (draft.key ?? '') : null,
        filters: has.filters ? (draft.filters ?? []).map((one) => sentFilter(shapes, draft.entity, one)) : [],
        period: has.period ? periodOr(draft.period) : null,
        group_by: has.groups ? (draft.group_by ?? []) : [],
        order: orderHolds ? draft.order : null,
        limit: has.limit ? (draft.limit ?? null) : null,
        compare: has.compare ? periodOr(draft.compare) : null,
        quantile: has.quantile ? (draft.quantile ?? 0.5) : null,
    };
}

/* A plan to begin with: how many there are. */
export const firstPlan = (shapes) => ({ entity: Object.keys(shapes)[0] ?? null, select: 'count', filters: [], group_by: [] });
