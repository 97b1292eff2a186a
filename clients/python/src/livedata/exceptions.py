"""What can go wrong; all of it is a LiveDataError."""

from __future__ import annotations


class LiveDataError(Exception):
    """The service refused, or could not be reached. `status_code` is None without an answer."""

    def __init__(self, message: str, status_code: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code


class AuthError(LiveDataError):
    """The key is missing or unknown (401)."""

    def __init__(self, message: str = "Unauthorized") -> None:
        super().__init__(message, 401)


class PermissionDeniedError(LiveDataError):
    """The key may not read this (403)."""

    def __init__(self, message: str = "Forbidden") -> None:
        super().__init__(message, 403)


class RateLimitError(LiveDataError):
    """Too many requests (429); `retry_after` in seconds, 0 when the service did not say."""

    def __init__(self, message: str = "Rate limit exceeded", retry_after: float = 0) -> None:
        super().__init__(message, 429)
        self.retry_after = retry_after


class StaleDataError(LiveDataError):
    """The data is not as fresh as was demanded (412); `code` says which bound failed, `event_age_seconds` how far the
    sources lag behind, where that is known."""

    def __init__(self, message: str, code: str | None = None, event_age_seconds: float | None = None) -> None:
        super().__init__(message, 412)
        self.code = code
        self.event_age_seconds = event_age_seconds


class EntityNotFoundError(LiveDataError):
    """There is no such entity (404)."""

    def __init__(self, entity_type: str, entity_id: str, message: str | None = None) -> None:
        super().__init__(message or f"{entity_type}/{entity_id} not found", 404)
        self.entity_type = entity_type
        self.entity_id = entity_id


class CircuitOpenError(LiveDataError):
    """The circuit breaker did not let the call through."""


class DataFreshnessError(LiveDataError):
    """How fresh the data is cannot be told."""
