"""Projects one by one: what is stored, what is refused, what each route changes. On both engines."""

import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from openapi import at
from project_fixtures import (
    ADMIN, METRICS, PAYLOAD, PROJECTS, WRITE, analysis, changed, create, expect, history_of, path_of,
    payload, put, revisions_of, stored_form, unknown_id)

pytest_plugins = ["store_fixtures"]

TIMESTAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$")
UUID4 = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")


class TestCreate:
    def test_record(self, store):
        sent = payload("First")
        answer = store.client.post(PROJECTS, sent)
        project = expect(answer)
        assert UUID4.match(project["id"]) and TIMESTAMP.match(project["created_at"])
        assert project == {
            "id": project["id"], "project_name": "First", "payload_schema_version": 1, "archived_at": None,
            "is_archived": False, "revision_count": 1, "last_revision_at": project["created_at"],
            "last_analysis_at": None, "last_analysis_run_id": None, "last_exported_at": None,
            "has_analysis_snapshot": False, "created_at": project["created_at"],
            "updated_at": project["created_at"], "payload": stored_form(sent)}
        assert answer.headers["ETag"] == f'"{project["updated_at"]}"'
        assert expect(store.client.get(path_of(project))) == project
        assert store.client.send("HEAD", path_of(project)).status == 200
        [revision] = revisions_of(store.client, project)["revisions"]
        assert revision == {"id": revision["id"], "project_id": project["id"], "source": "create",
                            "created_at": project["created_at"], "payload": project["payload"]}

    def test_explicit_defaults_are_stored_alike(self, store):
        sent = payload()
        assert create(store.client, stored_form(sent))["payload"] == stored_form(sent)

    @pytest.mark.parametrize("metric_type", METRICS)
    def test_every_metric_type(self, store, metric_type):
        sent = payload(metric_type, metric_type)
        project = create(store.client, sent)
        assert project["payload"] == stored_form(sent)

    def test_everything_given(self, store):
        sent = payload(
            "Everything", "continuous",
            setup={"avg_cluster_size": 20.0, "icc": 0.05, "namespace": {"id": "ns", "range_start": 0.0, "range_end": 0.5},
                   "targeting_rules": [
                       {"attribute": "country", "operator": "in", "value": ["DE", 5, 2.5, True]},
                       {"attribute": "age", "operator": "gte", "value": 18},
                       {"attribute": "score", "operator": "lt", "value": 2.5},
                       {"attribute": "version", "operator": "gt", "value": "4.2"},
                       {"attribute": "beta", "operator": "equals", "value": True},
                       {"attribute": "list", "operator": "not_equals", "value": []}]},
            metrics={"expected_uplift_pct": -3.5, "planned_test": "tost", "equivalence_margin_pct": 2.5,
                     "cuped_pre_experiment_std": 11.5, "cuped_correlation": -0.4, "numerator_metric_name": "",
                     "secondary_metrics": ["a", "", "a"], "guardrail_metrics": [
                         {"name": "Errors", "metric_type": "binary", "baseline_rate": 2.4, "baseline_mean": None,
                          "std_dev": None, "direction": "decrease_is_bad", "non_inferiority_margin_pct": 0.0},
                         {"name": "Refund", "metric_type": "continuous", "baseline_rate": None,
                          "baseline_mean": -18.0, "std_dev": 6.5, "direction": "increase_is_bad",
                          "non_inferiority_margin_pct": None}]},
            constraints={"n_looks": 100, "analysis_mode": "bayesian", "desired_precision": 0.01, "credibility": 0.9,
                         "holdout_fraction": 0.0, "mutually_exclusive_experiments": 100},
            additional_context={"llm_context": "Ask about mobile"})
        project = create(store.client, sent)
        assert project["payload"] == stored_form(sent)
        assert put(store.client, project, project["payload"]).json()["payload"] == project["payload"]

    def test_guardrail_defaults(self, store):
        sent = payload(metrics={"guardrail_metrics": [{"name": "E", "metric_type": "binary", "baseline_rate": 1}]})
        [stored] = create(store.client, sent)["payload"]["metrics"]["guardrail_metrics"]
        assert stored == {"name": "E", "metric_type": "binary", "baseline_rate": 1.0, "baseline_mean": None,
                          "std_dev": None, "direction": "increase_is_bad", "non_inferiority_margin_pct": None}

    def test_lenient_readings_are_stored_in_one_form(self, store):
        sent = payload(setup={"expected_daily_traffic": "12000", "audience_share_in_test": "0.6", "variants_count": 2.0},
                       constraints={"seasonality_present": "yes", "active_campaigns_present": 0,
                                    "returning_users_present": "T", "long_test_possible": "ON"})
        assert create(store.client, sent)["payload"] == stored_form(payload())

    def test_observed_results(self, store):
        request = {"metric_type": "binary", "binary": {"control_conversions": 410, "control_users": 10000,
                                                       "treatment_conversions": 470, "treatment_users": 10020}}
        found = expect(store.client.post("/api/v1/results", request))
        observed = {"request": request, "analysis": found, "saved_at": None}
        stored = create(store.client, payload(additional_context={"observed_results": observed}))
        kept = stored["payload"]["additional_context"]["observed_results"]
        assert kept["analysis"] == found and kept["saved_at"] is None
        assert kept["request"]["binary"].items() >= request["binary"].items()
        error = store.client.post(PROJECTS, payload(additional_context={
            "observed_results": {**observed, "analysis": {**found, "unknown": {"x": 1}}, "unknown": 1}})).errors()
        for place in (("unknown",), ("analysis", "unknown")):
            assert error["body", "additional_context", "observed_results", *place]["type"] == "extra_forbidden"

    def test_nothing_is_stored_of_what_is_refused(self, store):
        before = store.client.get(PROJECTS + "?status=all").json()["total"]
        rows = store.database.value("SELECT count(*) AS n FROM project_revisions")
        assert store.client.post(PROJECTS, payload(setup={"variants_count": 3})).status == 422
        assert store.client.get(PROJECTS + "?status=all").json()["total"] == before
        assert store.database.value("SELECT count(*) AS n FROM project_revisions") == rows


