"""POST /api/v1/results/categorical and /omnibus: tables of counts and several groups of values. Figures
checked with scipy 1.10, statsmodels 0.13 and 50-digit arithmetic (tests/oracle)."""

import json
import random
import re

import pytest

from client import LANGUAGES

TABLE = [[10, 20, 30], [30, 20, 10]]
GROUPS = [[5.1, 4.8, 6.2, 5.5, 4.9, 5.7, 6, 5.3], [6.5, 7.1, 6.8, 7.4, 6.9, 7.7, 6.2, 7, 7.3],
          [5.9, 6.3, 6.7, 5.5, 6.1, 6.4, 7.2]]
CATEGORICAL_KEYS = [
    "test_type", "chi_square", "degrees_of_freedom", "p_value", "is_significant", "cramers_v", "n_total", "num_rows",
    "num_cols", "min_expected_count", "low_expected_warning", "verdict", "interpretation"]
OMNIBUS_KEYS = [
    "test_type", "test_statistic", "df_numerator", "df_denominator", "p_value", "is_significant", "effect_size",
    "effect_size_label", "num_groups", "n_total", "group_summaries", "verdict", "interpretation"]


def categorical(api, table, language="en", **more):
    return api.post("/api/v1/results/categorical", {"table": table, **more}, headers={"Accept-Language": language})


def omnibus(api, test_type, groups, language="en", **more):
    return api.post("/api/v1/results/omnibus", {"test_type": test_type, "groups": groups, **more},
                    headers={"Accept-Language": language})


def reply_of(answer):
    assert answer.status == 200, answer
    return answer.json()


class TestCategorical:
    ROWS = [
        ({"table": TABLE}, {
            "test_type": "chi_square", "chi_square": 20.0, "degrees_of_freedom": 2, "p_value": 4.53999e-05,
            "is_significant": True, "cramers_v": .4082, "n_total": 120, "num_rows": 2, "num_cols": 3,
            "min_expected_count": 20.0, "low_expected_warning": False, "verdict": "Association detected"}),
        ({"table": TABLE, "test_type": "g_test"}, {
            "test_type": "g_test", "chi_square": 20.9299, "p_value": 2.85183e-05, "cramers_v": .4176}),
        ({"table": [[0, 5], [5, 5]], "test_type": "g_test"}, {
            "chi_square": 5.2325, "p_value": .022169, "cramers_v": .5906, "low_expected_warning": True}),
        ({"table": [[0, 5], [5, 5]], "test_type": "g_test", "alpha": .01}, {
            "is_significant": False, "verdict": "No significant association"}),
        ({"table": [[7, 14], [1, 2]]}, {"chi_square": 0.0, "p_value": 1.0, "cramers_v": 0.0, "is_significant": False}),
        ({"table": [[4_999_999, 0], [0, 1]]}, {"n_total": 5_000_000, "cramers_v": 1.0, "p_value": 0.0}),
    ]

    @pytest.mark.parametrize("body, expected", ROWS)
    def test_row(self, api, body, expected):
        reply = reply_of(api.post("/api/v1/results/categorical", body))
        assert list(reply) == CATEGORICAL_KEYS
        assert {key: reply[key] for key in expected} == expected

    @pytest.mark.parametrize("table, reason", [
        ([[0, 0], [0, 0]], "categorical_empty"), ([[0, 0], [5, 5]], "categorical_empty_line"),
        ([[0, 1], [0, 5]], "categorical_empty_line"), ([[5_000_000, 0], [0, 1]], "categorical_too_large"),
        ([[2**53] * 50] * 50, "categorical_too_large")])
    def test_tables_without_a_test(self, api, table, reason):
        texts = set()
        for language in LANGUAGES:
            answer = categorical(api, table, language)
            assert answer.status == 400 and answer.headers["X-Error-Reason"] == reason
            texts.add(answer.detail)
        assert len(texts) == 7 and all("table" in text for text in texts)

    @pytest.mark.parametrize("table", [
        [[1], [2, 3, -1]], [[], []], [[1] * 51] * 2, [[1, 2], [1, 2, 3]], [[1, 2], [1, -2]]])
    def test_rules(self, api, table):
        texts = set()
        for language in LANGUAGES:
            [error] = categorical(api, table, language).detail
            assert (error["type"], error["loc"]) == ("value_error", ["body"]) and "table" in error["msg"]
            texts.add(error["msg"])
        assert len(texts) == 7

    @pytest.mark.parametrize("changes, place, kind", [
        ({"table": [[1, 2]]}, ["table"], "too_short"), ({"table": [[1, 2]] * 51}, ["table"], "too_long"),
        ({"table": [[1, 2], [1, .5]]}, ["table", 1, 1], "int_from_float"),
        ({"table": [[1, 2], 3]}, ["table", 1], "list_type"), ({"table": [[1, 2], [None, 3]]}, ["table", 1, 0], "int_type"),
        ({"test_type": "fisher"}, ["test_type"], "literal_error"), ({"alpha": .2}, ["alpha"], "less_than_equal"),
        ({"yates": True}, ["yates"], "extra_forbidden")])
    def test_fields(self, api, changes, place, kind):
        [error] = api.post("/api/v1/results/categorical", {"table": TABLE, **changes}).detail
        assert (error["type"], error["loc"]) == (kind, ["body", *place])

    @pytest.mark.parametrize("language", LANGUAGES[1:])
    @pytest.mark.parametrize("test_type", ["chi_square", "g_test"])
    def test_languages(self, api, language, test_type):
        english, reply = (reply_of(categorical(api, TABLE, each, test_type=test_type)) for each in ("en", language))
        same_but_for_words(english, reply, ("verdict", "interpretation"))
        assert "Cramér's V" in reply["interpretation"]

    def test_words_in_russian(self, api):
        reply = reply_of(categorical(api, TABLE, "ru", test_type="g_test"))
        assert "Связь" in reply["verdict"] and "G-критерий" in reply["interpretation"]


