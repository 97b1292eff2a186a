/* A metric of the catalog as a form in a dialog. */
import { t } from '../../shared/i18n.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { definitionOf, isLivedata, offerOf, sourceFields } from './source_fields.js';

const label = (key) => () => t(key);
const kindOf = (values) => values.kind ?? 'binary';
const isRatio = (values) => kindOf(values) === 'ratio';

/* Rows of live data make no ratio. */
const kindsOf = (values) => ['binary', 'continuous', 'count', ...(isLivedata(values) ? [] : ['ratio'])];
const eventLabel = (values) => t(isRatio(values) ? 'catalog.numerator' : isLivedata(values) ? 'catalog.recorded_as' : 'catalog.event_name');

const name = { name: 'name', kind: 'text', label: label('catalog.name'), wide: true };
const kind = { name: 'kind', kind: 'choice', label: label('field.metric_type'), wide: true, hint: (values) => t(`hint.metric.${kindOf(values)}`) };
const kindAmong = (valuesOf) => ({ ...kind, options: (values) => valuesOf(values).map((value) => ({ value, title: t(`metric.${value}`) })) });
const event = { name: 'event_name', kind: 'text', label: eventLabel };

/* What a metric has wherever its events come from. */
const further = [
    { name: 'denominator_event', kind: 'text', label: label('catalog.denominator'), applies: isRatio },
    { name: 'direction', kind: 'flag', flagValue: 'decrease', label: label('field.direction'), wide: true },
    { name: 'baseline_value', kind: (values) => (kindOf(values) === 'binary' ? 'fraction' : 'number'), optional: true, label: (values) => t(`field.baseline_value.${kindOf(values)}`) },
    { name: 'std_dev', kind: 'number', optional: true, label: label('field.std_dev'), applies: (values) => ['continuous', 'ratio'].includes(kindOf(values)) },
    { name: 'minimum_effect_pct', kind: 'percent', optional: true, label: label('catalog.minimum_effect') },
    { name: 'upper_cap', kind: 'number', optional: true, label: label('catalog.upper_cap'), hint: label('catalog.upper_cap_hint'), applies: (values) => ['continuous', 'count'].includes(kindOf(values)) },
    { name: 'window_days', kind: 'number', optional: true, label: label('catalog.window_days'), hint: label('catalog.window_hint') },
    { name: 'owner', kind: 'text', optional: true, label: label('catalog.owner'), hint: label('catalog.owner_hint') },
    { name: 'description', kind: 'textarea', rows: 3, optional: true, label: label('catalog.description'), wide: true },
];

/* Of a metric from live data, kind and event stay as the rows were recorded. */
function fieldsOf(metric, offer) {
    if (metric === null) return [name, ...sourceFields(offer), kindAmong(kindsOf), event, ...further];
    if (!metric.definition.livedata) return [name, kindAmong(kindsOf), event, ...further];
    const fixed = { ...event, label: label('catalog.recorded_as'), readonly: true, hint: label('catalog.source_fixed') };
    return [name, kindAmong(() => [metric.definition.kind]), fixed, ...further];
}

/* Asks for a new metric, or for the next version of `metric`; resolves to the answer of the API, undefined when dismissed. */
export async function askForMetric(client, metric = null) {
    const fields = fieldsOf(metric, metric === null ? await offerOf(client) : null);
    const known = metric === null ? {} : Object.fromEntries(Object.entries(metric.definition).filter(([, value]) => value !== null));
    return formDialog({
        id: 'metric',
        title: t(metric === null ? 'catalog.new' : 'catalog.edit'),
        fields,
        values: known,
        wide: true,
        action: t(metric === null ? 'catalog.create' : 'catalog.save'),
        send: (values) =>
            metric === null
                ? client.post('/api/v1/metrics', definitionOf(values))
                : client.put(`/api/v1/metrics/${encodeURIComponent(metric.id)}`, { ...values, livedata: metric.definition.livedata }, { headers: { 'If-Match': String(metric.version) } }),
    });
}
