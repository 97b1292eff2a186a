/** Client of the live-data service: what is true right now, and how fresh that is. */
export { brandAlias } from './brand.js';
export { LiveDataClient, type ClientOptions } from './client.js';
export {
    AuthError,
    CircuitOpenError,
    DataFreshnessError,
    EntityNotFoundError,
    LiveDataError,
    PermissionDeniedError,
    RateLimitError,
    StaleDataError,
} from './errors.js';
export {
    CircuitBreaker,
    CircuitState,
    RETRYABLE_STATUS,
    RetryPolicy,
    isRetryableMethod,
    type BreakerOptions,
    type RetryOptions,
} from './resilience.js';
export type { Duration, Freshness } from './freshness.js';
export type * from './types.js';