class TestSentAgain:
    """Clients whose answer was lost send the same request again, with the same key."""

    @staticmethod
    def send(store, key, body, client=None):
        return (client or store.client).post(PROJECTS, body, headers={"Idempotency-Key": key})

    def test_the_first_answer_comes_again(self, store):
        key, body = str(uuid.uuid4()), payload("Once")
        first, again = (self.send(store, key, body) for _ in range(2))
        assert expect(again) == expect(first) and len(named(store, "Once")) == 1
        assert "Idempotency-Replayed" not in first.headers and again.headers["Idempotency-Replayed"] == "true"
        other = self.send(store, key, payload("Another"))
        assert (other.status, other.error_code) == (409, "idempotency_conflict") and not named(store, "Another")
        assert expect(self.send(store, str(uuid.uuid4()), body))["id"] != first.json()["id"]

    def test_many_at_once_make_one(self, store):
        key, body = str(uuid.uuid4()), payload("Crowded")
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda _: self.send(store, key, body), range(12)))
        made = {answer.json()["id"] for answer in answers if answer.status == 200}
        assert len(made) == 1 and [project["id"] for project in named(store, "Crowded")] == list(made)
        assert {answer.error_code for answer in answers if answer.status != 200} <= {"idempotency_in_flight"}
        store.database.run(f"UPDATE idempotency_keys SET status = NULL WHERE idempotency_key = '{key}'")
        answer = self.send(store, key, body)  # as if the first were still being answered
        assert (answer.status, answer.error_code) == (409, "idempotency_in_flight")
        store.database.run(f"UPDATE idempotency_keys SET started_at = 0 WHERE idempotency_key = '{key}'")
        assert expect(self.send(store, key, body))["id"] not in made  # forgotten after its time

    def test_keys_belong_to_who_sends_them(self, guarded):
        key, body = str(uuid.uuid4()), payload("Owned")
        issued = expect(guarded.as_token(ADMIN).post("/api/v1/keys", {"name": "key", "scope": "write"}))
        clients = [guarded.as_token(token) for token in (WRITE, issued["plaintext_key"])]
        projects = [expect(self.send(guarded, key, body, client))["id"] for client in clients * 2]
        assert projects[:2] == projects[2:] and projects[0] != projects[1]

    def test_what_does_not_fit_claims_no_key(self, store):
        key = str(uuid.uuid4())
        assert self.send(store, key, {}).status == 422
        assert self.send(store, "k" * 256, payload()).status == 422
        expect(self.send(store, key, payload("After all")))

    def test_announced(self, store):
        operation = store.client.get("/openapi.json").json()["paths"][PROJECTS]["post"]
        [header] = [one for one in operation["parameters"] if one["in"] == "header"]
        assert header["name"] == "Idempotency-Key" and not header["required"] and "409" in operation["responses"]


