"""POST /api/v1/sensitivity: sizes over effects and powers."""

import itertools

import pytest

from client import LANGUAGES

BINARY = {"metric_type": "binary", "baseline_rate": 3.5, "daily_traffic": 10000}
RATIO = {"metric_type": "ratio", "baseline_mean": 2.5, "std_dev": 4, "daily_traffic": 10000}
CONTINUOUS = {"metric_type": "continuous", "baseline_mean": 100, "std_dev": 20}


def ask(api, body, **changes):
    return api.post("/api/v1/sensitivity", {**body, **changes})


def cells(answer):
    return [(c["sample_size_per_variant"], c["duration_days"]) for c in answer.json()["cells"]]


class TestFigures:
    def test_binary(self, api):
        answer = ask(api, BINARY, mde_values=[.5, 1, 5], power_values=[.8, .9])
        assert cells(answer) == [(17354093, 3471.0), (23232206, 4647.0), (4348948, 870.0), (5822006, 1165.0),
                                 (177290, 36.0), (237341, 48.0)]
        assert [(c["mde"], c["power"]) for c in answer.json()["cells"]] == list(itertools.product([.5, 1, 5], [.8, .9]))

    def test_ratio(self, api):
        answer = ask(api, RATIO, mde_values=[.1, .25], power_values=[.8, .9])
        assert cells(answer) == [(25117, 6.0), (33624, 7.0), (4019, 1.0), (5380, 2.0)]

    def test_defaults(self, api):
        reply = ask(api, BINARY).json()
        assert [(c["mde"], c["power"]) for c in reply["cells"]] == list(
            itertools.product([.1, .5, 1.0, 2.0, 5.0], [.7, .8, .9, .95]))
        assert reply["current_mde"] is None and reply["current_power"] is None
        plain = {**BINARY, "variants": 2, "alpha": 0.05, "audience_share": 1, "traffic_split": [1, 1]}
        assert ask(api, plain).json() == reply

    @pytest.mark.parametrize("body, mde, mde_pct", [(BINARY, 5, 5), (CONTINUOUS, 5, 5), (RATIO, .25, 10)])
    @pytest.mark.parametrize("variants, split", [(2, [1, 1]), (3, [50, 25, 25])])
    def test_a_cell_is_what_calculate_says(self, api, body, mde, mde_pct, variants, split):
        baseline = body["baseline_rate"] / 100 if body is BINARY else body["baseline_mean"]
        design = {
            "metric_type": body["metric_type"], "baseline_value": baseline, "std_dev": body.get("std_dev"),
            "mde_pct": mde_pct, "alpha": .01, "power": .9, "expected_daily_traffic": 4000,
            "audience_share_in_test": .3, "traffic_split": split, "variants_count": variants}
        sized = api.post("/api/v1/calculate", design).json()["results"]
        answer = ask(api, body, mde_values=[mde], power_values=[.9], alpha=.01, daily_traffic=4000, audience_share=.3,
                     variants=variants, traffic_split=split)
        assert cells(answer) == [(sized["sample_size_per_variant"], sized["estimated_duration_days"])]

    def test_cells_without_a_plan(self, api):
        """A rate beyond 100 %, a size beyond what is exact: null with the reason, and the others stand."""
        answer = ask(api, BINARY, baseline_rate=60, mde_values=[50, 80, 1e-9], power_values=[.8])
        reasons = [c["reason"] for c in answer.json()["cells"]]
        assert reasons == [None, "variant_rate_out_of_range", "sample_size_not_finite"]
        assert cells(answer)[0][0] > 0 and cells(answer)[1:] == [(None, None)] * 2

    def test_extremes(self, api):
        corners = {"mde_values": [1e-300, 1, 1e300], "power_values": [1e-9, .5, 1 - 1e-9]}
        for body in ({**CONTINUOUS, "std_dev": 1e300}, {**CONTINUOUS, "baseline_mean": 1e-300}, {**RATIO, "std_dev": 1e-13},
                     {**CONTINUOUS, "daily_traffic": 1e-300}, {**BINARY, "alpha": 1e-300}, {**BINARY, "baseline_rate": 1e-9}):
            answer = ask(api, body, **corners)
            assert answer.status == 200
            for cell in answer.json()["cells"]:
                assert (cell["reason"] is None) == (cell["sample_size_per_variant"] is not None)

    def test_thousand_cells(self, api):
        values = [i / 10 for i in range(1, 101)]
        assert len(ask(api, BINARY, mde_values=values, power_values=[i / 20 for i in range(1, 11)]).json()["cells"]) == 1000


class TestRefusals:
    @pytest.mark.parametrize("changes, message", [
        ({"baseline_rate": None}, "baseline_rate"), ({"baseline_rate": 0}, "baseline_rate"),
        ({"baseline_rate": 100}, "baseline_rate"), ({"mde_values": [1, 0]}, "mde_values"),
        ({"power_values": [.8, 1]}, "power_values"), ({"power_values": [0]}, "power_values"),
        ({"traffic_split": [1]}, "traffic_split"), ({"traffic_split": [1, 0]}, "traffic_split"),
        ({"traffic_split": []}, "traffic_split"), ({"variants": 3, "traffic_split": [1, 1]}, "traffic_split"),
        ({"mde_values": [1] * 101, "power_values": [.8] * 10}, "1000 cells"),
        ({"mde_values": [1] * 251}, "1000 cells")])
    def test_binary(self, api, changes, message):
        error = ask(api, BINARY, **changes).errors()["body",]
        assert error["type"] == "value_error" and message in error["msg"]

    @pytest.mark.parametrize("kind", ["continuous", "ratio"])
    @pytest.mark.parametrize("field", ["baseline_mean", "std_dev"])
    @pytest.mark.parametrize("value", [None, 0, -1])
    def test_means(self, api, kind, field, value):
        error = ask(api, {**CONTINUOUS, "metric_type": kind}, **{field: value}).errors()["body",]
        assert field in error["msg"] and kind in error["msg"]

    @pytest.mark.parametrize("changes, place", [
        ({"metric_type": "count"}, "metric_type"), ({"mde_values": []}, "mde_values"), ({"mde_values": None}, "mde_values"),
        ({"power_values": []}, "power_values"), ({"daily_traffic": 0}, "daily_traffic"), ({"variants": 11}, "variants"),
        ({"audience_share": 1.1}, "audience_share"), ({"alpha": 1}, "alpha"), ({"power": .8}, "power")])
    def test_fields(self, api, changes, place):
        assert list(ask(api, BINARY, **changes).errors()) == [("body", place)]

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_in_every_language(self, api, language):
        client = api.with_headers({"Accept-Language": language})
        messages = {ask(client, body, **changes).errors()["body",]["msg"] for body, changes in (
            (BINARY, {"baseline_rate": 0}), (CONTINUOUS, {"baseline_mean": 0}), (RATIO, {"baseline_mean": 0}),
            (BINARY, {"mde_values": [0]}), (BINARY, {"power_values": [0]}), (BINARY, {"traffic_split": [1]}),
            (BINARY, {"mde_values": [1] * 251}))}
        assert len(messages) == 7 and all(("must" in m) == (language == "en") for m in messages)