class TestOmnibus:
    def test_welch(self, api):
        reply = reply_of(omnibus(api, "welch_anova", GROUPS))
        assert list(reply) == OMNIBUS_KEYS
        assert (reply["test_statistic"], reply["df_numerator"], reply["df_denominator"]) == (20.6234, 2.0, 13.2251)
        assert (reply["p_value"], reply["effect_size"], reply["is_significant"]) == (8.60564e-05, .6578, True)
        assert (reply["effect_size_label"], reply["verdict"]) == ("eta squared (η²)", "Groups differ at alpha=0.050")
        assert (reply["num_groups"], reply["n_total"]) == (3, 24)
        assert [list(group) for group in reply["group_summaries"]] == [["n", "mean", "std", "median", "mean_rank"]] * 3
        assert [(g["n"], g["mean"]) for g in reply["group_summaries"]] == [(8, 5.4375), (9, 6.9889), (7, 6.3)]
        assert all(g["median"] is g["mean_rank"] is None and g["std"] > 0 for g in reply["group_summaries"])

    def test_kruskal(self, api):
        reply = reply_of(omnibus(api, "kruskal_wallis", GROUPS))
        assert (reply["test_statistic"], reply["df_numerator"], reply["df_denominator"]) == (15.3559, 2.0, None)
        assert (reply["p_value"], reply["effect_size"]) == (.000463, .6676)
        assert reply["effect_size_label"] == "epsilon squared (ε²)"
        assert [(g["median"], g["mean_rank"]) for g in reply["group_summaries"]] == [
            (5.4, 5.375), (7.0, 18.8333), (6.3, 12.5)]
        assert all(g["mean"] is g["std"] is None for g in reply["group_summaries"])

    def test_one_group_near_the_largest_number(self, api):
        """Beside it the others are nothing: t is 1.2e308 over 4e307, and F its square."""
        reply = reply_of(omnibus(api, "welch_anova", [[8e307, 1.6e308], [1, 2]]))
        assert reply["test_statistic"] == pytest.approx(9) and reply["p_value"] == pytest.approx(.204833, abs=1e-6)

    @pytest.mark.parametrize("test_type, groups", [
        ("welch_anova", [[1, 1], [1, 2]]), ("kruskal_wallis", [[1, 1], [1, 1, 1]])])
    def test_groups_without_a_test(self, api, test_type, groups):
        texts = set()
        for language in LANGUAGES:
            answer = omnibus(api, test_type, groups, language)
            assert answer.status == 400 and answer.headers["X-Error-Reason"] == f"{test_type}_degenerate"
            texts.add(answer.detail)
        assert len(texts) == 7

    @pytest.mark.parametrize("groups", [[[1, 2], [1]], [[1, 2], []], [[1, 2], list(range(1001))]])
    def test_rules(self, api, groups):
        texts = set()
        for language in LANGUAGES:
            [error] = omnibus(api, "kruskal_wallis", groups, language).detail
            assert (error["type"], error["loc"]) == ("value_error", ["body"]) and "groups" in error["msg"]
            texts.add(error["msg"])
        assert len(texts) == 7

    @pytest.mark.parametrize("changes, place, kind", [
        ({"groups": [[1, 2]]}, ["groups"], "too_short"), ({"groups": [[1, 2]] * 51}, ["groups"], "too_long"),
        ({"groups": [[1, 2], [1, "x"]]}, ["groups", 1, 1], "float_parsing"), ({"test_type": None}, ["test_type"], "literal_error"),
        ({"alpha": .0001}, ["alpha"], "greater_than_equal")])
    def test_fields(self, api, changes, place, kind):
        body = {"test_type": "welch_anova", "groups": GROUPS, **changes}
        [error] = api.post("/api/v1/results/omnibus", body).detail
        assert (error["type"], error["loc"]) == (kind, ["body", *place])

    @pytest.mark.parametrize("value", ["1e999", "NaN", "-Infinity"])
    def test_values_are_finite(self, api, value):
        data = '{"test_type":"welch_anova","groups":[[1,%s],[1,2]]}' % value
        answer = api.send("POST", "/api/v1/results/omnibus", data=data.encode(),
                          headers={"Content-Type": "application/json"})
        assert answer.status == 422

    @pytest.mark.parametrize("language", LANGUAGES[1:])
    @pytest.mark.parametrize("test_type", ["welch_anova", "kruskal_wallis"])
    def test_languages(self, api, language, test_type):
        english, reply = (reply_of(omnibus(api, test_type, GROUPS, each)) for each in ("en", language))
        same_but_for_words(english, reply, ("verdict", "interpretation", "effect_size_label"))
        assert "alpha=0.050" in reply["verdict"]

    @pytest.mark.parametrize("test_type", ["welch_anova", "kruskal_wallis"])
    def test_extreme_values(self, api, test_type):
        """An answer or a reason, never a number that is none: JSON itself refuses those."""
        draw = random.Random(test_type)
        for _ in range(30):
            groups = [[draw.choice([5e-324, -1e-300, 0.0, 1.0, 1e16, -1e300, 1.7e308]) for _ in range(draw.randint(2, 4))]
                      for _ in range(3)]
            answer = omnibus(api, test_type, groups)
            assert answer.status in (200, 400)
            if answer.status == 200:
                assert 0 <= json.loads(answer.text)["p_value"] <= 1

    def test_the_largest_request_is_quick(self, api):
        draw = random.Random(5)
        groups = [[draw.randint(0, 999) for _ in range(1000)] for _ in range(50)]
        for test_type in ("welch_anova", "kruskal_wallis"):
            answer = omnibus(api, test_type, groups)
            assert reply_of(answer)["n_total"] == 50_000 and float(answer.headers["X-Process-Time-Ms"]) < 10_000


def same_but_for_words(english, reply, words):
    assert {k: v for k, v in reply.items() if k not in words} == {k: v for k, v in english.items() if k not in words}
    for key in words:
        assert reply[key] != english[key] and "{{" not in reply[key]
        figures = re.findall(r"\d+\.\d+", english[key])
        assert [figure for figure in figures if figure not in reply[key]] == []