def named(store, name):
    return store.client.get(f"{PROJECTS}?q={name}").json()["projects"]


# A rule over several fields: the change that breaks it, the object it points at, words of its text.
RULES = {
    "split length": ([("setup", "traffic_split"), [50, 25, 25]], ("setup",), "traffic_split length"),
    "split zero": ([("setup", "traffic_split"), [100, 0]], ("setup",), "positive"),
    "split negative": ([("setup", "traffic_split"), [150, -50]], ("setup",), "positive"),
    "cluster size": ([("setup", "avg_cluster_size"), 0.5], ("setup",), "avg_cluster_size"),
    "icc above": ([("setup", "icc"), 1.01], ("setup",), "icc"),
    "icc below": ([("setup", "icc"), -0.01], ("setup",), "icc"),
    "namespace order": ([("setup", "namespace"), {"id": "n", "range_start": 0.5, "range_end": 0.5}],
                        ("setup", "namespace"), "range_start"),
    "in without list": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "in", "value": "x"}]],
                        ("setup", "targeting_rules", 0), "array"),
    "order of list": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "gt", "value": [1]}]],
                      ("setup", "targeting_rules", 0), "number"),
    "order of boolean": ([("setup", "targeting_rules"), [
        {"attribute": "a", "operator": "equals", "value": 1}, {"attribute": "a", "operator": "lte", "value": True}]],
        ("setup", "targeting_rules", 1), "number"),
    "value null": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "equals", "value": None}]],
                   ("setup", "targeting_rules", 0), "value"),
    "value object": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "equals", "value": {}}]],
                     ("setup", "targeting_rules", 0), "value"),
    "list in list": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "in", "value": [["x"]]}]],
                     ("setup", "targeting_rules", 0), "value"),
    "binary rate 1": ([("metrics", "baseline_value"), 1], ("metrics",), "baseline_value"),
    "binary rate 0": ([("metrics", "baseline_value"), 0], ("metrics",), "baseline_value"),
    "binary test": ([("metrics", "planned_test"), "mann_whitney"], ("metrics",), "planned_test"),
    "guardrail rate": ([("metrics", "guardrail_metrics"), [{"name": "g", "metric_type": "binary"}]],
                       ("metrics", "guardrail_metrics", 0), "baseline_rate"),
    "guardrail moments": ([("metrics", "guardrail_metrics"), [
        {"name": "g", "metric_type": "continuous", "baseline_mean": 1}]],
        ("metrics", "guardrail_metrics", 0), "baseline_mean"),
    "bayesian": ([("constraints", "analysis_mode"), "bayesian"], ("constraints",), "desired_precision"),
}
METRIC_RULES = {
    "continuous without deviation": ("continuous", {"std_dev": None}, "std_dev"),
    "continuous deviation zero": ("continuous", {"std_dev": 0}, "std_dev"),
    "continuous baseline": ("continuous", {"baseline_value": 0}, "baseline_value"),
    "continuous fisher": ("continuous", {"planned_test": "fisher_exact"}, "planned_test"),
    "tost without margin": ("continuous", {"planned_test": "tost"}, "equivalence_margin_pct"),
    "ratio without names": ("ratio", {"numerator_metric_name": None}, "numerator"),
    "ratio with an empty name": ("ratio", {"denominator_metric_name": ""}, "numerator"),
    "ratio of itself": ("ratio", {"denominator_metric_name": "clicks"}, "numerator"),
    "ratio test": ("ratio", {"planned_test": "mann_whitney"}, "planned_test"),
    "count baseline": ("count", {"baseline_value": 0}, "baseline_value"),
    "count test": ("count", {"planned_test": "z_test"}, "planned_test"),
}
# Fields by themselves, where the document of the API alone does not say all of it.
FIELDS = {
    "split of one": ([("setup", "traffic_split"), [100]], ("setup", "traffic_split"), "too_short"),
    "21 targeting rules": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "equals", "value": 1}] * 21],
                           ("setup", "targeting_rules"), "too_long"),
    "empty attribute": ([("setup", "targeting_rules"), [{"attribute": "", "operator": "equals", "value": 1}]],
                        ("setup", "targeting_rules", 0, "attribute"), "string_too_short"),
    "no value": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "equals"}]],
                 ("setup", "targeting_rules", 0, "value"), "missing"),
    "unknown operator": ([("setup", "targeting_rules"), [{"attribute": "a", "operator": "like", "value": 1}]],
                         ("setup", "targeting_rules", 0, "operator"), "literal_error"),
    "4 guardrails": ([("metrics", "guardrail_metrics"), [
        {"name": "g", "metric_type": "binary", "baseline_rate": 1}] * 4], ("metrics", "guardrail_metrics"), "too_long"),
    "guardrail of another kind": ([("metrics", "guardrail_metrics"), [{"name": "g", "metric_type": "ratio"}]],
                                  ("metrics", "guardrail_metrics", 0, "metric_type"), "literal_error"),
    "guardrail rate 100": ([("metrics", "guardrail_metrics"), [
        {"name": "g", "metric_type": "binary", "baseline_rate": 100}]],
        ("metrics", "guardrail_metrics", 0, "baseline_rate"), "less_than"),
    "planned test of another route": ([("metrics", "planned_test"), "poisson_rate"],
                                      ("metrics", "planned_test"), "literal_error"),
    "correlation 1": ([("metrics", "cuped_correlation"), 1], ("metrics", "cuped_correlation"), "less_than"),
    "share 0": ([("setup", "audience_share_in_test"), 0], ("setup", "audience_share_in_test"), "greater_than"),
    "variants 11": ([("setup", "variants_count"), 11], ("setup", "variants_count"), "less_than_equal"),
    "holdout 1": ([("constraints", "holdout_fraction"), 1], ("constraints", "holdout_fraction"), "less_than"),
    "credibility 0.5": ([("constraints", "credibility"), 0.5], ("constraints", "credibility"), "greater_than"),
    "101 looks": ([("constraints", "n_looks"), 101], ("constraints", "n_looks"), "less_than_equal"),
    "name null": ([("project", "project_name"), None], ("project", "project_name"), "string_type"),
    "looks null": ([("constraints", "n_looks"), None], ("constraints", "n_looks"), "int_type"),
}
EXTRAS = [(), ("project",), ("hypothesis",), ("setup",), ("metrics",), ("constraints",), ("additional_context",),
          ("setup", "namespace"), ("setup", "targeting_rules", 0), ("metrics", "guardrail_metrics", 0)]


