"""The list of experiments with their states, the course of the effect over time, and what people decide. On both
engines."""

import random
from urllib.parse import urlencode

import pytest

from live_oracle_test import batches, design, send
from live_test import Experiment, experiment, fill
from project_fixtures import PROJECTS, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]
__all__ = ["experiment"]  # a fixture

EXPERIMENTS = "/api/v1/experiments"
DAY = 86400


def listed(client, **query):
    return expect(client.get(f"{EXPERIMENTS}?{urlencode({'limit': 200, **query})}"))


def entry(client, experiment_id, **query):
    [found] = [item for item in listed(client, **query)["experiments"] if item["id"] == experiment_id]
    return found


class TestClear:
    """What was imported wrongly is deleted as a whole, and the experiment starts anew."""

    def test_nothing_stays_and_the_same_events_count_again(self, experiment):
        def figures():
            stats = expect(experiment.client.get(experiment.path("live-stats")))
            counts = expect(experiment.client.get(experiment.path("ingestion")))
            return [stats["exposures_total"], stats["conversions_total"], counts["exposures_total"],
                    counts["conversions_total"]]

        def send_all():
            for arm in (0, 1):
                experiment.send("exposures", *[
                    {"user_id": f"u{arm}-{i}", "variation_index": arm, "occurred_at": 20000 * DAY} for i in range(20)])
            experiment.convert("u0-3", occurred_at=20001 * DAY)

        send_all()
        before = figures()
        assert before == [40, 1, 40, 1]
        etag = experiment.client.get(experiment.path("live-stats")).headers["ETag"]
        cleared = expect(experiment.client.send("DELETE", experiment.path("events")))
        assert [cleared["exposures"], cleared["conversions"]] == [40, 1]
        assert figures() == [0, 0, 0, 0]
        assert experiment.client.get(experiment.path("live-stats")).headers["ETag"] != etag
        assert expect(experiment.client.get(experiment.path("decision")))["headline"] == "not_started"
        assert expect(experiment.client.get(experiment.path("course")))["days"] == []
        [entry] = expect(experiment.client.get("/api/v1/audit?action=experiment.clear"))["entries"]
        assert entry["action"] == "experiment.clear"
        send_all()
        assert figures() == before

    def test_only_an_experiment_that_exists(self, store):
        expect(store.client.send("DELETE", f"{EXPERIMENTS}/{unknown_id()}/events"), 404, "not_found")


class TestCourse:
    """People per day and the effect over time: the last day is what live-stats shows."""
    COMPARED = set(range(12)) - {7}  # the users of that one are too few, or do not vary

    @pytest.mark.parametrize("number", range(12))
    def test_it_ends_at_the_live_statistics(self, store, number):
        rng = random.Random(f"course {number}")
        experiment = create(store.client, design(rng))["id"]
        for kind, records in batches(rng, crowd=False):
            send(store, experiment, kind, records)
        course = expect(store.client.get(f"{EXPERIMENTS}/{experiment}/course"))
        shown = expect(store.client.get(f"{EXPERIMENTS}/{experiment}/live-stats"))
        assert (course["status"], course["is_current"], course["step_days"]) == ("ok", True, 1)
        dates = [day["date"] for day in course["days"]]
        assert dates == sorted(set(dates)) and len(dates) > 1
        arms = [shown["comparisons"][0]["control"]] + [one["treatment"] for one in shown["comparisons"]]
        for index, arm in enumerate(arms):
            assert sum(day["people"][index] for day in course["days"]) == arm["exposed_users"]
            if shown["metric_type"] == "binary":
                assert sum(day["converted"][index] for day in course["days"]) == arm["converted_users"]
        compared = 0
        for point, comparison in zip(course["days"][-1]["comparisons"], shown["comparisons"]):
            assert point["treatment_index"] == comparison["treatment_index"]
            if comparison["analysis"] is None:
                assert point["effect"] is None
                continue
            compared += 1
            analysis, always = comparison["analysis"], comparison["always_valid"]
            for name, value in (("effect", analysis["observed_effect"]), ("ci_lower", analysis["ci_lower"]),
                                ("ci_upper", analysis["ci_upper"])):
                assert point[name] == pytest.approx(value, rel=1e-6, abs=2e-4)
            for end in ("lower", "upper"):
                value = always[f"ci_sequence_{end}"]
                expected = value if value is None or shown["metric_type"] != "binary" else 100 * value
                assert point[f"always_valid_{end}"] == (
                    None if value is None else pytest.approx(expected, rel=1e-6, abs=2e-4))
        assert compared > 0 or number not in self.COMPARED

    def test_days_steps_and_what_comes_later(self, experiment):
        assert expect(experiment.client.get(experiment.path("course")))["days"] == []
        for day in range(3):
            for arm in (0, 1):
                experiment.send("exposures", *[
                    {"user_id": f"u{day}-{arm}-{i}", "variation_index": arm, "occurred_at": (20000 + day) * DAY}
                    for i in range(10 + day)])
        experiment.convert("u0-1-3", occurred_at=20001 * DAY)
        experiment.convert("u2-0-3", occurred_at=19990 * DAY)  # before the exposure: counts from its day on
        course = expect(experiment.client.get(experiment.path("course")))
        assert [(day["date"], day["people"], day["converted"]) for day in course["days"]] == [
            ("2024-10-04", [10, 10], [0, 0]), ("2024-10-05", [11, 11], [0, 1]), ("2024-10-06", [12, 12], [1, 0])]
        first, second, last = (day["comparisons"][0] for day in course["days"])
        assert second["effect"] == pytest.approx(100 / 21, abs=1e-4) and last["effect"] == 0
        assert second["always_valid_lower"] < second["ci_lower"] < 0 < second["ci_upper"] < second["always_valid_upper"]

    def test_an_experiment_of_many_years_has_longer_steps(self, experiment):
        experiment.send("exposures", *[
            {"user_id": f"u{i}", "variation_index": i % 2, "occurred_at": i * DAY} for i in range(900)])
        course = expect(experiment.client.get(experiment.path("course")))
        assert course["step_days"] == 4 and sum(sum(day["people"]) for day in course["days"]) == 900
        assert len(course["days"]) == 225

    def test_unknown(self, store):
        assert store.client.get(f"{EXPERIMENTS}/{unknown_id()}/course").status == 404


