"""What stands beside the figures of POST /api/v1/results: the relative lift with its interval, conventions, the
interval that belongs to the test, and what is said where interval and p-value disagree or counts are small.

The numbers are checked in tests/oracle/experiments_intervals_test.py; here, that they are told.
"""
import pytest

LANGUAGES = ["en", "ru", "de", "es", "fr", "zh", "ar"]
TIED = ([0, 0, 4, 2, 2, 1, 3, 1, 0, 2, 1], [2, 0, 4, 4, 2, 4, 2, 4, 2, 4, 3, 4])
CONVENTIONS = ["direction", "effect_unit", "test", "standard_error", "p_value", "interval", "effect_size_direction"]


def tables(metric_type, x1, n1, x2, n2):
    return {"metric_type": metric_type, "binary": {"control_conversions": x1, "control_users": n1,
                                                   "treatment_conversions": x2, "treatment_users": n2}}


def means(metric_type, control, treatment, **more):
    return {"metric_type": metric_type, "continuous": {
        **dict(zip(("control_mean", "control_std", "control_n"), control)),
        **dict(zip(("treatment_mean", "treatment_std", "treatment_n"), treatment)), **more}}


def ranked(metric_type, control, treatment, **more):
    return {"metric_type": metric_type, "ranked": {"control_values": control, "treatment_values": treatment, **more}}


def counts(x1, t1, x2, t2):
    return {"metric_type": "count", "count": {"control_events": x1, "control_exposure": t1,
                                              "treatment_events": x2, "treatment_exposure": t2}}


def result(api, body, language="en"):
    answer = api.post("/api/v1/results", body, headers={"Accept-Language": language})
    assert answer.status == 200, answer
    return answer.json()


MANY = [i / 7 for i in range(40)]
LARGE = {
    "binary": (tables("binary", 1000, 10000, 1100, 10000), "difference", "mee_score"),
    "continuous": (means("continuous", (10, 2, 400), (10.5, 2, 400)), "difference", "same_as_ci"),
    "equivalence": (means("equivalence", (10, 2, 400), (10.1, 2, 400), equivalence_margin=1), "difference", "same_as_ci"),
    "mann_whitney": (ranked("mann_whitney", MANY, [x + .3 for x in MANY]), "shift", "inverted_rank_sum"),
    "bootstrap": (ranked("bootstrap", MANY, [x + 1.3 for x in MANY]), "shift", "inverted_permutation"),
    "quantile": (ranked("quantile", MANY, [x + 1.3 for x in MANY]), None, None),
    "trimmed_t": (ranked("trimmed_t", MANY * 2, [x + 1.3 for x in MANY * 2]), "difference", "same_as_ci"),
    "fisher_exact": (tables("fisher_exact", 20, 100, 35, 100), "odds_ratio", "conditional_exact"),
    "boschloo_exact": (tables("boschloo_exact", 20, 100, 35, 100), None, None),
    "barnard_exact": (tables("barnard_exact", 20, 100, 35, 100), None, None),
    "count": (counts(100, 50, 140, 50), "rate_ratio", "conditional_exact"),
}


@pytest.mark.parametrize("name", LARGE)
def test_every_analyzer_says_what_its_figures_are(api, name):
    body, of, method = LARGE[name]
    reply = result(api, body)
    assert list(reply["conventions"]) == CONVENTIONS and reply["conventions"]["direction"] == "treatment_minus_control"
    assert (reply["effect_size"] is None) == (reply["conventions"]["effect_size_direction"] is None)
    interval = reply["test_interval"]
    assert (interval["of"], interval["method"]) == (of, method)
    assert interval["reason"] == (None if of else "not_inverted")
    if of:
        assert interval["agrees"] is True and interval["no_effect"] == (1 if "ratio" in of else 0)
        if name != "equivalence":
            assert reply["is_significant"] == (not interval["lower"] <= interval["no_effect"] <= interval["upper"])
    assert reply["interval_agrees"] is True and reply["warnings"] == []


def test_interval_of_the_same_distribution_is_repeated(api):
    reply = result(api, LARGE["continuous"][0])
    assert (reply["test_interval"]["lower"], reply["test_interval"]["upper"]) == (reply["ci_lower"], reply["ci_upper"])


