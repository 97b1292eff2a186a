"""Issued keys: how they are made, what they open, how they end, and what is written down of it."""

import base64
import hashlib
import re
import time

import pytest
import requests

from wait import wait_for
from project_fixtures import ADMIN, CLOSED, OPEN, PROJECTS, READ, TOKENS, WRITE, analysis, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]

KEYS = "/api/v1/keys"
AUDIT = "/api/v1/audit"
SECRET = re.compile(r"^abk_[A-Za-z0-9_-]{43}$")
# Two calls for every client, as X-Forwarded-For tells them apart.
LIMITED = {**TOKENS, "AB_RATE_LIMIT_REQUESTS": 1, "AB_TRUSTED_PROXY_HOPS": 1, "AB_AUTH_FAILURE_LIMIT": 100}


def issue(store, scope="write", name="key", client=None, **members):
    """A new key: its record, and a client that shows it."""
    key = expect((client or store.admin).post(KEYS, {"name": name, "scope": scope, **members}))
    return key, store.as_token(key["plaintext_key"])


def used(store, key, count, client=None):
    """The api_key_used rows of a key, newest first, once there are so many; they come after the answers."""
    query = f"SELECT count(*) AS n FROM audit_log WHERE action = 'api_key_used' AND key_id = '{key['id']}'"
    wait_for(lambda: store.database.value(query) >= count)
    found = expect((client or store.write).get(f"{AUDIT}?key_id={key['id']}&action=api_key_used"))
    assert found["total"] == count, f"{found['total']} uses are told, not {count}"
    return found["entries"]


class TestIssue:
    def test_record(self, guarded):
        answer = guarded.admin.post(KEYS, {"name": "Dashboard", "scope": "read", "rate_limit_requests": 5,
                                           "rate_limit_window_seconds": 30})
        key = expect(answer)
        assert SECRET.match(key["plaintext_key"]) and len(key["plaintext_key"]) == 47
        assert len(base64.urlsafe_b64decode(key["plaintext_key"][4:] + "=")) == 32
        assert key == {"id": key["id"], "name": "Dashboard", "scope": "read", "created_at": key["created_at"],
                       "last_used_at": None, "revoked_at": None, "rate_limit_requests": 5,
                       "rate_limit_window_seconds": 30, "plaintext_key": key["plaintext_key"]}

    def test_secret_is_shown_once(self, guarded):
        key, client = issue(guarded)
        secret = key["plaintext_key"]
        expect(client.get(PROJECTS))
        for answer in (guarded.admin.get(KEYS), guarded.write.get(AUDIT), guarded.write.get(AUDIT + "/export"),
                       guarded.write.get("/api/v1/diagnostics"), guarded.admin.post(f"{KEYS}/{key['id']}/revoke")):
            assert answer.status == 200 and secret not in answer.text and secret[4:] not in answer.text

    def test_only_the_hash_is_stored(self, stores, engine):
        """Looked for byte by byte in the files of SQLite, and in all that PostgreSQL holds."""
        with stores.new(engine, CLOSED) as store:
            key, client = issue(store)
            expect(client.get(PROJECTS))
            used(store, key, 1)
            secret = key["plaintext_key"]
            digest = hashlib.sha256(secret.encode()).hexdigest()
            assert store.database.value("SELECT key_hash FROM api_keys") == digest
            if engine == "sqlite":
                files = [f for f in (store.stack.directory / "data").rglob("*") if f.is_file()]
                assert any(digest.encode() in file.read_bytes() for file in files)
            else:
                files = [f for f in store.database.server.data.rglob("*") if f.is_file() and "pg_wal" not in f.parts]
                wal = [f for f in store.database.server.data.rglob("pg_wal/*") if f.is_file()]
                files += wal
            files += [f for f in store.stack.directory.rglob("*") if f.is_file() and f not in files]
            assert len(files) > 5
            for file in files:
                assert secret[4:].encode() not in file.read_bytes(), file

    def test_hash_is_sha_256_of_the_whole_text(self, guarded):
        """A row with the hash of a known text admits that text."""
        digest = "9ef5e34e21d0cc52a2d128dfda5e87029d4bee49f79841ab1bb916e670a12255"
        guarded.database.run("INSERT INTO api_keys (id, name, key_hash, scope, created_at) VALUES"
                             f" ('{unknown_id()}', 'known', '{digest}', 'write', '2026-01-01T00:00:00.000000+00:00')")
        assert expect(guarded.as_token("abk_test-key").get(PROJECTS)) is not None
        assert guarded.as_token("abk_test-keys").get(PROJECTS).status == 401

    @pytest.mark.parametrize("body, place, code", [
        ({"scope": "read"}, "name", "missing"), ({"name": "x"}, "scope", "missing"), ({"name": "", "scope": "read"}, "name", "string_too_short"),
        ({"name": "é" * 101, "scope": "read"}, "name", "string_too_long"), ({"name": "x", "scope": "admin"}, "scope", "literal_error"),
        ({"name": "x", "scope": "READ"}, "scope", "literal_error"), ({"name": 5, "scope": "read"}, "name", "string_type"),
        ({"name": "x", "scope": "read", "rate_limit_requests": 0}, "rate_limit_requests", "greater_than_equal"),
        ({"name": "x", "scope": "read", "rate_limit_window_seconds": 0}, "rate_limit_window_seconds", "greater_than_equal"),
        ({"name": "x", "scope": "read", "plaintext_key": "abk_x"}, "plaintext_key", "extra_forbidden")])
    def test_refused(self, guarded, body, place, code):
        before = guarded.admin.get(KEYS).json()["total"]
        [(location, error)] = guarded.admin.post(KEYS, body).errors().items()
        assert location == ("body", place) and error["type"] == code
        assert guarded.admin.get(KEYS).json()["total"] == before

    def test_names_may_repeat_and_be_long(self, guarded):
        keys = [issue(guarded, name="键" * 100)[0] for _ in range(2)]
        assert keys[0]["id"] != keys[1]["id"] and keys[0]["name"] == "键" * 100


