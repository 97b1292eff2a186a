/*
 * What the home page shows of each area: what needs attention, and the trends. A part that a service cannot give now,
 * or that the person's role does not include, is null, and the rest stands.
 */
import { hasRole } from '../../shared/person.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';
import { part } from './parts.js';

const shown = 3;
const day = 86400000;

/** @type {Client<'livedata'>} */
const data = createClient({ service: 'livedata' });

/* What is good to have: null where it cannot be had. */
async function optional(answer) {
    try {
        return await answer;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return null;
    }
}

/* Those to decide first, then those that collect, with their progress. */
export async function loadExperiments() {
    /** @type {experiments.ExperimentList} */
    const list = await part('experiments');
    const inState = (wanted) => list.experiments.filter(({ state }) => state === wanted).slice(0, shown);
    return { counts: list.counts, ready: inState('ready'), collecting: inState('collecting') };
}

export const loadSupport = () => part('tickets');

/* How many answers of each day needed nobody, and how many wait for a review. */
export async function supportTrend() {
    const mayReview = hasRole('support:reviewer', 'support:admin');
    const [trend, reviews] = await Promise.all([optional(part('resolution')), mayReview ? optional(part('reviews')) : null]);
    return { points: trend?.points ?? [], reviews: reviews?.status_counts.pending ?? null };
}

export async function loadModels() {
    const { components } = await part('readiness');
    const router = components.find(({ name }) => name === 'execution-router');
    return {
        spend: router?.details?.spend ?? null,
        unavailable: components.filter(({ status, required }) => required && status !== 'ok').map(({ name }) => name),
    };
}

/* How many runs began on each of the last days; the list has the newest hundred. */
export async function modelsTrend(signal, days = 14) {
    const runs = await optional(part('runs'));
    const first = Math.floor(Date.now() / day) - days + 1;
    const points = Array.from({ length: days }, (_, index) => ({ date: new Date((first + index) * day), value: 0 }));
    for (const { accepted_at: at } of runs ?? []) {
        const index = Math.floor(Date.parse(at) / day) - first;
        if (index >= 0 && index < days) points[index].value++;
    }
    return { points };
}

export async function loadData() {
    const [objectives, alerts] = await Promise.all([part('objectives'), optional(part('alerts'))]);
    return {
        failing: objectives.slos.filter(({ status }) => status === 'breached'),
        firing: (alerts?.alerts ?? []).filter(({ state }) => state === 'firing' || state === 'sustained'),
    };
}

/* The first metric of the catalog at the end of each of the last days. */
export async function dataTrend(signal, days = 7) {
    const catalog = await optional(part('catalog'));
    /** @type {[string | null, any?]} */
    const [name, { available_windows: windows = [], unit = '' } = {}] = Object.entries(catalog?.metrics ?? {})[0] ?? [null];
    if (name === null || windows.length === 0) return null;
    const window = windows.at(-1);
    const dates = Array.from({ length: days }, (_, index) => new Date(Date.now() - (days - 1 - index) * day));
    const requests = dates.map((date, index) => ({ id: String(index), type: 'metric', params: { name, window, as_of: date.toISOString() } }));
    const answer = (await optional(data.post('/v1/batch', { requests }, { signal })))?.data;
    const valueOf = (index) => answer?.results.find(({ id }) => id === String(index))?.data?.value ?? null;
    /* Money is in the currency that the answers name; the catalog has the one of the contract. */
    const counted = answer?.results.find(({ data: found }) => found?.unit)?.data.unit ?? unit;
    return { name, unit: counted, points: dates.map((date, index) => ({ date, value: valueOf(index) })) };
}

/* Whether all services answer: the names of those that do not, or not with all of their parts. */
export async function loadInstallation() {
    const services = await part('health');
    const works = ({ health, pools }) => typeof health?.status === 'string' && Object.values(pools ?? {}).every(({ state }) => state === 'up');
    return { faulty: Object.keys(services).filter((name) => !works(services[name])) };
}

/* When the last backup of the installation was made. */
export const lastBackup = () => part('backup');
