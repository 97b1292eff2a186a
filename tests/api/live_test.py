"""Running experiments over HTTP: assignment, batches of records, who counts as whom, and reading with an ETag. On both
engines; the statistics themselves are in live_oracle_test.py."""

import functools
import gzip
import json

import pytest
from scipy import stats

from project_fixtures import OPEN, PROJECTS, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]

HOUR = 3600
KEYS = {"holdout": "holdout", "pre-period": "pre_period_values"}
ROUTES = ["exposures", "conversions", "identities", "exclusions", "holdout", "pre-period", "strata"]
SAMPLE = {
    "exposures": {"user_id": "u", "variation_index": 0}, "conversions": {"user_id": "u", "metric": "purchase"},
    "identities": {"anonymous_id": "a", "canonical_id": "b"}, "exclusions": {"user_id": "u"}, "holdout": {"user_id": "u"},
    "pre-period": {"user_id": "u", "value": 1}, "strata": {"user_id": "u", "stratum": "s"}}


def design(**blocks):
    return payload("live", "binary", metrics={
        "primary_metric_name": "purchase", "metric_type": "binary", "baseline_value": 0.1, "mde_pct": 20,
        "alpha": 0.05, "power": 0.8}, **blocks)


class Experiment:
    """A project and what is sent to it."""

    def __init__(self, client, sent=None):
        self.client = client
        self.id = create(client, sent or design())["id"]

    def path(self, route):
        return f"/api/v1/experiments/{self.id}/{route}"

    def post(self, route, *records):
        return self.client.post(self.path(route), {KEYS.get(route, route): list(records)})

    def send(self, route, *records):
        """(received, recorded, deduplicated)"""
        answer = expect(self.post(route, *records))
        assert set(answer) == {"received", "recorded", "deduplicated"}
        return tuple(answer.values())

    def expose(self, user, arm, at=0):
        return self.send("exposures", {"user_id": user, "variation_index": arm, "occurred_at": at})

    def convert(self, user, metric="purchase", value=1, **more):
        return self.send("conversions", {"user_id": user, "metric": metric, "value": value, **more})

    def link(self, anonymous, canonical):
        return self.send("identities", {"anonymous_id": anonymous, "canonical_id": canonical})

    def stats(self):
        return expect(self.client.get(self.path("live-stats")))

    def arm(self, index):
        comparison = self.stats()["comparisons"][max(index, 1) - 1]
        return comparison["treatment" if index else "control"]


@pytest.fixture
def experiment(store):
    return Experiment(store.client)


def test_the_first_exposure_of_a_user_stands(experiment):
    records = [{"user_id": u, "variation_index": v} for u, v in (("u1", 0), ("u2", 1), ("u1", 1))]
    assert experiment.send("exposures", *records) == (3, 2, 1)
    assert experiment.send("exposures", *records) == (3, 0, 3)
    assert experiment.arm(0)["exposed_users"] == 1


def test_a_key_counts_once_whatever_else_is_sent(experiment):
    record = {"user_id": "u1", "metric": "purchase", "idempotency_key": "k1"}
    assert experiment.send("conversions", record, record) == (2, 1, 1)
    assert experiment.send("conversions", {**record, "user_id": "u2", "metric": "other", "value": 9}) == (1, 0, 1)
    assert experiment.convert("u1") == (1, 1, 0) and experiment.convert("u1") == (1, 1, 0)


def test_links_make_neither_chains_nor_circles(experiment):
    assert experiment.link("a", "b") == (1, 1, 0)
    for chain in (("b", "c"), ("z", "a"), ("q", "q")):
        assert experiment.link(*chain) == (1, 0, 0)
    assert experiment.post("identities", {"anonymous_id": "q", "canonical_id": "q"}).headers.get("X-AB-Ingest-Skipped") == "1"
    assert experiment.link("a", "zz") == (1, 0, 1)
    assert experiment.link("p", "b") == (1, 1, 0)


def test_a_person_is_counted_once_in_the_first_arm(experiment):
    experiment.expose("anon", 0, 0)
    experiment.expose("user", 1, 5 * HOUR)
    experiment.link("anon", "user")
    experiment.convert("user")
    assert (experiment.arm(0)["exposed_users"], experiment.arm(0)["converted_users"]) == (1, 1)
    assert experiment.arm(1)["exposed_users"] == 0


