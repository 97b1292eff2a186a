"""POST /api/v1/results, the analyzers beyond binary and continuous: equivalence, ranks, resampling, trimmed
means, exact tables, Poisson rates. Figures checked with scipy 1.10 and by enumeration (tests/oracle)."""

import concurrent.futures
import random
import re
import time

import pytest

from conftest import OPEN

LANGUAGES = ["ru", "de", "es", "fr", "zh", "ar"]
LARGEST_INTEGER = 2**53
BLOCK = {"equivalence": "continuous", "mann_whitney": "ranked", "bootstrap": "ranked", "quantile": "ranked",
         "trimmed_t": "ranked", "fisher_exact": "binary", "boschloo_exact": "binary", "barnard_exact": "binary",
         "count": "count", "binary": "binary", "continuous": "continuous"}


def table(metric_type, control, treatment, **more):
    """Arms as (conversions, users)."""
    return {"metric_type": metric_type, "binary": {
        "control_conversions": control[0], "control_users": control[1],
        "treatment_conversions": treatment[0], "treatment_users": treatment[1], **more}}


def equivalence(control, treatment, margin, **more):
    """Arms as (mean, standard deviation, users)."""
    names = ("mean", "std", "n")
    return {"metric_type": "equivalence", "continuous": {
        **{f"control_{n}": v for n, v in zip(names, control)},
        **{f"treatment_{n}": v for n, v in zip(names, treatment)}, "equivalence_margin": margin, **more}}


def ranked(metric_type, control, treatment, **more):
    return {"metric_type": metric_type, "ranked": {
        "control_values": list(control), "treatment_values": list(treatment), **more}}


def count(control, treatment, **more):
    """Arms as (events, exposure)."""
    return {"metric_type": "count", "count": {
        "control_events": control[0], "control_exposure": control[1],
        "treatment_events": treatment[0], "treatment_exposure": treatment[1], **more}}


def ask(api, body, **options):
    return api.post("/api/v1/results", body, **options)


def result(api, body, language=None):
    answer = ask(api, body, headers={"Accept-Language": language} if language else None)
    assert answer.status == 200, answer
    return answer.json()


UPLIFT = "Statistically significant uplift at alpha=0.050"
NO_DIFFERENCE = "No statistically significant difference at alpha=0.050"
DEGENERATE = {"observed_effect": 0.0, "observed_effect_relative": 0.0, "ci_lower": 0.0, "ci_upper": 0.0,
              "ci_level": 0.95, "p_value": 1.0, "test_statistic": 0.0, "is_significant": False,
              "power_achieved": 0.0, "verdict": "Cannot compute: zero standard error", "effect_size": None,
              "effect_size_label": None, "effect_size_ci_lower": None, "effect_size_ci_upper": None}
TRIMMED = ([1, 2, 2.2, 2.4, 2.8, 3, 3.4, 20], [1.4, 2.3, 2.5, 2.9, 3.1, 3.6, 3.8, 22])

