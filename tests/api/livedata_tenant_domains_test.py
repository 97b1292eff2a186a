"""Domains that a tenant lists: every route shows and takes what is of these, and nothing of others, although the tables
and the journal have rows of the tenant from before it listed any."""

import json
import re
import shutil
import threading
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
import yaml

from service import ENGINES, Service
from stack import CHECKOUT, Stack
from wait import wait_for

pytestmark = pytest.mark.both_engines
ADMIN = {"X-Admin-Key": "admin-key"}
LISTED = {"everything": None, "shopper": ["shop"], "floor": ["machines"], "nobody": []}
DOMAINS = ("shop", "machines")
ORDER = "ORD-20260404-5001"
OF = {"shop": {"type": "order", "id": ORDER, "metric": "order_count", "contract": "order", "versions": "1/2", "text": "coffee",
               "found": "product"},
      "machines": {"type": "machine", "id": "M-1", "metric": "machine_count", "contract": "machine", "versions": "1/2",
                   "text": "lathe", "found": "machine"}}
METRIC = ("name: {}\ndescription: Rows\nunit: count\ntable: {}\ntime: {}\nwindows: [1h, 24h]\n"
          "source_events: [machine.registered]\nkind: count\n")


def event(kind, **members):
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "test",
            "timestamp": datetime.now(timezone.utc).isoformat(), **members}


def order(number=ORDER):
    return event("order.created", order_id=number, user_id="USR-1", status="pending", total_amount="10.00",
                 items=[{"product_id": "P-1", "quantity": 1, "unit_price": "10.00"}])


def events_of(domain, mark=""):
    if domain == "shop":
        return [event("product.updated", product_id="P-1", name=f"Coffee{mark}", category="food", price=10, in_stock=True,
                      stock_quantity=3), order()]
    return [event("machine.registered", machine_id="M-1", name=f"Lathe{mark}", site="north")]


def key_of(tenant):
    return {"X-API-Key": f"key-of-{tenant}"}


def write_tenants(path, listed):
    path.write_text(yaml.safe_dump({"tenants": [
        {"id": tenant, "display_name": tenant, **({} if domains is None else {"domains": domains})}
        for tenant, domains in listed.items()]}))


def make_folder(folder):
    """Machines with metrics, one of them over a table of the shop, and two versions of a contract."""
    shutil.copytree(CHECKOUT / "config/demo/machines", folder)
    (folder / "metrics").mkdir()
    (folder / "contracts").mkdir()
    for name, table, time in (("machine_count", "own_machines_machine", "installed_at"),
                              ("reading_count", "own_machines_reading", "taken_at"),
                              ("orders_of_machines", "orders_v2", "created_at")):
        (folder / "metrics" / f"{name}.yaml").write_text(METRIC.format(name, table, time))
    for version in (1, 2):
        (folder / "contracts" / f"machine_v{version}.yaml").write_text(
            f"entity: machine\nversion: '{version}'\nreleased: '2026-01-0{version}'\nstatus: stable\n"
            "fields:\n  - {name: machine_id, type: string, required: true}\nbreaking_changes: []\n")


@pytest.fixture(scope="module", params=ENGINES)
def live(request, tmp_path_factory):
    """All tenants have rows of both domains and an alert of each; then they list what they see."""
    home = tmp_path_factory.mktemp("tenants")
    make_folder(home / "machines")
    keys = [{"key": f"key-of-{tenant}", "name": tenant, "tenant": tenant} for tenant in LISTED]
    keys.append({"key": "key-of-typed", "name": "typed", "tenant": "shopper", "allowed_entity_types": ["order", "machine"]})
    (home / "keys.yaml").write_text(yaml.safe_dump({"keys": keys}))
    write_tenants(home / "tenants.yaml", dict.fromkeys(LISTED))
    with Service("livedata", {"LIVE_API_KEYS_FILE": str(home / "keys.yaml"), "LIVE_TENANTS_FILE": str(home / "tenants.yaml"),
                              "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{home}/machines", "LIVE_ADMIN_KEY": "admin-key",
                              "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1", "LIVE_RATE_LIMIT_RPM": "100000",
                              "LIVE_ALERT_SECONDS": "1", "LIVE_ALERT_EVENT_SECONDS": "0"},
                 request.param) as service:
        service.alerts = {}
        for tenant in LISTED:
            sent = service.post("/v1/events", {"events": events_of("shop") + events_of("machines")}, headers=key_of(tenant))
            assert sent.json()["applied"] == 3, sent.text
            for domain in DOMAINS:
                made = service.post("/v1/alerts", alert(domain), headers=key_of(tenant))
                assert made.status_code == 201, made.text
                service.alerts[tenant, domain] = made.json()["id"]
        write_tenants(home / "tenants.yaml", LISTED)
        done = service.stack.run("restart")
        assert done.returncode == 0, done.stderr
        yield service