class TestPayload:
    @pytest.mark.parametrize("name", RULES)
    def test_rules(self, store, name):
        change, place, words = RULES[name]
        [(location, error)] = store.client.post(PROJECTS, changed(*change)).errors().items()
        assert location == ("body", *place) and error["type"] == "value_error" and words in error["msg"]
        assert error["msg"].startswith("Value error, ") and error["ctx"] == {"error": {}}

    @pytest.mark.parametrize("name", METRIC_RULES)
    def test_rules_of_metrics(self, store, name):
        metric_type, members, words = METRIC_RULES[name]
        [(location, error)] = store.client.post(PROJECTS, payload(None, metric_type, metrics=members)).errors().items()
        assert location == ("body", "metrics") and error["type"] == "value_error" and words in error["msg"]

    @pytest.mark.parametrize("name", FIELDS)
    def test_fields(self, store, name):
        change, place, code = FIELDS[name]
        [(location, error)] = store.client.post(PROJECTS, changed(*change)).errors().items()
        assert location == ("body", *place) and error["type"] == code

    @pytest.mark.parametrize("place", EXTRAS, ids=lambda place: ".".join(map(str, place)) or "payload")
    def test_extras_are_refused(self, store, place):
        sent = payload(setup={"namespace": {"id": "n", "range_start": 0, "range_end": 1},
                              "targeting_rules": [{"attribute": "a", "operator": "equals", "value": 1}]},
                       metrics={"guardrail_metrics": [{"name": "g", "metric_type": "binary", "baseline_rate": 1}]},
                       additional_context={})
        at(sent, place)["surprise"] = 1
        [(location, error)] = store.client.post(PROJECTS, sent).errors().items()
        assert location == ("body", *place, "surprise") and error["type"] == "extra_forbidden"

    @pytest.mark.parametrize("block", [block for block in PAYLOAD])
    def test_blocks_are_required(self, store, block):
        sent = payload()
        del sent[block]
        assert list(store.client.post(PROJECTS, sent).errors()) == [("body", block)]

    def test_every_field_without_a_default_is_required(self, store):
        for block, members in PAYLOAD.items():
            for member in members:
                sent = payload()
                del sent[block][member]
                errors = store.client.post(PROJECTS, sent).errors()
                assert {k: v["type"] for k, v in errors.items()} == {("body", block, member): "missing"}

    def test_rule_texts_are_in_the_language_asked_for(self, store):
        texts = {store.client.post(PROJECTS, payload(setup={"traffic_split": [1, 1, 1]}), headers={
            "Accept-Language": language}).detail[0]["msg"] for language in ("en", "ru", "de", "es", "fr", "zh", "ar")}
        assert len(texts) == 7

    def test_the_same_rules_hold_for_updates(self, store):
        project = create(store.client)
        errors = put(store.client, project, payload(setup={"variants_count": 3})).errors()
        assert list(errors) == [("body", "setup")]
        assert expect(store.client.get(path_of(project))) == project

    def test_shares_need_not_be_whole(self, store):
        sent = payload(setup={"traffic_split": [33.3, 33.3, 33.4], "variants_count": 3})
        assert create(store.client, sent)["payload"]["setup"]["traffic_split"] == [33.3, 33.3, 33.4]


