/*
 * Talks to the API of the service that serves the page. Every failure is an ApiError with a `kind`
 * that a page can act upon.
 */
import { currentLocale } from './i18n.js';
import { accessToken } from './ui/session.js';

export { accessToken, setAccessToken } from './ui/session.js';

const defaultTimeoutMs = 20000;

/*
 * kind: 'validation' (422 with a list), 'unauthorized' (401), 'forbidden' (403), 'limited' (429),
 * 'rejected' (other 4xx), 'server' (5xx), 'timeout', 'network' (no answer), 'malformed' (an answer
 * that is not JSON).
 */
export class ApiError extends Error {
    constructor(kind, message, details = {}) {
        super(message);
        this.name = 'ApiError';
        this.kind = kind;
        this.status = details.status ?? null;
        this.code = details.code ?? null;
        this.items = details.items ?? [];
        this.requestId = details.requestId ?? null;
        this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    }
}

function kindOfStatus(status, detail) {
    if (status === 422 && Array.isArray(detail)) return 'validation';
    if (status === 401) return 'unauthorized';
    if (status === 403) return 'forbidden';
    if (status === 429) return 'limited';
    return status >= 500 ? 'server' : 'rejected';
}

function errorOfResponse(response, body) {
    const detail = body?.detail;
    const retryAfter = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
    return new ApiError(
        kindOfStatus(response.status, detail),
        typeof detail === 'string' ? detail : '',
        {
            status: response.status,
            code: body?.error_code ?? response.headers.get('X-Error-Code'),
            items: Array.isArray(detail) ? detail : [],
            requestId: body?.request_id ?? response.headers.get('X-Request-ID'),
            retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
        },
    );
}

function requestHeaders(hasBody) {
    const headers = { Accept: 'application/json', 'Accept-Language': currentLocale() };
    if (hasBody) headers['Content-Type'] = 'application/json';
    const token = accessToken();
    if (token) headers.Authorization = `Bearer ${token}`;
    return headers;
}

async function readJson(response) {
    try {
        return await response.json();
    } catch (error) {
        if (error.name === 'AbortError' || error.name === 'TimeoutError') throw error;
        return undefined;
    }
}

async function exchange(path, method, body, signal) {
    const response = await fetch(path, {
        method,
        headers: requestHeaders(body !== undefined),
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: 'omit',
        cache: 'no-store',
        signal,
    });
    const data = await readJson(response);
    if (!response.ok) throw errorOfResponse(response, data);
    if (data === undefined)
        throw new ApiError('malformed', '', {
            status: response.status,
            requestId: response.headers.get('X-Request-ID'),
        });
    return { data, requestId: response.headers.get('X-Request-ID') };
}

/*
 * Sends a request; resolves to {data, requestId} or throws an ApiError. When the caller's `signal`
 * aborts, the AbortError passes through: it is no failure.
 */
export async function callApi(
    path,
    { method = 'GET', body, signal, timeoutMs = defaultTimeoutMs } = {},
) {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
        return await exchange(
            path,
            method,
            body,
            signal ? AbortSignal.any([signal, timeout]) : timeout,
        );
    } catch (error) {
        if (error instanceof ApiError || signal?.aborted) throw error;
        throw new ApiError(timeout.aborted ? 'timeout' : 'network', error.message);
    }
}
