/** What can go wrong; all of it is a LiveDataError. */

/** The service refused, or could not be reached. `statusCode` is undefined without an answer. */
export class LiveDataError extends Error {
    readonly statusCode: number | undefined;

    constructor(message: string, statusCode?: number, options?: ErrorOptions) {
        super(message, options);
        this.name = new.target.name;
        this.statusCode = statusCode;
    }
}

/** The key is missing or unknown (401). */
export class AuthError extends LiveDataError {
    constructor(message = 'Unauthorized') {
        super(message, 401);
    }
}

/** The key may not read this (403). */
export class PermissionDeniedError extends LiveDataError {
    constructor(message = 'Forbidden') {
        super(message, 403);
    }
}

/** Too many requests (429); `retryAfter` in seconds, 0 when the service did not say. */
export class RateLimitError extends LiveDataError {
    readonly retryAfter: number;

    constructor(message = 'Rate limit exceeded', retryAfter = 0) {
        super(message, 429);
        this.retryAfter = retryAfter;
    }
}

/** The data is not as fresh as was demanded (412): `code` says which bound failed, `eventAgeSeconds` how far the sources
 *  lag behind, where that is known. */
export class StaleDataError extends LiveDataError {
    readonly code: string | undefined;
    readonly eventAgeSeconds: number | undefined;

    constructor(message = 'Not as fresh as demanded', code?: string, eventAgeSeconds?: number) {
        super(message, 412);
        this.code = code;
        this.eventAgeSeconds = eventAgeSeconds;
    }
}

/** There is no such entity (404). */
export class EntityNotFoundError extends LiveDataError {
    readonly entityType: string;
    readonly entityId: string;

    constructor(entityType: string, entityId: string, message?: string) {
        super(message ?? `${entityType}/${entityId} not found`, 404);
        this.entityType = entityType;
        this.entityId = entityId;
    }
}

/** The circuit breaker did not let the call through. */
export class CircuitOpenError extends LiveDataError {}

/** How fresh the data is cannot be told. */
export class DataFreshnessError extends LiveDataError {}