TEXTS = {
    "empty": "", "blank": "   ", "JSON": '{"a": [1, null]}', "number": "5", "null": "null", "quotes": "a'b\"c`d",
    "SQL": "'; DROP TABLE projects; --", "wildcards": "100%_\\", "escapes": "\\u0041\\n\\0", "controls": "\x01\x1f\x7f",
    "line ends": "a\nb\r\nc\td", "separators": "\u2028\u2029\u0085", "Cyrillic": "Тест", "Arabic": "اختبار", "Han": "结账测试",
    "emoji": "👩\u200d👩\u200d👧\u200d👦🇩🇪", "combining": "e\u0301 z\u0327", "fullwidth": "Ａｂ①", "non-characters": "\ufffe\uffff\U0010ffff",
    "directions": "\u202eabc\u2066", "placeholders": "{text} ? $1 :a %s", "html": "<script>alert(1)</script>&amp;",
}


class TestTexts:
    @pytest.mark.parametrize("name", TEXTS)
    def test_come_back_as_they_were(self, store, name):
        text = TEXTS[name]
        sent = payload(text, hypothesis={"hypothesis_statement": text, "change_description": text},
                       setup={"targeting_rules": [{"attribute": text[:100] or "x", "operator": "in",
                                                   "value": [text, {"": False}.get(text, text)]}]},
                       metrics={"secondary_metrics": [text]}, additional_context={"llm_context": text})
        project = create(store.client, sent)
        assert project["payload"] == stored_form(sent) and project["project_name"] == text
        assert expect(store.client.get(path_of(project))) == project
        assert revisions_of(store.client, project)["revisions"][0]["payload"] == project["payload"]
        [listed] = [p for p in store.client.get(PROJECTS + "?limit=1").json()["projects"] if p["id"] == project["id"]]
        assert listed["project_name"] == text and listed["hypothesis"] == text

    @pytest.mark.parametrize("name", ["a" * 3000, "ß" * 5000, "".join(chr(0x4e00 + 7 * i % 20000) for i in range(30000))],
                             ids=["ascii", "expanding", "han"])
    def test_names_of_any_length(self, store, name):
        """Longer than an index entry of either engine may be."""
        project = create(store.client, payload(name))
        renamed = expect(put(store.client, project, payload(name + "x")))
        assert renamed["project_name"] == name + "x"
        for direction in ("asc", "desc"):
            names = [p["project_name"] for p in store.client.get(
                f"{PROJECTS}?sort_by=name&sort_dir={direction}&limit=200").json()["projects"]]
            assert name + "x" in names
        expect(store.client.send("DELETE", path_of(project)))

    def test_numbers_come_back_as_they_were(self, store):
        for value in (1e-300, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, 1e22, 1e21, 123456789.123456789, 2.0**53, 1e16):
            sent = payload(metrics={"mde_pct": value, "expected_uplift_pct": -value})
            project = create(store.client, sent)
            kept = expect(store.client.get(path_of(project)))["payload"]["metrics"]
            assert (kept["mde_pct"], kept["expected_uplift_pct"]) == (value, -value)
            assert expect(put(store.client, project, sent))["revision_count"] == 2

    def test_numbers_of_free_values_keep_their_kind(self, store):
        values = [5, 5.0, -0.5, 1e15, 123456789012345678, 0, True]
        sent = payload(setup={"targeting_rules": [{"attribute": "a", "operator": "in", "value": values}]})
        project = create(store.client, sent)
        [rule] = expect(store.client.get(path_of(project)))["payload"]["setup"]["targeting_rules"]
        assert rule["value"] == values

    def test_a_large_payload(self, store):
        text = "Ω" * 160_000  # six bytes each as the client writes them
        project = create(store.client, payload(project={"project_description": text}))
        for number in range(5):
            expect(put(store.client, project, payload(project={"project_description": f"{number}{text}"})))
        assert len(revisions_of(store.client, project)["revisions"]) == 6
        expect(store.client.send("DELETE", path_of(project)))