def test_more_than_a_hundred_events_are_a_robots(experiment):
    experiment.expose("u", 0)
    experiment.send("conversions", *[{"user_id": "u", "metric": "purchase"}] * 100)
    assert experiment.stats()["exposures_total"] == 1
    experiment.convert("u", "another")
    shown = experiment.stats()
    assert shown["exposures_total"] == 0
    assert shown["exclusions"] == {"status": "active", "total_filtered": 1, "manual_filtered": 0, "rate_spike_filtered": 1}
    experiment.send("exclusions", {"user_id": "u"})
    assert experiment.stats()["exclusions"]["manual_filtered"] == 1
    assert experiment.stats()["exclusions"]["total_filtered"] == 1


def test_the_holdout_is_left_out_of_the_counters(experiment):
    experiment.send("holdout", {"user_id": "h1"}, {"user_id": "h2"})
    experiment.convert("h1")
    experiment.convert("h2")
    experiment.send("exclusions", {"user_id": "h1"})
    shown = experiment.stats()
    assert shown["holdout"]["holdout"]["exposed_users"] == 1 and shown["holdout"]["holdout"]["converted_users"] == 1
    assert shown["exclusions"]["status"] == "inactive"
    assert experiment.expose("h2", 1) == (1, 0, 1)


def test_the_fingerprint(experiment):
    experiment.expose("t1", 0)
    experiment.expose("t2", 1)
    experiment.send("holdout", {"user_id": "h1"})
    experiment.link("t1", "canon-t1")
    experiment.send("exclusions", {"user_id": "t2"})
    assert experiment.stats()["population"]["fingerprint"] == (
        "analytical_population_v1|metric=purchase|treated=1|holdout=1|excluded=1|manual=1|spike=0|links=1")


def test_events_in_time(experiment):
    for user, seen, done in (("a", "2026-05-01T12:00", "2026-05-02T12:00"), ("b", "2026-05-01 12:00Z", "2026-05-20T12:00:00+00:00"),
                             ("c", "2026-05-10T14:00:00.5+0200", "2026-05-08"), ("d", 0, 14 * 24 * HOUR), ("e", 0, 0)):
        experiment.convert(user, occurred_at=done)
        experiment.expose(user, 0, seen)
    timing = experiment.stats()["event_timing"]
    assert (timing["in_window"], timing["late"], timing["out_of_order"], timing["total"]) == (3, 1, 1, 5)


def test_identity_counters(experiment):
    experiment.expose("anon1", 0)
    experiment.convert("anon1")
    experiment.link("anon1", "user1")
    experiment.link("ghost", "user9")
    assert experiment.stats()["identity_resolution"] == {
        "status": "active", "linked_identities": 2, "canonicalized_events": 2, "merged_users": 1}


def test_digits_of_large_values(store):
    experiment = Experiment(store.client, payload("large", "continuous", metrics={
        "primary_metric_name": "purchase", "metric_type": "continuous", "baseline_value": 10, "mde_pct": 5, "std_dev": 4,
        "alpha": 0.05, "power": 0.8}))
    for arm, shift in ((0, 0), (1, 3)):
        for i, step in enumerate((-2, -1, 0, 1, 2)):
            experiment.expose(f"{arm}{i}", arm)
            experiment.convert(f"{arm}{i}", value=5e8)
            experiment.convert(f"{arm}{i}", value=5e8 + step + shift)
    comparison = experiment.stats()["comparisons"][0]
    assert comparison["control"]["std"] == 1.581139 and comparison["treatment"]["std"] == 1.581139
    analysis = comparison["analysis"]
    assert (analysis["observed_effect"], analysis["test_statistic"], analysis["p_value"]) == (3.0, 3.0, 0.017072)
    assert abs(analysis["ci_lower"] - 0.694) < 5e-4 and abs(analysis["ci_upper"] - 5.306) < 5e-4
    # A value without a square spoils its block and nothing else, and is gone with its person.
    experiment.expose("huge", 0)
    experiment.convert("huge", value=1e300)
    assert experiment.stats()["comparisons"][0]["status"] == "insufficient_data"
    experiment.send("exclusions", {"user_id": "huge"})
    assert experiment.stats()["comparisons"][0]["control"]["std"] == 1.581139