class TestList:
    def test_newest_first_with_revoked_ones(self, stores, engine):
        with stores.new(engine, CLOSED) as store:
            assert expect(store.admin.get(KEYS)) == {"keys": [], "total": 0}
            keys = [issue(store, scope, name=f"{number}")[0] for number, scope in enumerate(["read", "write"] * 6)]
            expect(store.admin.post(f"{KEYS}/{keys[3]['id']}/revoke"))
            store.database.run("UPDATE api_keys SET created_at = '2026-01-01T00:00:00.000000+00:00'"
                               " WHERE name IN ('7', '8', '9')")
            listed = expect(store.admin.get(KEYS))
            assert listed["total"] == 12 and len(listed["keys"]) == 12
            assert [k["id"] for k in listed["keys"]] == [k["id"] for k in sorted(
                listed["keys"], key=lambda k: (k["created_at"], k["id"]), reverse=True)]
            assert {k["name"] for k in listed["keys"][-3:]} == {"7", "8", "9"}
            assert [k["name"] for k in listed["keys"] if k["revoked_at"]] == ["3"]
            assert all("plaintext_key" not in k and "key_hash" not in k for k in listed["keys"])


class TestRevoke:
    def test_only_revoked_keys_can_be_deleted(self, guarded):
        key, client = issue(guarded)
        expect(guarded.admin.send("DELETE", f"{KEYS}/{key['id']}"), 409, "api_key_not_revoked")
        expect(client.get(PROJECTS))
        revoked = expect(guarded.admin.post(f"{KEYS}/{key['id']}/revoke"))
        assert revoked["revoked_at"] >= key["created_at"] and revoked["id"] == key["id"]
        again = expect(guarded.admin.post(f"{KEYS}/{key['id']}/revoke"))
        assert again["revoked_at"] == revoked["revoked_at"]
        assert expect(guarded.admin.send("DELETE", f"{KEYS}/{key['id']}")) == {"id": key["id"], "deleted": True}
        expect(guarded.admin.send("DELETE", f"{KEYS}/{key['id']}"), 404, "not_found")
        expect(guarded.admin.post(f"{KEYS}/{key['id']}/revoke"), 404, "not_found")
        assert key["id"] not in [k["id"] for k in guarded.admin.get(KEYS).json()["keys"]]

    @pytest.mark.parametrize("name", ["x", "00000000-0000-4000-8000-000000000000", "%ff", "%27", "a" * 3000], ids=lambda n: n[:40])
    def test_unknown(self, guarded, name):
        expect(guarded.admin.post(f"{KEYS}/{name}/revoke"), 404, "not_found")
        expect(guarded.admin.send("DELETE", f"{KEYS}/{name}"), 404, "not_found")

    def test_is_rejected_at_once_by_every_worker_of_every_family(self, guarded):
        key, _ = issue(guarded)
        paths = [PROJECTS, AUDIT, "/api/v1/diagnostics", "/readyz", KEYS]
        clients = [guarded.as_token(key["plaintext_key"]) for _ in range(6)]
        for client in clients:
            for path in paths:
                assert client.get(path).status == (403 if path == KEYS else 200)
            assert client.post("/api/v1/calculate", {}).status == 422
        expect(guarded.admin.post(f"{KEYS}/{key['id']}/revoke"))
        for client in clients:
            for path in paths:
                expect(client.get(path), 401, "unauthorized")
            expect(client.post("/api/v1/calculate", {}), 401, "unauthorized")

    def test_deleted_keys_are_rejected(self, guarded):
        key, client = issue(guarded)
        expect(client.get(PROJECTS))
        expect(guarded.admin.post(f"{KEYS}/{key['id']}/revoke"))
        expect(guarded.admin.send("DELETE", f"{KEYS}/{key['id']}"))
        expect(client.get(PROJECTS), 401, "unauthorized")


