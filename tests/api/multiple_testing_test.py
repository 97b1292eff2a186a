"""POST /api/v1/multiple-testing: Benjamini-Hochberg and Holm."""

import pytest

from client import LANGUAGES

PAPER = [.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .324, .4262, .5719, .6528, .759, 1]


def ask(api, values, **options):
    metrics = [{"label": f"m{i}", "p_value": p} for i, p in enumerate(values)]
    return api.post("/api/v1/multiple-testing", {"metrics": metrics, **options})


# Method, p-values, adjusted, rejected, critical value.
ROWS = [
    ("bh", [.001, .012, .04, .6], [.004, .024, .053333, .6], [True, True, False, False], .012),
    ("holm", [.001, .02, .5], [.003, .04, .5], [True, True, False], .02),
    ("bh", [.6, .012, .001, .04], [.6, .024, .004, .053333], [False, True, True, False], .012),
    ("bh", [.2, .9], [.4, .9], [False, False], 0.0),
    ("bh", [.05], [.05], [True], .05),
    ("holm", [0, 0], [0.0, 0.0], [True, True], 0.0),
    ("holm", [1, 1], [1.0, 1.0], [False, False], 0.0),
]


class TestFigures:
    @pytest.mark.parametrize("method, values, adjusted, rejected, critical", ROWS)
    def test_row(self, api, method, values, adjusted, rejected, critical):
        reply = ask(api, values, method=method).json()
        assert [r["adjusted_p_value"] for r in reply["results"]] == adjusted
        assert [r["rejected"] for r in reply["results"]] == rejected
        assert [r["label"] for r in reply["results"]] == [f"m{i}" for i in range(len(values))]
        assert [r["p_value"] for r in reply["results"]] == values
        assert (reply["method"], reply["level"], reply["num_tests"]) == (method, 0.05, len(values))
        assert reply["num_rejected"] == reply["threshold_rank"] == sum(rejected)
        assert reply["critical_value"] == critical

    def test_example_of_the_paper(self, api):
        reply = ask(api, PAPER).json()
        assert (reply["num_rejected"], reply["critical_value"], reply["method"]) == (4, .0095, "bh")
        adjusted = [r["adjusted_p_value"] for r in reply["results"]]
        assert adjusted[3] == .035625 and adjusted[5] == adjusted[6] == .063857
        reply = ask(api, PAPER, method="holm").json()
        assert reply["num_rejected"] == 3 and reply["results"][3]["adjusted_p_value"] == .114

    def test_level(self, api):
        assert ask(api, PAPER, level=0.01).json()["num_rejected"] == 3
        assert ask(api, PAPER, level=0.5).json()["num_rejected"] == 10

    def test_labels_may_repeat(self, api):
        metrics = [{"label": "same", "p_value": p} for p in (.5, .001)]
        reply = api.post("/api/v1/multiple-testing", {"metrics": metrics}).json()
        assert [(r["label"], r["rejected"]) for r in reply["results"]] == [("same", False), ("same", True)]

    def test_hundred(self, api):
        reply = ask(api, [i / 1e5 for i in range(100)]).json()
        assert reply["num_rejected"] == 100 and reply["threshold_rank"] == 100


class TestRefusals:
    @pytest.mark.parametrize("values", [[], [.5] * 101])
    def test_number_of_metrics(self, api, values):
        assert list(ask(api, values).errors()) == [("body", "metrics")]

    @pytest.mark.parametrize("options, place", [
        ({"level": 0}, "level"), ({"level": 1}, "level"), ({"method": "bonferroni"}, "method"), ({"alpha": .05}, "alpha")])
    def test_options(self, api, options, place):
        assert list(ask(api, [.5], **options).errors()) == [("body", place)]

    @pytest.mark.parametrize("value", [-1e-9, 1.0000001, "x", None])
    def test_values(self, api, value):
        assert list(ask(api, [.5, value]).errors()) == [("body", "metrics", 1, "p_value")]

    def test_language_changes_nothing(self, api):
        assert len({ask(api.with_headers({"Accept-Language": language}), PAPER).body for language in LANGUAGES}) == 1