def test_metrics_in_their_roles(store):
    experiment = Experiment(store.client, payload("roles", "binary", metrics={
        "primary_metric_name": "purchase", "metric_type": "binary", "baseline_value": 0.1, "mde_pct": 20, "alpha": 0.05,
        "power": 0.8, "secondary_metrics": ["revenue", "visits"],
        "guardrail_metrics": [{"name": "errors", "metric_type": "binary", "baseline_rate": 5}]}))
    for i in range(40):
        experiment.expose(f"u{i}", i % 2)
        experiment.convert(f"u{i}", "revenue", i + 30 * (i % 2))
        if i % 3 == 0:
            experiment.convert(f"u{i}", "errors")
    metrics = experiment.stats()["metrics"]
    assert [(m["name"], m["role"], m["unit"]) for m in metrics] == [
        ("purchase", "goal", "rate"), ("errors", "guardrail", "rate"), ("revenue", "secondary", "mean"),
        ("visits", "secondary", "mean")]
    revenue, visits = (m["comparisons"][0] for m in metrics[2:])
    # Means 19 and 50 of 20 values with the deviation of 0, 2, ... 38; by hand: t = 31 / sqrt(2 * 140 / 20).
    assert (revenue["control_value"], revenue["treatment_value"], revenue["effect"]) == (19.0, 50.0, 31.0)
    assert revenue["p_value"] == revenue["p_value_adjusted"] < 1e-8 and revenue["is_significant"]
    assert visits["status"] == "insufficient_data" and visits["p_value"] is None
    assert metrics[1]["comparisons"][0]["control_value"] == 0.35


def test_looking_into_a_dimension(experiment):
    for i in range(80):
        place = "web" if i < 40 else "app"
        experiment.send("exposures", {"user_id": f"u{i}", "variation_index": i % 2,
                                      "dimensions": [{"name": "platform", "value": place}]})
        if i % 2 and i < 40 or i % 10 == 0:
            experiment.convert(f"u{i}")
    assert experiment.stats()["drill_down"] is None
    shown = expect(experiment.client.get(experiment.path("live-stats") + "?dimension=platform"))["drill_down"]
    assert (shown["status"], shown["dimension"], shown["unit"]) == ("available", "platform", "rate")
    app, web = shown["slices"]
    assert (app["value"], app["people"], web["value"], web["people"]) == ("app", 40, "web", 40)
    assert (web["comparisons"][0]["control_value"], web["comparisons"][0]["treatment_value"]) == (0.2, 1.0)
    assert web["comparisons"][0]["is_significant"]
    assert app["comparisons"][0]["p_value_adjusted"] == app["comparisons"][0]["p_value"], "Holm: the last one stays"
    assert web["comparisons"][0]["p_value_adjusted"] == pytest.approx(2 * web["comparisons"][0]["p_value"], rel=1e-4)
    other = expect(experiment.client.get(experiment.path("live-stats") + "?dimension=country"))["drill_down"]
    assert (other["status"], other["slices"]) == ("unavailable", [])
    assert experiment.post("exposures", {**SAMPLE["exposures"], "dimensions": [{"name": "", "value": "x"}]}).status == 422


def test_how_long_until_the_plan_is_fulfilled(experiment):
    """A hundred people in two days. The interval is that of days x F(2 left, 2 gaps) x left / gaps, by scipy; 99 gaps lie
    between a hundred people."""
    assert experiment.stats()["forecast"]["status"] == "insufficient_data"
    experiment.send("exposures", *[{"user_id": f"u{i}", "variation_index": i % 2, "occurred_at": 1_770_000_000 + i * 2 * 86400 / 99}
                                   for i in range(100)])
    forecast = experiment.stats()["forecast"]
    left = forecast["people_needed"] - 100
    assert (forecast["status"], forecast["people_left"], forecast["people_per_day"]) == ("running", left, 49.5)
    assert abs(forecast["days_left"] - left / 49.5) < 0.006
    for name, quantile in (("days_left_lower", 0.025), ("days_left_upper", 0.975)):
        assert abs(forecast[name] - 2 * left / 99 * stats.f.ppf(quantile, 2 * left, 198)) < 0.01