class TestScopes:
    def test_read_key(self, guarded):
        key, client = issue(guarded, "read")
        expect(client.get(PROJECTS))
        expect(client.post(PROJECTS, {}), 403, "forbidden")
        expect(client.post("/api/v1/calculate", {}), 403, "forbidden")
        assert len(used(guarded, key, 3)) == 3

    def test_read_key_with_computing_admitted(self, stores, engine):
        with stores.new(engine, {**CLOSED, "AB_READONLY_COMPUTE": "true"}) as store:
            key, client = issue(store, "read")
            body = {"metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
                    "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50],
                    "variants_count": 2}
            expect(client.get(PROJECTS))
            expect(client.post("/api/v1/calculate", body))
            expect(client.post(PROJECTS, {}), 403, "forbidden")
            used(store, key, 3)

    def test_write_key(self, guarded):
        key, client = issue(guarded)
        project = create(client)
        path = f"{PROJECTS}/{project['id']}"
        expect(client.send("PUT", path, json=payload("By key")))
        expect(client.post(path + "/analysis", analysis()))
        assert client.get(AUDIT + "/export").status == 200
        expect(client.post("/api/v1/admin/retention/purge"))
        expect(client.get(KEYS), 403, "admin_token_required")
        expect(client.post(KEYS, {"name": "x", "scope": "read"}), 403, "admin_token_required")
        mine = expect(guarded.write.get(f"{AUDIT}?project_id={project['id']}"))["entries"]
        assert {(e["actor"], e["key_id"]) for e in mine} == {(f"api_key:{key['id']}", key["id"])}
        used(guarded, key, 7)

    def test_places_of_the_token(self, guarded):
        key, _ = issue(guarded, "read")
        secret = key["plaintext_key"]
        for headers, status in (({"X-API-Key": secret}, 200), ({"Authorization": f"Bearer {secret}"}, 200),
                                ({"X-API-Key": f" {secret} ".strip()}, 200), ({"Authorization": secret}, 401),
                                ({"X-API-Key": secret.upper()}, 401), ({"X-API-Key": secret[:-1]}, 401),
                                ({"X-API-Key": hashlib.sha256(secret.encode()).hexdigest()}, 401),
                                ({"X-API-Key": key["id"]}, 401), ({"X-API-Key": secret + "\t"}, 200)):
            assert guarded.client.get(PROJECTS, headers=headers).status == status, headers

    def test_without_admin_token(self, stores, engine):
        """Operator routes of a service that has keys but no admin token any more."""
        with stores.new(engine, CLOSED) as store:
            key, client = issue(store)
            store.stop()
            for name in TOKENS:
                del store.stack.env[name]
            store.start()
            expect(store.client.get(KEYS), 401, "admin_token_not_configured")
            by_key = requests.get(store.client.url + KEYS, headers={"X-API-Key": key["plaintext_key"]}, timeout=10)
            assert (by_key.status_code, by_key.json()["error_code"]) == (401, "admin_token_not_configured")
            expect(store.as_token(ADMIN).get(KEYS), 401, "unauthorized")
            self.check_keys_enable_authentication(store, store.as_token(key["plaintext_key"]))

    def check_keys_enable_authentication(self, store, client):
        """Revoked ones too, and those that went without having been deleted here. A worker may remember for
        a second which keys there are."""
        expect(store.client.get(PROJECTS), 401, "unauthorized")
        auth = expect(client.get("/api/v1/diagnostics"))["auth"]
        assert (auth["enabled"], auth["mode"], auth["session_source"]) == (True, "api_keys", "api_key")
        assert auth["write_enabled"] and auth["readonly_enabled"] and auth["api_keys_enabled"]
        store.database.run("UPDATE api_keys SET revoked_at = '2026-01-01T00:00:00.000000+00:00'")
        time.sleep(1.1)
        expect(store.client.get(PROJECTS), 401, "unauthorized")
        store.database.run("DELETE FROM api_keys")
        time.sleep(1.1)
        expect(store.client.get(PROJECTS), 401, "unauthorized")

    def test_write_token_on_operator_routes(self, guarded):
        expect(guarded.write.get(KEYS), 403, "admin_token_required")
        expect(guarded.write.post(KEYS, {"name": "x", "scope": "read"}), 403, "admin_token_required")

    def test_only_the_admin_token(self, stores, engine):
        with stores.new(engine, {**OPEN, "AB_ADMIN_TOKEN": ADMIN}) as store:
            path = f"{PROJECTS}/{unknown_id()}"
            for method, where in (("POST", PROJECTS), ("PUT", path), ("DELETE", path), ("GET", PROJECTS)):
                expect(store.client.send(method, where), 401, "unauthorized")
            expect(store.admin.get(KEYS))

    def test_public_demo(self, stores, engine):
        with stores.new(engine, {**OPEN, "AB_PUBLIC_DEMO": "true", "AB_READONLY_COMPUTE": "true"}) as store:
            expect(store.client.get(PROJECTS))
            assert store.client.post("/api/v1/calculate", {}).status == 422
            expect(store.client.post(PROJECTS, payload()), 403, "forbidden")
            expect(store.client.get(KEYS), 401, "admin_token_not_configured")


