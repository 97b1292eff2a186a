/*
 * What can go wrong between a page and an API, and how the services say it: five envelopes, one
 * ApiError.
 *
 *   {detail, error_code, status_code, request_id}   detail may be a list of problems (422)
 *   {detail, error_code}
 *   {type, title, status, detail, …}                application/problem+json
 *   {detail, code}
 *   {error: {message, code, …}}                     the interfaces of providers
 */

/*
 * kind: 'validation' (422 with a list), 'unauthorized' (401, and the 429 after too many of them: a
 * good token is still let in), 'forbidden' (403), 'missing' (404),
 * 'conflict' (409, 412), 'limited' (429), 'rejected' (other 4xx), 'server' (5xx), 'timeout',
 * 'network' (no answer), 'malformed' (an answer that cannot be read).
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
        this.body = details.body ?? null;
    }
}

const kinds = {
    401: 'unauthorized',
    403: 'forbidden',
    404: 'missing',
    409: 'conflict',
    412: 'conflict',
    429: 'limited',
};

function itemsOf(body) {
    const list = [body?.detail, body?.errors].find(Array.isArray);
    return (list ?? []).filter((item) => typeof item === 'object' && item !== null);
}

function kindOf(status, items, code) {
    if (code === 'auth_rate_limited') return 'unauthorized';
    if (status === 422 && items.length > 0) return 'validation';
    return kinds[status] ?? (status >= 500 ? 'server' : 'rejected');
}

function messageOf(body) {
    if (typeof body?.detail === 'string') return body.detail;
    for (const inner of [body?.detail, body?.error]) if (typeof inner?.message === 'string') return inner.message;
    return typeof body?.title === 'string' ? body.title : '';
}

function secondsOf(text) {
    const seconds = Number.parseInt(text ?? '', 10);
    return Number.isFinite(seconds) ? seconds : null;
}

/* The error that an answer stands for; `body` is its JSON, undefined when it is none. */
export function errorOfResponse(response, body) {
    const items = itemsOf(body);
    const code = body?.error_code ?? body?.code ?? body?.error?.code ?? response.headers.get('X-Error-Code');
    return new ApiError(kindOf(response.status, items, code), messageOf(body), {
        status: response.status,
        code,
        items,
        requestId: body?.request_id ?? body?.error?.request_id ?? response.headers.get('X-Request-ID'),
        retryAfterSeconds: secondsOf(response.headers.get('Retry-After')),
        body,
    });
}