def test_what_was_sent_is_counted_raw(experiment):
    assert expect(experiment.client.get(experiment.path("ingestion"))) == {
        "experiment_id": experiment.id, "exposures_total": 0, "exposure_counts": [], "conversions_total": 0,
        "conversion_counts": []}
    experiment.expose("u", 7)
    experiment.send("holdout", {"user_id": "h"})
    experiment.convert("u", "b", 2.5)
    experiment.convert("nobody", "a", -1)
    experiment.send("exclusions", {"user_id": "u"})
    raw = expect(experiment.client.get(experiment.path("ingestion")))
    assert raw["exposure_counts"] == [{"variation_index": -1, "count": 1}, {"variation_index": 7, "count": 1}]
    assert raw["conversion_counts"] == [{"metric": "a", "count": 1, "value_sum": -1.0}, {"metric": "b", "count": 1, "value_sum": 2.5}]


def test_assignment_is_the_hash_until_something_was_recorded(store):
    experiment = Experiment(store.client, design(setup={"variants_count": 2, "traffic_split": [1, 3]}))
    first = expect(experiment.client.post(experiment.path("assign"), {"user_id": "user-1"}))
    assert first["in_experiment"] and not first["sticky"] and first["weights"] == [0.25, 0.75]
    assert first["growthbook"] == {"key": experiment.id, "variationId": first["variation_index"], "inExperiment": True,
                                   "hashUsed": True, "hashAttribute": "id", "hashValue": "user-1", "bucket": first["hash"]}
    other = 1 - first["variation_index"]
    experiment.expose("user-1", other)
    again = expect(experiment.client.post(experiment.path("assign"), {"user_id": "user-1"}))
    assert (again["variation_index"], again["sticky"]) == (other, True)
    experiment.send("holdout", {"user_id": "user-2"})
    held = expect(experiment.client.post(experiment.path("assign"), {"user_id": "user-2"}))
    assert (held["variation_index"], held["in_experiment"], held["sticky"]) == (-1, False, True)
    assert held["growthbook"]["variationId"] == 0


def test_ids_are_hashed_by_characters(experiment):
    def fnv(text):
        return functools.reduce(lambda value, character: (value ^ ord(character)) * 0x01000193 % 2**32, text, 0x811c9dc5)

    given = expect(experiment.client.post(experiment.path("assign"), {"user_id": "u😀"}))
    assert given["hash"] == fnv(str(fnv(f"{experiment.id}u😀"))) % 10000 / 10000


def test_targeting_and_namespaces_come_before_the_hash(store):
    experiment = Experiment(store.client, design(setup={
        "targeting_rules": [{"attribute": "country", "operator": "in", "value": ["DE", "FR"]}],
        "namespace": {"id": "checkout", "range_start": 0, "range_end": 0.6}}))

    def assigned(user, **attributes):
        answer = expect(experiment.client.post(experiment.path("assign"), {"user_id": user, "attributes": attributes}))
        return answer["in_experiment"], answer["targeting_excluded"], answer["namespace_excluded"]

    assert assigned("user-2", country="US") == (False, True, False)
    assert assigned("user-1", country="DE") == (False, False, True)  # .694
    assert assigned("user-2", country="DE") == (True, False, False)  # .511


def test_a_reader_who_has_it_gets_nothing_twice(experiment):
    experiment.expose("u", 0)
    for route in ("live-stats", "decision"):
        first = experiment.client.get(experiment.path(route))
        tag = first.headers.get("ETag")
        assert tag
        for known in (tag, f'W/{tag}, "other"', "*"):
            again = experiment.client.get(experiment.path(route), headers={"If-None-Match": known})
            assert (again.status, again.headers.get("ETag"), again.body) == (304, tag, b"")
        german = experiment.client.get(experiment.path(route), headers={"If-None-Match": tag, "Accept-Language": "de"})
        assert german.status == 200 and german.headers.get("ETag") != tag
    experiment.expose("u", 0)  # deduplicated: nothing has changed
    assert experiment.client.get(experiment.path("decision"), headers={"If-None-Match": tag}).status == 304
    experiment.expose("v", 1)
    assert experiment.client.get(experiment.path("decision"), headers={"If-None-Match": tag}).status == 200