class TestLimits:
    """Every key has a bucket of its own; a limit of its own too where it was issued with one."""

    def admin_of(self, store, number):
        return store.as_token(ADMIN).with_headers({"X-Forwarded-For": f"192.0.2.{number}"})

    def reader_of(self, store, number):
        return store.as_token(READ).with_headers({"X-Forwarded-For": f"198.51.100.{number}"})

    @pytest.fixture(scope="class")
    def limited(self, stores, engine):
        with stores.new(engine, LIMITED) as store:
            yield store

    def test_one_key_does_not_use_up_the_calls_of_another(self, limited):
        (a, as_a), (b, as_b) = (issue(limited, "read", client=self.admin_of(limited, n)) for n in (1, 2))
        expect(as_a.get(PROJECTS))
        expect(as_b.get(PROJECTS))
        refused = as_a.get(PROJECTS)
        expect(refused, 429, "rate_limited")
        assert refused.detail == "Too many requests" and 1 <= int(refused.headers["Retry-After"]) <= 60
        used(limited, a, 2, client=self.reader_of(limited, 1))
        used(limited, b, 1, client=self.reader_of(limited, 2))

    def test_own_limit(self, limited):
        key, client = issue(limited, "read", client=self.admin_of(limited, 3), rate_limit_requests=3)
        answers = [client.get(PROJECTS) for _ in range(5)]
        assert [a.status for a in answers] == [200, 200, 200, 429, 429]
        assert answers[0].headers["RateLimit-Limit"] == "3" and answers[2].headers["RateLimit-Remaining"] == "0"

    def test_own_window(self, limited):
        key, client = issue(limited, "read", client=self.admin_of(limited, 4), rate_limit_window_seconds=1)
        assert [client.get(PROJECTS).status for _ in range(2)] == [200, 429]
        time.sleep(1.05)
        assert client.get(PROJECTS).status == 200

    def test_goes_by_the_key_and_not_by_the_address(self, limited):
        key, client = issue(limited, "read", client=self.admin_of(limited, 5), rate_limit_requests=2)
        statuses = [client.get(PROJECTS, headers={"X-Forwarded-For": f"203.0.113.{n}"}).status for n in range(3)]
        assert statuses == [200, 200, 429]

    def test_holds_over_families(self, limited):
        key, client = issue(limited, "read", client=self.admin_of(limited, 6), rate_limit_requests=3)
        statuses = [client.get(path).status for path in (PROJECTS, AUDIT, "/api/v1/diagnostics", PROJECTS)]
        assert statuses == [200, 200, 200, 429]

    def test_refusals_of_every_kind_are_told(self, limited):
        """401 is not a use; 403, 404, 413, 422 and 429 are."""
        key, client = issue(limited, "read", client=self.admin_of(limited, 7), rate_limit_requests=3)
        statuses = [client.get(PROJECTS + "/x").status, client.get(PROJECTS + "?limit=0").status,
                    client.post(PROJECTS, {}).status, client.get(PROJECTS).status, client.get(PROJECTS).status]
        assert statuses == [404, 422, 403, 200, 429]
        used(limited, key, 5, client=self.reader_of(limited, 7))


