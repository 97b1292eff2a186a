"""POST /api/v1/results/arms: several arms against the control. The joint law is compared with R's multcomp in tests/oracle;
here is what the route makes of it."""
import pytest

MEANS = {"metric_type": "mean", "arms": [
    {"label": "b0", "users": 20, "mean": 14.8, "std": 2.5}, {"label": "b1", "users": 3, "mean": 12.6, "std": 2.1},
    {"label": "b2", "users": 3, "mean": 7.3, "std": 1.5}, {"label": "北京", "users": 15, "mean": 13.1, "std": 2.9}]}
RATES = {"metric_type": "binary", "arms": [
    {"users": 9000, "conversions": 430}, {"users": 5000, "conversions": 270}, {"users": 5000, "conversions": 301}]}


def compare(api, **body):
    answer = api.post("/api/v1/results/arms", body)
    assert answer.status == 200, answer
    return answer.json()


def test_dunnett(api):
    reply = compare(api, **MEANS)
    assert [c["label"] for c in reply["comparisons"]] == ["b1", "b2", "北京"] and reply["num_significant"] == 1
    pooled = ((19 * 2.5 ** 2 + 2 * 2.1 ** 2 + 2 * 1.5 ** 2 + 14 * 2.9 ** 2) / 37) ** 0.5
    for comparison, users in zip(reply["comparisons"], (3, 3, 15)):
        assert comparison["standard_error"] == pytest.approx(pooled * (1 / 20 + 1 / users) ** 0.5, abs=1e-6)
        assert comparison["degrees_of_freedom"] == 37
        assert comparison["p_value"] < comparison["adjusted_p_value"] < 3 * comparison["p_value"]
        assert (comparison["ci_lower"] > 0 or comparison["ci_upper"] < 0) == comparison["is_significant"]
        assert comparison["effect"] - comparison["ci_lower"] == pytest.approx(
            comparison["critical_value"] * comparison["standard_error"], abs=1e-4)
    assert len({c["critical_value"] for c in reply["comparisons"]}) == 1


def test_corrections_are_ordered(api):
    by = {name: compare(api, **RATES, correction=name)["comparisons"]
          for name in ("none", "dunnett", "holm", "bonferroni")}
    for j in range(2):
        p = {name: found[j]["adjusted_p_value"] for name, found in by.items()}
        assert p["none"] < p["dunnett"] < p["bonferroni"] and p["none"] <= p["holm"] <= p["bonferroni"]
        assert by["dunnett"][j]["critical_value"] < by["holm"][j]["critical_value"]
    assert by["none"][1]["effect"] == pytest.approx(100 * (301 / 5000 - 430 / 9000), abs=1e-6)
    assert by["none"][0]["degrees_of_freedom"] is None


def test_one_sided_and_unequal_variances(api):
    greater = compare(api, **RATES, alternative="greater")["comparisons"]
    assert all(c["ci_upper"] is None and c["ci_lower"] is not None for c in greater)
    less = compare(api, **MEANS, alternative="less", variances="unequal")["comparisons"]
    assert all(c["ci_lower"] is None for c in less) and len({c["degrees_of_freedom"] for c in less}) == 3
    assert less[1]["is_significant"] and less[1]["adjusted_p_value"] < 0.01


@pytest.mark.parametrize("arms, status, word", [
    ([{"users": 9, "mean": 1}, {"users": 9, "mean": 2, "std": 1}], 422, "standard deviation"),
    ([{"users": 9, "mean": 1, "std": 0}, {"users": 9, "mean": 2, "std": 0}], 400, "cannot be compared"),
    ([{"users": 9, "mean": 1, "std": 1}], 422, "arms"),
])
def test_what_is_refused(api, arms, status, word):
    answer = api.post("/api/v1/results/arms", {"metric_type": "mean", "arms": arms})
    assert answer.status == status and word in answer.text, answer