def test_an_edited_design_changes_the_next_reading(store):
    experiment = Experiment(store.client)
    for i in range(20):
        experiment.expose(f"u{i}", i % 2)
        experiment.convert(f"u{i}", "revenue", i)
        experiment.send("pre-period", {"user_id": f"u{i}", "value": i + i % 3})
    assert experiment.stats()["cuped"]["status"] == "not_applicable"
    edited = payload("live", "continuous", metrics={
        "primary_metric_name": "revenue", "metric_type": "continuous", "baseline_value": 10, "mde_pct": 20, "std_dev": 5,
        "alpha": 0.05, "power": 0.8})
    expect(experiment.client.send("PUT", f"{PROJECTS}/{experiment.id}", json=edited))
    shown = experiment.stats()
    assert shown["cuped"]["status"] == "available" and shown["cuped"]["covariate_users_total"] == 20
    assert shown["comparisons"][0]["control"]["mean"] == 9.0


@pytest.mark.parametrize("route", ROUTES)
def test_refusals_in_their_order(store, route):
    experiment = Experiment(store.client)
    body = {KEYS.get(route, route): [SAMPLE[route]]}
    unknown = f"/api/v1/experiments/{unknown_id()}/{route}"
    assert store.client.post(unknown, {"wrong": []}).status == 422
    answer = store.client.post(unknown, body)
    assert (answer.status, answer.error_code, answer.detail) == (404, "project_not_found", "Project not found")
    expect(store.client.post(f"{PROJECTS}/{experiment.id}/archive"))
    answer = experiment.post(route, SAMPLE[route])
    assert (answer.status, answer.error_code, answer.detail) == (400, "project_archived", "Project is archived")
    for size in (0, 1001):
        answer = experiment.post(route, *[SAMPLE[route]] * size)
        assert answer.status == 422 and answer.detail[0]["type"] in ("too_short", "too_long")


@pytest.mark.parametrize("route", ["ingestion", "live-stats", "decision", "assign"])
def test_reading_what_does_not_exist(store, route):
    path = f"/api/v1/experiments/{unknown_id()}/{route}"
    answer = store.client.post(path, {"user_id": "u"}) if route == "assign" else store.client.get(path)
    assert (answer.status, answer.error_code, answer.detail) == (404, "not_found", "Experiment not found")


HOSTILE = [
    ("exposures", {"user_id": "u", "variation_index": 10}, ["variation_index"], "less_than_equal"),
    ("exposures", {"user_id": "u", "variation_index": 1.5}, ["variation_index"], "int_from_float"),
    ("exposures", {"user_id": "u", "variation_index": 0, "more": 1}, ["more"], "extra_forbidden"),
    ("exposures", {"user_id": 7, "variation_index": 0}, ["user_id"], "string_type"),
    ("exposures", {"user_id": "", "variation_index": 0}, ["user_id"], "string_too_short"),
    ("exposures", {"user_id": "\u00e4" * 201, "variation_index": 0}, ["user_id"], "string_too_long"),
    ("exposures", {"user_id": "u", "variation_index": 0, "occurred_at": "yesterday"}, ["occurred_at"], "datetime_parsing"),
    ("exposures", {"user_id": "u", "variation_index": 0, "occurred_at": "10000-01-01"}, ["occurred_at"], "datetime_parsing"),
    ("exposures", {"user_id": "u", "variation_index": 0, "occurred_at": 1e300}, ["occurred_at"], "datetime_parsing"),
    ("conversions", {"user_id": "u", "metric": "m", "value": None}, ["value"], "float_type"),
    ("conversions", {"user_id": "u", "metric": "m", "value": "1e309"}, ["value"], "float_parsing"),
    ("conversions", {"user_id": "u", "metric": "m", "value": "NaN"}, ["value"], "float_parsing"),
    ("exclusions", {"user_id": "u", "exclusion_reason": None}, ["exclusion_reason"], "string_type"),
    ("pre-period", {"user_id": "u", "value": 1, "covariate_name": ""}, ["covariate_name"], "string_too_short"),
]


@pytest.mark.parametrize("route, bad, where, kind", HOSTILE, ids=[f"{r}-{w[-1]}-{k}" for r, _, w, k in HOSTILE])
def test_one_bad_record_refuses_the_batch(experiment, route, bad, where, kind):
    answer = experiment.post(route, SAMPLE[route], bad)
    assert answer.status == 422
    assert [(e["loc"], e["type"]) for e in answer.detail] == [(["body", KEYS.get(route, route), 1, *where], kind)]
    assert expect(experiment.client.get(experiment.path("ingestion")))["exposures_total"] == 0


