"""POST /api/v1/results/paired and /api/v1/results/ratio. Figures checked with scipy 1.10, statsmodels and 50-digit
arithmetic (tests/oracle)."""

import random
import re

import pytest

LANGUAGES = ["ru", "de", "es", "fr", "zh", "ar"]
UPLIFT = "Statistically significant uplift at alpha=0.050"


def paired(test_type, control, treatment, **more):
    return {"test_type": test_type, "control_values": list(control), "treatment_values": list(treatment), **more}


def discordant(rose, fell, stayed):
    return paired("mcnemar", [0] * rose + [1] * fell + [0] * stayed, [1] * rose + [0] * fell + [0] * stayed)


def arm(numerators, denominators):
    return {"numerators": list(numerators), "denominators": list(denominators)}


def ask(api, body, **options):
    route = "paired" if "test_type" in body else "ratio"
    return api.post(f"/api/v1/results/{route}", body, **options)


def result(api, body, language="en"):
    answer = ask(api, body, headers={"Accept-Language": language})
    assert answer.status == 200, answer
    return answer.json()


CONTROL = arm([1.2, 2.1, .7, 3.9, 1.5, 2.8, 1.1, 3.2, 2.4, 1.6, .9, 2.5, 2.2, 1, 4.4, 1.8, 2, 2.7, 1.3, 1.7],
              [3, 5, 2, 8, 4, 6, 3, 7, 5, 4, 2, 6, 5, 3, 9, 4, 5, 6, 3, 4])
TREATMENT = arm([2, 3.1, 1.4, 3.8, 2.6, 2.9, 1, 4.5, 3.3, 2.1, 1.5, 3.9, 2.2, 2.7, 4.6, 1.6, 3.2, 2.8, 2, 2.6],
                [4, 6, 3, 7, 5, 5, 2, 8, 6, 4, 3, 7, 4, 5, 8, 3, 6, 5, 4, 5])
LOWERED = arm([y - .09 * x for y, x in zip(TREATMENT["numerators"], TREATMENT["denominators"])],
              TREATMENT["denominators"])
NO_COUNTS = {"n_discordant": None, "discordant_positive": None, "discordant_negative": None, "method": None}
ROWS = {
    "t": (paired("paired_t", [10, 12, 9, 15, 11, 14, 8, 13, 10, 12], [12, 15, 10, 16, 13, 14, 11, 15, 12, 13]), {
        "test_type": "paired_t", "n_pairs": 10, "effect": 1.7, "effect_label": "mean difference",
        "test_statistic": 5.6667, "p_value": 0.000307, "ci_lower": 1.0214, "ci_upper": 2.3786, "ci_level": 0.95,
        "effect_size": 1.792, "effect_size_label": "Cohen's dz", "is_significant": True, "verdict": UPLIFT,
        "n_zero_differences": None, **NO_COUNTS}),
    "wilcoxon": (paired("wilcoxon", [20, 22, 19, 25, 21, 24, 18, 23, 20, 22],
                        [22, 22, 21, 24, 23, 26, 20, 23, 22, 25]), {
        "test_statistic": 1.0, "p_value": 0.015673, "effect": 2.0, "ci_lower": 0.5, "ci_upper": 2.0,
        "effect_size": 0.9444, "effect_size_label": "rank-biserial correlation", "n_zero_differences": 2,
        "n_pairs": 10, "verdict": UPLIFT, **NO_COUNTS}),
    "mcnemar": (discordant(39, 18, 143), {
        "test_statistic": 7.0175, "p_value": 0.008071, "effect": 0.105, "ci_lower": 0.032458, "ci_upper": 0.177542,
        "effect_size": 2.1667, "effect_size_label": "odds ratio", "method": "chi_square", "n_discordant": 57,
        "discordant_positive": 39, "discordant_negative": 18, "n_zero_differences": None, "verdict": UPLIFT}),
    "mcnemar, few": (discordant(7, 0, 8), {
        "method": "exact", "p_value": 0.015625, "effect_size": None, "effect_size_label": "odds ratio",
        "effect": 0.466667, "ci_lower": 0.214199, "ci_upper": 0.719134, "n_pairs": 15}),
    "mcnemar, none": (discordant(0, 0, 9), {
        "method": "exact", "p_value": 1.0, "test_statistic": 0.0, "effect": 0.0, "ci_lower": 0.0, "ci_upper": 0.0,
        "is_significant": False, "n_discordant": 0}),
    "mcnemar, 24": (discordant(14, 10, 0), {"method": "exact"}),
    "mcnemar, 25": (discordant(14, 11, 0), {"method": "chi_square"}),
    "ratio": ({"control_arm": CONTROL, "treatment_arm": TREATMENT}, {
        "metric_type": "ratio", "observed_effect": 0.10183, "observed_effect_relative": 23.35,
        "test_statistic": 8.7443, "p_value": 0.0, "ci_lower": 0.079005, "ci_upper": 0.124654, "control_rate": None,
        "treatment_rate": None, "effect_size": None, "effect_size_label": None, "verdict": UPLIFT}),
    "ratio, lowered": ({"control_arm": CONTROL, "treatment_arm": LOWERED}, {
        "observed_effect": 0.01183, "test_statistic": 1.0158, "p_value": 0.309704, "is_significant": False}),
}
METHODS = {"t": "Cohen's dz", "wilcoxon": "Wilcoxon", "mcnemar": "continuity-corrected chi-square",
           "mcnemar, few": "exact binomial", "ratio": "delta method"}


