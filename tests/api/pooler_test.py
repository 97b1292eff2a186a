"""All four services behind PgBouncer in transaction mode, with three sessions on the server for all of them: whatever a
service kept in its session would be another's by the next transaction. docs/develop/database.md says what is different there."""

import random
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

import pytest

from wait import wait_for
from service import Servers, Service

KEY, ADMIN = "key-of-the-pooled-services", "key-of-the-administration"
SETTINGS = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "AB_RATE_LIMIT_ENABLED": "false", "LIVE_API_KEYS": f"{KEY}:pooled",
            "LIVE_ADMIN_KEY": ADMIN, "LIVE_RATE_LIMIT_RPM": "100000", "ORCH_API_KEY": KEY, "ORCH_RATE_LIMIT_RPM": "0",
            "ORCH_EXECUTION_PROFILE": "dry-run", "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1"}
HEADERS = {"X-API-Key": KEY}
SERVICES = ("livedata", "support", "orchestrator", "experiments")
ROUNDS, CLIENTS = 25, 4


@pytest.fixture(scope="module")
def suite():
    with Service(SERVICES[0], SETTINGS, "pooler", services=SERVICES) as service:
        yield {name: service.beside(name) for name in SERVICES}


def order(number):
    return {"event_id": str(uuid.uuid4()), "event_type": "order.created", "timestamp": datetime.now(timezone.utc).isoformat(),
            "source": "shop", "order_id": f"ORD-20260404-{number}", "user_id": "USR-1", "status": "pending",
            "items": [{"product_id": "P", "quantity": 1, "unit_price": "10.00"}], "total_amount": "10.00"}


def use_livedata(service, number):
    yield service.post("/v1/events", {"events": [order(number), order(number + 1)]}, headers=HEADERS)
    yield service.get(f"/v1/entity/order/ORD-20260404-{number}", headers=HEADERS)
    yield service.get("/v1/metrics/order_count?window=1h", headers=HEADERS)
    yield service.post("/v1/query", {"question": "top 3 products"}, headers=HEADERS)
    yield service.get("/v1/ops/exceptions", headers=HEADERS)


def use_support(service, number):
    yield service.post("/api/upload", headers=HEADERS, files={"file": (f"{number}.txt", f"Parcel {number} takes {number} days.")})
    yield service.post("/api/ask", {"question": f"How long does parcel {number} take?"}, headers=HEADERS)
    yield service.get("/api/health", headers=HEADERS)


def use_orchestrator(service, number):
    yield service.post("/api/v1/orchestrate", {"prompt": f"hello {number}", "dry_run": True}, headers=HEADERS)
    yield service.get("/api/v1/tasks?limit=5", headers=HEADERS)


def use_experiments(service, number):
    made = service.post("/api/v1/projects", service.document.example(service.document.find("POST", "/api/v1/projects")))
    yield made
    yield service.get(f"/api/v1/projects/{made.json()['id']}")
    yield service.get("/api/v1/projects?limit=5")


USES = {"livedata": use_livedata, "support": use_support, "orchestrator": use_orchestrator, "experiments": use_experiments}


def test_nothing_fails_when_sessions_are_mixed(suite):
    """Half of all such calls were 500 (SQLSTATE 26000)."""
    for service in suite.values():
        assert service.document  # read once, before threads share it
    calls = [(name, 20_000_000 + 2 * i) for i in range(ROUNDS) for name in SERVICES]
    random.Random(1).shuffle(calls)

    def call(one):
        name, number = one
        return [(name, answer.request.method, answer.request.path_url, answer.status_code, answer.text[:200])
                for answer in USES[name](suite[name], number) if answer.status_code >= 300]
    with ThreadPoolExecutor(CLIENTS) as clients:
        failed = [what for wrong in clients.map(call, calls) for what in wrong]
    assert not failed, f"{len(failed)}: {failed[:5]}"


def test_what_was_written_is_there_once(suite):
    live = suite["livedata"]
    key = live.post("/v1/admin/keys", {"name": "n", "tenant": "once"}, headers={"X-Admin-Key": ADMIN}).json()["key"]
    mine, events = {"X-API-Key": key}, [order(30_000_000 + i) for i in range(40)]
    with ThreadPoolExecutor(CLIENTS) as clients:
        sent = list(clients.map(lambda event: live.post("/v1/events", event, headers=mine).json(), events * 2))
    assert sum(one["applied"] for one in sent) == sum(one["duplicates"] for one in sent) == len(events)
    assert live.get("/v1/metrics/order_count?window=1h", headers=mine).json()["value"] == len(events)


def test_limits_hold_for_the_transaction_and_are_left_to_nobody(suite):
    """What a service sets is gone with its transaction: the next one of the pool finds the server's own settings."""
    found = {tuple(suite["livedata"].sql("SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),"
                                         " (SELECT count(*) FROM pg_prepared_statements),"
                                         " (SELECT count(*) FROM pg_listening_channels())")[0]) for _ in range(12)}
    assert found == {("0", "0", "0", "0")}


def test_a_stream_tells_of_what_is_written(suite):
    live, event = suite["livedata"], order(40_000_000)
    with live.get("/v1/stream/events?entity_id=ORD-20260404-40000000", headers=HEADERS, stream=True) as answer:
        live.post("/v1/events", event, headers=HEADERS)
        assert any(event["event_id"].encode() in line for line in answer.iter_lines(chunk_size=1))


PROGRAMS = {"livedata": ["livedata-worker", "livedata-check"],
            "experiments": ["webhook-deliver", "experiments-upkeep", "experiments-tasks", "retention-purge"],
            "support": ["ingest", "support-retention", "evaluate-traces", "alert-check", "rollback-watch", "recommend",
                        "weekly-report", "kb-gaps", "support-improver", "split-report", "review-build --days 1 --tenant all",
                        "backlog-generate --tenant all", "threshold-analyze --days 30 --tenant all"],
            "orchestrator": ["orch-refresh-catalog", "orch-validate-db"]}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_a_scheduler_do_their_work(suite, name):
    for command in PROGRAMS[name]:
        program, *arguments = command.split()
        done = suite[name].run(program, *arguments)
        assert done.returncode == 0, f"{program}: {done.returncode} {done.stdout[-500:]} {done.stderr[-500:]}"
        if program == "livedata-check":
            assert "differences=0" in done.stdout


def test_a_backup_goes_past_the_pooler(suite, tmp_path):
    """pg_dump empties the search path of its session, which the pooler would give to a service."""
    live = suite["livedata"]
    refused = live.run("database", "backup", "livedata", str(tmp_path))
    assert refused.returncode == 4 and "leads to a pooler" in refused.stderr, str(refused)
    database = live.env["LIVE_DATABASE_URL"].rsplit("/", 1)[1]
    done = live.run("database", "backup", "livedata", str(tmp_path),
                    env={"LIVE_DATABASE_URL": Servers.server.url(database)})
    assert done.returncode == 0, str(done)


def test_the_log_tells_of_no_lost_statement(suite):
    log = "".join(file.read_text(errors="replace") for file in suite["livedata"].stack.directory.rglob("*.log"))
    wait_for(lambda: log)
    for state in ("26000", "42P05", "25P01", "57014"):
        assert f"SQLSTATE {state}" not in log, state
