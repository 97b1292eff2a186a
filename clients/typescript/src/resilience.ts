/** When a call is tried again, and when none is tried at all. */
import { CircuitOpenError } from './errors.js';

export const RETRYABLE_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const SAFE_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/** A POST is safe to repeat only under an Idempotency-Key. */
export function isRetryableMethod(method: string, headers: Record<string, string> = {}): boolean {
    if (SAFE_METHODS.has(method.toUpperCase())) return true;
    return (
        method.toUpperCase() === 'POST' && Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')
    );
}

export interface RetryOptions {
    maxAttempts?: number;
    initialDelayMs?: number;
    maxDelayMs?: number;
    jitterFactor?: number;
}

/** Pauses double from the first delay up to a cap, each moved by up to `jitterFactor` of itself. */
export class RetryPolicy {
    readonly maxAttempts: number;
    readonly initialDelayMs: number;
    readonly maxDelayMs: number;
    readonly jitterFactor: number;

    constructor(options: RetryOptions = {}) {
        this.maxAttempts = options.maxAttempts ?? 3;
        this.initialDelayMs = options.initialDelayMs ?? 250;
        this.maxDelayMs = options.maxDelayMs ?? 30000;
        this.jitterFactor = options.jitterFactor ?? 0.3;
    }

    /** Milliseconds to wait after attempt 0, 1, ... What the service asked for comes before the plan. */
    computeDelay(attempt: number, retryAfterMs?: number): number {
        const cap = (delay: number) => Math.min(Math.max(delay, 0), this.maxDelayMs);

        if (retryAfterMs !== undefined) return cap(retryAfterMs);
        const base = Math.min(this.initialDelayMs * 2 ** attempt, this.maxDelayMs);
        if (this.jitterFactor === 0) return base;
        return cap(base + (Math.random() * 2 - 1) * base * this.jitterFactor);
    }

    isRetryableMethod(method: string, headers: Record<string, string> = {}): boolean {
        return isRetryableMethod(method, headers);
    }

    isRetryableStatus(status: number): boolean {
        return RETRYABLE_STATUS.has(status);
    }
}

export enum CircuitState {
    CLOSED = 'closed',
    OPEN = 'open',
    HALF_OPEN = 'half_open',
}

export interface BreakerOptions {
    failureThreshold?: number;
    resetTimeoutMs?: number;
    halfOpenMaxCalls?: number;
}

/** Refuses calls for a while after failures in a row, then lets a few probe. */
export class CircuitBreaker {
    readonly failureThreshold: number;
    readonly resetTimeoutMs: number;
    readonly halfOpenMaxCalls: number;
    #state = CircuitState.CLOSED;
    #failures = 0;
    #openedAt = 0;
    #probes = 0;

    constructor(options: BreakerOptions = {}) {
        this.failureThreshold = options.failureThreshold ?? 5;
        this.resetTimeoutMs = options.resetTimeoutMs ?? 30000;
        this.halfOpenMaxCalls = options.halfOpenMaxCalls ?? 1;
    }

    get state(): CircuitState {
        return this.#state;
    }

    beforeCall(): void {
        if (this.#state === CircuitState.OPEN) {
            if (performance.now() - this.#openedAt < this.resetTimeoutMs) throw new CircuitOpenError('circuit is open');
            this.#state = CircuitState.HALF_OPEN;
            this.#probes = 0;
        }
        if (this.#state !== CircuitState.HALF_OPEN) return;
        if (this.#probes >= this.halfOpenMaxCalls) throw new CircuitOpenError('circuit is half-open, probe in flight');
        this.#probes++;
    }

    recordSuccess(): void {
        this.#state = CircuitState.CLOSED;
        this.#failures = 0;
    }

    recordFailure(): void {
        this.#failures++;
        if (this.#state !== CircuitState.HALF_OPEN && this.#failures < this.failureThreshold) return;
        this.#state = CircuitState.OPEN;
        this.#openedAt = performance.now();
        this.#failures = 0;
    }

    /** A call that was given up says nothing about the service; its probe may be made by another. */
    release(): void {
        if (this.#state === CircuitState.HALF_OPEN && this.#probes > 0) this.#probes--;
    }
}