@pytest.mark.parametrize("name", ROWS)
def test_row(api, name):
    body, expected = ROWS[name]
    reply = result(api, body)
    for key, value in expected.items():
        if isinstance(value, float):
            small = key in ("p_value", "observed_effect") or key.startswith("ci_")
            assert reply[key] == pytest.approx(value, abs=1.01e-6 if small else 1.01e-4), key
        else:
            assert reply[key] == value, key


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_texts(api, name, language):
    body = ROWS[name][0]
    english, reply = result(api, body), result(api, body, language)
    assert METHODS[name] in english["interpretation"]
    words = [key for key in ("verdict", "interpretation", "effect_label") if key in english]
    for key in words:
        assert reply[key] != english[key] and "{{" not in reply[key]
    figures = re.findall(r"\d+\.\d+", english["interpretation"])
    assert figures and [f for f in figures if f not in reply["interpretation"]] == []
    words.append("effect_size_label")
    assert {k: v for k, v in reply.items() if k not in words} == {k: v for k, v in english.items() if k not in words}


@pytest.mark.parametrize("body", [
    paired("paired_t", [1, 2, 3], [2, 3, 4]), paired("paired_t", [.1, .3], [.4, .6]),
    paired("wilcoxon", [1, 2, 3], [1, 2, 4]),
    {"control_arm": arm([1, 2], [1, -1]), "treatment_arm": TREATMENT},
    {"control_arm": arm([1, 2], [1, 2]), "treatment_arm": arm([2, 4], [1, 2])}])
def test_what_cannot_be_tested(api, body):
    texts = set()
    for language in ("en", *LANGUAGES):
        answer = ask(api, body, headers={"Accept-Language": language})
        assert answer.status == 400 and answer.error_code == "bad_request"
        assert answer.headers["X-Error-Reason"] == "degenerate"
        texts.add(answer.detail)
    assert len(texts) == 7


def test_mcnemar_takes_counts(api):
    for rose, fell, stayed in ((39, 18, 143), (7, 0, 8), (0, 0, 9)):
        table = {"both": 0, "control_only": fell, "treatment_only": rose, "neither": stayed}
        assert result(api, {"test_type": "mcnemar", "counts": table}) == result(api, discordant(rose, fell, stayed))
    large = result(api, {"test_type": "mcnemar", "counts": {"both": 10 ** 9, "control_only": 400, "treatment_only": 100, "neither": 5}})
    assert (large["n_pairs"], large["test_statistic"], large["method"]) == (10 ** 9 + 505, 178.802, "chi_square")  # (300 - 1)^2 / 500


def test_a_decrease_can_be_the_goal(api):
    body = {"test_type": "mcnemar", "counts": {"both": 9, "control_only": 60, "treatment_only": 20, "neither": 9}}
    up, down = result(api, body), result(api, {**body, "direction": "decrease"})
    assert (up["outcome"], down["outcome"], up["effect"]) == ("worse", "better", down["effect"])
    assert down["verdict"] == "Statistically significant improvement (decrease) at alpha=0.050"
    ratio = {"control_arm": CONTROL, "treatment_arm": TREATMENT, "direction": "decrease"}
    assert result(api, ratio)["outcome"] == "worse" and result(api, ratio)["direction"] == "decrease"