ROWS = {
    "equivalence shown": (equivalence((0, 1, 100), (0.1, 1, 100), 0.5), {
        "p_value": 0.002579, "test_statistic": -2.8284, "ci_lower": -0.1337, "ci_upper": 0.3337, "ci_level": 0.9,
        "power_achieved": 0.939, "effect_size": 0.1, "effect_size_label": "Cohen's d", "observed_effect": 0.1,
        "observed_effect_relative": None, "is_significant": True,
        "verdict": "Equivalence within ±0.5000 demonstrated at alpha=0.050"}),
    "equivalence not shown": (equivalence((10, 2, 50), (12, 2.1, 50), 1), {
        "p_value": 0.991719, "test_statistic": 2.4383, "ci_lower": 1.319, "ci_upper": 2.681, "power_achieved": 0.561,
        "effect_size": 0.9753, "observed_effect_relative": 20.0, "is_significant": False,
        "verdict": "Equivalence within ±1.0000 not demonstrated at alpha=0.050"}),
    "ranks, exact": (ranked("mann_whitney", range(1, 5), range(5, 9)), {
        "observed_effect": 4.0, "observed_effect_relative": 160.0, "ci_lower": 1.0, "ci_upper": 7.0,
        "p_value": 0.028571, "test_statistic": 2.1651, "power_achieved": 0.581, "effect_size": 1.0,
        "effect_size_label": "rank-biserial correlation", "verdict": UPLIFT, "control_rate": None}),
    "ranks, ties": (ranked("mann_whitney", range(1, 11), range(6, 16)), {
        "observed_effect": 5.0, "ci_lower": 2.0, "ci_upper": 8.0, "p_value": 0.005075, "test_statistic": 2.8022,
        "effect_size": 0.75}),
    "ranks, all tied": (ranked("mann_whitney", [1, 1, 1], [1, 1]), DEGENERATE),
    "bootstrap, all relabellings": (ranked("bootstrap", range(1, 5), range(5, 9)), {
        "p_value": 0.028571, "test_statistic": 4.3818, "effect_size": 3.0984, "effect_size_label": "Cohen's d",
        "ci_lower": pytest.approx(2.5, abs=0.3), "ci_upper": pytest.approx(5.5, abs=0.3)}),
    "bootstrap, drawn": (ranked("bootstrap", range(30), range(6, 36)), {
        "test_statistic": 2.6396, "effect_size": 0.6816, "power_achieved": 0.752,
        "p_value": pytest.approx(0.009, abs=0.006), "ci_lower": pytest.approx(1.67, abs=0.4),
        "ci_upper": pytest.approx(10.23, abs=0.4)}),
    "median": (ranked("quantile", range(1, 5), range(5, 9), quantile=0.5), {
        "observed_effect": 4.0, "p_value": 0.057143, "ci_lower": pytest.approx(2, abs=0.5),
        "ci_upper": pytest.approx(6, abs=0.5), "effect_size": None, "effect_size_label": None}),
    "trimmed": (ranked("trimmed_t", *TRIMMED, trim=0.2), {
        "observed_effect": 0.4, "observed_effect_relative": 15.19, "test_statistic": 0.9554, "p_value": 0.362104,
        "ci_lower": -0.534, "ci_upper": 1.334, "power_achieved": 0.121, "effect_size_label": None}),
    "trimmed, tied": (ranked("trimmed_t", [1, 1, 1], [1, 1, 1]), DEGENERATE),
    "fisher": (table("fisher_exact", (8, 10), (1, 6)), {
        "p_value": 0.034965, "effect_size": 20.0, "test_statistic": 20.0, "effect_size_ci_lower": 1.342,
        "effect_size_ci_upper": 526.3952, "observed_effect": -63.3333, "ci_lower": -83.1331, "ci_upper": -12.9867,
        "power_achieved": 0.893, "control_rate": 80.0, "treatment_rate": 16.6667, "effect_size_label": "odds ratio",
        "ci_score_lower": None, "verdict": "Statistically significant decline at alpha=0.050"}),
    "fisher, everybody": (table("fisher_exact", (10, 10), (3, 8)), {
        "p_value": 0.006536, "effect_size": None, "test_statistic": 0.0, "effect_size_ci_lower": 2.3582,
        "effect_size_ci_upper": None, "effect_size_label": "odds ratio"}),
    "fisher, nobody": (table("fisher_exact", (0, 10), (0, 10)), {
        "p_value": 1.0, "ci_lower": -27.7533, "ci_upper": 27.7533, "effect_size": None, "effect_size_ci_lower": None,
        "effect_size_ci_upper": None, "verdict": NO_DIFFERENCE}),
    "boschloo": (table("boschloo_exact", (3, 10), (8, 10)), {"p_value": 0.041389, "verdict": UPLIFT}),
    "barnard": (table("barnard_exact", (3, 10), (8, 10)), {"p_value": 0.041389, "verdict": UPLIFT}),
    "count": (count((10, 100), (25, 100)), {
        "p_value": 0.016674, "effect_size": 2.5, "test_statistic": 2.5, "observed_effect": 0.15,
        "ci_lower": 0.034047, "ci_upper": 0.265953, "power_achieved": 0.718, "effect_size_label": "rate ratio",
        "observed_effect_relative": 150.0, "control_rate": None, "treatment_rate": None}),
    "count, none in control": (count((0, 100), (5, 200)), {
        "p_value": 0.176955, "effect_size": None, "test_statistic": 0.0, "observed_effect_relative": None,
        "ci_lower": 0.003087, "ci_upper": 0.046913, "effect_size_label": "rate ratio"}),
    "count, none": (count((0, 100), (0, 100)), {**DEGENERATE, "observed_effect_relative": None}),
}
UNITS = {"p_value": 1e-6, "power_achieved": 1e-3, "observed_effect_relative": 1e-2}
METHODS = {
    "equivalence shown": ("equivalence", "эквивалентность"), "ranks, exact": ("Mann", "Медиана"),
    "bootstrap, drawn": ("bootstrap", "средних"), "median": ("P50", "квантил"), "trimmed": ("20%", "Юэна"),
    "fisher": ("Fisher", "Фишера"), "boschloo": ("Boschloo", "Бошлоо"), "barnard": ("Barnard", "Барнарда"),
    "count": ("Poisson", "Пуассона"),
}


