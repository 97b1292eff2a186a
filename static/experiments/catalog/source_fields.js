/*
 * Where the events of a metric come from, as fields: sent by clients, or rows of live data. Names are those that live
 * data offers; while it is away they are typed, and a sentence says why.
 */
import { t } from '../../shared/i18n.js';
import { ApiError } from '../../shared/ui/errors.js';

const label = (key) => () => t(key);
const names = ['entity_type', 'user_column', 'value_column', 'time_column'];

/** @type {(values: Record<string, any>) => boolean} */
export const isLivedata = ({ source }) => source === 'livedata';

/* What live data offers; that it does not answer is an offer, too. */
/** @param {Client<'experiments'>} client @returns {Promise<experiments.LivedataOffer>} */
export async function offerOf(client) {
    try {
        return (await client.get('/api/v1/livedata')).data;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { status: 'unavailable', text: error.message, entities: [], figures: [] };
    }
}

function noteOf({ status, text, entities }) {
    if (status !== 'available') return t(`catalog.livedata_${status}`, { reason: text });
    return t(entities.length > 0 ? 'catalog.source_livedata_hint' : 'catalog.livedata_nothing');
}

const titled = (name, description) => (description ? `${name} — ${description}` : name);

/* One name: chosen where live data offers names, else typed. `first` is the title of no choice. */
function nameField(name, offer, optionsOf, { first = 'catalog.choose', optional = false } = {}) {
    const field = { name, label: label(`catalog.${name}`), hint: label(`catalog.${name}_hint`), applies: isLivedata, optional, wide: true };
    if (offer.entities.length === 0) return { ...field, kind: 'text', maxLength: 100 };
    const options = (/** @type {Record<string, any>} */ values) => [{ value: '', title: t(first) }, ...optionsOf(values)];
    return { ...field, kind: 'select', options };
}

/** @param {experiments.LivedataOffer} offer */
export function sourceFields(offer) {
    const entities = () => offer.entities.map(({ entity_type: value, description }) => ({ value, title: titled(value, description) }));
    const columns = ({ entity_type: chosen }) => (offer.entities.find(({ entity_type: name }) => name === chosen)?.columns ?? []).map(({ name, description }) => ({ value: name, title: titled(name, description) }));
    return [
        {
            name: 'source',
            kind: 'choice',
            label: label('catalog.source'),
            wide: true,
            options: () => ['events', 'livedata'].map((value) => ({ value, title: t(`catalog.source_${value}`) })),
            hint: (values) => (isLivedata(values) ? noteOf(offer) : t('catalog.source_events_hint')),
        },
        nameField('entity_type', offer, entities),
        nameField('user_column', offer, columns),
        nameField('value_column', offer, columns, { first: 'catalog.each_row', optional: true }),
        nameField('time_column', offer, columns),
    ];
}

/* The definition that is sent: the names of live data lie in a block of their own. */
export function definitionOf(values) {
    const { source, ...definition } = values;
    const livedata = Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));
    for (const name of names) delete definition[name];
    return source === 'livedata' ? { ...definition, livedata } : definition;
}