class TestRead:
    @pytest.mark.parametrize("name", [
        "x", "00000000-0000-4000-8000-000000000000", "%27%3B--", "%ff", "%c3%28", "%F0%9F%98%80", "null", "..%2f..", "%25", "a" * 2000],
        ids=lambda name: name[:40])
    def test_unknown_ids(self, store, name):
        client = store.client
        for method, rest, code in (("GET", "", "not_found"), ("DELETE", "", "not_found"), ("GET", "/history", "not_found"),
                                   ("GET", "/revisions", "not_found"), ("POST", "/archive", "not_found"),
                                   ("POST", "/restore", "not_found")):
            answer = client.send(method, f"{PROJECTS}/{name}{rest}")
            assert (answer.status, answer.error_code) == (404, code), str(answer)
        for method, rest, body in (("PUT", "", payload()), ("POST", "/analysis", analysis()),
                                   ("POST", "/exports", {"format": "pdf"})):
            answer = client.send(method, f"{PROJECTS}/{name}{rest}", json=body)
            assert answer.status == 404 and answer.error_code in ("project_not_found", "not_found"), str(answer)
            if re.fullmatch(r"[-0-9a-z]{1,100}", name):
                assert answer.error_code == "project_not_found"

    def test_ids_are_compared_exactly(self, store):
        project = create(store.client)
        for other in (project["id"].upper(), project["id"][:-1], project["id"] + "%20", "{" + project["id"] + "}"):
            assert store.client.get(path_of(other)).status == 404


