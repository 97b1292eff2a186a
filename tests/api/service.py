"""One service in a stack of its own, and a client of it: for the tests of every service but the first.

Whatever a test is about, each answer is held to the service's own API document: no status that the
row of its route does not announce, and a JSON body that fits the schema announced for it.

    @pytest.fixture(scope="module", params=ENGINES)
    def support(request):
        with Service("support", {"API_KEY": "..."}, request.param) as service:
            yield service
"""

import copy
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from openapi import Document
from stack import WITH_PORT, Stack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "db"))
from pgbouncer import PgBouncer  # noqa: E402  (found by the line above)
from postgres import PROGRAMS, PostgresServer  # noqa: E402

# PostgreSQL has its turn in `make soak`, and in files that say pytestmark = pytest.mark.both_engines: those whose
# promises are about the database, or whose statements the suite db does not run.
ENGINES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
# What each service calls the URL of its database.
DATABASE_SETTINGS = {"experiments": "AB_DATABASE_URL", "support": "DATABASE_URL",
                     "livedata": "LIVE_DATABASE_URL", "orchestrator": "ORCH_DB_DSN", "accounts": "ASSAY_ACCOUNTS_DATABASE_URL"}


class Servers:
    """The one PostgreSQL of the session, and the one pooler before it, each started when first asked for."""

    server = pooler = None
    databases = 0

    @classmethod
    def new_database(cls, pooled=False):
        if cls.server is None:
            cls.server = PostgresServer().start()
        cls.databases += 1
        name = f"service_{cls.databases}"
        url = cls.server.create_database(name)
        if not pooled:
            return url
        if cls.pooler is None:
            cls.pooler = PgBouncer(cls.server)
        return cls.pooler.url(name)

    @classmethod
    def close(cls):
        if cls.pooler is not None:
            cls.pooler.close()
            cls.pooler = None
        if cls.server is not None:
            cls.server.stop()
            cls.server.remove()
            cls.server = None


FEW_WAITING = {f"ASSAY_WORKERS_ORCHESTRATOR_{family}": workers
               for family, workers in (("SYNC", "2"), ("STREAMS", "2"), ("UPLOAD", "4"), ("TASKS", "4"))}


class Service:
    """A running service; `url` is its address, `stack` all of it."""

    def __init__(self, name, env=None, engine="sqlite", services=None):
        self.name, self.engine = name, engine
        self.env = dict(env or {})
        if engine != "sqlite":  # "pooler": PostgreSQL behind PgBouncer
            for one in services if services and engine == "pooler" else (name,):
                self.env[DATABASE_SETTINGS[one]] = Servers.new_database(engine == "pooler")
        services = services or (name,)
        if "orchestrator" in services:  # many workers that only wait would make each start dear
            self.env = {**FEW_WAITING, **self.env}
        self.stack = Stack(services=services)
        self._document = self._environment = None
        self.session = requests.Session()
        self.session.trust_env = False

    def __enter__(self):
        self.stack.start(self.env)
        self.url = self._address(self.name)
        return self

    def __exit__(self, *_):
        self.session.close()
        self.stack.stop()
        left = self.stack.processes()
        self.stack.close()
        assert not left, f"processes {left} are left"

    def _address(self, name):
        return self.stack.url_of(name) if name in WITH_PORT else self.stack.area_url(name)

    def beside(self, name):
        """Another service of the same stack, to be asked only."""
        other = copy.copy(self)
        other.name, other.url, other._document = name, self._address(name), None
        return other

    def send(self, method, path, *, cookies=None, checked=True, **arguments):
        """Without the cookies of earlier answers, and without following redirects."""
        self.session.cookies.clear()
        answer = self.session.request(method, self.url + path, cookies=cookies, allow_redirects=False,
                                      timeout=60, **arguments)
        if checked and not arguments.get("stream"):
            self.check(method, urlsplit(path).path, answer)
        return answer

    def check(self, method, path, answer):
        """Fails where the answer is not what the document announces. Failures of nginx and what is no
        operation are not in it; 405 and redirects belong to no row."""
        operation = self.document.find(method, path)
        if operation is None or answer.status_code in (303, 307, 405) or answer.status_code >= 500:
            return
        announced = operation.spec["responses"]
        assert str(answer.status_code) in announced, \
            f"{operation.name} answers {answer.status_code} and announces {sorted(announced)}: {answer.text[:300]}"
        response = self.document.resolve(announced[str(answer.status_code)])
        content = response.get("content", {}).get("application/json")
        if content is None or not answer.content or method == "HEAD":
            return
        if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            return  # asked for by Accept, instead of the one document
        problems = self.document.problems(self.document.resolve(content["schema"]), answer.json())
        assert not problems, f"{operation.name}: {problems[:5]} in {answer.text[:500]}"

    def get(self, path, **arguments):
        return self.send("GET", path, **arguments)

    def post(self, path, json=None, **arguments):
        return self.send("POST", path, json=json, **arguments)

    def sql(self, statement):
        """Runs a statement past the service; the rows as lists of texts."""
        url = self.env.get(DATABASE_SETTINGS[self.name])
        if url:
            done = subprocess.run([PROGRAMS / "psql", url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                                   "-c", statement], capture_output=True, text=True, check=True)
            return [line.split("|") for line in done.stdout.splitlines()]
        names = {"experiments": "projects.sqlite3", "accounts": "accounts.db"}
        [file] = (self.stack.directory / "data").rglob(names.get(self.name, f"{self.name[:4]}*.sqlite3"))
        with closing(sqlite3.connect(file, timeout=20)) as connection, connection:
            return [["" if value is None else str(value) for value in row] for row in connection.execute(statement)]

    def run(self, program, *arguments, env=None):
        """Runs a program of cron-bin/ as `stack run` does, but at once: with the environment of one that stays."""
        if self._environment is None:
            programs = (pid for pid in self.stack.processes() if b"/cron-bin/" in
                        Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0])
            pairs = (pair.partition("=") for pair in Path(f"/proc/{next(programs)}/environ").read_text().split("\0"))
            self._environment = {name: value for name, _, value in pairs if name}
        return subprocess.run([self.stack.build / "cron-bin" / program, *arguments], cwd=self.stack.directory,
                              env={**self._environment, **(env or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)

    @property
    def document(self):
        if self._document is None:
            self._document = Document(self.session.get(self.url + "/openapi.json", timeout=60).json())
        return self._document