class TestUse:
    def test_entry(self, guarded):
        key, client = issue(guarded, "read")
        answer = client.get(PROJECTS, headers={"X-Request-ID": "use-1"})
        [entry] = used(guarded, key, 1)
        assert entry == {"id": entry["id"], "ts": entry["ts"], "action": "api_key_used", "project_id": None,
                         "project_name": None, "key_id": key["id"], "actor": f"api_key:{key['id']}",
                         "request_id": "use-1", "payload_diff": None, "ip_address": "127.0.0.1"}
        assert answer.headers["X-Request-ID"] == "use-1"

    def test_every_call_is_told(self, guarded):
        key, client = issue(guarded)
        ids = [client.get(PROJECTS).headers["X-Request-ID"] for _ in range(12)]
        ids.append(client.send("HEAD", PROJECTS).headers["X-Request-ID"])
        ids.append(client.get("/api/v1/no-such-route").headers["X-Request-ID"])
        ids.append(client.get("/readyz").headers["X-Request-ID"])
        ids.append(client.post(PROJECTS, payload(project={"project_description": "x" * 1_048_000})).headers["X-Request-ID"])
        assert {e["request_id"] for e in used(guarded, key, len(ids))} == set(ids)

    def test_public_paths_and_options_are_no_use(self, guarded):
        key, client = issue(guarded)
        assert client.get("/health").status == 200
        client.send("OPTIONS", PROJECTS)
        expect(client.get(PROJECTS))
        used(guarded, key, 1)

    def test_shared_tokens_leave_no_such_entries(self, guarded):
        total = f"{AUDIT}?action=api_key_used"
        before = expect(guarded.read.get(total))["total"]
        expect(guarded.read.get(PROJECTS))
        expect(guarded.write.get(PROJECTS))
        assert expect(guarded.read.get(total))["total"] == before

    def last_used(self, store, key):
        return next(k for k in store.admin.get(KEYS).json()["keys"] if k["id"] == key["id"])["last_used_at"]

    def test_last_used_at_most_once_a_minute(self, guarded):
        key, client = issue(guarded)
        assert self.last_used(guarded, key) is None
        expect(client.get(PROJECTS))
        used(guarded, key, 1)
        first = self.last_used(guarded, key)
        assert first is not None
        for _ in range(3):
            expect(client.get(PROJECTS))
        used(guarded, key, 4)
        assert self.last_used(guarded, key) == first
        minute_ago = "2026-01-01T00:00:00.000000+00:00"
        guarded.database.run(f"UPDATE api_keys SET last_used_at = '{minute_ago}' WHERE id = '{key['id']}'")
        expect(client.get(PROJECTS))
        used(guarded, key, 5)
        assert self.last_used(guarded, key) >= first

    def test_address_is_the_resolved_one(self, stores, engine):
        with stores.new(engine, {**CLOSED, "AB_TRUSTED_PROXY_HOPS": 1}) as store:
            key, client = issue(store)
            create(client, headers={"X-Forwarded-For": "9.9.9.9, 198.51.100.7"})
            used(store, key, 1)
            entries = expect(store.write.get(f"{AUDIT}?key_id={key['id']}"))["entries"]
            assert {(e["action"], e["ip_address"]) for e in entries} == {
                ("api_key_used", "198.51.100.7"), ("project.create", "198.51.100.7"), ("api_key_created", "127.0.0.1")}