def alert(domain):
    return {"name": domain, "metric": OF[domain]["metric"], "window": "24h", "condition": "above", "threshold": 1e9}


def is_there(answer, *refusals):
    """True for an answer, False for one of the refusals, which name nothing of other domains."""
    assert answer.status_code in (200, *refusals), answer.text
    return answer.status_code == 200


def in_batch(live, key, body):
    [result] = live.post("/v1/batch", {"requests": [{"id": "a", **body}]}, headers=key).json()["results"]
    return result["status"] == "ok"


SOME = {
    "entity": lambda live, key, of, _: is_there(live.get(f"/v1/entity/{of['type']}/{of['id']}", headers=key), 404),
    "lineage": lambda live, key, of, _: is_there(live.get(f"/v1/lineage/{of['type']}/{of['id']}", headers=key), 404),
    "events": lambda live, key, of, _: is_there(live.get(f"/v1/entity/{of['type']}/{of['id']}/events", headers=key), 404),
    "metric": lambda live, key, of, _: is_there(live.get(f"/v1/metrics/{of['metric']}?window=24h", headers=key), 404),
    "filtered": lambda live, key, of, _: is_there(live.get(f"/v1/metrics/{of['metric']}?window=today", headers=key), 404),
    "series": lambda live, key, of, _: is_there(live.get(f"/v1/metrics/{of['metric']}/series", headers=key), 404),
    "batch_entity": lambda live, key, of, _: in_batch(live, key, {
        "type": "entity", "params": {"entity_type": of["type"], "entity_id": of["id"]}}),
    "batch_metric": lambda live, key, of, _: in_batch(live, key, {
        "type": "metric", "params": {"name": of["metric"], "window": "24h"}}),
    "features": lambda live, key, of, _: is_there(live.post("/v1/features", {
        "entity_type": of["type"], "rows": [{"entity_id": of["id"]}]}, headers=key), 404),
    "search": lambda live, key, of, _: of["found"] in {
        one["entity_type"] for one in live.get(f"/v1/search?q={of['text']}", headers=key).json()["results"]},
    "search_fields": lambda live, key, of, _: of["type"] in {
        one["entity_type"] for one in live.get(f"/v1/search?q={of['type']}&limit=50", headers=key).json()["results"]},
    "search_type": lambda live, key, of, _: bool(
        live.get(f"/v1/search?q={of['text']}&entity_types={of['found']}", headers=key).json()["results"]),
    "catalog_entities": lambda live, key, of, _: of["type"] in live.get("/v1/catalog", headers=key).json()["entities"],
    "domains": lambda live, key, of, _: any(of["metric"] in one["metrics"] for one in live.get("/v1/domains", headers=key).json()["domains"]),
    "catalog_metrics": lambda live, key, of, _: of["metric"] in live.get("/v1/catalog", headers=key).json()["metrics"],
    "contracts": lambda live, key, of, _: of["contract"] in {
        one["entity"] for one in live.get("/v1/contracts", headers=key).json()["contracts"]},
    "contract": lambda live, key, of, _: is_there(live.get(f"/v1/contracts/{of['contract']}", headers=key), 404),
    "contract_version": lambda live, key, of, _: is_there(live.get(f"/v1/contracts/{of['contract']}/1", headers=key), 404),
    "contract_diff": lambda live, key, of, _: is_there(
        live.get(f"/v1/contracts/{of['contract']}/diff/{of['versions']}", headers=key), 404),
    "alerts": lambda live, key, of, domain: domain in {
        one["name"] for one in live.get("/v1/alerts", headers=key).json()["alerts"]},
    "alert_preview": lambda live, key, of, domain: is_there(live.post("/v1/alerts/preview", alert(domain), headers=key), 404),
    "heartbeats": lambda live, key, of, _: is_there(live.post("/v1/events", {
        "heartbeats": [{"source": "test", "feeds": [of["type"]]}]}, headers=key), 422),
}


def sees(tenant, domain):
    return LISTED[tenant] is None or domain in LISTED[tenant]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("tenant", LISTED)
@pytest.mark.parametrize("route", SOME)
def test_routes_show_what_the_tenant_lists(live, route, tenant, domain):
    assert SOME[route](live, key_of(tenant), OF[domain], domain) == sees(tenant, domain)