def test_text_that_is_no_text(experiment):
    path = experiment.path("conversions")
    for text in ('"a\\u0000b"', '"\\ud800"', '"\\udc00x"', "NaN", "1e309"):
        field = "user_id" if text[0] == '"' else "value"
        body = '{"conversions":[{"user_id":"u","metric":"m","value":1},{"user_id":"u","metric":"m","value":2}]}'
        old = '"user_id":"u","metric":"m","value":2' if field == "user_id" else '"value":2'
        new = f'"user_id":{text},"metric":"m","value":2' if field == "user_id" else f'"value":{text}'
        answer = experiment.client.post(path, data=body.replace(old, new).encode(), headers={"Content-Type": "application/json"})
        assert (answer.status, answer.detail[0]["ctx"]["at"]) == (422, f"conversions.1.{field}"), text
    assert expect(experiment.client.get(experiment.path("ingestion")))["conversions_total"] == 0


def test_batches_that_are_too_much(stores):
    """Where bodies may be so large at all. No engine is asked."""
    many = 32 * 1024 * 1024
    store = stores.get("sqlite", {**OPEN, "AB_MAX_REQUEST_BODY_BYTES": many, "AB_MAX_WORKSPACE_BODY_BYTES": many})
    experiment = Experiment(store.client)
    for records, where, kind in (
            ([SAMPLE["conversions"], {"user_id": "x" * 10_000_000, "metric": "m"}], ["conversions", 1, "user_id"], "string_too_long"),
            ([SAMPLE["conversions"]] * 100_001, ["conversions"], "too_long")):
        answer = experiment.post("conversions", *records)
        assert answer.status == 422 and len(answer.body) < 100_000
        assert [(e["loc"], e["type"]) for e in answer.detail] == [(["body", *where], kind)]
    assert expect(experiment.client.get(experiment.path("ingestion")))["conversions_total"] == 0


@pytest.mark.parametrize("route", ROUTES)
def test_lines_are_taken_one_by_one(experiment, route):
    lines = ["\ufeff" + json.dumps(SAMPLE[route]), "", "{", '{"user_id":7}', json.dumps({**SAMPLE[route], "more": 1})]
    answer = expect(experiment.client.post(experiment.path(route) + "/lines", data="\n".join(lines).encode(),
                                           headers={"Content-Type": "application/x-ndjson"}))
    assert (answer["received"], answer["recorded"], answer["refused"]) == (4, 1, 3)
    assert [error["line"] for error in answer["errors"]] == [3, 4, 5] and answer["errors"][2]["field"] == "more"


def send_lines(experiment, body, coding="gzip"):
    return experiment.client.post(experiment.path("exposures") + "/lines", data=body,
                                  headers={"Content-Type": "application/x-ndjson", "Content-Encoding": coding})


def test_lines_may_come_packed(experiment):
    """In several members, over several batches and pieces, with a line that is too long among them."""
    lines = [json.dumps({"user_id": f"user-{i:05}", "variation_index": i % 2}) + "\n" for i in range(2500)]
    lines[1200] = '{"user_id":"' + "x" * 200_000 + '"}\n'
    packed = b"".join(gzip.compress("".join(part).encode()) for part in (lines[:700], lines[700:], []))
    answer = expect(send_lines(experiment, packed))
    assert (answer["received"], answer["recorded"], answer["refused"]) == (2500, 2499, 1)
    assert answer["errors"] == [{"line": 1201, "field": None, "message": "is too long"}]
    assert expect(send_lines(experiment, "".join(lines).encode(), "identity"))["deduplicated"] == 2499
    assert experiment.stats()["exposures_total"] == 2499


def test_what_is_packed_badly_is_refused_as_a_whole(experiment):
    good = gzip.compress(b'{"user_id":"u","variation_index":0}\n' * 3000)
    bomb = gzip.compress(b'{"user_id":"u","variation_index":0}\n' + b"\n" * 200_000_000)
    assert len(bomb) < 500_000
    for body, coding, status, code in (
            (bomb, "gzip", 413, "request_body_too_large"), (good[:-9], "gzip", 400, "bad_request"),
            (good[:-5] + b"xxxxx", "gzip", 400, "bad_request"), (good + b"rest", "x-gzip", 400, "bad_request"),
            (b"", "gzip", 400, "bad_request"), (b'{"user_id":"u"}', "gzip", 400, "bad_request"),
            (good, "br", 415, "unsupported_media_type"), (good, "gzip, gzip", 415, "unsupported_media_type")):
        answer = send_lines(experiment, body, coding)
        assert (answer.status, answer.json()["error_code"]) == (status, code), (body[:20], coding)
    assert expect(experiment.client.get(experiment.path("ingestion")))["exposures_total"] == 0