class TestList:
    def test_states_follow_the_events(self, store):
        experiment = Experiment(store.client)
        first = entry(store.client, experiment.id)
        assert (first["state"], first["verdict"], first["headline"], first["people"]) == ("not_started", None, None, 0)
        fill(experiment, [(40, 5), (40, 5)])
        collecting = entry(store.client, experiment.id)
        assert (collecting["state"], collecting["verdict"], collecting["people"]) == ("collecting", "keep_running", 80)
        assert 0 < collecting["progress"] < 1 and collecting["planned"] > 80

    def test_ready_is_what_the_decision_says(self, store):
        experiment = Experiment(store.client)
        fill(experiment, [(500, 20), (500, 220)])
        decision = expect(experiment.client.get(experiment.path("decision")))
        shown = entry(store.client, experiment.id, state="ready")
        assert (shown["verdict"], shown["headline"]) == (decision["verdict"], decision["headline"])
        assert shown["state"] == "ready" and shown["variation_index"] == 1
        analysis = experiment.stats()["comparisons"][0]["analysis"]
        assert shown["effect_relative"] == analysis["observed_effect_relative"]

    @pytest.mark.parametrize("arms,verdict,headline", [
        ([(2000, 300), (2000, 150)], "no_ship", "worse"), ([(4000, 400), (4000, 490)], "no_ship", "gain_not_proven"),
        ([(9000, 900), (9000, 985)], "no_ship", "gain_too_small"),
        ([(4000, 400), (4000, 400)], "no_ship", "no_worthwhile_effect"),
        ([(600, 60), (400, 40)], "no_ship", "untrustworthy"), ([(1, 0), (1, 1)], "keep_running", "too_early")])
    def test_headlines_tell_situations_with_one_verdict_apart(self, store, arms, verdict, headline):
        experiment = Experiment(store.client)
        fill(experiment, arms)
        decision = expect(experiment.client.get(experiment.path("decision")))
        assert (decision["verdict"], decision["headline"]) == (verdict, headline)

    def test_search_filter_order_and_pages(self, store):
        mark = f"overview{random.random()}"
        made = [create(store.client, payload(f"{mark} {name}"))["id"] for name in ("b", "c", "a")]
        found = listed(store.client, q=mark, sort_by="name", sort_dir="asc")
        assert [item["project_name"][-1] for item in found["experiments"]] == ["a", "b", "c"]
        assert found["total"] == 3 and found["counts"] == {
            "not_started": 3, "collecting": 0, "ready": 0, "decided": 0, "archived": 0}
        assert [i["id"] for i in listed(store.client, q=mark, sort_by="updated_at", sort_dir="desc", limit=1,
                                        offset=1)["experiments"]] == [made[1]]
        expect(store.client.post(f"{PROJECTS}/{made[0]}/archive"))
        assert listed(store.client, q=mark)["total"] == 2
        assert [i["id"] for i in listed(store.client, q=mark, state="archived")["experiments"]] == [made[0]]
        assert listed(store.client, q=mark, metric_type="count")["total"] == 0
        owner = found["experiments"][0]["owner"]
        assert owner and listed(store.client, q=mark, owner=owner)["total"] == 2
        assert listed(store.client, q=mark, owner="somebody else")["total"] == 0
        assert store.client.get(f"{EXPERIMENTS}?state=elsewhere").status == 422