class TestUpdate:
    def test_rename_is_a_second_revision(self, store):
        project = create(store.client, payload("Before"))
        renamed = expect(put(store.client, project, payload("After")))
        assert renamed["project_name"] == "After" and renamed["revision_count"] == 2
        assert renamed["created_at"] == project["created_at"] < renamed["updated_at"] == renamed["last_revision_at"]
        page = revisions_of(store.client, project)
        assert (page["total"], page["limit"], page["offset"]) == (2, 20, 0) and page["project_id"] == project["id"]
        assert [(r["source"], r["payload"]["project"]["project_name"]) for r in page["revisions"]] == [
            ("update", "After"), ("create", "Before")]
        assert page["revisions"][0]["created_at"] == renamed["updated_at"]

    def test_replaces_everything(self, store):
        project = create(store.client, payload(metrics={"secondary_metrics": ["a"]}, additional_context={"llm_context": "x"}))
        sent = payload("Plain", "count")
        assert expect(put(store.client, project, sent))["payload"] == stored_form(sent)

    def test_the_same_again_is_a_revision_too(self, store):
        project = create(store.client)
        for count in (2, 3):
            again = expect(put(store.client, project, project["payload"]))
            assert again["revision_count"] == count and again["payload"] == project["payload"]

    def test_every_update_is_later(self, store):
        project = create(store.client)
        moments = [project["updated_at"]] + [expect(put(store.client, project, payload()))["updated_at"] for _ in range(20)]
        assert sorted(set(moments)) == moments
        page = revisions_of(store.client, project, "?limit=100")
        assert [r["created_at"] for r in page["revisions"]] == moments[::-1]

    def test_later_even_when_the_clock_was_ahead(self, store):
        """Another host's clock, or one that has been set back, must not put revisions out of order."""
        project = create(store.client)
        ahead = "2099-12-31T23:59:59.999999+00:00"
        store.database.run(f"UPDATE projects SET updated_at = '{ahead}' WHERE id = '{project['id']}'; "
                           f"UPDATE project_revisions SET created_at = '{ahead}' WHERE project_id = '{project['id']}'")
        moments = [expect(put(store.client, project, payload(str(i))))["updated_at"] for i in range(3)]
        assert [ahead, *moments] == sorted({ahead, *moments})
        names = [r["payload"]["project"]["project_name"] for r in revisions_of(store.client, project)["revisions"]]
        assert names == ["2", "1", "0", "Checkout"]
        archived = expect(store.client.post(path_of(project, "archive")))
        restored = expect(store.client.post(path_of(project, "restore")))
        assert moments[-1] < archived["archived_at"] < restored["updated_at"]

    def test_keeps_the_analysis(self, store):
        project = create(store.client)
        analysed = expect(store.client.post(path_of(project, "analysis"), analysis()))
        updated = expect(put(store.client, project, payload("New")))
        assert updated["last_analysis_run_id"] == analysed["last_analysis_run_id"] and updated["has_analysis_snapshot"]


class TestIfMatch:
    """Whoever shows the version that was read does not overwrite what came since."""

    ROUTES = [("PUT", "", payload()), ("POST", "/archive", None), ("POST", "/restore", None), ("DELETE", "", None)]

    @pytest.mark.parametrize("method, rest, body", ROUTES)
    def test_other_versions_are_refused(self, store, method, rest, body):
        project = create(store.client)
        stale = project["updated_at"]
        current = expect(put(store.client, project, payload("Newer")))
        for value in (stale, f'"{stale}"', "", '"', '""', "x", current["updated_at"][:-1], "**", '"*"', f'W/"{stale}"'):
            answer = store.client.send(method, path_of(project) + rest, json=body, headers={"If-Match": value})
            assert (answer.status, answer.error_code) == (409, "project_conflict"), value
            assert current["updated_at"] in answer.detail
        assert expect(store.client.get(path_of(project))) == current

    @pytest.mark.parametrize("form", ["{}", '"{}"', "*", '"x", "{}"', 'W/"{}"', '"x"  ,\t"{}"'])
    @pytest.mark.parametrize("method, rest, body", ROUTES)
    def test_the_current_version_is_admitted(self, store, method, rest, body, form):
        project = create(store.client)
        headers = {"If-Match": form.format(project["updated_at"])}
        expect(store.client.send(method, path_of(project) + rest, json=body, headers=headers))

    def test_the_etag_can_be_sent_back(self, store):
        answer = store.client.post(PROJECTS, payload())
        for number in range(4):
            answer = put(store.client, answer.json(), payload(str(number)), headers={"If-Match": answer.headers["ETag"]})
            assert expect(answer)["revision_count"] == number + 2
        assert store.client.get(path_of(answer.json())).headers["ETag"] == answer.headers["ETag"]

    def test_unknown_projects_come_first(self, store):
        answer = put(store.client, unknown_id(), payload(), headers={"If-Match": "*"})
        expect(answer, 404, "project_not_found")
        expect(store.client.send("DELETE", path_of(unknown_id()), headers={"If-Match": '"x"'}), 404, "not_found")

    def test_nothing_is_left_of_a_refused_change(self, store):
        project = create(store.client)
        answer = put(store.client, project, payload("Lost"), headers={"If-Match": '"2020-01-01T00:00:00.000000+00:00"'})
        expect(answer, 409, "project_conflict")
        assert expect(store.client.get(path_of(project))) == project
        where = f"WHERE project_id = '{project['id']}'"
        assert store.database.value(f"SELECT count(*) AS n FROM project_revisions {where}") == 1
        assert store.database.value(f"SELECT count(*) AS n FROM audit_log {where}") == 1


