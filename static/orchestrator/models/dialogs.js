/* The dialogs of keys, teams and customers. Each resolves to what the API made of it. */
import { t } from '../../shared/i18n.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { loadModels } from '../models.js';

const text = (name, options = {}) => ({ name, kind: 'text', label: () => t(`models.field_${name}`), ...options });
const count = (name) => ({ name, kind: 'count', optional: true, label: () => t(`models.field_${name}`), affix: () => t('models.per_minute'), hint: () => t('models.empty_no_limit') });
const flag = (name) => ({ name, kind: 'flag', label: () => t(`models.field_${name}`), wide: true });
const choices = (rows, none) => () => [{ value: '', title: none() }, ...rows.map(({ id, name }) => ({ value: id, title: name }))];
const endOf = (date) => (date === undefined ? null : `${date}T23:59:59Z`);

/* Sends a new row, or the changes of one. */
const save = (client, kind, row, body) =>
    row === null ? client.post(`/api/v1/${kind}`, body) : client.put(`/api/v1/${kind}/${encodeURIComponent(row.id)}`, body);

export async function askForKey(client, { teams }, key = null) {
    const { models } = await loadModels();
    const ids = models.map(({ id }) => id);
    return formDialog({
        id: 'key',
        wide: true,
        title: key === null ? t('models.add_key') : t('models.edit_title', { name: key.name }),
        action: t(key === null ? 'models.add_key' : 'models.save'),
        fields: [
            text('name', { hint: () => t('models.key_name_hint') }),
            { name: 'team_id', kind: 'select', label: () => t('models.team'), options: choices(teams, () => t('models.no_team')) },
            { name: 'allowed_models', kind: 'text', optional: true, wide: true, label: () => t('models.allowed'), hint: () => t('models.allowed_hint', { models: ids.slice(0, 4).join(', ') }) },
            count('requests_per_minute'),
            count('tokens_per_minute'),
            { name: 'expires_at', kind: 'date', optional: true, label: () => t('models.field_expires_at'), hint: () => t('models.empty_never') },
            flag('private'),
            flag('redacts_prompts'),
        ],
        values: key === null ? {} : { ...key, allowed_models: key.allowed_models.join(', '), expires_at: key.expires_at?.slice(0, 10), private: !key.stores_prompts },
        send: (values) =>
            save(client, 'keys', key, {
                name: values.name ?? '',
                team_id: values.team_id ?? null,
                allowed_models: (values.allowed_models ?? '').split(/[,;\s]+/).filter(Boolean),
                requests_per_minute: values.requests_per_minute ?? null,
                tokens_per_minute: values.tokens_per_minute ?? null,
                expires_at: endOf(values.expires_at),
                stores_prompts: values.private !== true,
                redacts_prompts: values.redacts_prompts === true,
                active: key?.active ?? true,
            }),
    });
}

export function askForTeam(client, { customers }, team = null) {
    return formDialog({
        id: 'team',
        title: team === null ? t('models.add_team') : t('models.edit_title', { name: team.name }),
        action: t(team === null ? 'models.add_team' : 'models.save'),
        fields: [
            text('name'),
            { name: 'customer_id', kind: 'select', label: () => t('models.customer'), options: choices(customers, () => t('models.no_customer')) },
            ...(team === null ? [] : [flag('off')]),
        ],
        values: team === null ? {} : { ...team, off: !team.active },
        send: ({ name = '', customer_id: customer = null, off = false }) => save(client, 'teams', team, { name, customer_id: customer, active: !off }),
    });
}

export function askForCustomer(client, customer = null) {
    return formDialog({
        id: 'customer',
        title: customer === null ? t('models.add_customer') : t('models.edit_title', { name: customer.name }),
        action: t(customer === null ? 'models.add_customer' : 'models.save'),
        fields: [text('name'), ...(customer === null ? [] : [flag('off')])],
        values: customer === null ? {} : { ...customer, off: !customer.active },
        send: ({ name = '', off = false }) => save(client, 'customers', customer, { name, active: !off }),
    });
}

const providers = ['openai', 'anthropic', 'gemini', 'mistral', 'azure', 'other'];
const needsAddress = ({ provider }) => provider === 'azure' || provider === 'other';

/* A model with a key of its own, of a provider whose key is in the settings, or of a server that needs none. */
export function askForModel(client) {
    const price = (name) => ({ name, kind: 'number', optional: true, label: () => t(`models.field_${name}`), affix: () => 'USD', hint: () => t('models.price_hint') });
    return formDialog({
        id: 'model',
        wide: true,
        title: t('models.add_model'),
        action: t('models.add_model'),
        fields: [
            { name: 'provider', kind: 'select', label: () => t('models.kind'), options: () => providers.map((value) => ({ value, title: t(`models.provider_${value}`) })) },
            text('model', { hint: () => t('models.model_hint') }),
            text('api_key', { kind: 'password', optional: true, autocomplete: 'new-password', hint: () => t('models.api_key_hint') }),
            text('api_version', { optional: true, applies: ({ provider }) => provider === 'azure' }),
            text('base_url', { kind: 'url', wide: true, hint: () => t('models.base_url_hint'), applies: needsAddress }),
            text('id', { hint: () => t('models.id_hint') }),
            text('display_name', { optional: true }),
            price('usd_per_1000_input'),
            price('usd_per_1000_output'),
            flag('reasoning'),
        ],
        send: ({ id = '', model = '', ...values }) => client.post('/api/v1/models', { id, model, ...values }),
    });
}

/* The key of a model that was added; an empty field takes it away. */
export function askForModelKey(client, { id, display_name: name }) {
    return formDialog({
        id: 'model-key',
        title: t('models.change_key_title', { name }),
        action: t('models.save'),
        fields: [text('api_key', { kind: 'password', optional: true, autocomplete: 'new-password', hint: () => t('models.api_key_hint') })],
        send: ({ api_key: key = null }) => client.put(`/api/v1/models/${encodeURIComponent(id)}/key`, { api_key: key }),
    });
}