class TestOutcome:
    def decide(self, experiment, **body):
        return experiment.client.post(experiment.path("outcome"), body)

    def test_ship_reopen_stop(self, experiment):
        empty = expect(experiment.client.get(experiment.path("outcome")))
        assert (empty["current"], empty["outcomes"]) == (None, [])
        assert self.decide(experiment, decision="reopen").status == 409
        shipped = expect(self.decide(experiment, decision="ship", note="Good enough."))["current"]
        assert (shipped["decision"], shipped["variation_index"], shipped["note"]) == ("ship", 1, "Good enough.")
        assert (shipped["verdict"], shipped["headline"]) == ("keep_running", "not_started") and shipped["actor"]
        shown = entry(experiment.client, experiment.id)
        assert (shown["state"], shown["decision"], shown["decided_at"]) == ("decided", "ship", shipped["created_at"])
        reopened = expect(self.decide(experiment, decision="reopen", note="A bug."))
        assert reopened["current"] is None and entry(experiment.client, experiment.id)["state"] == "not_started"
        stopped = expect(self.decide(experiment, decision="stop"))
        assert [one["decision"] for one in stopped["outcomes"]] == ["stop", "reopen", "ship"]
        assert stopped["current"]["variation_index"] is None

    def test_events_are_still_taken(self, experiment):
        expect(self.decide(experiment, decision="stop"))
        assert experiment.expose("u", 0) == (1, 1, 0)

    def test_it_is_in_the_audit_log(self, experiment):
        expect(self.decide(experiment, decision="ship", note="Rolled out."))
        query = urlencode({"project_id": experiment.id, "action": "experiment.ship"})
        [logged] = expect(experiment.client.get(f"/api/v1/audit?{query}"))["entries"]
        assert logged["payload_diff"] == {"decision": [None, "ship"], "note": [None, "Rolled out."],
                                          "recommendation": [None, "not_started"], "variation_index": [None, "1"]}

    @pytest.mark.parametrize("body,status", [
        ({"decision": "maybe"}, 422), ({"decision": "stop", "variation_index": 1}, 422), ({}, 422),
        ({"decision": "ship", "variation_index": 7}, 400), ({"decision": "ship", "note": "x" * 4001}, 422)])
    def test_refused(self, experiment, body, status):
        assert self.decide(experiment, **body).status == status

    def test_archived_and_unknown(self, store, experiment):
        expect(store.client.post(f"{PROJECTS}/{experiment.id}/archive"))
        assert self.decide(experiment, decision="stop").status == 400
        for method in ("get", "post"):
            path = f"{EXPERIMENTS}/{unknown_id()}/outcome"
            asked = store.client.get(path) if method == "get" else store.client.post(path, {"decision": "stop"})
            assert asked.status == 404


class TestReport:
    def test_it_has_the_figures_of_the_api(self, store):
        experiment = Experiment(store.client)
        fill(experiment, [(500, 20), (500, 220)])
        expect(experiment.client.post(experiment.path("outcome"), {"decision": "ship", "note": "Rolled out <b>now</b>."}))
        answer = experiment.client.get(experiment.path("report/html"))
        assert answer.status == 200 and answer.headers.get("Content-Type") == "text/html; charset=utf-8"
        text, stats = answer.text, experiment.stats()
        assert "Ship it" in text and "1,000" in text and "Rolled out &lt;b&gt;now&lt;/b&gt;." in text
        percent = stats["comparisons"][0]["analysis"]["observed_effect_relative"]
        assert f"{percent:+.1f}%" in text
        for words in (stats["srm"]["verdict"], "Data quality", "Events in the window"):
            assert words in text
        markdown = experiment.client.get(experiment.path("report/markdown"))
        assert markdown.status == 200 and markdown.headers.get("Content-Type") == "text/markdown; charset=utf-8"
        assert f"{percent:+.1f}%" in markdown.text and stats["srm"]["verdict"] in markdown.text
        pdf = experiment.client.get(experiment.path("report/pdf"))
        assert pdf.status == 200 and pdf.body.startswith(b"%PDF-")
        assert "attachment" in pdf.headers.get("Content-Disposition")

    @pytest.mark.parametrize("language,words", [("de", "Noch nicht gestartet"), ("ar", "لم يبدأ بعد")])
    def test_in_the_language_of_the_reader_before_any_event(self, experiment, language, words):
        answer = experiment.client.get(experiment.path("report/html"), headers={"Accept-Language": language})
        assert answer.status == 200 and words in answer.text and "{{" not in answer.text

    def test_unknown(self, store):
        for kind in ("html", "pdf", "markdown"):
            assert store.client.get(f"{EXPERIMENTS}/{unknown_id()}/report/{kind}").status == 404
