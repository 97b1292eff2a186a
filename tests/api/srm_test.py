"""POST /api/v1/srm-check: sample ratio mismatch by Pearson's chi-square."""

import random

import pytest

REPLY_KEYS = ["chi_square", "p_value", "is_srm", "verdict", "observed_counts", "expected_counts"]
LANGUAGES = ["ru", "de", "es", "fr", "zh", "ar"]


def ask(api, counts, fractions, **options):
    return api.post("/api/v1/srm-check", {"observed_counts": counts, "expected_fractions": fractions}, **options)


# Counts, fractions, chi-square, p, flagged, expected counts.
ROWS = [
    ([4800, 5200], [0.5, 0.5], 16.0, 6.33425e-05, True, [5000.0, 5000.0]),
    ([530, 470], [0.5, 0.5], 3.6, 0.05778, False, [500.0, 500.0]),
    ([0, 100], [0.5, 0.5], 100.0, 0.0, True, [50.0, 50.0]),
    ([3300, 3300, 3400], [0.333, 0.333, 0.334], 1.6184, 0.445217, False, [3330.0, 3330.0, 3340.0]),
    ([1000, 1000], [0.5, 0.5], 0.0, 1.0, False, [1000.0, 1000.0]),
    ([1, 0], [0.5, 0.5], 1.0, 0.317311, False, [0.5, 0.5]),
    ([900, 100], [0.9, 0.1], 0.0, 1.0, False, [900.0, 100.0]),
]


class TestFigures:
    @pytest.mark.parametrize("counts, fractions, chi_square, p, flagged, expected", ROWS)
    def test_row(self, api, counts, fractions, chi_square, p, flagged, expected):
        reply = ask(api, counts, fractions).json()
        assert list(reply) == REPLY_KEYS
        assert reply["chi_square"] == pytest.approx(chi_square, abs=1.01e-4)
        assert reply["p_value"] == pytest.approx(p, abs=1.01e-6)
        assert reply["is_srm"] is flagged and reply["observed_counts"] == counts
        assert reply["expected_counts"] == expected
        assert reply["verdict"].startswith("SRM detected") == flagged
        assert flagged or reply["verdict"] == "No SRM detected"

    @pytest.mark.parametrize("counts,arm", [([1000, 1000, 1300], 2), ([700, 1000, 1000], 0), ([1000, 1010, 990], None),
                                            ([4800, 5200], None)])
    def test_of_three_arms_the_one_that_is_off_is_named(self, api, counts, arm):
        assert ask(api, counts, [1 / len(counts)] * len(counts)).json().get("deviating_arm") == arm

    def test_three_thirds_are_one(self, api):
        """Shares that are off from 1 by rounding are read as shares of their sum."""
        reply = ask(api, [1000, 1000, 1000], [0.333, 0.333, 0.333]).json()
        assert (reply["chi_square"], reply["p_value"], reply["is_srm"]) == (0.0, 1.0, False)
        assert reply["expected_counts"] == [1000.0, 1000.0, 1000.0]

    @pytest.mark.parametrize("total, status", [(1.0099, 200), (0.9901, 200), (1.0101, 422), (0.9899, 422)])
    def test_shares_may_be_off_by_a_hundredth(self, api, total, status):
        assert ask(api, [10, 10], [0.5, total - 0.5]).status == status

    @pytest.mark.parametrize("difference, flagged", [(328, False), (330, True)])
    def test_flagged_below_one_in_a_thousand(self, api, difference, flagged):
        """chi-square of 10.8276 is p = 0.001; 10000 users give difference^2 / 10000."""
        counts = [5000 + difference // 2, 5000 - difference // 2]
        reply = ask(api, counts, [0.5, 0.5]).json()
        assert reply["is_srm"] is flagged and reply["chi_square"] == difference**2 / 10000

    @pytest.mark.parametrize("seed", range(20))
    def test_order_of_variants_does_not_matter(self, api, seed):
        rng = random.Random(seed)
        variants = rng.randint(2, 10)
        weights = [rng.uniform(1, 10) for _ in range(variants)]
        fractions = [w / sum(weights) for w in weights]
        counts = [rng.randint(0, 5000) for _ in range(variants)]
        plain = ask(api, counts, fractions).json()
        turned = ask(api, counts[::-1], fractions[::-1]).json()
        assert plain["chi_square"] == pytest.approx(turned["chi_square"], abs=1e-4)
        assert plain["p_value"] == turned["p_value"]
        assert sum(plain["expected_counts"]) == pytest.approx(sum(counts), abs=0.05 * variants)

    @pytest.mark.parametrize("counts, fractions", [
        ([2**53, 2**53], [0.5, 0.5]), ([2**53, 0], [0.5, 0.5]), ([1, 1], [1 - 5e-324, 5e-324]),
        ([0, 2**53], [1, 5e-324]), ([1] * 10, [0.1] * 10)])
    def test_extremes_never_break_it(self, api, counts, fractions):
        answer = ask(api, counts, fractions)
        assert answer.status in (200, 400), answer
        assert answer.status == 200 or answer.headers["X-Error-Reason"]


class TestRules:
    ROWS = [
        ([10, 10, 10], [0.5, 0.5], "same length"), ([-1, 10], [0.5, 0.5], "observed_counts"),
        ([0, 0], [0.5, 0.5], "observed_counts"), ([10, 10], [-0.5, 1.5], "expected_fractions"),
        ([5000, 5000], [0.6, 0.6], "1.2000"), ([10, 10], [0.2, 0.2], "0.4000"),
        ([10, 10], [0, 1], "expected_fractions")]

    @pytest.mark.parametrize("counts, fractions, fragment", ROWS)
    def test_broken(self, api, counts, fractions, fragment):
        [error] = ask(api, counts, fractions).detail
        assert (error["type"], error["loc"]) == ("value_error", ["body"])
        assert fragment in error["msg"]
        texts = {ask(api, counts, fractions, headers={"Accept-Language": each}).detail[0]["msg"]
                 for each in ("en", *LANGUAGES)}
        assert len(texts) == 7

    def test_order_of_rules(self, api):
        assert "same length" in ask(api, [-1, 0, 0], [0.9, 0.9]).detail[0]["msg"]
        assert "observed_counts" in ask(api, [-1, 0], [0.9, 0.9]).detail[0]["msg"]

    @pytest.mark.parametrize("counts, fractions, code", [
        ([1], [0.5, 0.5], "too_short"), ([1] * 11, [0.5, 0.5], "too_long"), ([1.5, 2], [0.5, 0.5], "int_from_float")])
    def test_shape(self, api, counts, fractions, code):
        [error] = ask(api, counts, fractions).detail
        assert error["type"] == code and error["loc"][1] == "observed_counts"


class TestTexts:
    @pytest.mark.parametrize("counts", [[4800, 5200], [500, 500]])
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_verdict_in_other_languages(self, api, counts, language):
        english = ask(api, counts, [0.5, 0.5]).json()
        reply = ask(api, counts, [0.5, 0.5], headers={"Accept-Language": language}).json()
        assert reply["verdict"] != english["verdict"] and "SRM" in reply["verdict"]
        assert {**reply, "verdict": ""} == {**english, "verdict": ""}
