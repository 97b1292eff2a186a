"""When a call is tried again, and when none is tried at all."""

from __future__ import annotations

import enum
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from .exceptions import CircuitOpenError

RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
SAFE_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})


@dataclass(frozen=True)
class RetryPolicy:
    """Pauses double from `initial_delay_s` up to `max_delay_s`, each moved by up to `jitter_factor` of itself."""

    max_attempts: int = 3
    initial_delay_s: float = 0.25
    max_delay_s: float = 30.0
    jitter_factor: float = 0.3

    def compute_delay(self, attempt: int, retry_after_s: float | None = None) -> float:
        """Seconds to wait after attempt 0, 1, ... What the service asked for comes before the plan."""
        if retry_after_s is not None:
            return min(max(retry_after_s, 0.0), self.max_delay_s)
        base = min(self.initial_delay_s * 2.0**attempt, self.max_delay_s)
        if self.jitter_factor == 0:
            return base
        spread = base * self.jitter_factor
        return min(max(base + random.uniform(-spread, spread), 0.0), self.max_delay_s)

    def is_retryable_method(self, method: str, headers: Mapping[str, str] | None = None) -> bool:
        """A POST is safe to repeat only under an Idempotency-Key."""
        if method.upper() in SAFE_METHODS:
            return True
        return method.upper() == "POST" and any(name.lower() == "idempotency-key" for name in headers or {})


class CircuitState(enum.Enum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """Refuses calls for `reset_timeout_s` after `failure_threshold` failures in a row, then lets a few probe.

    One breaker may be shared by clients and threads.
    """

    def __init__(self, failure_threshold: int = 5, reset_timeout_s: float = 30.0, half_open_max_calls: int = 1) -> None:
        self._threshold = failure_threshold
        self._timeout = reset_timeout_s
        self._probes_max = half_open_max_calls
        self._lock = threading.Lock()
        self._state = CircuitState.CLOSED
        self._failures = 0
        self._opened_at = 0.0
        self._probes = 0

    @property
    def state(self) -> CircuitState:
        return self._state

    def before_call(self) -> None:
        with self._lock:
            if self._state is CircuitState.OPEN:
                if time.monotonic() - self._opened_at < self._timeout:
                    raise CircuitOpenError("circuit is open")
                self._state = CircuitState.HALF_OPEN
                self._probes = 0
            if self._state is CircuitState.HALF_OPEN:
                if self._probes >= self._probes_max:
                    raise CircuitOpenError("circuit is half-open, probe in flight")
                self._probes += 1

    def record_success(self) -> None:
        with self._lock:
            self._state = CircuitState.CLOSED
            self._failures = 0

    def record_failure(self) -> None:
        with self._lock:
            self._failures += 1
            if self._state is CircuitState.HALF_OPEN or self._failures >= self._threshold:
                self._state = CircuitState.OPEN
                self._opened_at = time.monotonic()
                self._failures = 0

    def release(self) -> None:
        """A call that was given up says nothing about the service; its probe may be made by another."""
        with self._lock:
            if self._state is CircuitState.HALF_OPEN and self._probes > 0:
                self._probes -= 1