@pytest.mark.parametrize("body, loc, fragment", [
    ({"test_type": "mcnemar"}, [], "counts"), ({"test_type": "paired_t", "counts": {
        "both": 1, "control_only": 1, "treatment_only": 1, "neither": 1}}, [], "counts"),
    ({"test_type": "mcnemar", "counts": {"both": 1, "control_only": 0, "treatment_only": 0, "neither": 0}}, ["counts"], "two pairs"),
    ({"test_type": "mcnemar", "counts": {"both": -1, "control_only": 0, "treatment_only": 0, "neither": 9}}, ["counts", "both"], "greater"),
    (paired("paired_t", [1, 2, 3], [1, 2]), [], "same length"),
    (paired("mcnemar", [0, 1, 2], [0, 1, 1]), [], "0 or 1"),
    (paired("sign", [1, 2], [1, 2]), ["test_type"], "'paired_t', 'wilcoxon' or 'mcnemar'"),
    (paired("paired_t", [1], [1, 2]), ["control_values"], "at least 2 items"),
    (paired("paired_t", [1, 2], [1] * 1001), ["treatment_values"], "at most 1000 items"),
    (paired("paired_t", [1, 2], [1, 3], alpha=0.2), ["alpha"], "less than or equal to 0.1"),
    (paired("paired_t", [1, 2], [1, 3], trim=0), ["trim"], "not permitted"),
    ({"control_arm": arm([1, 2, 3], [1, 2]), "treatment_arm": TREATMENT}, ["control_arm"], "same length"),
    ({"control_arm": arm([1], [1]), "treatment_arm": TREATMENT}, ["control_arm", "numerators"], "at least 2 items"),
    ({"control_arm": CONTROL, "treatment_arm": {**TREATMENT, "x": 1}}, ["treatment_arm", "x"], "not permitted")])
def test_what_is_refused(api, body, loc, fragment):
    answer = ask(api, body)
    assert answer.status == 422
    [error] = [error for error in answer.detail if error["loc"] == ["body", *loc]]
    assert fragment in error["msg"]


@pytest.mark.parametrize("kind", ["paired_t", "wilcoxon", "ratio"])
def test_extremes_never_break_it(api, kind):
    draw, extremes = random.Random(kind), [5e-324, -1e-300, 0.0, 1.0, 1e16, -1e300, 1.7e308, -1.7e308]
    for _ in range(30):
        lists = [[draw.choice(extremes) for _ in range(4)] for _ in range(4)]
        body = paired(kind, *lists[:2]) if kind != "ratio" else {
            "control_arm": arm(*lists[:2]), "treatment_arm": arm(*lists[2:])}
        answer = ask(api, body)
        assert answer.status in (200, 400), answer
        if answer.status == 200:
            assert answer.json()["ci_lower"] <= answer.json()["ci_upper"] and 0 <= answer.json()["p_value"] <= 1


def test_the_largest_requests(api):
    draw = random.Random(7)
    lists = [[draw.gauss(3, 1) for _ in range(1000)] for _ in range(4)]
    for body in (paired("paired_t", *lists[:2]), paired("wilcoxon", *lists[:2]),
                 {"control_arm": arm(*lists[:2]), "treatment_arm": arm(*lists[2:])}):
        assert 0 <= result(api, body)["p_value"] <= 1


def test_swapped_arms_and_another_unit(api):
    draw = random.Random(8)
    before, after = ([draw.gauss(0, 1) for _ in range(30)] for _ in "ct")
    for kind in ("paired_t", "wilcoxon"):
        one, other = result(api, paired(kind, before, after)), result(api, paired(kind, after, before))
        assert one["p_value"] == other["p_value"] and one["effect"] == -other["effect"]
        scaled = result(api, paired(kind, [4096 * v for v in before], [4096 * v for v in after]))
        for key in ("p_value", "test_statistic", "effect_size"):
            assert one[key] == scaled[key]