class TestAudit:
    def test_managing_keys_is_told(self, guarded):
        key, _ = issue(guarded)
        for _ in range(2):
            expect(guarded.admin.post(f"{KEYS}/{key['id']}/revoke"))
        expect(guarded.admin.send("DELETE", f"{KEYS}/{key['id']}", headers={"X-Request-ID": "gone"}))
        entries = expect(guarded.write.get(f"{AUDIT}?key_id={key['id']}"))["entries"]
        assert [e["action"] for e in entries] == ["api_key_deleted", "api_key_revoked", "api_key_revoked", "api_key_created"]
        for entry in entries:
            assert entry["actor"] == "admin_token" and entry["payload_diff"] is None and entry["project_id"] is None
        assert entries[0]["request_id"] == "gone"

    def test_refused_deletions_are_not(self, guarded):
        key, _ = issue(guarded)
        expect(guarded.admin.send("DELETE", f"{KEYS}/{key['id']}"), 409, "api_key_not_revoked")
        assert expect(guarded.write.get(f"{AUDIT}?key_id={key['id']}"))["total"] == 1


class TestScopeOfOldKeys:
    """Keys of the time when keys could be admins may write; one entry tells of each, once."""

    def test_is_normalised_at_start(self, stores, engine):
        with stores.new(engine, CLOSED) as store:
            keys = [issue(store, name=f"{n}")[0] for n in range(3)]
            for _ in range(2):
                store.stop()
                store.database.run("UPDATE api_keys SET scope = 'admin' WHERE name IN ('0', '1') AND NOT EXISTS"
                                   " (SELECT 1 FROM audit_log WHERE action = 'api_key_scope_normalized')")
                store.start()
                self.check(store, keys)

    def check(self, store, keys):
        for path in (PROJECTS, AUDIT, KEYS, "/api/v1/diagnostics") * 3:
            store.client.get(path)
            store.write.get(path)
        entries = expect(store.write.get(f"{AUDIT}?action=api_key_scope_normalized"))["entries"]
        assert sorted(e["key_id"] for e in entries) == sorted(k["id"] for k in keys[:2])
        for entry in entries:
            assert entry["actor"] == "system:schema_migration" and entry["request_id"] is None
            assert entry["payload_diff"] == {"scope": ["admin", "write"]} and entry["ip_address"] is None
        assert {k["scope"] for k in expect(store.admin.get(KEYS))["keys"]} == {"write"}
        create(store.as_token(keys[0]["plaintext_key"]))
        expect(store.as_token(keys[0]["plaintext_key"]).get(KEYS), 403, "admin_token_required")


def test_secrets_are_in_no_log(guarded):
    key, client = issue(guarded)
    expect(client.get(PROJECTS))
    guarded.client.get(PROJECTS, headers={"Authorization": "Bearer abk_not-a-key-of-ours-000000"})
    logs = guarded.stack.logs()
    assert "http_request" in logs
    for secret in (key["plaintext_key"][4:], "not-a-key-of-ours", WRITE, READ, ADMIN):
        assert secret not in logs