class TestFigures:
    @pytest.mark.parametrize("name", ROWS)
    def test_row(self, api, name):
        body, expected = ROWS[name]
        reply = result(api, body)
        assert reply["metric_type"] == body["metric_type"]
        for key, value in expected.items():
            if isinstance(value, float):
                decimals = 1e-6 if body["metric_type"] == "count" and key.startswith("ci_") else 1e-4
                assert reply[key] == pytest.approx(value, abs=1.01 * UNITS.get(key, decimals)), key
            else:
                assert reply[key] == value, key

    def test_defaults(self, api):
        for metric_type, spelled in (("quantile", {"quantile": 0.5}), ("trimmed_t", {"trim": 0.2})):
            plain = ask(api, ranked(metric_type, *TRIMMED))
            assert plain.body == ask(api, ranked(metric_type, *TRIMMED, alpha=0.05, **spelled)).body

    @pytest.mark.parametrize("metric_type", ["bootstrap", "quantile"])
    def test_draws_are_the_same_every_time(self, api, metric_type):
        body = ranked(metric_type, [random.Random(1).gauss(0, 1) for _ in range(60)], range(50))
        assert len({ask(api, body).body for _ in range(8)}) == 1, "whichever worker answers"


class TestTexts:
    @pytest.mark.parametrize("name", METHODS)
    def test_method_is_named(self, api, name):
        body = ROWS[name][0]
        english, russian = (result(api, body, language)["interpretation"] for language in ("en", "ru"))
        assert METHODS[name][0] in english and METHODS[name][1] in russian

    @pytest.mark.parametrize("name", [*METHODS, "equivalence not shown", "fisher, everybody", "ranks, ties",
                                      "count, none in control", "ranks, all tied"])
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_other_languages(self, api, name, language):
        body = ROWS[name][0]
        english, reply = result(api, body), result(api, body, language)
        for key in ("verdict", "interpretation"):
            assert reply[key] != english[key] and "{{" not in reply[key]
            figures = re.findall(r"\d+\.\d+|∞", english[key])
            assert [f for f in figures if f not in reply[key]] == [], "figures are the same in every language"
        words = ("verdict", "interpretation", "effect_size_label", "warnings")
        assert {k: v for k, v in reply.items() if k not in words} == {
            k: v for k, v in english.items() if k not in words}
        assert (reply["effect_size_label"] is None) == (english["effect_size_label"] is None)

    def test_how_the_p_value_was_found(self, api):
        texts = [result(api, ROWS[name][0])["interpretation"] for name in ("ranks, exact", "ranks, ties")]
        assert "(exact)" in texts[0] and "(normal approximation)" in texts[1]
        assert "over 70 permutations" in result(api, ROWS["bootstrap, all relabellings"][0])["interpretation"]

    def test_interval_of_the_odds_ratio(self, api):
        full, open_end, none = (result(api, ROWS[name][0])["interpretation"]
                                for name in ("fisher", "fisher, everybody", "fisher, nobody"))
        assert "mid-p interval is [1.3420, 526.3952]" in full
        assert "mid-p interval is [2.3582, ∞]" in open_end and "mid-p" not in none


