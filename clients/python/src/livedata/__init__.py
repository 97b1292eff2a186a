"""Client of the live-data service: what is true right now, and how fresh that is."""

from . import brand, circuit_breaker, exceptions, freshness, retry
from .async_client import AsyncLiveDataClient
from .client import LiveDataClient
from .exceptions import CircuitOpenError, PermissionDeniedError

__version__ = "2.0.0"

__all__ = ["AsyncLiveDataClient", "CircuitOpenError", "LiveDataClient", "PermissionDeniedError", "__version__"]

# Names that a star import does not bring along.
AuthError = exceptions.AuthError
DataFreshnessError = exceptions.DataFreshnessError
EntityNotFoundError = exceptions.EntityNotFoundError
LiveDataError = exceptions.LiveDataError
RateLimitError = exceptions.RateLimitError
StaleDataError = exceptions.StaleDataError
Freshness = freshness.Freshness
RETRYABLE_STATUS = retry.RETRYABLE_STATUS
RetryPolicy = retry.RetryPolicy
is_retryable_method = retry.is_retryable_method
CircuitBreaker = circuit_breaker.CircuitBreaker
CircuitState = circuit_breaker.CircuitState
brand_alias = brand.brand_alias
