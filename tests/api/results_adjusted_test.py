"""POST /api/v1/results/adjusted: effects adjusted by covariates. Figures from statsmodels 0.13 (OLS with interactions,
HC2 and HC3), which tests/oracle/experiments_regression_test.py compares over a grid."""

import pytest

CONTROL = {"values": [10, 12, 13, 15, 16, 14], "covariates": [[1, 2, 3, 4, 5, None], [3, 1, 2, 5, 4, 4]]}
TREATMENT = {"values": [18, 20, 21, 24, 25, 20], "covariates": [[4, 5, 6, None, 8, 7], [2, 4, 3, 5, 6, 1]]}
ONE = [{**arm, "covariates": arm["covariates"][1:]} for arm in (CONTROL, TREATMENT)]


def ask(api, arms, metric_type="continuous", language="en", **more):
    return api.post("/api/v1/results/adjusted", {"metric_type": metric_type, "arms": arms, **more},
                    headers={"Accept-Language": language})


def reply_of(answer):
    assert answer.status == 200, answer
    return answer.json()


@pytest.mark.parametrize("variance, error, df, p", [("hc2", 1.001222552388711, 7.993423209957546, 6.08925e-05),
                                                     ("hc3", 1.217931597069058, 7.903290228417145, 0.00025)])
def test_equal_to_statsmodels(api, variance, error, df, p):
    reply = reply_of(ask(api, ONE, variance=variance, covariate_names=["visits"]))
    comparison = reply["comparisons"][0]
    assert comparison["status"] == "ok" and comparison["outcome"] == "better"
    effect = comparison["adjusted"]
    assert effect["effect"] == pytest.approx(7.651282051282056, rel=1e-9)
    assert effect["standard_error"] == pytest.approx(error, rel=1e-9)
    assert effect["p_value"] == pytest.approx(p, abs=1e-6) and effect["degrees_of_freedom"] == pytest.approx(df)
    assert comparison["unadjusted"]["effect"] == pytest.approx(sum(TREATMENT["values"]) / 6 - 80 / 6)
    assert reply["covariates"][0]["name"] == "visits" and reply["covariates"][0]["use"] == "used"


def test_users_without_a_covariate_count(api):
    """One user per arm has none: an indicator of theirs is used, and nobody is left out."""
    reply = reply_of(ask(api, [CONTROL, TREATMENT]))
    assert reply["users"] == 12 and [arm["users"] for arm in reply["arms"]] == [6, 6]
    assert [c["missing"] for c in reply["covariates"]] == [2, 0]
    assert reply["covariates"][0]["indicator_use"] == "used" and reply["covariates"][1]["indicator_use"] is None


def test_a_column_that_others_explain_is_named(api):
    arms = [{**arm, "covariates": [arm["covariates"][0], [2 * x for x in arm["covariates"][0]], [7] * 6]} for arm in ONE]
    plain, more = reply_of(ask(api, ONE)), reply_of(ask(api, arms))
    assert [c["use"] for c in more["covariates"]] == ["used", "collinear", "constant"]
    assert more["comparisons"][0]["adjusted"] == plain["comparisons"][0]["adjusted"]


def test_every_metric(api):
    """Rates are in percent; a ratio needs denominators; several treatments share alpha."""
    covariates = [[3, 1, 2, 5, 4, 4, 2, 1]]
    rates = [{"values": values, "covariates": covariates} for values in
             ([0, 0, 1, 0, 1, 0, 0, 0], [1, 0, 1, 1, 1, 0, 1, 0], [0, 1, 1, 0, 1, 1, 0, 1])]
    binary = reply_of(ask(api, rates, "binary"))
    assert binary["effect_unit"] == "percentage_points" and binary["comparison_alpha"] == .025
    assert [arm["unadjusted_value"] for arm in binary["arms"]] == [25.0, 62.5, 62.5]
    counts = reply_of(ask(api, rates, "count", distribution="normal", direction="decrease"))
    assert counts["comparisons"][1]["adjusted"]["degrees_of_freedom"] is None
    ratios = [{**arm, "denominators": [4, 2, 3, 5, 4, 6, 3, 1]} for arm in rates[:2]]
    ratio = reply_of(ask(api, ratios, "ratio"))
    assert ratio["arms"][0]["unadjusted_value"] == pytest.approx(2 / 28)


REFUSED = [
    ("lengths", [{**ONE[0], "values": [1, 2]}, ONE[1]], {}, "must have the same length"),
    ("covariates", [ONE[0], TREATMENT], {}, "the same number of covariates"),
    ("names", ONE, {"covariate_names": ["a", "b"]}, "every covariate once"),
    ("denominators", ONE, {"metric_type": "ratio"}, "denominators are required"),
    ("rates", ONE, {"metric_type": "binary"}, "0 or 1"),
    ("counts", [{**ONE[0], "values": [-1] * 6}, ONE[1]], {"metric_type": "count"}, "not be negative"),
]


@pytest.mark.parametrize("name, arms, more, text", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_does_not_fit_is_refused(api, name, arms, more, text):
    answer = ask(api, arms, **more)
    assert answer.status == 422 and text in answer.text, answer


def test_without_a_test_there_is_no_effect(api):
    """The covariate explains everything; denominators that sum to 0 have no ratio."""
    exact = [{"values": [1, 2, 3, 4], "covariates": [[1, 2, 3, 4]]}, {"values": [3, 4, 5, 6], "covariates": [[1, 2, 3, 4]]}]
    comparison = reply_of(ask(api, exact))["comparisons"][0]
    assert comparison["status"] == "insufficient_data" and comparison["adjusted"] is None
    nothing = [{**arm, "denominators": [1, -1, 1, -1]} for arm in exact]
    assert ask(api, nothing, "ratio").status == 400


@pytest.mark.parametrize("language", ["ru", "de", "es", "fr", "zh", "ar"])
def test_the_text_is_in_the_readers_language(api, language):
    english = reply_of(ask(api, ONE))["comparisons"][0]["interpretation"]
    assert "Adjusted for the covariates" in english
    assert reply_of(ask(api, ONE, language=language))["comparisons"][0]["interpretation"] != english