def test_numbers_may_come_as_text(experiment):
    assert experiment.send("exposures", {"user_id": "u", "variation_index": "1", "occurred_at": "1700000000"},
                           {"user_id": "v", "variation_index": 1.0}, {"user_id": "w", "variation_index": True}) == (3, 3, 0)
    assert experiment.arm(1)["exposed_users"] == 3


def test_deleting_a_project_takes_its_events(experiment):
    experiment.expose("u", 0)
    expect(experiment.client.send("DELETE", f"{PROJECTS}/{experiment.id}"))
    assert experiment.client.get(experiment.path("live-stats")).status == 404


def test_reasons_in_the_language_of_the_reader(experiment):
    texts = set()
    for language in ("en", "de", "es", "fr", "ru", "zh", "ar"):
        decision = expect(experiment.client.get(experiment.path("decision"), headers={"Accept-Language": language}))
        assert decision["verdict"] == "keep_running" and decision["reasons"][0]["code"] == "no_exposures"
        texts.add(decision["reasons"][0]["text"])
        assert "{{" not in json.dumps(decision)
    assert len(texts) == 7


def fill(experiment, arms, prefix="u"):
    """Exposes and converts people: (users, conversions) of each arm."""
    for arm, (users, conversions) in enumerate(arms):
        names = [f"{prefix}{arm}-{i}" for i in range(users)]
        for start in range(0, users, 1000):
            experiment.send("exposures", *[{"user_id": name, "variation_index": arm, "occurred_at": 0}
                                           for name in names[start:start + 1000]])
        if conversions:
            experiment.send("conversions", *[{"user_id": name, "metric": "purchase", "occurred_at": HOUR}
                                             for name in names[:conversions]])


def metrics(**changes):
    return {"primary_metric_name": "purchase", "metric_type": "binary", "baseline_value": 0.1, "mde_pct": 20, "alpha": 0.05,
            "power": 0.8, **changes}


def test_a_falling_rate_can_be_the_goal(store):
    """A bounce rate that falls: shipped where the goal is to decrease, a loss where it is to increase."""
    goals = ({"mde_pct": -10, "direction": "decrease"}, {"mde_pct": 10})
    down, up = (Experiment(store.client, payload("live", "binary", metrics=metrics(baseline_value=.4, **goal))) for goal in goals)
    for experiment in (down, up):
        fill(experiment, [(2000, 900), (2000, 500)])
    decided = [expect(experiment.client.get(experiment.path("decision"))) for experiment in (down, up)]
    assert [d["verdict"] for d in decided] == ["ship", "no_ship"]
    assert [d["reasons"][0]["code"] for d in decided] == ["significant_win", "significant_loss"]
    assert [d["reasons"][0]["params"]["effect_relative"] for d in decided] == [-44.44, -44.44]
    assert [d["policy"]["direction"] for d in decided] == ["decrease", "increase"]
    shown, other = down.stats(), up.stats()
    assert shown["comparisons"][0]["probability_treatment_beats_control"] > .99
    assert other["comparisons"][0]["probability_treatment_beats_control"] < .01
    assert shown["metrics"][0]["comparisons"][0]["is_improvement"] is True and shown["direction"] == "decrease"
    assert shown["comparisons"][0]["analysis"]["outcome"] == "better"
    for language in ("de", "fr", "ru", "zh", "ar", "es"):
        text = expect(down.client.get(down.path("decision"), headers={"Accept-Language": language}))["reasons"][1]["text"]
        assert "{{" not in text and "-17.1" in text, (language, text)


