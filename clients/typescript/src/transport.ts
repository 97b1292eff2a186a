/** One request and what its answer means: retries, circuit breaker, errors. Knows no operation. */
import {
    AuthError,
    EntityNotFoundError,
    LiveDataError,
    PermissionDeniedError,
    RateLimitError,
    StaleDataError,
} from './errors.js';
import { CircuitBreaker, RetryPolicy } from './resilience.js';

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;
type Parameters = Record<string, string | number | undefined>;

export interface Call {
    method: 'GET' | 'POST';
    segments: string[];
    params?: Parameters;
    body?: unknown;
    headers?: Record<string, string>;
    signal?: AbortSignal | undefined;
}

export interface TransportOptions {
    fetch?: Fetch;
    timeoutMs?: number;
    headers?: Record<string, string>;
    apiVersion?: string;
    retryPolicy?: RetryPolicy;
    circuitBreaker?: CircuitBreaker;
}

/** Seconds from now: the header holds seconds or a date. */
function retryAfterOf(response: Response): number | undefined {
    const text = response.headers.get('retry-after');

    if (text === null) return undefined;
    if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
    const moment = Date.parse(text);
    return Number.isNaN(moment) ? undefined : Math.max((moment - Date.now()) / 1000, 0);
}

interface ErrorBody {
    detail?: unknown;
    code?: string;
    event_age_seconds?: number;
}

async function bodyOf(response: Response): Promise<ErrorBody> {
    try {
        return (JSON.parse(await response.text()) as ErrorBody | null) ?? {};
    } catch {
        return {};
    }
}

/** The error that an answer of 400 or above stands for. */
export async function errorOf(response: Response, segments: string[]): Promise<LiveDataError> {
    const body = await bodyOf(response);
    const detail =
        body.detail === undefined || typeof body.detail === 'string' ? body.detail : JSON.stringify(body.detail);

    if (response.status === 401) return new AuthError(detail);
    if (response.status === 403) return new PermissionDeniedError(detail);
    if (response.status === 412) return new StaleDataError(detail, body.code, body.event_age_seconds);
    if (response.status === 429) return new RateLimitError(detail, retryAfterOf(response) ?? 0);
    if (response.status === 404 && segments[0] === 'entity' && segments.length >= 3)
        return new EntityNotFoundError(segments[1] ?? '', segments[2] ?? '', detail);
    return new LiveDataError(detail ?? (response.statusText || `HTTP ${response.status}`), response.status);
}

