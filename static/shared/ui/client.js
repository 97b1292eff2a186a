/*
 * Talks to the API of the service that the page belongs to, or of another one: JSON, text, files, and streams of events or
 * of lines. Every failure is an ApiError; an abort by the caller passes through as it is.
 */
import { currentLocale } from '../i18n.js';
import { currentPerson, goToSignIn, isForPeople } from '../person.js';
import { address, areaAddress, areaPrefix, isUnderPortal, ownPrefix } from '../place.js';
import { ApiError, errorOfResponse } from './errors.js';
import { accessToken, dataPosition, keepDataPosition } from './session.js';
import { createEventParser, createLineParser } from './stream-parsers.js';

const defaultTimeoutMs = 20000;

function addressOf(path, query) {
    const url = new URL(path, location.origin);
    for (const [name, value] of Object.entries(query ?? {}))
        if (value !== undefined && value !== null && value !== '')
            for (const one of [value].flat()) url.searchParams.append(name, one);
    return url;
}

async function readJson(response) {
    try {
        return await response.json();
    } catch (error) {
        if (error.name === 'AbortError' || error.name === 'TimeoutError') throw error;
        return undefined;
    }
}

function fileNameOf(response) {
    const header = response.headers.get('Content-Disposition') ?? '';
    const extended = /filename\*=UTF-8''([^;]+)/i.exec(header);
    if (extended) return decodeURIComponent(extended[1]);
    return /filename="?([^";]+)"?/i.exec(header)?.[1] ?? null;
}

/* Whether a session that has ended is why a service refuses: a person who is signed in may lack a right. */
async function isSignedOut() {
    return isForPeople() && (await currentPerson({ again: true })) === null;
}

/**
 * options: service, if it is another one than the page's (below the portal only); credentials: below
 * the portal 'same-origin', because the session's cookie signs in, on ports 'omit' by default; headers
 * for every request; renew(): asks for a new access token after a 401, resolves to whether there is one.
 *
 * Of a request: query, body (JSON), form (FormData, or a Blob that is sent as it is), headers, signal, timeoutMs, etag.
 *
 * @param {{service?: null | Parameters<typeof areaAddress>[0], credentials?: RequestCredentials, headers?: Record<string, string>,
 *     renew?: null | (() => boolean | Promise<boolean>)}} [options]
 */
export function createClient({ service = null, credentials = isUnderPortal ? 'same-origin' : 'omit', headers: common = {}, renew = null } = {}) {
    const at = service === null ? address : (path) => areaAddress(service, path);
    const prefix = () => (service === null ? ownPrefix : areaPrefix(service));
    const tokenInUse = () => accessToken(prefix());
    let renewal = null;

    /* Without a type the server would take a change for one of another site's page, where a proxy hides our origin. */
    function headersOf(method, { body, form, etag, headers }, accept) {
        const token = tokenInUse();
        const position = method === 'GET' ? dataPosition(prefix()) : null;
        return {
            Accept: accept,
            'Accept-Language': currentLocale(),
            ...(body === undefined && (form !== undefined || method === 'GET') ? {} : { 'Content-Type': 'application/json' }),
            ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
            ...(etag ? { 'If-None-Match': etag } : {}),
            ...(position === null ? {} : { 'X-Data-Position': position }),
            ...common,
            ...headers,
        };
    }

    async function send(method, path, options, accept, signal) {
        const response = await fetch(addressOf(at(path), options.query), {
            method,
            headers: headersOf(method, options, accept),
            body: options.form ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
            credentials,
            cache: 'no-store',
            signal,
        });
        keepDataPosition(response.headers.get('X-Data-Position'), prefix());
        return response;
    }

    /* One renewal for all requests that meet the same 401. */
    function renewed() {
        renewal ??= Promise.resolve(renew()).finally(() => (renewal = null));
        return renewal;
    }

    async function exchange(method, path, options, accept, signal) {
        const used = tokenInUse();
        let response = await send(method, path, options, accept, signal);
        if (response.status === 401 && used === null && (await isSignedOut())) await goToSignIn();
        if (response.status === 401 && renew !== null && (tokenInUse() !== used || (await renewed())))
            response = await send(method, path, options, accept, signal);
        if (!response.ok && response.status !== 304)
            throw errorOfResponse(response, await readJson(response));
        return response;
    }

    /* Runs use(response) within the time limit, and names what fails. */
    async function guarded(method, path, options, accept, use) {
        const timeout = new AbortController();
        const timer = setTimeout(() => timeout.abort(), options.timeoutMs ?? defaultTimeoutMs);
        const signal = options.signal
            ? AbortSignal.any([options.signal, timeout.signal])
            : timeout.signal;
        try {
            return await use(await exchange(method, path, options, accept, signal), () => clearTimeout(timer));
        } catch (error) {
            if (error instanceof ApiError || options.signal?.aborted) throw error;
            throw new ApiError(timeout.signal.aborted ? 'timeout' : 'network', error.message);
        } finally {
            clearTimeout(timer);
        }
    }

    /* {data, status, requestId, etag, notModified, headers} of a JSON answer; data is null for 204. */
    function request(method, path, options = {}) {
        return guarded(method, path, options, 'application/json', async (response) => {
            const answer = {
                data: null,
                status: response.status,
                requestId: response.headers.get('X-Request-ID'),
                etag: response.headers.get('ETag'),
                notModified: response.status === 304,
                headers: response.headers,
            };
            if (response.status === 204 || response.status === 205 || answer.notModified) return answer;
            answer.data = await readJson(response);
            if (answer.data === undefined)
                throw new ApiError('malformed', '', answer);
            return answer;
        });
    }

    /* A stream has as long as it wants once it has begun. */
    async function* parts(method, path, options, accept, parser) {
        const response = await guarded(method, path, options, accept, (answer) => answer);
        options.onOpen?.();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        try {
            for (;;) {
                const { done, value } = await reader.read();
                yield* done ? parser.end() : parser.push(value);
                if (done) return;
            }
        } catch (error) {
            if (options.signal?.aborted || error instanceof ApiError) throw error;
            throw new ApiError('network', error.message);
        } finally {
            await reader.cancel().catch(() => {});
        }
    }

    return {
        request,
        get: (path, options) => request('GET', path, options),
        post: (path, body, options) => request('POST', path, { body, ...options }),
        put: (path, body, options) => request('PUT', path, { body, ...options }),
        patch: (path, body, options) => request('PATCH', path, { body, ...options }),
        delete: (path, options) => request('DELETE', path, options),
        text: (path, options = {}) =>
            guarded(options.method ?? 'GET', path, options, 'text/*, */*', (response) => response.text()),
        /* {blob, name}: name is the one that the answer proposes. */
        file: (path, options = {}) =>
            guarded(options.method ?? 'GET', path, options, '*/*', async (response, begun) => {
                begun();
                return { blob: await response.blob(), name: fileNameOf(response) };
            }),
        /* for await (const {event, data, id} of client.events(path)): server-sent events. */
        events: (path, options = {}) =>
            parts(options.method ?? 'GET', path, options, 'text/event-stream', createEventParser()),
        /* for await (const object of client.lines(path)): one JSON value per line. */
        lines: (path, options = {}) =>
            parts(options.method ?? 'GET', path, options, 'application/x-ndjson', createLineParser()),
    };
}
