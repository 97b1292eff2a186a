"""People of the account store with a session and a personal token each, put there past the services: for tests of who may
do what."""

import hashlib
import json
import secrets
import sqlite3
import subprocess
import time
import uuid

from service import PROGRAMS

SETTING = "ASSAY_ACCOUNTS_DATABASE_URL"
COOKIE = "assay_session"
HOUR = 3600 * 1000000


def digest(secret):
    return hashlib.sha256(secret.encode()).hexdigest()


def quoted(values):
    """As a list of SQL literals."""
    return ", ".join("NULL" if v is None else str(v) if isinstance(v, int) else "'" + v.replace("'", "''") + "'" for v in values)


class Person:
    """A person; `sessions` are the values of cookies, `token` a personal token."""

    def __init__(self, username, tenant, roles, key=None):
        self.id, self.username, self.tenant, self.roles = key or str(uuid.uuid4()), username, tenant, roles
        self.sessions = [secrets.token_urlsafe(32) for _ in range(2)]
        self.token = "assay_" + secrets.token_urlsafe(32)

    def cookie(self, number=0):
        return {"Cookie": f"{COOKIE}={self.sessions[number]}"}

    def bearer(self):
        return {"Authorization": f"Bearer {self.token}"}


class People:
    """The account store of a stack."""

    connections = {}  # to SQLite files

    def __init__(self, stack, url=None):
        self.stack, self.url = stack, url or stack.env.get(SETTING)

    def sql(self, statement):
        if self.url and "://" in self.url:
            done = subprocess.run([PROGRAMS / "psql", self.url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement],
                                  capture_output=True, text=True, check=True)
            return [line.split("|") for line in done.stdout.splitlines()]
        with self.connection() as connection:
            return [["" if value is None else str(value) for value in row] for row in connection.execute(statement)]

    def connection(self):
        """Kept: the last one to close an SQLite file takes its log away, which services take for an attack."""
        file = self.stack.directory / "data" / "accounts" / "accounts.db"
        if file not in self.connections:
            self.connections[file] = sqlite3.connect(file, timeout=20)
        return self.connections[file]

    def insert(self, table, **columns):
        self.sql(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({quoted(columns.values())})")

    def switch_off(self, username):
        self.sql(f"UPDATE people SET is_active = 0 WHERE username = '{username}'")

    def add(self, username, tenant="default", *, key=None, password_hash=None, read_only=False, groups=(), **roles):
        """A person with a role in each area that is named; `key` is the id, and the token may only read."""
        person, now = Person(username, tenant, roles, key), int(time.time() * 1e6)
        self.insert("people", id=person.id, username=username, username_key=username, tenant=tenant,
                    roles=json.dumps(roles), member_of=json.dumps(list(groups)), is_active=1, password_hash=password_hash, must_change_password=0, source="local", created_at=now)
        for session in person.sessions:
            self.insert("sessions", id=str(uuid.uuid4()), digest=digest(session), person_id=person.id, created_at=now,
                        last_seen_at=now, idle_seconds=86400, ends_at=now + HOUR, source="local")
        self.insert("personal_tokens", id=str(uuid.uuid4()), digest=digest(person.token), person_id=person.id, name="t",
                    prefix=person.token[:10], read_only=int(read_only), created_at=now)
        return person