class TestLimits:
    ROWS = [
        (table("fisher_exact", (1, 300_000), (2, 300_000)), "fisher_exact_table_too_large", "500000"),
        (table("boschloo_exact", (1, 150), (2, 150)), "unconditional_exact_table_too_large", "200"),
        (table("barnard_exact", (1, LARGEST_INTEGER), (2, LARGEST_INTEGER)), "unconditional_exact_table_too_large",
         "200"),
        (count((600_000, 10), (600_000, 10)), "count_events_too_large", "1000000"),
        (count((LARGEST_INTEGER, 1), (LARGEST_INTEGER, 1)), "count_events_too_large", "1000000"),
    ]

    @pytest.mark.parametrize("body, reason, limit", ROWS)
    def test_too_large(self, api, body, reason, limit):
        texts = set()
        for language in ("en", *LANGUAGES):
            answer = ask(api, body, headers={"Accept-Language": language})
            assert answer.status == 400 and answer.json()["error_code"] == "bad_request"
            assert answer.headers["X-Error-Reason"] == reason
            assert limit in answer.detail and "{{" not in answer.detail
            texts.add(answer.detail)
        assert len(texts) == 7

    def test_production_tells_the_reason_alone(self, stacks):
        environment = {**OPEN, "AB_ENV": "production", "AB_API_TOKEN": "a-production-token-of-thirty-two"}
        production = stacks.get(environment).with_token(environment["AB_API_TOKEN"])
        body, reason, _ = self.ROWS[0]
        answer = ask(production, body)
        assert answer.status == 400 and answer.detail == "Invalid value"
        assert answer.headers["X-Error-Reason"] == reason

    @pytest.mark.parametrize("body", [
        table("fisher_exact", (100_000, 250_000), (100_500, 250_000)), table("boschloo_exact", (40, 100), (55, 100)),
        count((500_000, 3.7), (500_000, 3.8)), count((999_999, 1e-9), (1, 1e9))])
    def test_up_to_the_limit(self, api, body):
        assert 0 <= result(api, body)["p_value"] <= 1

    def test_the_largest_arms_are_quick(self, api):
        draw = random.Random(3)
        arms = [[draw.gauss(0, 1) for _ in range(1000)] for _ in "ct"]
        for metric_type in ("mann_whitney", "bootstrap", "quantile", "trimmed_t"):
            answer = ask(api, ranked(metric_type, *arms))
            assert answer.status == 200 and float(answer.headers["X-Process-Time-Ms"]) < 10_000


class TestRules:
    BLOCKS = {
        "binary": table("binary", (1, 10), (2, 10))["binary"],
        "continuous": equivalence((1, 1, 5), (1, 1, 5), 1)["continuous"],
        "ranked": ranked("x", [1, 2], [2, 3])["ranked"],
        "count": count((1, 10), (2, 10))["count"],
    }

    @pytest.mark.parametrize("metric_type", BLOCK)
    def test_blocks(self, api, metric_type):
        own = BLOCK[metric_type]
        complete = {"metric_type": metric_type, own: self.BLOCKS[own]}
        assert ask(api, complete).status == 200
        assert ask(api, {**complete, **{b: None for b in self.BLOCKS if b != own}}).status == 200
        self.one_rule(api, {"metric_type": metric_type}, (own, metric_type))
        for other in self.BLOCKS:
            if other != own:
                self.one_rule(api, {**complete, other: self.BLOCKS[other]}, (other, metric_type))

    @staticmethod
    def one_rule(api, body, words):
        texts = set()
        for language in ("en", *LANGUAGES):
            [error] = ask(api, body, headers={"Accept-Language": language}).detail
            assert (error["type"], error["loc"]) == ("value_error", ["body"])
            assert all(word in error["msg"] for word in words), error
            texts.add(error["msg"])
        assert len(texts) == 7

    def test_equivalence_needs_a_margin(self, api):
        body = equivalence((1, 1, 5), (1, 1, 5), None)
        self.one_rule(api, body, ("equivalence_margin",))
        assert ask(api, {**body, "metric_type": "continuous"}).status == 200

    @pytest.mark.parametrize("block, changes, fragment", [
        ("continuous", {"equivalence_margin": 0}, "greater than 0"),
        ("ranked", {"control_values": [1]}, "at least 2 items"),
        ("ranked", {"treatment_values": [0] * 1001}, "at most 1000 items"),
        ("ranked", {"quantile": 0}, "greater than 0"), ("ranked", {"quantile": 1}, "less than 1"),
        ("ranked", {"trim": 0.5}, "less than 0.5"), ("ranked", {"trim": -0.1}, "greater than or equal to 0"),
        ("ranked", {"alpha": 0.2}, "less than or equal to 0.1"),
        ("count", {"control_events": -1}, "greater than or equal to 0"),
        ("count", {"control_exposure": 0}, "greater than 0"),
        ("count", {"treatment_events": 1.5}, "integer"), ("count", {"exposure": 1}, "not permitted")])
    def test_ranges(self, api, block, changes, fragment):
        metric_type = next(name for name, own in BLOCK.items() if own == block)
        [error] = ask(api, {"metric_type": metric_type, block: {**self.BLOCKS[block], **changes}}).detail
        assert error["loc"] == ["body", block, *changes] and fragment in error["msg"]

    @pytest.mark.parametrize("value", ["1e999", "NaN", "-Infinity"])
    def test_values_are_finite(self, api, value):
        data = '{"metric_type":"bootstrap","ranked":{"control_values":[1,%s],"treatment_values":[1,2]}}' % value
        answer = api.send("POST", "/api/v1/results", data=data.encode(), headers={"Content-Type": "application/json"})
        assert answer.status == 422


