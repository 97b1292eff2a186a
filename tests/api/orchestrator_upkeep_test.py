"""What orch-upkeep does: notices of budgets once per window and share, tasks that are exported before they are deleted, and
calls of dead workers."""

import gzip
import hashlib
import hmac
import json
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from model_server import ModelServer
from service import ENGINES, Service
from wait import wait_for

pytestmark = pytest.mark.both_engines
SECRET = "of-the-notices"
PRICES = {"usd_per_1000_input": 1.0, "usd_per_1000_output": 1.0}


class Receiver(ThreadingHTTPServer):
    """Keeps what is posted to it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.notices = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        self.server.notices.append((json.loads(body), self.headers["X-Orch-Signature"] == signature))
        self.send_response(204)
        self.end_headers()


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def receiver():
    server = Receiver()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models, receiver, tmp_path_factory):
    folder = tmp_path_factory.mktemp("upkeep")
    (folder / "models.json").write_text(json.dumps([{"id": "cheap", "provider": "maker", "protocol": "openai", "model": "cheap",
                                                     "base_url": models.url + "/v1", **PRICES}]))
    with Service("orchestrator", {
            **models.settings, "ORCH_MODELS_FILE": str(folder / "models.json"), "ORCH_MAX_ANSWER_TOKENS": "50",
            "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_ORCHESTRATE_TIMEOUT_SECONDS": "2", "ORCH_RETENTION_DAYS": "30",
            "ORCH_RETENTION_EXPORT_DIR": str(folder / "exports"), "ORCH_ALERT_WEBHOOK_SECRET": SECRET,
            "ORCH_ALERT_WEBHOOK_URL": f"http://127.0.0.1:{receiver.server_port}/notices",
            **({"ORCH_STORAGE_BACKEND": "postgres"} if request.param == "postgres" else {})}, request.param) as service:
        service.exports = folder / "exports"
        yield service


def made(live, path, **body):
    answer = live.post("/api/v1" + path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def ask(live, key=None):
    return live.post("/api/v1/orchestrate", {"prompt": "hello", "model": "cheap"},
                     headers={"X-API-Key": key["key"]} if key else None)


def upkeep(live, *arguments):
    done = live.run("orch-upkeep", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_notice_per_window_and_share(live, models, receiver):
    models.answers["cheap"] = "text:" + "word " * 49
    receiver.notices.clear()
    key = made(live, "/keys", name="watched")
    budget = made(live, "/budgets", owner_kind="key", owner_id=key["id"], period="month", limit_usd=0.4, alert_percents=[10, 25, 90])
    for _ in range(2):  # 0.05 each
        assert ask(live, key).status_code == 200
        upkeep(live)
        upkeep(live)
    wait_for(lambda: len(receiver.notices) >= 2)
    notices = [notice for notice, signed in receiver.notices if signed]
    assert [(n["event"], n["percent"], n["owner_name"], n["budget_id"]) for n in notices] == \
        [("budget.alert", percent, "watched", budget["id"]) for percent in (10, 25)]
    assert notices[1]["spent_usd"] == pytest.approx(0.1, abs=0.01) and notices[1]["limit_usd"] == 0.4
    assert ask(live, key).status_code == 200
    upkeep(live)
    assert len(receiver.notices) == 2


def test_old_tasks_are_exported_and_deleted(live):
    answers = [ask(live).json() for _ in range(3)]
    old = [a["task_id"] for a in answers[:2]]
    before = live.get("/api/v1/usage").json()["total"]
    live.sql(f"UPDATE orch_tasks SET accepted_at = '2020-01-02T03:04:05.000000+00:00' WHERE task_id IN ('{old[0]}', '{old[1]}')")
    assert upkeep(live, "--dry-run") == {"tasks_ended": 0, "tasks_deleted": 2, "dry_run": True}
    assert upkeep(live)["tasks_deleted"] == 2
    assert [live.get(f"/api/v1/tasks/{task}").status_code for task in old] == [404, 404]
    assert live.get(f"/api/v1/tasks/{answers[2]['task_id']}").status_code == 200
    [file] = live.exports.glob("tasks-20200102T030405-*.json.gz")
    assert file.stat().st_mode & 0o777 == 0o600
    snapshot = json.loads(gzip.decompress(file.read_bytes()))
    assert sorted(snapshot["exported_task_ids"]) == sorted(old)
    done = live.run("orch-import", "--input", str(file))
    assert json.loads(done.stdout)["imported_task_count"] == 2, done.stdout
    assert live.get(f"/api/v1/tasks/{old[0]}").json()["prompt"] == "hello"
    file.unlink()
    live.exports.chmod(0o500)
    failed = live.run("orch-upkeep")
    live.exports.chmod(0o700)
    if os.getuid():  # root may write anywhere
        assert failed.returncode == 3 and live.get(f"/api/v1/tasks/{old[0]}").status_code == 200
    assert live.get("/api/v1/usage").json()["total"]["cost_usd"] == before["cost_usd"]


def test_a_call_of_a_dead_worker(live, models):
    """Its hold is the cost of a step, once, however often upkeep runs."""
    models.answers["cheap"] = "stall:20"
    key = made(live, "/keys", name="unlucky")
    made(live, "/budgets", owner_kind="key", owner_id=key["id"], period="day", limit_usd=5)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, live, key)
        wait_for(lambda: live.sql("SELECT count(*) FROM orch_spend_holds")[0][0] == "1")
        hold = int(live.sql("SELECT nano_usd FROM orch_spend_holds")[0][0])
        for pid in live.stack.workers("orchestrator-sync"):
            os.kill(pid, signal.SIGKILL)
        assert asked.result().status_code >= 500
    live.sql("UPDATE orch_runs SET deadline_at = '2020-01-01T00:00:00.000000+00:00'")
    for _ in range(2):
        upkeep(live)
    [task] = live.get("/api/v1/tasks?status=failed", headers={"X-API-Key": key["key"]}).json()
    assert task["cost_usd"] == hold / 1e9
    budget = live.get("/v1/key", headers={"X-API-Key": key["key"]}).json()["budgets"][0]
    assert (budget["spent_usd"], budget["held_usd"]) == (hold / 1e9, 0)
    models.reset()
