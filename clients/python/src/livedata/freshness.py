"""How fresh an answer must be: one argument of reads of entities, metrics, questions and batches."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Dict, Optional, Union

Duration = Union[float, dt.timedelta, str]  # seconds, or text as the service reads it: "200ms"


def _text(duration: Duration) -> str:
    if isinstance(duration, str):
        return duration
    seconds = duration.total_seconds() if isinstance(duration, dt.timedelta) else duration
    return f"{round(seconds * 1000)}ms"


@dataclass(frozen=True)
class Freshness:
    """`at_least` is the position of a write that the answer must include; `max_staleness` bounds how long an
    acknowledged write may be missing, `max_event_age` how far the sources may lag behind, `wait` how long the
    service waits for them. What cannot be met is a StaleDataError."""

    at_least: Optional[str] = None
    max_staleness: Optional[Duration] = None
    max_event_age: Optional[Duration] = None
    wait: Optional[Duration] = None

    def members(self) -> Dict[str, str]:
        """As the service takes them, in a query or in a body."""
        given = {"max_staleness": self.max_staleness, "max_event_age": self.max_event_age, "wait": self.wait}
        members = {name: _text(value) for name, value in given.items() if value is not None}
        return members if self.at_least is None else {"at_least": self.at_least, **members}


Fresh = Union[Freshness, str, None]  # a text is a position


def members_of(fresh: Fresh) -> Dict[str, str]:
    if fresh is None:
        return {}
    return Freshness(at_least=fresh).members() if isinstance(fresh, str) else fresh.members()
