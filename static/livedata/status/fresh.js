/* How current each entity and metric is, and why it is not, with where a person can do something about it. */
import { t } from '../../shared/i18n.js';
import { formatInteger, isolated } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { table } from '../../shared/ui/table.js';
import { ageOf, metricName, moment, typeName } from '../words.js';

const tones = { fresh: 'good', stale: 'caution', silent: 'plain', not_served: 'danger' };

/* Data that has stopped coming, or is not shown; what never had any is only listed. */
export const isWrong = ({ state }) => state === 'stale' || state === 'not_served';

export const rowName = ({ name, kind }) => (kind === 'metric' ? metricName(name) : typeName(name));

/* The older of both ages: the one that is judged. */
export function ageOfRow({ freshness_seconds: applied, event_age_seconds: own }) {
    const known = [applied, own].filter((age) => age !== null && age !== undefined);
    return known.length === 0 ? null : Math.max(...known);
}

/** @param {livedata.CurrentRow} row */
export function reasonOf(row) {
    const { reason, detail, source, budget_seconds: budget, source_lag_seconds: lag, failed_last_hour: failed } = row;
    if (reason === null) return '';
    return t(`stale.${reason}`, {
        age: isolated(ageOf(ageOfRow(row))),
        budget: isolated(ageOf(budget)),
        lag: isolated(ageOf(lag)),
        count: formatInteger(failed),
        source: isolated(source ?? ''),
        detail: isolated(detail ?? ''),
    });
}

const ways = {
    events_fail: ['/dead-letters', 'level.open_failed'],
    source_silent: ['/events', 'level.open_events'],
    source_behind: ['/events', 'level.open_events'],
    no_new_events: ['/events', 'level.open_events'],
    no_events: ['/events', 'level.open_events'],
    contract_differs: ['/contracts', 'nav.contracts'],
    not_materialized: ['/contracts', 'nav.contracts'],
};

/** @param {livedata.CurrentRow} row */
export function wayOut({ reason }) {
    const [path, key] = ways[reason] ?? [];
    return path === undefined ? null : html`<a href=${address(path)}>${t(key)}</a>`;
}

function nameCell({ kind, name }) {
    const query = kind === 'metric' ? { tab: 'metric', metric: name } : { type: name };
    return html`<a href=${address(`/explorer?${new URLSearchParams(query)}`)}>${rowName({ kind, name })}</a>`;
}

function reasonCell(row) {
    return row.reason === null ? t('stale.none', { budget: isolated(ageOf(row.budget_seconds)) }) : html`${reasonOf(row)} ${wayOut(row)}`;
}

function freshTable(caption, rows) {
    if (rows.length === 0) return null;
    return table({
        caption,
        columns: [
            { name: 'name', title: caption, cell: nameCell },
            { name: 'state', title: t('fresh.state'), cell: ({ state }) => badge(t(`fresh.${state}`), tones[state], { dot: true }) },
            { name: 'age', title: t('fresh.age'), align: 'end', cell: (row) => (ageOfRow(row) === null ? t('fresh.none') : ageOf(ageOfRow(row))) },
            { name: 'reason', title: t('fresh.why'), cell: reasonCell },
        ],
        rows,
        key: ({ name }) => name,
    });
}

/** @param {livedata.CurrentSource[]} rows */
function sourceTable(rows) {
    if (rows.length === 0) return null;
    return table({
        caption: t('fresh.sources'),
        columns: [
            { name: 'source', title: t('fresh.source'), cell: ({ source }) => html`<span dir="auto">${source}</span>` },
            { name: 'behind', title: t('fresh.state'), cell: ({ behind }) => badge(t(behind ? 'fresh.stale' : 'fresh.fresh'), behind ? 'caution' : 'good', { dot: true }) },
            { name: 'lag', title: t('fresh.lag'), align: 'end', cell: ({ lag_seconds: lag }) => ageOf(lag) },
            { name: 'beat_at', title: t('fresh.beat'), cell: ({ beat_at: at }) => moment(at) },
            { name: 'feeds', title: t('fresh.feeds'), cell: ({ feeds }) => (feeds.length === 0 ? t('fresh.feeds_all') : feeds.map(typeName).join(', ')) },
        ],
        rows,
        key: ({ source }) => source,
    });
}

/* Worst first; of the same state by name. */
const order = ['not_served', 'stale', 'silent', 'fresh'];
const sorted = (rows, kind) => rows.map((row) => ({ ...row, kind })).toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));

/** @param {livedata.FreshnessReport} report */
export function freshTables({ entities, metrics, sources }) {
    return html`${freshTable(t('fresh.entity'), sorted(entities, 'entity'))} ${freshTable(t('metric.name'), sorted(metrics, 'metric'))} ${sourceTable(sources)}`;
}