@pytest.mark.parametrize("tenant", LISTED)
def test_routes_of_the_shop(live, tenant):
    key, seen = key_of(tenant), sees(tenant, "shop")
    assert is_there(live.get(f"/v1/entity/order/{ORDER}/timeline", headers=key), 404) == seen
    assert is_there(live.get("/v1/ops/stuck-orders", headers=key), 403) == seen
    for path in ("/v1/query", "/v1/query/explain"):
        for question in ("How many orders are there today?", "revenue today", "top 2 products by revenue today"):
            answer = live.post(path, {"question": question}, headers=key)
            assert is_there(answer, 400) == seen
        assert is_there(live.post(path, {"question": "How many machines are there?"}, headers=key), 400) == sees(tenant, "machines")
        told = live.post(path, {"question": "How many unicorns are there?"}, headers=key).json()["detail"]
        named = set(re.findall(r"\w+", told.partition("Try asking about: ")[2].partition(". For example")[0]))
        assert ({"order", "product", "revenue"} <= named) == seen, told
        assert ({"machine", "reading"} <= named) == sees(tenant, "machines"), told
    assert in_batch(live, key, {"type": "query", "params": {"question": "revenue today"}}) == seen


@pytest.mark.parametrize("tenant", LISTED)
def test_a_refusal_names_only_what_the_tenant_sees(live, tenant):
    key = key_of(tenant)
    told = live.get("/v1/entity/nothing/1", headers=key).json()["detail"]
    assert [f"'{OF[domain]['type']}'" in told for domain in DOMAINS] == [sees(tenant, domain) for domain in DOMAINS], told
    told = live.get("/v1/metrics/nothing", headers=key).json()["detail"]
    assert [f"'{OF[domain]['metric']}'" in told for domain in DOMAINS] == [sees(tenant, domain) for domain in DOMAINS], told


@pytest.mark.parametrize("tenant", LISTED)
def test_a_metric_over_two_domains_needs_both(live, tenant):
    answer = live.get("/v1/metrics/orders_of_machines?window=24h", headers=key_of(tenant))
    assert is_there(answer, 404) == (sees(tenant, "shop") and sees(tenant, "machines"))


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("tenant", LISTED)
def test_alerts_of_a_domain_that_is_not_listed_do_not_exist(live, tenant, domain):
    number, status = live.alerts[tenant, domain], 200 if sees(tenant, domain) else 404
    assert live.get(f"/v1/alerts/{number}/history", headers=key_of(tenant)).status_code == status
    assert live.send("PUT", f"/v1/alerts/{number}", json={"threshold": 2e9}, headers=key_of(tenant)).status_code == status
    again = live.post("/v1/alerts", {**alert(domain), "name": "again"}, headers=key_of(tenant))
    assert again.status_code == (201 if status == 200 else 404)


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("tenant", LISTED)
def test_events_of_a_domain_that_is_not_listed_are_refused(live, tenant, domain):
    mark = uuid.uuid4().hex[:8]
    for sent in events_of(domain, mark):
        [result] = live.post("/v1/events", {"events": [sent]}, headers=key_of(tenant)).json()["results"]
        if sees(tenant, domain):
            assert result["status"] == "applied", result
            continue
        assert result["status"] == "dead_lettered"
        assert result["detail"] == f"{sent['event_type']} is of the domain {domain}, which tenant {tenant} does not list"
        replay = live.post(f"/v1/deadletter/{sent['event_id']}/replay", {}, headers=key_of(tenant))
        assert replay.status_code == 422 and "does not list" in replay.text
        shown = live.get(f"/v1/deadletter/{sent['event_id']}", headers=key_of(tenant)).json()
        assert shown["failure_detail"] == result["detail"]
    table, column = {"shop": ("products_current", "name"), "machines": ("own_machines_machine", "name")}[domain]
    [[name]] = live.sql(f"SELECT {column} FROM {table} WHERE tenant_id = '{tenant}'")
    assert name.endswith(mark) == sees(tenant, domain)


@pytest.mark.parametrize("tenant", LISTED)
def test_change_data_of_a_domain_that_is_not_listed_is_refused(live, tenant):
    change = {"before": None, "after": {"machine_id": "M-9", "label": "Mill", "site": "west", "cost": "1.5", "installed": None},
              "op": "c", "ts_ms": 1775296800999, "source": {"name": "plant", "schema": "public", "table": "machines",
                                                            "ts_ms": 1775296800000, "lsn": 1}}
    [result] = live.post("/v1/events", {"events": [change]}, headers=key_of(tenant)).json()["results"]
    if sees(tenant, "machines"):
        assert result["status"] in ("applied", "duplicate"), result
    else:
        assert result["detail"] == "changes of machine are of the domain machines, which the tenant does not list"
    row = event("orders.change", operation="delete", entity_type="order", entity_id="ORD-20260404-9",
                before={"order_id": "ORD-20260404-9"}, after=None, source_metadata={"table": "orders"})
    row["source"] = "postgres_cdc"
    [result] = live.post("/v1/events", {"events": [row]}, headers=key_of(tenant)).json()["results"]
    assert ("does not list" in (result["detail"] or "")) == (not sees(tenant, "shop")), result


