"""Webhooks of the experiments service: what is sent and signed, what becomes of it, and that nothing is lost or taken
twice when receivers misbehave and deliverers are killed.

ASSAY_TEST_SOAK=1 (`make soak`) does the last with 10 000 deliveries and says how many there are in a second.
"""

import contextlib
import hashlib
import hmac
import json
import os
import random
import signal
import threading
import time
from collections import defaultdict
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from conftest import SOAK
from wait import wait_for
from project_fixtures import CLOSED, PROJECTS, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]

WEBHOOKS, KEYS = "/api/v1/webhooks", "/api/v1/keys"
EVENTS = 10000 if SOAK else 60
SECRET = "top-secret"


class Receiver(BaseHTTPRequestHandler):
    """Answers as its path says; /fate does the first time what chance wants: fail, stall, hang up or redirect."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # its two writes would wait 40 ms for each other
    lock = threading.Lock()
    seen = defaultdict(list)  # path: (headers, body) of every request
    taken = defaultdict(list)  # event id: delivery ids that /fate has answered with 200
    fates = {}
    dice = random.Random(7)

    def fate_of(self, event):
        """Of an event, the first time that it comes; 200 from then on."""
        with self.lock:
            if event not in self.fates:
                self.fates[event] = self.dice.choices(["200", "503", "429", "hang", "stall", "302"], [80, 5, 3, 5, 0.1 if SOAK else 2, 5])[0]
                return self.fates[event]
            return "302" if self.fates[event] == "302" else "200"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fate = self.path[1:]
        with self.lock:
            self.seen[self.path].append((dict(self.headers), body))
        if self.path == "/fate":
            event = json.loads(body)["event_id"]
            fate = self.fate_of(event)
            if fate == "stall":
                time.sleep(11 if SOAK else 0.3)
                fate = "200" if not SOAK else "hang"
            if fate == "hang":
                self.close_connection = True
                return
            if fate == "200":
                with self.lock:
                    self.taken[event].append(self.headers["X-AB-Delivery"])
        long = fate == "long"
        self.send_response(200 if long else int(fate))
        self.send_header("Location", "/stolen")
        if self.path == "/429":
            self.send_header("Retry-After", "100")
        if long:
            said = "ж".encode() * 50_000
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(said)
            self.close_connection = True
            return
        if fate != "204":  # which has no body
            self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"" if fate == "204" else b"heard")

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(OSError):
            super().handle()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass


@pytest.fixture(scope="module")
def receiver():
    server = Server(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    for kept in (Receiver.seen, Receiver.taken, Receiver.fates):
        kept.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def hooks(guarded):
    """Makes webhooks; they are gone afterwards."""
    made = []

    def make(url, **members):
        body = {"name": "hook", "target_url": url, "secret": SECRET, "format": "generic", "scope": "global", **members}
        made.append(expect(guarded.admin.post(WEBHOOKS, body)))
        return made[-1]
    yield make
    for hook in made:
        guarded.admin.send("DELETE", f"{WEBHOOKS}/{hook['id']}")


def deliveries(store, hook, query=""):
    return expect(store.admin.get(f"{WEBHOOKS}/{hook['id']}/deliveries{query}"))


def new_key(store, name="k"):
    return expect(store.admin.post(KEYS, {"name": name, "scope": "read"}))


def settled(store, hook, count=1):
    """The deliveries of a hook, once there are so many and none is on its way."""
    def look():
        found = deliveries(store, hook, "?limit=200")
        done = all(d["status"] in ("delivered", "failed") for d in found["deliveries"])
        return found if done and found["total"] >= count else None
    return wait_for(look)


def test_record_and_changes(guarded, hooks, receiver):
    hook = hooks(f"{receiver}/200", event_filter=[" project.create ", "", "export_created"])
    assert hook == {"id": hook["id"], "name": "hook", "target_url": f"{receiver}/200", "secret": SECRET, "format": "generic",
                    "event_filter": ["project.create", "export_created"], "scope": "global", "api_key_id": None,
                    "created_at": hook["created_at"], "updated_at": hook["created_at"], "last_delivered_at": None,
                    "last_error_at": None, "enabled": True}
    path, hidden = f"{WEBHOOKS}/{hook['id']}", {**hook, "secret": None}
    assert expect(guarded.admin.get(path)) == hidden
    assert expect(guarded.admin.get(WEBHOOKS)) == {"subscriptions": [hidden], "total": 1}
    assert expect(guarded.admin.send("PATCH", path, json={})) == hidden
    assert expect(guarded.admin.send("PATCH", path, json={"name": None, "event_filter": None})) == hidden
    key = new_key(guarded)["id"]
    changed = expect(guarded.admin.send("PATCH", path, json={"event_filter": [], "enabled": False, "name": "n", "scope": "api_key",
                                                             "api_key_id": key, "format": "chatapp"}))
    assert changed == {**hidden, "event_filter": [], "enabled": False, "name": "n", "scope": "api_key", "api_key_id": key,
                       "format": "chatapp", "updated_at": changed["updated_at"]} and changed["updated_at"] > hook["updated_at"]
    expect(guarded.admin.send("PATCH", path, json={"scope": "api_key", "api_key_id": unknown_id()}), 404, "api_key_not_found")
    expect(guarded.admin.send("PATCH", path, json={"target_url": "http://example.org/"}), 400, "bad_request")
    expect(guarded.admin.post(f"{KEYS}/{key}/revoke"))
    expect(guarded.admin.send("DELETE", f"{KEYS}/{key}"))
    assert expect(guarded.admin.get(path))["api_key_id"] is None
    assert expect(guarded.admin.send("DELETE", path)) == {"id": hook["id"], "deleted": True}
    for method, rest in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/test")):
        answer = guarded.admin.send(method, path + rest, json={} if method == "PATCH" else None)
        expect(answer, 404, "webhook_not_found")
    told = [e["action"] for e in expect(guarded.read.get("/api/v1/audit?limit=500"))["entries"]]
    assert {"webhook.create", "webhook.update", "webhook.delete"} <= set(told)


@pytest.mark.parametrize("change, place", [
    ({"scope": "api_key"}, ()), ({"api_key_id": "x"}, ()), ({"name": ""}, ("name",)), ({"name": "x" * 101}, ("name",)),
    ({"secret": "x" * 201}, ("secret",)), ({"format": "xml"}, ("format",)), ({"scope": "all"}, ("scope",)), ({"enabled": True}, ("enabled",))])
def test_refused(guarded, change, place):
    body = {"name": "hook", "target_url": "https://example.org/", "secret": SECRET, "format": "generic", "scope": "global", **change}
    answer = guarded.admin.post(WEBHOOKS, body)
    assert list(answer.errors()) == [("body", *place)] and SECRET not in answer.text


def test_generic_body_and_signature(guarded, hooks, receiver):
    hook = hooks(f"{receiver}/200", event_filter=["api_key_created", "project.update"])
    Receiver.seen.clear()
    key = new_key(guarded)
    project = create(guarded.write, payload("Füllung"))
    expect(guarded.write.send("PUT", f"{PROJECTS}/{project['id']}", json=payload("Größe")))
    assert [d["status"] for d in settled(guarded, hook, 2)["deliveries"]] == ["delivered"] * 2
    by_action = {json.loads(body)["event_type"]: (headers, body) for headers, body in Receiver.seen["/200"]}
    headers, body = by_action["api_key_created"]
    [entry] = expect(guarded.read.get(f"/api/v1/audit?action=api_key_created&key_id={key['id']}"))["entries"]
    assert body.decode() == json.dumps({
        "event_type": "api_key_created", "event_id": str(entry["id"]), "timestamp": entry["ts"], "actor": "admin_token",
        "payload": {"project_id": None, "project_name": None, "key_id": key["id"], "request_id": entry["request_id"],
                    "ip_address": entry["ip_address"], "payload_diff": None}}, separators=(",", ":"))
    assert headers["X-AB-Signature"] == "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Request-ID"] == entry["request_id"]
    assert headers["Content-Type"] == "application/json" and headers["User-Agent"] == "AB-Experiments-Webhooks/1.0"
    _, body = by_action["project.update"]
    assert body.isascii() and json.loads(body)["payload"]["payload_diff"] == {"project.project_name": ["Füllung", "Größe"]}
    [done] = [d for d in deliveries(guarded, hook)["deliveries"] if d["event_id"] == entry["id"]]
    assert done == {"id": done["id"], "subscription_id": hook["id"], "event_id": entry["id"], "status": "delivered",
                    "attempt_count": 1, "last_attempt_at": done["delivered_at"], "delivered_at": done["delivered_at"],
                    "response_code": 200, "response_body": "heard", "error_message": None, "next_attempt_at": None,
                    "lease_expires_at": None}
    assert expect(guarded.admin.get(f"{WEBHOOKS}/{hook['id']}"))["last_delivered_at"]


def test_chat_body_scope_and_switch(guarded, hooks, receiver):
    key = new_key(guarded)
    mine = hooks(f"{receiver}/204", format="chatapp", scope="api_key", api_key_id=key["id"])
    off = hooks(f"{receiver}/200")
    expect(guarded.admin.send("PATCH", f"{WEBHOOKS}/{off['id']}", json={"enabled": False}))
    Receiver.seen.clear()
    new_key(guarded)
    expect(guarded.admin.post(f"{KEYS}/{key['id']}/revoke"))
    assert settled(guarded, mine)["total"] == 1 and deliveries(guarded, off)["total"] == 0
    [(headers, body)] = Receiver.seen["/204"]
    said = json.loads(body)
    assert "X-AB-Signature" not in headers and said["text"] == f"`api_key_revoked` for `{key['id']}`"
    assert said["blocks"][1]["fields"][1]["text"] == "*Actor*\nadmin_token"
    calling = hooks(f"{receiver}/202", format="chatapp", event_filter=["project.create"])
    create(guarded.write, payload("<!channel> & co"))
    assert settled(guarded, calling)["total"] == 1
    assert json.loads(Receiver.seen["/202"][0][1])["text"] == "`project.create` for *&lt;!channel&gt; &amp; co*"


def test_what_operators_do_is_noted_and_told_to_nobody(guarded, hooks, receiver):
    """Templates, webhooks and purges stand in the audit log; webhooks for everything hear of projects and keys only."""
    hook = hooks(f"{receiver}/200")
    other = hooks(f"{receiver}/200", name="other", event_filter=["nothing"])
    expect(guarded.admin.send("PATCH", f"{WEBHOOKS}/{other['id']}", json={"name": "renamed"}))
    expect(guarded.admin.send("DELETE", f"{WEBHOOKS}/{other['id']}"))
    template = expect(guarded.write.post("/api/v1/templates", {"name": "mine", "description": "mine", "payload": payload("T")}))
    expect(guarded.write.send("DELETE", f"/api/v1/templates/{template['id']}"))
    guarded.database.run("INSERT INTO audit_log (ts, action) VALUES ('2020-01-01T00:00:00.000000+00:00', 'nothing')")
    expect(guarded.admin.post("/api/v1/admin/retention/purge", {"audit_days": 2000, "dry_run": False}))
    project = create(guarded.write, payload("Told"))
    for action in ("webhook.create", "webhook.update", "webhook.delete", "template.create", "template.delete", "retention.purge"):
        assert expect(guarded.read.get(f"/api/v1/audit?action={action}&limit=1"))["total"] >= 1, action
    assert settled(guarded, hook)["total"] == 1
    [told] = deliveries(guarded, hook)["deliveries"]
    assert guarded.database.value(f"SELECT project_id FROM audit_log WHERE id = {told['event_id']}") == project["id"]


def test_outcomes_and_test_button(guarded, hooks, receiver):
    expectations = {"410": ("failed", 1, 410, "HTTP 410"), "302": ("failed", 1, 302, "HTTP 302"), "503": ("retrying", 1, 503, "HTTP 503"),
                    "408": ("retrying", 1, 408, "HTTP 408"), "425": ("retrying", 1, 425, "HTTP 425"), "429": ("retrying", 1, 429, "HTTP 429")}
    made = {code: hooks(f"{receiver}/{code}", event_filter=["api_key_created"]) for code in expectations}
    Receiver.seen.clear()
    new_key(guarded)
    for code, (status, count, response, error) in expectations.items():
        def tried(hook=made[code]):
            return [d for d in deliveries(guarded, hook)["deliveries"] if d["attempt_count"]]
        [found] = wait_for(tried)
        assert (found["status"], found["response_code"], found["error_message"]) == (status, response, error)
        assert found["attempt_count"] >= count and (found["next_attempt_at"] or found["lease_expires_at"]) or status == "failed"
        assert deliveries(guarded, made[code], f"?status={status}")["total"] == 1
        assert deliveries(guarded, made[code], "?status=delivered") == {"deliveries": [], "total": 0}
    assert not Receiver.seen["/stolen"], "redirects are not followed"
    [later] = deliveries(guarded, made["429"])["deliveries"]
    asked, again = (datetime.fromisoformat(later[name]) for name in ("last_attempt_at", "next_attempt_at"))
    assert later["attempt_count"] == 1 and 90 < (again - asked).total_seconds() < 110, "when the receiver asked for it"
    expect(guarded.admin.send("PATCH", f"{WEBHOOKS}/{made['410']['id']}", json={"enabled": False}))
    tested = expect(guarded.admin.post(f"{WEBHOOKS}/{made['410']['id']}/test"))
    assert (tested["status"], tested["response_code"]) == ("failed", 410)
    good = hooks(f"{receiver}/200", event_filter=["nothing"])
    tested = expect(guarded.admin.post(f"{WEBHOOKS}/{good['id']}/test"))
    [kept] = deliveries(guarded, good)["deliveries"]
    assert tested == {"delivery_id": kept["id"], "status": "delivered", "response_code": 200}
    assert kept["attempt_count"] == 1 and kept["next_attempt_at"] is None
    talkative = hooks(f"{receiver}/long", event_filter=["nothing"])
    tested = expect(guarded.admin.post(f"{WEBHOOKS}/{talkative['id']}/test"))
    assert (tested["status"], tested["response_code"]) == ("delivered", 200), "however much it says"
    trial = {"target_url": f"{receiver}/200", "secret": "unsaved", "format": "generic"}
    before = expect(guarded.admin.get(WEBHOOKS))["total"]
    assert expect(guarded.admin.post(f"{WEBHOOKS}/new/test", trial))["status"] == "delivered"
    assert expect(guarded.admin.post(f"{WEBHOOKS}/new/test", {**trial, "target_url": f"{receiver}/410"}))["response_code"] == 410
    assert expect(guarded.admin.get(WEBHOOKS))["total"] == before, "nothing is kept"
    assert guarded.admin.post(f"{WEBHOOKS}/new/test", {**trial, "target_url": "ftp://nowhere"}).status == 400
    assert guarded.read.post(f"{WEBHOOKS}/new/test", trial).status in (401, 403)
    body = deliveries(guarded, talkative)["deliveries"][0]["response_body"]
    assert body.startswith("жжж") and body.endswith("ж …[truncated at 65536 bytes]") and 2000 < len(body.encode()) <= 2048
    assert expect(guarded.read.get("/api/v1/audit?action=webhook.test"))["total"] >= 2


def test_attempts_for_a_day_then_by_hand_and_what_is_listed_last(guarded, hooks, receiver):
    """Attempts are made due at once; the one after which the next would begin more than 24 hours after the first is the
    last, and only a person has it tried again. What was not tried yet stands last."""
    hook = hooks(f"{receiver}/503", name="day", event_filter=["api_key_created"])
    Receiver.seen.clear()
    new_key(guarded)
    mine = f"job_key LIKE '{hook['id']}:%'"
    for attempt, failures in enumerate((1, 5, 28, 29), 1):
        guarded.database.run(f"UPDATE jobs SET due_at = 0, failures = {failures - 1} WHERE {mine}")
        [found] = wait_for(lambda: [d for d in deliveries(guarded, hook)["deliveries"] if d["attempt_count"] >= attempt and not d["lease_expires_at"]])
        assert found["attempt_count"] == attempt and found["status"] == ("failed" if failures == 29 else "retrying")
        assert (found["next_attempt_at"] is None) == (failures == 29)
    resend = f"{WEBHOOKS}/{hook['id']}/deliveries/{found['id']}/resend"
    assert guarded.write.post(resend).status == 403, "an operator's"
    assert expect(guarded.admin.post(resend))["status"] == "retrying"
    sent = Receiver.seen["/503"]
    wait_for(lambda: len(sent) == 5)
    assert len({headers["X-AB-Delivery"] for headers, _ in sent}) == 1, "one delivery for the receiver"
    [found] = wait_for(lambda: [d for d in deliveries(guarded, hook)["deliveries"] if d["attempt_count"] == 5])
    assert found["status"] == "retrying" and expect(guarded.read.get("/api/v1/audit?action=webhook.resend"))["total"] >= 1
    assert guarded.admin.post(resend).status == 409, "it has not failed"
    assert guarded.admin.post(resend.replace(found["id"], unknown_id())).status == 404
    last = hooks(f"{receiver}/200", name="then", event_filter=["api_key_created"])
    new_key(guarded)
    assert settled(guarded, last)["deliveries"][0]["status"] == "delivered"
    first = [d for d in deliveries(guarded, hook)["deliveries"] if d["event_id"] == found["event_id"]]
    assert first[0]["attempt_count"] == 5, "a later round has left it alone"
    ids = [unknown_id(), unknown_id()]
    for name in ids:
        guarded.database.run("INSERT INTO audit_log (ts, action) VALUES ('2026-01-01T00:00:00.000000+00:00', 'nothing');"
                             "INSERT INTO webhook_deliveries (id, subscription_id, event_id, status, last_attempt_at)"
                             f" SELECT '{name}', '{last['id']}', max(id), 'failed', NULL FROM audit_log")
    assert [d["id"] for d in deliveries(guarded, last)["deliveries"]][1:] == sorted(ids, reverse=True)


def runners(store):
    """The processes that deliver: children of the one that watches over them."""
    found = []
    for process in store.stack.processes():
        with contextlib.suppress(OSError):
            if b"webhook-deliver" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0]:
                parent = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
                found.append((parent, process))
    every = {process for _, process in found}
    return [process for parent, process in found if parent in every]


def enqueue(store, hook, count):
    """So many events at once, as the service would write them."""
    rows = ",".join(f"('2026-01-01T00:00:00.{n:06}+00:00', 'export_created')" for n in range(count))
    store.database.run(f"INSERT INTO audit_log (ts, action) VALUES {rows}")
    events = [r["id"] for r in store.database.rows(
        f"SELECT id FROM audit_log WHERE action = 'export_created' ORDER BY id DESC LIMIT {count}")]
    bodies = {e: json.dumps({"event_type": "export_created", "event_id": str(e)}) for e in events}
    moment = int(time.time() * 1e6)
    deliver = ",".join(f"('{unknown_id()}', '{hook['id']}', {e}, 'pending')" for e in events)
    jobs = ",".join(
        "('experiments.webhook', '{0}:{1}', '{0}', '{2}', 'waiting', 0, 0, {3}, {3})".format(
            hook["id"], e, json.dumps({"webhook_id": hook["id"], "event_id": str(e), "event_type": "export_created", "body": bodies[e]}), moment)
        for e in events)
    store.database.run(
        f"INSERT INTO webhook_deliveries (id, subscription_id, event_id, status) VALUES {deliver};"
        "INSERT INTO jobs (kind, job_key, lane, payload, state, failures, interruptions, due_at, created_at)"
        f" VALUES {jobs}")
    return [str(e) for e in events]


def test_nothing_is_lost_and_nothing_taken_twice(guarded, hooks, receiver):
    hook = hooks(f"{receiver}/fate", event_filter=["nothing"])
    Receiver.taken.clear(), Receiver.fates.clear()  # the other engine counts its events from 1 as well
    events = enqueue(guarded, hook, EVENTS)
    started, dice = time.monotonic(), random.Random(3)
    for _ in range(40 if SOAK else 3):
        time.sleep(dice.uniform(0.1, 0.4))
        living = runners(guarded)
        if living:
            os.kill(dice.choice(living), signal.SIGKILL)

    def all_settled():
        left = guarded.database.value("SELECT count(*) FROM webhook_deliveries WHERE status IN ('pending', 'retrying')"
                                      f" AND subscription_id = '{hook['id']}'")
        return left == 0
    wait_for(all_settled, told=lambda: "still on their way", seconds=900 if SOAK else 60)
    seconds = time.monotonic() - started
    redirected = {e for e, fate in Receiver.fates.items() if fate == "302"}
    assert set(Receiver.taken) >= set(events) - redirected, "lost"
    assert not (set(Receiver.taken) & redirected) and not Receiver.seen["/stolen"]
    twice = {e: ids for e, ids in Receiver.taken.items() if len(set(ids)) > 1}
    assert not twice, f"under several delivery ids: {twice}"
    states = guarded.database.rows("SELECT status, count(*) AS n FROM webhook_deliveries WHERE subscription_id ="
                                   f" '{hook['id']}' GROUP BY status")
    assert {r["status"]: int(r["n"]) for r in states} == {
        k: v for k, v in (("delivered", len(events) - len(redirected)), ("failed", len(redirected))) if v}
    if SOAK:
        print(f"\n{guarded.engine}: {len(events)} deliveries in {seconds:.1f} s, {len(events) / seconds:.0f}/s")


def test_totals_are_of_the_rows(guarded, hooks, receiver):
    """However rows come and go: added, moved, purged by age, gone with their entry or their webhook."""
    store, hook = guarded, hooks(f"{receiver}/quiet", event_filter=["nothing"])
    other = hooks(f"{receiver}/quiet", event_filter=["nothing"])
    run, mine = store.database.run, f"subscription_id = '{hook['id']}'"
    run("INSERT INTO audit_log (ts, action) VALUES " + ",".join(["('2026-01-01T00:00:00.000000+00:00', 'totals')"] * 8))
    events = [r["id"] for r in store.database.rows("SELECT id FROM audit_log WHERE action = 'totals' ORDER BY id")]
    for one in (hook, other):
        run("INSERT INTO webhook_deliveries (id, subscription_id, event_id, status) VALUES "
            + ",".join(f"('{unknown_id()}', '{one['id']}', {event}, 'pending')" for event in events))

    def totals():
        of = {status: deliveries(store, hook, f"?status={status}") for status in ("pending", "retrying", "delivered", "failed")}
        assert all(page["total"] == len(page["deliveries"]) for page in of.values())
        assert deliveries(store, hook)["total"] == len(deliveries(store, hook)["deliveries"]) == sum(p["total"] for p in of.values())
        return [page["total"] for page in of.values()]
    assert totals() == [8, 0, 0, 0]
    run(f"UPDATE webhook_deliveries SET status = 'retrying' WHERE {mine} AND event_id IN ({events[0]}, {events[1]})")
    run("UPDATE webhook_deliveries SET status = 'delivered', last_attempt_at = '2026-01-02T00:00:00.000000+00:00'"
        f" WHERE {mine} AND event_id IN ({events[1]}, {events[2]}, {events[3]})")
    run(f"UPDATE webhook_deliveries SET status = 'failed' WHERE {mine} AND event_id = {events[4]}")
    run(f"UPDATE webhook_deliveries SET status = status, response_code = 200 WHERE {mine}")
    assert totals() == [3, 1, 3, 1]
    run(f"DELETE FROM audit_log WHERE id = {events[3]}")
    assert totals() == [3, 1, 2, 1]
    expect(store.write.post("/api/v1/admin/retention/purge", {"webhook_deliveries_days": 1, "audit_days": 0, "dry_run": False}))
    assert totals() == [3, 1, 0, 1]
    told = expect(store.write.get("/api/v1/diagnostics"))["webhooks"]
    rows = {r["status"]: int(r["n"]) for r in store.database.rows("SELECT status, count(*) AS n FROM webhook_deliveries GROUP BY status")}
    assert [told[status] for status in ("pending", "retrying", "failed")] == [rows.get(status, 0) for status in ("pending", "retrying", "failed")]
    assert store.admin.send("DELETE", f"{WEBHOOKS}/{hook['id']}").status in (200, 204)
    assert store.database.value(f"SELECT count(*) FROM delivery_totals WHERE {mine}") == 0
    assert store.database.value(f"SELECT sum(deliveries) FROM delivery_totals WHERE subscription_id = '{other['id']}'") == 7


def test_old_deliveries_and_what_is_still_to_be_told(guarded, hooks, receiver):
    """A purge takes deliveries that have ended, and no entry that a webhook has yet to hear of."""
    done = hooks(f"{receiver}/200", event_filter=["api_key_created"])
    waiting = hooks(f"{receiver}/503", event_filter=["api_key_created"])
    new_key(guarded)
    [ended] = settled(guarded, done)["deliveries"]
    wait_for(lambda: deliveries(guarded, waiting, "?status=retrying")["total"])
    before = guarded.database.value("SELECT count(*) FROM audit_log")
    guarded.database.run("UPDATE audit_log SET ts = '2026-01-01T00:00:00.000000+00:00';"
                         "UPDATE webhook_deliveries SET delivered_at = '2026-01-01T00:00:00.000000+00:00' WHERE delivered_at IS NOT NULL")
    found = expect(guarded.admin.post("/api/v1/admin/retention/purge", {"webhook_deliveries_days": 30, "audit_days": 30}))
    count = found["purged"]["webhook_deliveries"]
    assert found["dry_run"] and count >= 1 and deliveries(guarded, done)["total"] == 1
    assert found["purged"]["audit_log"] < before, "an entry that is still to be told of stays"
    told = expect(guarded.read.get("/api/v1/diagnostics"))["webhooks"]
    assert told["delivered"] >= 1 and told["retrying"] >= 1 and told["oldest_due_age_seconds"] >= 0
    body = {"webhook_deliveries_days": 30, "audit_days": 30, "dry_run": False}
    assert expect(guarded.admin.post("/api/v1/admin/retention/purge", body))["purged"]["webhook_deliveries"] >= count
    assert deliveries(guarded, done)["total"] == 0 and deliveries(guarded, waiting)["total"] == 1
    event = deliveries(guarded, waiting)["deliveries"][0]["event_id"]
    assert guarded.database.value(f"SELECT count(*) FROM audit_log WHERE id = {event}") == 1 and ended["event_id"] == event


@pytest.mark.skipif(not SOAK, reason="takes long: make soak")
def test_deliveries_in_a_second(guarded, hooks, receiver):
    """To a receiver that answers at once: eight webhooks, so that lanes do not bound it."""
    made = [hooks(f"{receiver}/200", name=f"{n}", event_filter=["nothing"]) for n in range(8)]
    started = time.monotonic()
    for hook in made:
        enqueue(guarded, hook, EVENTS // 8)
    enqueued = time.monotonic()

    def all_settled():
        return guarded.database.value("SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'") == 0
    wait_for(all_settled, seconds=600)
    print(f"\n{guarded.engine}: {EVENTS / (time.monotonic() - enqueued):.0f}/s to {EVENTS / (time.monotonic() - started):.0f}/s")
    assert guarded.database.value("SELECT count(*) FROM webhook_deliveries WHERE status = 'delivered'") >= EVENTS


def test_a_local_installation_may_call_itself_and_no_private_network(guarded):
    body = {"name": "hook", "secret": SECRET, "format": "generic", "scope": "global"}
    for url in ("https://10.0.0.5/", "https://192.168.1.1/", "https://[fd00::1]/", "http://192.168.1.1/", "https://169.254.169.254/"):
        expect(guarded.admin.post(WEBHOOKS, {**body, "target_url": url}), 400, "bad_request")
    for url in ("https://127.0.0.1:1/", "https://[::1]:1/", "http://localhost:1/"):
        made = expect(guarded.admin.post(WEBHOOKS, {**body, "target_url": url}))
        expect(guarded.admin.send("DELETE", f"{WEBHOOKS}/{made['id']}"))


def test_names_of_private_addresses_are_refused_when_connecting(stores):
    """Beyond AB_ENV local. Addresses in URLs are refused when the webhook is made (subscription_url_test)."""
    with stores.new("sqlite", {**CLOSED, "AB_ENV": "demo"}) as store:
        body = {"name": "hook", "secret": SECRET, "format": "generic", "scope": "global"}
        for url in ("https://10.0.0.5/", "https://2130706433/", "https://[::ffff:127.0.0.1]/", "http://localhost/"):
            expect(store.admin.post(WEBHOOKS, {**body, "target_url": url}), 400, "bad_request")
        for url in ("https://localhost/", "https://localhost:1/", "https://LOCALHOST./", "https://ip6-localhost/"):
            hook = expect(store.admin.post(WEBHOOKS, {**body, "target_url": url}))
            assert expect(store.admin.post(f"{WEBHOOKS}/{hook['id']}/test"))["status"] == "failed"
            [kept] = deliveries(store, hook, "?limit=1")["deliveries"]
            assert "non-public address" in kept["error_message"] or url.endswith(("./", "ip6-localhost/")), kept