def test_secondary_metrics_have_a_direction(store):
    sent = payload("live", "binary", metrics=metrics(
        secondary_metrics=["refund", "visits"], secondary_directions=[{"name": "refund", "direction": "decrease"}],
        robust_metrics=[{"name": "refund", "statistic": "capped_mean", "at": 5, "direction": "decrease"}]))
    experiment = Experiment(store.client, sent)
    fill(experiment, [(20, 5), (20, 8)])
    for metric in ("refund", "visits"):
        for arm in (0, 1):
            experiment.send("conversions", *[{"user_id": f"u{arm}-{i}", "metric": metric} for i in range(6 - 4 * arm)])
    shown = {m["name"] + m["unit"]: (m["direction"], m["comparisons"][0]["is_improvement"]) for m in experiment.stats()["metrics"]}
    assert shown["refundmean"] == ("decrease", True) and shown["visitsmean"] == ("increase", False)
    assert shown["refundcapped_mean"] == ("decrease", True)
    kept = expect(store.client.get(f"{PROJECTS}/{experiment.id}"))["payload"]["metrics"]
    assert kept["secondary_directions"] == [{"name": "refund", "direction": "decrease"}] and kept["direction"] == "increase"
    for broken, word in (({"secondary_directions": [{"name": "x", "direction": "decrease"}]}, "secondary_metrics"),
                         ({"mde_pct": -3}, "mde_pct"), ({"conversion_window_days": 3}, "conversion_window")):
        answer = store.client.post(PROJECTS, payload("live", "binary", metrics=metrics(**broken)))
        assert answer.status == 422 and word in answer.detail[0]["msg"]


def test_a_reversal_within_the_strata_blocks_the_decision(store):
    """Simpson's paradox: better over all users, worse in every stratum."""
    experiment = Experiment(store.client)
    fill(experiment, [(900, 180), (100, 10)], "a")
    fill(experiment, [(100, 90), (900, 720)], "b")
    for prefix in "ab":
        for arm, users in enumerate((900, 100) if prefix == "a" else (100, 900)):
            experiment.send("strata", *[{"user_id": f"{prefix}{arm}-{i}", "stratum": prefix} for i in range(users)])
    shown, decided = experiment.stats(), expect(experiment.client.get(experiment.path("decision")))
    assert shown["srm"]["is_srm"] is False and [s["is_srm"] for s in shown["srm"]["strata"]] == [True, True]
    assert shown["srm"]["strata"][0]["observed_counts"] == [900, 100]
    stratified = shown["stratified"]["comparisons"][0]
    assert stratified["effect"] < 0 < stratified["pooled_effect"] and stratified["is_significant"]
    assert round(100 * stratified["pooled_effect"], 4) == shown["comparisons"][0]["analysis"]["observed_effect"]
    assert (decided["verdict"], decided["reasons"][0]["code"]) == ("no_ship", "blocked_untrustworthy")
    blockers = {blocker["code"]: blocker for blocker in decided["blockers"]}
    assert set(blockers) == {"stratum_srm_mismatch", "stratified_contradiction"}
    assert blockers["stratified_contradiction"]["params"] == {
        "arm": 1, "pooled_effect": 46.0, "stratified_effect": -10.0}
    assert "Trust the effect within strata" in blockers["stratified_contradiction"]["text"]


def test_of_three_arms_the_one_that_is_off_is_named(store):
    blocks = {"setup": {"traffic_split": [1, 1, 1], "variants_count": 3}}
    experiment = Experiment(store.client, payload("live", "binary", metrics=metrics(), **blocks))
    fill(experiment, [(200, 0), (205, 0), (90, 0)])
    srm = experiment.stats()["srm"]
    assert srm["is_srm"] and srm["deviating_arm"] == 2 and "Variant C is furthest off: 90 users instead of 165.0." in srm["verdict"]


def test_a_p_value_too_small_for_a_number_is_not_told_as_zero(store):
    experiment = Experiment(store.client)
    fill(experiment, [(4000, 1), (1, 0)])
    [blocker] = expect(experiment.client.get(experiment.path("decision")))["blockers"]
    assert blocker["code"] == "srm_mismatch" and "p = 0.0)" not in blocker["text"]


def test_the_relative_lift_has_its_interval(experiment):
    fill(experiment, [(200, 30), (200, 0)])
    lift = experiment.stats()["comparisons"][0]["analysis"]["relative_lift"]
    assert (lift["value_pct"], lift["ci_lower_pct"], lift["method"], lift["reason"]) == (-100.0, -100.0, "koopman_score", None)
    same = expect(experiment.client.post("/api/v1/results", {"metric_type": "binary", "binary": {
        "control_conversions": 30, "control_users": 200, "treatment_conversions": 0, "treatment_users": 200}}))
    assert lift == same["relative_lift"] and -90 < lift["ci_upper_pct"] < -80
