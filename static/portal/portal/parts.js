/*
 * What the home page shows of the services, asked together: all parts that are wanted at the same moment are one
 * request. nginx puts its answer together (write_home() of nginx/render.bash) with those of the services to this person; a service that
 * refuses or fails says so in its own part.
 */
import { currentPerson, goToSignIn } from '../../shared/person.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError, errorOfResponse } from '../../shared/ui/errors.js';

const timeoutMs = 8000;
const client = createClient();
let gathering = null; /* {names, answer} of the request that is about to be sent */

async function ask(names) {
    return (await client.get('/home.json', { query: { parts: `.${names.join('.')}.` }, timeoutMs })).data;
}

function gather() {
    const group = { names: [], answer: null };
    group.answer = Promise.resolve().then(() => {
        gathering = null;
        return ask(group.names);
    });
    return group;
}

/* The errors of some services do not say their status, only what went wrong. */
const statuses = { unauthorized: 401, missing_key: 401, forbidden: 403, not_found: 404 };

function errorOf(body) {
    const status = body.status_code ?? body.status ?? statuses[body.error_code ?? body.code] ?? 503;
    return errorOfResponse(new Response(null, { status }), body);
}

async function read(name, answer) {
    const body = answer[name];
    const isError = typeof body.detail === 'string' && ['error_code', 'code', 'title'].some((member) => member in body);
    if (!isError) return body;
    const error = errorOf(body);
    if (error.kind === 'unauthorized' && (await currentPerson({ again: true })) === null) await goToSignIn();
    throw error;
}

/**
 * The answer of one part; throws the ApiError that stands there. Where the common request fails, each
 * part is asked for by itself, so that a service that hangs hides no other.
 *
 * @returns {Promise<any>}
 */
export async function part(name) {
    const group = (gathering ??= gather());
    group.names.push(name);
    const answer = await group.answer.catch((error) => {
        if (!(error instanceof ApiError) || error.kind === 'network' || group.names.length === 1) throw error;
        return ask([name]);
    });
    return read(name, answer);
}
