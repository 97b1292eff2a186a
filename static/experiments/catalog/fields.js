/* A metric of the catalog as a form in a dialog. */
import { t } from '../../shared/i18n.js';
import { formDialog } from '../../shared/ui/form-dialog.js';

const label = (key) => () => t(key);
const kindOf = (values) => values.kind ?? 'binary';
const isRatio = (values) => kindOf(values) === 'ratio';

const fields = [
    { name: 'name', kind: 'text', label: label('catalog.name'), wide: true },
    { name: 'kind', kind: 'choice', label: label('field.metric_type'), wide: true, options: () => ['binary', 'continuous', 'count', 'ratio'].map((value) => ({ value, title: t(`metric.${value}`) })), hint: (values) => t(`hint.metric.${kindOf(values)}`) },
    { name: 'event_name', kind: 'text', label: (values) => t(isRatio(values) ? 'catalog.numerator' : 'catalog.event_name') },
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

/* Asks for a new metric, or for the next version of `metric`; resolves to the answer of the API, undefined when dismissed. */
export function askForMetric(client, metric = null) {
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
                ? client.post('/api/v1/metrics', values)
                : client.put(`/api/v1/metrics/${encodeURIComponent(metric.id)}`, { ...values, livedata: metric.definition.livedata }, { headers: { 'If-Match': String(metric.version) } }),
    });
}
