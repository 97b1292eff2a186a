/*
 * What a service says of its parts, in one shape: [{name, state: 'good' | 'caution' | 'danger' | 'plain', note}]. A
 * part that is not configured is plain. null where the service does not say it or the person may not see it.
 */
import { t } from '../../shared/i18n.js';
import { roleIn } from '../../shared/person.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';

/** @type {Client<'experiments'>} */
const experiments = createClient({ service: 'experiments' });
/** @type {Client<'support'>} */
const support = createClient({ service: 'support' });
/** @type {Client<'orchestrator'>} */
const models = createClient({ service: 'orchestrator' });
/** @type {Client<'livedata'>} */
const data = createClient({ service: 'livedata' });

const tones = {
    ok: 'good',
    healthy: 'good',
    closed: 'good',
    degraded: 'caution',
    'half-open': 'caution',
    model_auth_required: 'caution',
    unavailable: 'plain',
    unknown: 'plain',
    disabled: 'plain',
};

const toneOf = (status) => tones[status] ?? 'danger';

async function experimentParts(signal) {
    const { checks } = (await experiments.get('/readyz', { signal })).data;
    return checks.map(({ name, ok, detail, fault }) => ({
        name,
        state: ok ? (fault ? 'caution' : 'good') : 'danger',
        note: detail,
    }));
}

/* A circuit breaker is a part only while it keeps calls back: a closed one says nothing about its provider. */
async function supportParts(signal) {
    const { components, circuit_breakers: breakers = [] } = (await support.get('/api/health', { signal })).data;
    return [
        ...Object.entries(components).map(([name, { status, detail }]) => ({ name, state: toneOf(status), note: detail ?? '' })),
        ...breakers.filter(({ state }) => state !== 'closed').map(({ name, state }) => ({ name, state: toneOf(state), note: t('system.suspended') })),
    ];
}

/* A provider that is optional and has no key is not configured, which is no fault. */
async function modelParts(signal) {
    const { components } = (await models.get('/api/v1/readiness', { signal })).data;
    return components.map(({ name, status, required }) => ({ name, state: status !== 'ok' && !required ? 'plain' : toneOf(status), note: '' }));
}

async function dataParts(signal) {
    const { components } = (await data.get('/v1/health', { signal })).data;
    return components.map(({ name, status, message }) => ({ name, state: toneOf(status), note: message }));
}

const sources = {
    experiments: { area: 'experiments', load: experimentParts },
    support: { area: 'support', load: supportParts },
    orchestrator: { area: 'models', load: modelParts },
    livedata: { area: 'data', load: dataParts },
};

export async function partsOf(service, signal) {
    const source = sources[service];
    if (source === undefined || roleIn(source.area) === null) return null;
    try {
        return await source.load(signal);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return null;
    }
}
