"""One service in a stack of its own, and a plain client of it: for the tests of every service but the first.

    @pytest.fixture(scope="module", params=ENGINES)
    def support(request):
        with Service("support", {"API_KEY": "..."}, request.param) as service:
            yield service
"""

import sys
from pathlib import Path

import requests

from stack import Stack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "db"))
from postgres import PostgresServer  # noqa: E402  (found by the line above)

ENGINES = ("sqlite", "postgres")
# What each service calls the URL of its database.
DATABASE_SETTINGS = {"experiments": "AB_DATABASE_URL", "support": "DATABASE_URL",
                     "livedata": "LIVE_DATABASE_URL", "orchestrator": "ORCH_DB_DSN"}


class Servers:
    """The one PostgreSQL of the session, started when first asked for."""

    server = None
    databases = 0

    @classmethod
    def new_database(cls):
        if cls.server is None:
            cls.server = PostgresServer().start()
        cls.databases += 1
        return cls.server.create_database(f"service_{cls.databases}")

    @classmethod
    def close(cls):
        if cls.server is not None:
            cls.server.stop()
            cls.server.remove()
            cls.server = None


class Service:
    """A running service; `url` is its address, `stack` all of it."""

    def __init__(self, name, env=None, engine="sqlite", services=None):
        self.name = name
        self.env = dict(env or {})
        if engine == "postgres":
            self.env[DATABASE_SETTINGS[name]] = Servers.new_database()
        self.stack = Stack(services=services or (name,))
        self.session = requests.Session()
        self.session.trust_env = False

    def __enter__(self):
        self.stack.start(self.env)
        self.url = self.stack.url_of(self.name)
        return self

    def __exit__(self, *_):
        self.session.close()
        self.stack.stop()
        left = self.stack.processes()
        self.stack.close()
        assert not left, f"processes {left} are left"

    def send(self, method, path, *, cookies=None, **arguments):
        """Without the cookies of earlier answers, and without following redirects."""
        self.session.cookies.clear()
        return self.session.request(method, self.url + path, cookies=cookies, allow_redirects=False,
                                    timeout=60, **arguments)

    def get(self, path, **arguments):
        return self.send("GET", path, **arguments)

    def post(self, path, json=None, **arguments):
        return self.send("POST", path, json=json, **arguments)

    @property
    def document(self):
        return self.get("/openapi.json").json()
