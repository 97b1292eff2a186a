/** Client of the live-data service: what is true right now, and how fresh that is. */
export { LiveDataClient, type ClientOptions } from './client.js';
export {
    AuthError,
    CircuitOpenError,
    DataFreshnessError,
    EntityNotFoundError,
    LiveDataError,
    PermissionDeniedError,
    RateLimitError,
} from './errors.js';
export { CircuitBreaker, CircuitState, RetryPolicy, type BreakerOptions, type RetryOptions } from './resilience.js';
export type * from './types.js';