class TestRelativeLift:
    def lift(self, api, body):
        return list(result(api, body)["relative_lift"].values())

    def test_delta_method(self, api):
        value, low, high, method, reason = self.lift(api, means("continuous", (10, 2, 400), (11, 3, 400)))
        half = 1.963382 * (9 / 400 + 1.1 ** 2 * 4 / 400) ** .5 / 10 * 100  # t(.975) of 695.1 degrees of freedom
        assert (value, method, reason) == (10.0, "delta", None)
        assert [low, high] == pytest.approx([10 - half, 10 + half], abs=1e-3)

    def test_fieller_where_control_is_uncertain(self, api):
        value, low, high, method, reason = self.lift(api, means("continuous", (10, 30, 100), (17, 30, 100)))
        assert (value, method, reason) == (70.0, "fieller", None) and high - value > value - low

    def test_log_scale_where_treatment_is_uncertain(self, api):
        value, low, high, method, reason = self.lift(api, means("continuous", (10, 3, 100), (1, 6, 100)))
        assert (value, method, reason) == (-90.0, "log_delta", None) and -100 < low < value < high

    def test_score_interval_of_rates(self, api):
        """Koopman's equation itself is solved in tests/oracle; no conversions leave an interval that has a width."""
        value, low, high, method, reason = self.lift(api, tables("binary", 30, 10000, 0, 10000))
        assert (value, low, method, reason) == (-100.0, -100.0, "koopman_score", None) and round(high) == -87

    def test_negative_control(self, api):
        reply = result(api, means("continuous", (-10, 1, 50), (-5, 1, 50)))
        lift = reply["relative_lift"]
        assert reply["observed_effect_relative"] == lift["value_pct"] == 50.0
        assert 0 < lift["ci_lower_pct"] < 50 < lift["ci_upper_pct"]

    def test_control_of_zero_has_no_relative_effect(self, api):
        for body in (tables("binary", 0, 100, 9, 100), tables("binary", 0, 100, 0, 100), counts(0, 10, 5, 10),
                     means("continuous", (0, 1, 50), (1, 1, 50))):
            reply = result(api, body)
            assert (reply["observed_effect_relative"], reply["observed_effect_relative_reason"]) == (None, "control_is_zero")

    @pytest.mark.parametrize("body,value,reason", [
        (means("continuous", (2, 10, 50), (9, 10, 50)), 350.0, "control_not_away_from_zero"),
        (tables("binary", 0, 100, 9, 100), None, "control_is_zero"),
        (tables("binary", 0, 100, 0, 100), None, "degenerate"),
        (means("continuous", (0, 1, 50), (1, 1, 50)), None, "control_is_zero"),
        (ranked("mann_whitney", [1, 2, 3], [2, 4, 6]), 100.0, "not_for_this_analyzer"),
        (counts(0, 10, 5, 10), None, "control_is_zero")])
    def test_reason_where_there_is_no_interval(self, api, body, value, reason):
        assert self.lift(api, body) == [value, None, None, None, reason]

    def test_rates_of_events_have_the_interval_of_their_ratio(self, api):
        reply = result(api, LARGE["count"][0])
        value, low, high, method, _ = reply["relative_lift"].values()
        interval = reply["test_interval"]
        assert (value, method) == (40.0, "conditional_exact")
        assert [low, high] == pytest.approx([100 * (interval["lower"] - 1), 100 * (interval["upper"] - 1)], abs=.01)

    def test_ratio_of_totals(self, api):
        arms = {"control_arm": {"numerators": [3, 4, 5, 6] * 9, "denominators": [1, 2, 2, 3] * 9},
                "treatment_arm": {"numerators": [4, 4, 6, 7] * 9, "denominators": [1, 2, 2, 3] * 9}}
        reply = api.post("/api/v1/results/ratio", arms).json()
        assert round(reply["relative_lift"]["value_pct"], 2) == reply["observed_effect_relative"]
        assert reply["relative_lift"]["method"] == "delta" and reply["conventions"]["test"] == "delta_method_z"


# Significant, or not, beside an interval that says otherwise
DISAGREEING = {
    "pooled test, unpooled interval": (tables("binary", 3, 40, 0, 60), True, True),
    "Fisher and Newcombe": (tables("fisher_exact", 0, 100, 5, 100), False, True),
    "Boschloo": (tables("boschloo_exact", 0, 20, 9, 50), True, None),
    "Barnard": (tables("barnard_exact", 10, 100, 20, 100), False, None),
    "tied ranks": (ranked("mann_whitney", *TIED), True, False),
    "permutation": (ranked("bootstrap", [3, 0, 2, 1, 2, 0, 1, 0, 3, 3, 2], [4, 2, 3, 0, 1, 3, 3, 2, 4, 4, 4]), False, True),
    "count and Wald": (counts(8, 1000, 11, 500), True, True),
    "count, both": (counts(0, 1000, 3, 500), True, False),
}


class TestDisagreement:
    @pytest.mark.parametrize("name", DISAGREEING)
    def test_is_explained(self, api, name):
        body, significant, agrees = DISAGREEING[name]
        reply = result(api, body)
        assert reply["is_significant"] == significant == (reply["ci_lower"] <= 0 <= reply["ci_upper"])
        assert reply["interval_agrees"] is False and reply["test_interval"]["agrees"] is agrees
        assert "computed in different ways and disagree here" in reply["interpretation"]

    @pytest.mark.parametrize("name", ["count and Wald", "count, both", "Boschloo", "tied ranks"])
    def test_in_every_language(self, api, name):
        reply, said = result(api, DISAGREEING[name][0]), set()
        ends = [reply["test_interval"][end] for end in ("lower", "upper")]
        for language in LANGUAGES:
            text = result(api, DISAGREEING[name][0], language)["interpretation"]
            assert "{{" not in text and "results." not in text
            assert all(f"{end:.4f}".rstrip("0") in text for end in ends if end)
            said.add(text)
        assert len(said) == len(LANGUAGES)


class TestSmallCounts:
    @pytest.mark.parametrize("body", [
        tables("binary", 2, 100, 7, 100), means("continuous", (1, 1, 29), (2, 1, 100)), counts(9, 10, 30, 10),
        ranked("bootstrap", MANY[:19], MANY), ranked("quantile", MANY, MANY, quantile=.9),
        ranked("trimmed_t", MANY[:30], MANY), ranked("mann_whitney", [1, 1, 2, 2], [2, 3, 3, 4])])
    def test_are_warned_of(self, api, body):
        texts = set()
        for language in LANGUAGES:
            warning, = result(api, body, language)["warnings"]
            assert (warning["code"], warning["severity"]) == ("SMALL_COUNTS", "medium")
            texts.add(warning["message"])
        assert len(texts) == len(LANGUAGES)

    @pytest.mark.parametrize("body", [
        tables("binary", 5, 100, 5, 100), tables("fisher_exact", 1, 20, 3, 20), means("continuous", (1, 1, 30), (2, 1, 30)),
        counts(10, 10, 10, 10), ranked("mann_whitney", [1, 2, 3], [4, 5, 6]), tables("binary", 0, 9, 0, 9)])
    def test_that_suffice_are_not(self, api, body):
        assert result(api, body)["warnings"] == []