class TestProperties:
    EXTREMES = [5e-324, -1e-300, 0.0, 1.0, 1e16, -1e300, 1.7e308]

    @pytest.mark.parametrize("metric_type", [name for name, block in BLOCK.items() if block == "ranked"])
    def test_extreme_values(self, api, metric_type):
        draw = random.Random(metric_type)
        for _ in range(25):
            arms = [[draw.choice(self.EXTREMES) for _ in range(draw.randint(2, 5))] for _ in "ct"]
            reply = result(api, ranked(metric_type, *arms, trim=draw.choice([0, 0.2]), quantile=draw.random() or 0.5))
            assert reply["ci_lower"] <= reply["ci_upper"] and 0 <= reply["p_value"] <= 1

    @pytest.mark.parametrize("body", [
        equivalence((1.7e308, 5e-324, 2), (-1.7e308, 1.7e308, LARGEST_INTEGER), 5e-324),
        equivalence((0, 1e-300, 2), (0, 1e-300, 2), 1.7e308), equivalence((0, 1, 2), (0, 1, 2), 1e-300),
        count((1, 5e-324), (1_000_000 - 1, 1.7e308)), count((0, 1e300), (1, 1e-300)), count((7, 1e-300), (7, 1e-300)),
        table("fisher_exact", (2, 2), (499_998, 499_998)), table("boschloo_exact", (198, 198), (0, 2)),
        table("barnard_exact", (0, 2), (198, 198)), table("barnard_exact", (1, 2), (99, 198))])
    def test_extremes_never_break_it(self, api, body):
        reply = result(api, body)
        assert 0 <= reply["p_value"] <= 1 and 0 <= reply["power_achieved"] <= 1

    @pytest.mark.parametrize("metric_type", ["fisher_exact", "boschloo_exact", "barnard_exact"])
    @pytest.mark.parametrize("seed", range(8))
    def test_swapped_arms(self, api, metric_type, seed):
        draw = random.Random(seed)
        users = [draw.randint(2, 90) for _ in "ct"]
        arms = [(draw.randint(0, n), n) for n in users]
        one, other = (result(api, table(metric_type, *pair)) for pair in (arms, arms[::-1]))
        assert one["p_value"] == other["p_value"] and one["observed_effect"] == -other["observed_effect"]
        assert one["ci_lower"] == pytest.approx(-other["ci_upper"], abs=1.01e-4)

    @pytest.mark.parametrize("metric_type", ["mann_whitney", "trimmed_t", "bootstrap"])
    @pytest.mark.parametrize("seed", range(8))
    def test_units_and_order_do_not_matter(self, api, metric_type, seed):
        draw = random.Random(seed)
        arms = [[draw.gauss(0, 1) for _ in range(draw.randint(4, 40))] for _ in "ct"]
        changed = [[v * 4096 for v in draw.sample(arm, len(arm))] for arm in arms]
        one, other = (result(api, ranked(metric_type, *pair)) for pair in (arms, changed))
        for key in ("p_value", "test_statistic", "power_achieved", "effect_size", "is_significant"):
            assert one[key] == other[key], key


class TestAdmission:
    CROWDED = {**OPEN, "AB_COMPUTE_MAX_HEAVY_CONCURRENT": 1, "AB_COMPUTE_ACQUIRE_TIMEOUT_MS": 0, "ASSAY_WORKERS": 4}

    def test_one_heavy_request_at_a_time(self, stacks):
        """Bootstraps are refused while another one runs; trimmed means of small arms never are."""
        crowded = stacks.get(self.CROWDED)
        draw = random.Random(5)
        arms = [[draw.gauss(0, 1) for _ in range(1000)] for _ in "ct"]
        heavy, cheap = ranked("bootstrap", *arms), ranked("trimmed_t", *TRIMMED)
        assert ask(crowded, heavy).status == 200, "a lone heavy request always passes"

        def flood(_):
            mine, answers = crowded.with_headers({}), []
            while time.monotonic() < until:
                answers.append(ask(mine, heavy))
            return answers

        until = time.monotonic() + 2
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            floods = [pool.submit(flood, i) for i in range(4)]
            while time.monotonic() < until:
                assert ask(crowded, cheap).status == 200
        answers = [answer for each in floods for answer in each.result()]
        assert {answer.status for answer in answers} == {200, 429}
        for answer in answers:
            if answer.status == 429:
                assert answer.error_code == "compute_capacity_exceeded" and answer.headers["Retry-After"] == "2"
        assert len({answer.body for answer in answers if answer.status == 200}) == 1