/** Resolves after a while, or rejects as soon as the signal says so. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal?.reason ?? new Error('aborted'));
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', stop);
            resolve();
        }, milliseconds);

        if (signal?.aborted) stop();
        else signal?.addEventListener('abort', stop, { once: true });
    });
}

export class Transport {
    readonly #base: string;
    readonly #fetch: Fetch;
    readonly #timeout: number;
    readonly #headers: Record<string, string>;
    retry: RetryPolicy;
    breaker: CircuitBreaker | undefined;
    /** Headers of the last answer. */
    last: Headers | undefined;

    constructor(baseUrl: string, apiKey: string, options: TransportOptions) {
        const fetcher = options.fetch ?? (globalThis.fetch as Fetch | undefined);

        if (!fetcher) throw new LiveDataError('There is no fetch here; pass one as options.fetch');
        this.#base = baseUrl.replace(/\/+$/, '');
        this.#fetch = options.fetch ? fetcher : (input, init) => globalThis.fetch(input, init);
        this.#timeout = options.timeoutMs ?? 10000;
        this.#headers = {
            'X-API-Key': apiKey,
            ...(options.apiVersion ? { 'X-Live-Version': options.apiVersion } : {}),
            ...options.headers,
        };
        this.retry = options.retryPolicy ?? new RetryPolicy();
        this.breaker = options.circuitBreaker;
    }

    url(segments: string[], params: Parameters = {}): string {
        const query = new URLSearchParams();

        for (const [name, value] of Object.entries(params))
            if (value !== undefined) query.set(name, String(value));
        const text = query.toString();
        return `${this.#base}/v1/${segments.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
    }

    /** The decoded body. */
    async json<T>(call: Call): Promise<T> {
        const response = await this.#guarded(call);
        const kind = response.headers.get('content-type') ?? '';

        this.last = response.headers;
        if (!response.ok) throw await errorOf(response, call.segments);
        try {
            if (!/\bjson\b/.test(kind)) throw new SyntaxError(kind);
            return (await response.json()) as T;
        } catch (error) {
            throw new LiveDataError(`Expected JSON response but received '${kind}'`, response.status, {
                cause: error,
            });
        }
    }

    /** The rows of an answer that is a line of JSON per row. */
    async lines<T>(call: Call): Promise<T[]> {
        const response = await this.#guarded(call);

        this.last = response.headers;
        if (!response.ok) throw await errorOf(response, call.segments);
        try {
            return (await response.text())
                .split('\n')
                .filter(Boolean)
                .map((line) => JSON.parse(line) as T);
        } catch (error) {
            throw new LiveDataError('Expected lines of JSON', response.status, { cause: error });
        }
    }

    /** One attempt; the body is read by the caller. */
    open(call: Call, accept: string): Promise<Response> {
        const headers: Record<string, string> = { Accept: accept };

        if (call.body !== undefined) headers['Content-Type'] = 'application/json';
        return this.#fetch(this.url(call.segments, call.params), {
            method: call.method,
            headers: { ...headers, ...this.#headers, ...call.headers },
            ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
            ...(call.signal ? { signal: call.signal } : {}),
        });
    }

    async #guarded(call: Call): Promise<Response> {
        this.breaker?.beforeCall();
        try {
            const response = await this.#attempts(call);

            if (response.status >= 500) this.breaker?.recordFailure();
            else this.breaker?.recordSuccess();
            return response;
        } catch (error) {
            if (call.signal?.aborted) this.breaker?.release();
            else this.breaker?.recordFailure();
            throw error;
        }
    }

    async #attempts(call: Call): Promise<Response> {
        const headers = { ...this.#headers, ...call.headers };
        const mayRepeat = this.retry.isRetryableMethod(call.method, headers);

        for (let attempt = 0; ; attempt++) {
            const isLast = !mayRepeat || attempt + 1 >= this.retry.maxAttempts;
            let asked: number | undefined;

            try {
                const response = await this.#timed(call);

                if (isLast || !this.retry.isRetryableStatus(response.status)) return response;
                asked = retryAfterOf(response);
                /* Waiting for longer than the policy allows is the caller's decision. */
                if (asked !== undefined && asked * 1000 > this.retry.maxDelayMs) return response;
                await response.body?.cancel();
            } catch (error) {
                if (call.signal?.aborted || isLast) throw error;
            }
            await pause(
                this.retry.computeDelay(attempt, asked === undefined ? undefined : asked * 1000),
                call.signal,
            );
        }
    }

    async #timed(call: Call): Promise<Response> {
        const clock = new AbortController();
        const stop = () => clock.abort(call.signal?.reason);
        const timer = setTimeout(() => clock.abort(), this.#timeout);

        call.signal?.addEventListener('abort', stop, { once: true });
        if (call.signal?.aborted) stop();
        try {
            const response = await this.open({ ...call, signal: clock.signal }, 'application/json');
            const text = await response.text();

            return new Response([204, 304].includes(response.status) ? null : text, response);
        } catch (error) {
            if (call.signal?.aborted) throw error;
            const why = clock.signal.aborted
                ? `Request timed out after ${this.#timeout}ms`
                : String((error as Error).message ?? error);
            throw new LiveDataError(`Request failed: ${why}`, undefined, { cause: error });
        } finally {
            clearTimeout(timer);
            call.signal?.removeEventListener('abort', stop);
        }
    }
}
