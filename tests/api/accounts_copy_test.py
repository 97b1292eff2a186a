"""People of a support database of 432ab7d become people of the suite at the first start, on both engines, and sign in as
before; the table they come from is left as it was."""

import pytest
import requests

from postgres import PostgresServer
from stack import Stack
from upgrade_test import COMMIT, OLD, Postgres, Sqlite

# "horse-battery" with bcrypt at cost 4.
HASH = "$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu"
USERS = f"""
INSERT INTO users (id, username, password_hash, role, is_active, tenant_id, sso_provider, sso_subject_id, created_at) VALUES
  ('u-1', 'Olga', '{HASH}', 'agent', 1, 'acme', NULL, NULL, '2026-01-02T03:04:05.000000+00:00'),
  ('u-2', 'rolf', '{HASH}', 'reviewer', 1, 'default', 'google', 'subject-2', '2026-01-03T03:04:05.000000+00:00'),
  ('u-3', 'gone', '{HASH}', 'admin', 0, 'default', NULL, NULL, '2026-01-04T03:04:05.000000+00:00');
"""


@pytest.fixture(scope="module")
def server():
    with PostgresServer() as server:
        yield server


class Store:
    """The account store beside it."""

    def __init__(self, stack, engine, server):
        if engine == "postgres":
            self.base = Postgres.__new__(Postgres)
            self.base.url = server.create_database(f"accounts{next(Postgres.numbers)}")
            stack.env["ASSAY_ACCOUNTS_DATABASE_URL"] = self.base.url
        else:
            self.base = Sqlite.__new__(Sqlite)
            self.base.path = stack.directory / "data/accounts/accounts.db"
        self.ask = self.base.ask


def sign_in(stack, username, password):
    with requests.Session() as session:
        session.trust_env = False
        return session.post(f"{stack.portal_url}/accounts/api/session", json={"username": username, "password": password}, timeout=30)


@pytest.mark.parametrize("engine", ("sqlite", "postgres"))
def test_people_of_support_are_copied_once(server, engine):
    dump = (OLD / f"{COMMIT}-support-{engine}.sql").read_text()
    with Stack(services=("support",)).prepare({"API_KEY": "support-key"}) as stack:
        support = Sqlite(stack.directory, "support") if engine == "sqlite" else Postgres(server, "support")
        stack.env.update(support.environment)
        support.load(dump)
        support.load(USERS)
        users = "SELECT id, username, password_hash, role, is_active, tenant_id FROM users ORDER BY id"
        before = support.ask(users)
        people = Store(stack, engine, server)

        done = stack.run("start")
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{len(before)} people of support were copied" in done.stderr
        assert support.ask(users) == before
        copied = people.ask("SELECT id, username, password_hash, tenant, is_active FROM people ORDER BY id")
        assert copied == [(key, name, password_hash, tenant, active) for key, name, password_hash, _, active, tenant in before]
        assert people.ask("SELECT issuer, subject, person_id FROM person_identities") == \
            [("https://accounts.google.com", "subject-2", "u-2")]

        answer = sign_in(stack, "olga", "horse-battery")
        assert answer.status_code == 200, answer.text
        person = answer.json()["person"]
        assert (person["id"], person["tenant"], person["created_at"]) == ("u-1", "acme", "2026-01-02T03:04:05Z")
        assert person["roles"] == {"experiments": None, "support": "agent", "models": None, "data": None, "suite": None}
        assert sign_in(stack, "rolf", "horse-battery").json()["person"]["roles"]["support"] == "reviewer"
        assert sign_in(stack, "gone", "horse-battery").status_code == 401

        assert stack.run("run", "account", "role", "olga", "support=viewer,models=analyst").returncode == 0
        done = stack.run("restart")
        assert done.returncode == 0 and "copied" not in done.stderr, done.stderr
        assert sign_in(stack, "olga", "horse-battery").json()["person"]["roles"]["models"] == "analyst"
        assert len(people.ask("SELECT id FROM people")) == len(before)
