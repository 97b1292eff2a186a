"""What a service's own file tells the walk, and what it gets to work with."""

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field

from recorder import Recorder


@dataclass
class Plan:
    """See walk.Walk; `credentials` has `none` and `wrong` beside the service's own."""

    credentials: dict
    credential_of: callable
    values: dict = field(default_factory=dict)
    queries: dict = field(default_factory=dict)
    bodies: dict = field(default_factory=dict)
    contents: dict = field(default_factory=dict)
    endless: set = field(default_factory=set)
    left_out: dict = field(default_factory=dict)
    settled: callable = lambda: None  # waits until what was written has had its consequences


@dataclass
class Context:
    """One running service."""

    recorder: Recorder
    stack: object
    clock: object
    build: object

    def sql(self, statement):
        """Runs it on the one SQLite file of the service."""
        [file] = (self.stack.directory / "data").rglob("*.sqlite3")
        with closing(sqlite3.connect(file, timeout=20)) as connection, connection:
            connection.execute(statement)

    def wait(self, condition, seconds=20):
        """What `condition` gives as soon as it is something; None where it never is."""
        end = time.monotonic() + seconds
        while not (found := condition()) and time.monotonic() < end:
            time.sleep(0.02)
        return found
