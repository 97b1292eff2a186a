/* The plan of an answer as fields, so that a reading is corrected without words. */
import { t } from '../../shared/i18n.js';
import { html } from '../../shared/ui/lit.js';
import { attributeName, metricName, stateWord, typeName } from '../words.js';
import { columnAt, computes, fieldsOf, forEntity, operatorsOf, pathsOf, selects, units, valuesOf } from './plan.js';

const operatorKeys = {
    '=': 'equal',
    '!=': 'not_equal',
    '<': 'below',
    '<=': 'at_most',
    '>': 'above',
    '>=': 'at_least',
    between: 'between',
    in: 'in',
    not_in: 'not_in',
    contains: 'contains',
    is_null: 'is_null',
    is_not_null: 'is_not_null',
};

/* "machine.site" as "Machine: Site". */
function pathName(path) {
    const parts = path.split('.');
    return [...parts.slice(0, -1).map(typeName), attributeName(parts.at(-1))].join(': ');
}

const groupName = (path) => (units.includes(path) ? t(`reading.unit_${path}`) : pathName(path));
const orderName = (path) => (path === 'value' ? t('reading.computed') : groupName(path));

/* A choice; what the plan has and nothing declares stays as it is. */
function select(id, label, values, current, name, choose, { hidden = false } = {}) {
    const all = current === '' || values.includes(current) ? values : [current, ...values];
    return html`<div class="field">
        <label class=${hidden ? 'field-label visually-hidden' : 'field-label'} for=${id}>${label}</label>
        <select class="select" id=${id} .value=${current} @change=${(event) => choose(event.target.value)}>
            ${all.map((value) => html`<option value=${value} ?selected=${value === current}>${name(value)}</option>`)}
        </select>
    </div>`;
}

function input(id, label, value, write, { type = 'text', hidden = false, step = null } = {}) {
    return html`<div class="field">
        <label class=${hidden ? 'field-label visually-hidden' : 'field-label'} for=${id}>${label}</label>
        <input class="input" id=${id} type=${type} step=${step ?? 'any'} dir="auto" autocomplete="off" .value=${String(value ?? '')} @change=${(event) => write(event.target.value)} />
    </div>`;
}

