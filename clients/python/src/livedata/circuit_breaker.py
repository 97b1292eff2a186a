"""When no call is tried at all."""

from __future__ import annotations

import enum
import threading
import time

from .exceptions import CircuitOpenError

__all__ = ["CircuitBreaker", "CircuitOpenError", "CircuitState"]


class CircuitState(enum.Enum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """Refuses calls for `reset_timeout_s` after `failure_threshold` failures in a row, then lets a few probe.

    One breaker may be shared by clients and threads.
    """

    def __init__(self, failure_threshold: int = 5, reset_timeout_s: float = 30.0, half_open_max_calls: int = 1) -> None:
        self.failure_threshold = failure_threshold
        self.reset_timeout_s = reset_timeout_s
        self.half_open_max_calls = half_open_max_calls
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
                if time.monotonic() - self._opened_at < self.reset_timeout_s:
                    raise CircuitOpenError("circuit is open")
                self._state = CircuitState.HALF_OPEN
                self._probes = 0
            if self._state is CircuitState.HALF_OPEN:
                if self._probes >= self.half_open_max_calls:
                    raise CircuitOpenError("circuit is half-open, probe in flight")
                self._probes += 1

    def record_success(self) -> None:
        with self._lock:
            self._state = CircuitState.CLOSED
            self._failures = 0

    def record_failure(self) -> None:
        with self._lock:
            self._failures += 1
            if self._state is CircuitState.HALF_OPEN or self._failures >= self.failure_threshold:
                self._state = CircuitState.OPEN
                self._opened_at = time.monotonic()
                self._failures = 0

    def release(self) -> None:
        """A call that was given up says nothing about the service; its probe may be made by another."""
        with self._lock:
            if self._state is CircuitState.HALF_OPEN and self._probes > 0:
                self._probes -= 1