def stream_until(live, key, number):
    """The types of all events that the journal has, up to the one of that id."""
    kinds = []
    with requests.get(f"{live.url}/v1/stream/events", headers={**key, "Last-Event-ID": "0"}, stream=True, timeout=60) as answer:
        for line in answer.iter_lines(chunk_size=1):
            if line.startswith(b"data:"):
                told = json.loads(line[5:])
                kinds.append(told["event_type"])
                if told["event_id"] == number:
                    return set(kinds)
    return None


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.got = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize("tenant, domain", [("everything", "shop"), ("shopper", "shop"), ("floor", "machines")])
def test_streams_and_webhooks_tell_of_listed_domains(live, receiver, tenant, domain):
    key = key_of(tenant)
    hook = live.post("/v1/webhooks", {"url": f"http://127.0.0.1:{receiver.server_port}/"}, headers=key).json()["id"]
    for one in DOMAINS:
        live.post("/v1/events", {"events": events_of(one)}, headers=key)
    last = events_of(domain)[-1]
    assert live.post("/v1/events", {"events": [last]}, headers=key).json()["applied"] == 1
    kinds = stream_until(live, key, last["event_id"])
    assert [bool(kinds & told) for told in ({"order.created", "product.updated"}, {"machine.registered"})] == [
        sees(tenant, one) for one in DOMAINS]
    expected = {kind for one, kind in zip(DOMAINS, ("order.created", "machine.registered")) if sees(tenant, one)}
    wait_for(lambda: expected <= {one["event_type"] for one in list(receiver.got)}
             and last["event_id"] in {one["event_id"] for one in list(receiver.got)})
    assert {one["event_type"] for one in receiver.got} & {"order.created", "machine.registered"} == expected
    assert live.send("DELETE", f"/v1/webhooks/{hook}", headers=key).status_code == 204


def test_a_key_of_some_types_sees_no_more(live):
    key = key_of("typed")
    status = {kind: live.get(f"/v1/entity/{kind}/{number}", headers=key).status_code
              for kind, number in (("order", ORDER), ("product", "P-1"), ("machine", "M-1"), ("reading", "R-1"))}
    assert status == {"order": 200, "product": 403, "machine": 404, "reading": 403}
    last = order("ORD-20260404-5002")
    assert live.post("/v1/events", {"events": [last]}, headers=key).status_code == 403
    assert live.post("/v1/events", {"events": [last]}, headers=key_of("shopper")).json()["applied"] == 1
    told = stream_until(live, key, last["event_id"])
    assert "order.created" in told and not told & {"machine.registered", "product.updated"}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("tenant", LISTED)
def test_keys_are_made_for_types_that_the_tenant_sees(live, tenant, domain):
    body = {"name": f"of {domain}", "tenant": tenant, "allowed_entity_types": [OF[domain]["type"]]}
    answer = live.post("/v1/admin/keys", body, headers=ADMIN)
    assert answer.status_code == (201 if sees(tenant, domain) else 422), answer.text


def test_the_worker_evaluates_what_the_tenant_sees(live):
    """The state of an alert whose domain is not listed stays as it was: the log says why."""
    wait_for(lambda: f"{live.alerts['shopper', 'machines']}: the metric machine_count is not declared any more"
             in live.stack.logs("livedata-worker"))
    assert f"{live.alerts['shopper', 'shop']}: the metric" not in live.stack.logs("livedata-worker")


def test_a_domain_that_does_not_exist_stops_the_start(tmp_path):
    write_tenants(tmp_path / "tenants.yaml", {"floor": ["shop", "moons"]})
    with Stack(services=("livedata",)) as stack:
        done = stack.try_start({"LIVE_TENANTS_FILE": str(tmp_path / "tenants.yaml"), "LIVE_API_KEYS": "key:name"})
        told = done.stdout + done.stderr + stack.logs()
        assert done.returncode != 0
        assert f"{tmp_path}/tenants.yaml: domains of floor: there is no domain 'moons' in LIVE_CONFIG_DIR" in told