class TestArchive:
    def test_puts_away_and_restore_takes_out_again(self, store):
        client, project = store.client, create(store.client)
        name = f"?q={project['id']}"
        expect(put(client, project, payload(project["id"])))
        archived = expect(client.post(path_of(project, "archive")))
        assert archived == {"id": project["id"], "archived": True, "archived_at": archived["archived_at"]}
        assert TIMESTAMP.match(archived["archived_at"])
        expect(client.get(path_of(project)), 404, "not_found")
        assert client.get(PROJECTS + name).json()["total"] == 0
        [listed] = client.get(PROJECTS + name + "&include_archived=true").json()["projects"]
        assert listed["is_archived"] is True and listed["archived_at"] == archived["archived_at"] == listed["updated_at"]
        restored = expect(client.post(path_of(project, "restore")))
        assert restored["archived_at"] is None and restored["is_archived"] is False
        assert restored["updated_at"] > archived["archived_at"]
        assert expect(client.get(path_of(project))) == restored

    def test_again_keeps_the_first_moment(self, store):
        client, project = store.client, create(store.client)
        first = expect(client.post(path_of(project, "archive")))
        assert expect(client.post(path_of(project, "archive"))) == first
        [listed] = [p for p in client.get(PROJECTS + "?status=archived&limit=1").json()["projects"]]
        assert listed["id"] == project["id"] and listed["updated_at"] == first["archived_at"]

    def test_restore_of_an_active_project_changes_nothing(self, store):
        project = create(store.client)
        assert expect(store.client.post(path_of(project, "restore"))) == project

    def test_restore_does_not_bring_back_an_old_design(self, store):
        project = create(store.client, payload("Old"))
        expect(put(store.client, project, payload("New")))
        expect(store.client.post(path_of(project, "archive")))
        restored = expect(store.client.post(path_of(project, "restore")))
        assert restored["project_name"] == "New" and restored["revision_count"] == 2

    def test_what_an_archived_project_refuses(self, store):
        client, project = store.client, create(store.client)
        run = expect(client.post(path_of(project, "analysis"), analysis()))["last_analysis_run_id"]
        expect(client.post(path_of(project, "archive")))
        expect(put(client, project, payload()), 400, "project_archived")
        expect(client.post(path_of(project, "analysis"), analysis()), 400, "project_archived")
        expect(client.post(path_of(project, "exports"), {"format": "pdf"}), 400, "project_archived")
        assert history_of(client, project)["analysis_runs"][0]["id"] == run
        assert revisions_of(client, project)["total"] == 1


class TestDelete:
    def test_takes_everything_but_the_audit(self, store):
        client, other = store.client, create(store.client, payload("Stays"))
        project = create(client)
        run = expect(client.post(path_of(project, "analysis"), analysis()))["last_analysis_run_id"]
        expect(client.post(path_of(project, "exports"), {"format": "html", "analysis_run_id": run}))
        expect(put(client, project, payload("Changed")))
        assert expect(client.send("DELETE", path_of(project))) == {"id": project["id"], "deleted": True}
        for table in ("analysis_runs", "export_events", "project_revisions"):
            assert store.database.value(f"SELECT count(*) AS n FROM {table} WHERE project_id = '{project['id']}'") == 0
        assert store.database.value(f"SELECT count(*) AS n FROM audit_log WHERE project_id = '{project['id']}'") == 5
        expect(client.get(path_of(project)), 404, "not_found")
        expect(client.send("DELETE", path_of(project)), 404, "not_found")
        assert expect(client.get(path_of(other))) == other

    def test_works_on_archived_projects(self, store):
        project = create(store.client)
        expect(store.client.post(path_of(project, "archive")))
        expect(store.client.send("DELETE", path_of(project)))
        expect(store.client.post(path_of(project, "restore")), 404, "not_found")
