"""What domains declare, as people and programs read it: columns, event types with examples that are applied as they are,
and what changed files would do."""

import shutil
import uuid
from datetime import datetime, timezone

import pytest

from service import ENGINES, Service
from stack import CHECKOUT

pytestmark = pytest.mark.both_engines
KEY, ADMIN = {"X-API-Key": "key-of-floor"}, {"X-Admin-Key": "admin-key"}


@pytest.fixture(scope="module", params=ENGINES)
def floor(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("contracts") / "machines"
    shutil.copytree(CHECKOUT / "config/demo/machines", folder)
    with Service("livedata", {"LIVE_API_KEYS": "key-of-floor:floor", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_ADMIN_KEY": "admin-key",
                              "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{folder}"}, request.param) as service:
        service.folder = folder
        yield service


def domains(floor):
    return {one["name"]: one for one in floor.get("/v1/domains", headers=KEY).json()["domains"]}


def entity(floor, domain, name):
    return next(one for one in domains(floor)[domain]["entities"] if one["name"] == name)


def plan(floor):
    answer = floor.get("/v1/admin/plan", headers=ADMIN)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_entities_with_their_columns(floor):
    found = domains(floor)
    assert list(found) == ["shop", "machines"] and "revenue" in found["shop"]["metrics"]
    reading = entity(floor, "machines", "reading")
    assert reading["served"] and reading["difference"] is None and reading["retention_days"] == 365
    columns = {one["name"]: one for one in reading["columns"]}
    assert columns["machine_id"]["refers_to"] == "machine"
    assert columns["value"] == {"name": "value", "type": "decimal", "scale": 3, "description": "Measured value", "values": [],
                                "counted": False, "refers_to": None}
    machine = {one["name"]: one for one in entity(floor, "machines", "machine")["columns"]}
    assert machine["site"]["values"] == ["north", "south", "west"] and machine["starts"]["counted"]


def test_event_types_with_their_members(floor):
    taken = next(one for one in entity(floor, "machines", "reading")["events"] if one["event_type"] == "reading.taken")
    members = {one["path"]: one for one in taken["members"]}
    assert taken["does"] == "insert" and members["data.value"]["required"] and not members["data.valid"]["required"]
    assert "timestamp" not in members and taken["example"]["data"] == {"value": "12", "valid": True}
    assert [one["event_type"] for one in entity(floor, "shop", "session")["events"]] == ["click", "page_view", "add_to_cart"]


@pytest.mark.parametrize("domain, name, event_type, path", [
    ("shop", "order", "order.created", "order_id"), ("shop", "order", "payment.completed", "order_id"),
    ("shop", "product", "product.updated", "product_id"), ("machines", "machine", "machine.ran", "machine_id"),
    ("machines", "reading", "reading.withdrawn", "reading_id")])
def test_an_event_type_says_what_names_the_entity(floor, domain, name, event_type, path):
    assert next(one for one in entity(floor, domain, name)["events"] if one["event_type"] == event_type)["key"] == path


def test_every_example_is_applied_as_it_is(floor):
    sent = []
    for domain in domains(floor).values():
        for one in domain["entities"]:
            for kind in one["events"]:
                sent.append({"event_id": str(uuid.uuid4()), "event_type": kind["event_type"], "source": "examples",
                             "timestamp": datetime.now(timezone.utc).isoformat(), **kind["example"]})
    assert len(sent) == 10 + 7
    answer = floor.post("/v1/events", {"events": sent}, headers=KEY).json()
    assert answer["applied"] == len(sent), answer


def test_what_a_changed_file_would_do(floor):
    assert plan(floor) == {"changes": [], "fault": None}
    file = floor.folder / "entities/machine.yaml"
    before = file.read_text()
    try:
        file.write_text(before.replace("columns:\n", "columns:\n  vendor: text\n", 1))
        change, = plan(floor)["changes"]
        assert (change["domain"], change["entity"], change["refused"]) == ("machines", "machine", False) and "vendor" in change["text"]
        file.write_text(before.replace("energy: {type: decimal, scale: 3", "energy: {type: decimal, scale: 2"))
        assert [one["refused"] for one in plan(floor)["changes"]] == [True]
        file.write_text(before.replace("type: decimal, scale: 4", "type: money"))
        answer = plan(floor)
        assert answer["changes"] == [] and "machine.yaml" in answer["fault"] and "money" in answer["fault"]
    finally:
        file.write_text(before)
    assert plan(floor)["changes"] == [] and entity(floor, "machines", "machine")["served"]


def test_plans_are_for_administrators(floor):
    assert floor.get("/v1/admin/plan", headers=KEY).status_code == 401


def test_a_folder_may_have_metrics_alone_over_tables_of_another_domain(floor):
    def check(*folders):
        return floor.run("livedata-check", "--files", env={"LIVE_CONFIG_DIR": ",".join(str(one) for one in folders)})
    shop, machines, metrics = (CHECKOUT / "config" / one for one in ("livedata", "demo/machines", "demo/machine_metrics"))
    done = check(shop, machines, metrics)
    assert done.returncode == 0 and done.stdout == "domains=3 entities=6 metrics=9 levels=3: the files are right\n", done
    assert check(shop, metrics).returncode != 0  # whose tables are not there
    assert check(shop, machines, machines.parent / "en").returncode != 0  # which has neither


def test_a_metric_of_no_table_or_of_no_event_is_named(floor, tmp_path):
    (tmp_path / "metrics").mkdir()
    file = tmp_path / "metrics" / "runs.yaml"
    right = "name: runs\ndescription: Runs\nunit: count\ntable: own_machines_machine\nkind: count\ntime: installed_at\nwindows: [1h]\nsource_events: [machine.ran]\n"

    def check(text):
        file.write_text(text)
        return floor.run("livedata-check", "--files", env={"LIVE_CONFIG_DIR": f"{CHECKOUT}/config/demo/machines,{tmp_path}"})

    assert check(right).returncode == 0
    for name, wrong, said in (
            ("own_machines_machine", "own_machines_press", "there is no table own_machines_press; tables are ['pipeline_events', 'own_machines_machine'"),
            ("machine.ran", "machine.runs", "source_events: there is no event type machine.runs")):
        done = check(right.replace(name, wrong))
        assert done.returncode == 1 and said in done.stderr and str(file) in done.stderr, done
