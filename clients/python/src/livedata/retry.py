"""When a call is tried again."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

RETRYABLE_STATUS = frozenset({429, 502, 503, 504})
SAFE_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})


def is_retryable_method(method: str, headers: Mapping[str, str] | None = None) -> bool:
    """A POST is safe to repeat only under an Idempotency-Key."""
    if method.upper() in SAFE_METHODS:
        return True
    return method.upper() == "POST" and any(name.lower() == "idempotency-key" for name in headers or {})


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
        return is_retryable_method(method, headers)