/* A time of the reader's own zone; a control of the browser knows no zones. */
function localTime(at) {
    if (!at || Number.isNaN(Date.parse(at))) return '';
    const date = new Date(at);
    return new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

const moment = (id, label, at, write, more = {}) =>
    input(id, label, localTime(at), (text) => write(text === '' ? null : new Date(text).toISOString()), { type: 'datetime-local', step: 1, ...more });

function value(id, column, values, index, write) {
    const set = (one) => write(Object.assign([...values], { [index]: one }));
    const current = values[index] ?? '';
    const label = t('reading.value');
    if (column?.type === 'boolean')
        return select(id, label, ['true', 'false'], String(current === '' ? false : current), (one) => t(one === 'true' ? 'word.yes' : 'word.no'), set, { hidden: true });
    if (column?.type === 'time') return moment(id, label, current, set, { hidden: true });
    if (column?.values.length > 0) return select(id, label, ['', ...column.values], String(current), (one) => (one === '' ? '–' : stateWord(one)), set, { hidden: true });
    return input(id, label, current, set, { hidden: true, type: ['integer', 'decimal'].includes(column?.type) ? 'number' : 'text' });
}

/* As many controls as the operator has values; of a list, one line each. */
function valuesView(id, column, { op, values }, write) {
    const given = values ?? [];
    const kind = valuesOf(op);
    if (kind === 'none') return null;
    if (kind === 'one') return value(`${id}-value`, column, given, 0, write);
    if (kind === 'two') return html`${value(`${id}-value`, column, given, 0, write)} <span>${t('reading.and')}</span> ${value(`${id}-to`, column, given, 1, write)}`;
    return html`<div class="field">
        <label class="field-label visually-hidden" for=${`${id}-values`}>${t('reading.value_lines')}</label>
        <textarea class="input" id=${`${id}-values`} rows="3" dir="auto" placeholder=${t('reading.value_lines')} .value=${given.join('\n')} @change=${(event) => write(event.target.value.split('\n').map((line) => line.trim()))}></textarea>
    </div>`;
}

const removeButton = (label, remove) =>
    html`<button type="button" class="button" data-size="small" aria-label=${`${t('reading.remove')}: ${label}`} @click=${remove}>${t('reading.remove')}</button>`;
const addButton = (id, label, add) => html`<button type="button" class="button" data-size="small" id=${id} @click=${add}>${label}</button>`;

const withoutItem = (list, index) => list.filter((_, at) => at !== index);

function filterRow(filter, index, { draft, shapes, paths, edit }) {
    const id = `reading-filter-${index}`;
    const column = columnAt(shapes, draft.entity, filter.column);
    const change = (patch) => edit({ filters: draft.filters.with(index, { ...filter, ...patch }) });
    return html`<li class="reading-row">
        ${select(`${id}-column`, t('reading.column'), paths, filter.column, pathName, (path) => change({ column: path, op: '=', values: [] }), { hidden: true })}
        ${select(`${id}-op`, t('reading.operator'), operatorsOf(column), filter.op, (op) => t(`reading.op_${operatorKeys[op]}`), (op) => change({ op }), { hidden: true })}
        ${valuesView(id, column, filter, (values) => change({ values }))}
        ${removeButton(pathName(filter.column), () => edit({ filters: withoutItem(draft.filters, index) }))}
    </li>`;
}

function filtersView(editor) {
    const { draft, paths, edit } = editor;
    const filters = draft.filters ?? [];
    return html`<fieldset class="reading-part" id="reading-filters">
        <legend class="field-label">${t('reading.filters')}</legend>
        <ul class="reading-list">${filters.map((filter, index) => filterRow(filter, index, editor))}</ul>
        ${addButton('reading-add-filter', t('reading.add_filter'), () => edit({ filters: [...filters, { column: paths[0], op: '=', values: [] }] }))}
    </fieldset>`;
}

function groupsView({ draft, shapes, paths, edit }) {
    const groups = draft.group_by ?? [];
    const possible = [...units, ...paths.filter((path) => !['time', 'json'].includes(columnAt(shapes, draft.entity, path)?.type))];
    const free = possible.filter((path) => !groups.includes(path));
    return html`<fieldset class="reading-part" id="reading-groups">
        <legend class="field-label">${t('reading.groups')}</legend>
        <ul class="reading-list">
            ${groups.map(
                (path, index) => html`<li class="reading-row">
                    ${select(`reading-group-${index}`, t('reading.groups'), [path, ...free], path, groupName, (one) => edit({ group_by: groups.with(index, one) }), { hidden: true })}
                    ${removeButton(groupName(path), () => edit({ group_by: withoutItem(groups, index) }))}
                </li>`,
            )}
        </ul>
        ${addButton('reading-add-group', t('reading.add_group'), () => edit({ group_by: [...groups, free.find((path) => !units.includes(path)) ?? free[0]] }))}
    </fieldset>`;
}

function periodView(id, title, period, write) {
    return html`<fieldset class="reading-part" id=${id}>
        <legend class="field-label">${title}</legend>
        <div class="reading-row">
            ${moment(`${id}-from`, t('reading.from'), period?.from, (from) => write({ to: period?.to ?? null, from }))}
            ${moment(`${id}-to`, t('reading.to'), period?.to, (to) => write({ from: period?.from ?? null, to }))}
        </div>
    </fieldset>`;
}

function orderView({ draft, paths, edit }) {
    const { order, select: computed, group_by: groups } = draft;
    const possible = computed === 'rows' ? paths : ['value', ...(groups ?? [])];
    return html`${select('reading-order', t('reading.order'), ['', ...possible], order?.by ?? '', (path) => (path === '' ? t('reading.no_order') : orderName(path)), (by) =>
        edit({ order: by === '' ? null : { by, descending: order?.descending ?? true } }),
    )}
    ${order
        ? select('reading-direction', t('reading.direction'), ['down', 'up'], order.descending ? 'down' : 'up', (one) => t(`reading.${one}`), (one) =>
              edit({ order: { ...order, descending: one === 'down' } }),
          )
        : null}`;
}

/* A metric brings its entity, a computation a column that it can be made of. */
function chooseSelect(computed, { draft, shapes, catalog, paths, edit }) {
    const fits = (path) => computes(computed, columnAt(shapes, draft.entity, path));
    if (computed === 'metric') chooseMetric(draft.metric ?? Object.keys(catalog.metrics)[0], { draft, shapes, catalog, edit });
    else if (['rows', 'record', 'count'].includes(computed)) edit({ select: computed, column: null });
    else edit({ select: computed, column: fits(draft.column) ? draft.column : (paths.find(fits) ?? null) });
}

function chooseMetric(name, { draft, shapes, catalog, edit }) {
    const table = catalog.metrics[name]?.source_table;
    const entity = Object.values(shapes).find((shape) => shape.table === table)?.name ?? null;
    edit({ ...forEntity(shapes, draft, entity), select: 'metric', metric: name, column: null });
}

function subjectView(editor) {
    const { draft, shapes, catalog, paths, edit } = editor;
    const has = fieldsOf(draft);
    const possible = paths.filter((path) => computes(draft.select, columnAt(shapes, draft.entity, path)));
    const measured = Object.keys(catalog.metrics).filter((name) => catalog.metrics[name].kind);
    return html`<div class="reading-row">
        ${has.metric
            ? null
            : select('reading-entity', t('reading.entity'), Object.keys(shapes), draft.entity ?? '', typeName, (entity) => edit(forEntity(shapes, draft, entity)))}
        ${select(
            'reading-select',
            t('reading.select'),
            measured.length > 0 ? selects : selects.filter((one) => one !== 'metric'),
            draft.select,
            (one) => t(`reading.select_${one}`),
            (one) => chooseSelect(one, { ...editor, catalog: { metrics: Object.fromEntries(measured.map((name) => [name, catalog.metrics[name]])) } }),
        )}
        ${has.metric ? select('reading-metric', t('metric.name'), measured, draft.metric ?? '', metricName, (name) => chooseMetric(name, editor)) : null}
        ${has.column
            ? select('reading-column', t('reading.column'), draft.select === 'rows' ? ['', ...possible] : possible, draft.column ?? '', (path) => (path === '' ? t('reading.all_columns') : pathName(path)), (path) =>
                  edit({ column: path || null }),
              )
            : null}
        ${has.key ? input('reading-key', t('reading.key'), draft.key, (key) => edit({ key })) : null}
        ${has.quantile ? input('reading-quantile', t('reading.quantile'), draft.quantile ?? 0.5, (text) => edit({ quantile: text === '' ? null : Number(text) }), { type: 'number' }) : null}
    </div>`;
}

/* edit(patch) changes the draft, run() asks by it, reset() goes back to what was answered. */
export function planEditor({ draft, shapes, catalog, changed, busy, edit, run, reset }) {
    const editor = { draft, shapes, catalog, edit, paths: pathsOf(shapes, draft.entity) };
    const has = fieldsOf(draft);
    const submit = (event) => {
        event.preventDefault();
        run();
    };
    return html`<form class="stack" id="reading" @submit=${submit}>
        ${subjectView(editor)} ${has.filters && editor.paths.length > 0 ? filtersView(editor) : null} ${has.groups ? groupsView(editor) : null}
        ${has.period ? periodView('reading-period', t('reading.period'), draft.period, (period) => edit({ period })) : null}
        ${has.compare ? periodView('reading-compare', t('reading.compare'), draft.compare, (compare) => edit({ compare })) : null}
        ${has.order || has.limit
            ? html`<div class="reading-row">
                  ${has.order ? orderView(editor) : null}
                  ${has.limit ? input('reading-limit', t('reading.limit'), draft.limit, (text) => edit({ limit: text === '' ? null : Number(text) }), { type: 'number' }) : null}
              </div>`
            : null}
        <div class="button-row">
            <button type="submit" class="button" data-kind="primary" ?disabled=${busy}>${t('reading.run')}</button>
            ${changed ? html`<button type="button" class="button" @click=${reset}>${t('reading.reset')}</button>` : null}
        </div>
    </form>`;
}
