"""Retries and the circuit breaker under one name."""

from .circuit_breaker import CircuitBreaker, CircuitState
from .retry import RETRYABLE_STATUS, RetryPolicy, is_retryable_method

__all__ = ["RETRYABLE_STATUS", "CircuitBreaker", "CircuitState", "RetryPolicy", "is_retryable_method"]
