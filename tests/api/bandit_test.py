"""POST /api/v1/simulate/bandit: Thompson sampling, heavy and in a pool of its own."""

import concurrent.futures
import os
import signal
import statistics
import time
from pathlib import Path

import pytest
import requests

from client import LANGUAGES
from conftest import OPEN

GOLDEN = {"arm_rates": [0.05, 0.12], "horizon": 400, "num_simulations": 200, "seed": 7}
LARGEST = {"arm_rates": [0.1] * 10, "horizon": 5000, "num_simulations": 2000}
MEDIUM = {"arm_rates": [0.1, 0.1], "horizon": 5000, "num_simulations": 1250}  # 125 of 250 cost units
SIZING = {
    "metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
    "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50], "variants_count": 2}


def ask(client, body=None, **changes):
    return client.post("/api/v1/simulate/bandit", {**(body or GOLDEN), **changes})


def patient(client, body):
    """Asks again while others compute, and while workers start."""
    until = time.monotonic() + 20
    while (answer := client.post("/api/v1/simulate/bandit", body, may_fail=True)).status != 200:
        assert answer.error_code == "compute_capacity_exceeded" or answer.status in (502, 503), answer
        assert time.monotonic() < until, answer
        time.sleep(0.05)
    return answer


def busy_worker(stack, pool):
    """The process of a pool that has used a quarter of a second of processor time."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        for pid in stack.workers(pool):
            ticks = Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[11]
            if int(ticks) > os.sysconf("SC_CLK_TCK") / 4:
                return pid
        time.sleep(0.01)
    raise AssertionError("no worker is busy")


class TestAnswer:
    def test_golden(self, api):
        reply = ask(api).json()
        assert reply["best_arm_index"] == 1 and reply["best_arm_allocation"] > 0.5
        assert reply["best_arm_allocation"] == reply["arm_allocation"][1]
        assert sum(reply["arm_allocation"]) == pytest.approx(1)
        assert reply["final_uniform_regret"] == pytest.approx(14.0)
        assert 0 < reply["final_bandit_regret"] < reply["final_uniform_regret"]
        assert (reply["horizon"], reply["num_simulations"], reply["seed"]) == (400, 200, 7)

    def test_curve(self, api):
        reply = ask(api).json()
        curve = reply["regret_curve"]
        assert curve[0]["step"] == 1 and curve[-1]["step"] == 400 and len(curve) == 40
        assert curve[-1]["bandit_cumulative_regret"] == reply["final_bandit_regret"]
        assert curve[-1]["uniform_cumulative_regret"] == reply["final_uniform_regret"]
        for name in ("step", "bandit_cumulative_regret", "uniform_cumulative_regret"):
            assert [p[name] for p in curve] == sorted(p[name] for p in curve)

    @pytest.mark.parametrize("horizon", [10, 39, 40, 41, 100, 5000])
    def test_steps(self, api, horizon):
        steps = [p["step"] for p in ask(api, horizon=horizon, num_simulations=1).json()["regret_curve"]]
        assert steps == sorted(set(steps)) and steps[-1] == horizon and len(steps) == min(horizon, 40)

    def test_defaults(self, api):
        reply = ask(api, {"arm_rates": [0.1, 0.2], "horizon": 10}).json()
        assert (reply["num_simulations"], reply["seed"]) == (400, 42)

    @pytest.mark.parametrize("rates", [[0, 0], [1, 1], [0, 1], [0.5] * 10, [1e-300, 1]])
    def test_corners(self, api, rates):
        reply = ask(api, arm_rates=rates, horizon=200, num_simulations=20).json()
        assert reply["best_arm_index"] == rates.index(max(rates))
        assert reply["final_uniform_regret"] == pytest.approx((max(rates) - sum(rates) / len(rates)) * 200)

    def test_language_changes_nothing(self, api):
        assert len({ask(api.with_headers({"Accept-Language": language})).body for language in LANGUAGES}) == 1


class TestSeed:
    def test_same_seed_gives_the_same_bytes(self, api, stacks):
        """Whichever worker answers, and however many threads it has."""
        body = {**GOLDEN, "num_simulations": 2000, "horizon": 1500}
        crowd = stacks.get({**OPEN, "AB_COMPUTE_MAX_HEAVY_CONCURRENT": 64})
        answers = [patient(client, body).body for client in (api, api, crowd, crowd)]
        assert len(set(answers)) == 1

    def test_other_seed_gives_others(self, api):
        assert ask(api, seed=8).body != ask(api, seed=7).body
        assert ask(api, seed=2**53).status == 200

    def test_null_draws_one(self, api):
        first, second = ask(api, seed=None).json(), ask(api, seed=None).json()
        assert first["seed"] != second["seed"]
        assert ask(api, seed=first["seed"]).json() == first

    def test_negative(self, api):
        answer = ask(api, seed=-1)
        assert (answer.status, answer.error_code) == (400, "bad_request")
        assert answer.headers["X-Error-Reason"] == "seed_negative"


class TestValidation:
    def test_rates_outside(self, api):
        for rates in ([0.1, 1.1], [-0.1, 0.5]):
            error = ask(api, arm_rates=rates).errors()["body",]
            assert error["msg"] == "Value error, arm_rates must all be between 0 and 1"

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_rates_outside_in_every_language(self, api, language):
        client = api.with_headers({"Accept-Language": language})
        message = ask(client, arm_rates=[2, 2]).errors()["body",]["msg"]
        assert "arm_rates" in message and (language == "en") == ("between" in message)


class TestLoad:
    def test_largest_request_is_answered_in_time(self, api):
        started = time.monotonic()
        reply = patient(api, LARGEST).json()
        assert time.monotonic() - started < 30
        assert sum(reply["arm_allocation"]) == pytest.approx(1) and reply["final_bandit_regret"] == 0

    def test_heavy_bucket(self, stacks):
        client = stacks.get({"AB_HEAVY_RATE_LIMIT_REQUESTS": 3, "AB_TRUSTED_PROXY_HOPS": 1})
        client = client.with_headers({"X-Forwarded-For": "192.0.2.77"})
        answers = [ask(client, num_simulations=1) for _ in range(5)]
        assert [a.status for a in answers] == [200, 200, 200, 429, 429]
        assert answers[-1].error_code == "rate_limited"
        assert client.post("/api/v1/calculate", SIZING).status == 200, "the other bucket has room"

    def test_flood_is_refused_and_leaves_sizing_alone(self, api):
        """As many games as are admitted keep every processor busy; the others are told when to come
        again, and sizing waits for none of them: each game takes longer than all that is allowed."""
        def sizing():
            return api.post("/api/v1/calculate", SIZING).seconds

        def play_on(_):
            mine, answers = api.with_headers({}), []
            while time.monotonic() < until:
                answers.append(ask(mine, MEDIUM))
            return answers

        alone = statistics.median(sizing() for _ in range(50))
        until = time.monotonic() + 4
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            flood = [pool.submit(play_on, i) for i in range(6)]
            crowded = []
            while time.monotonic() < until:
                crowded.append(sizing())
        answers = [answer for each in flood for answer in each.result()]
        assert {a.status for a in answers} == {200, 429}
        for answer in answers:
            if answer.status == 429:
                assert answer.error_code == "compute_capacity_exceeded" and answer.headers["Retry-After"] == "2"
        games = [a.seconds for a in answers if a.status == 200]
        assert statistics.median(crowded) < min(2 * alone + 0.02, statistics.median(games) / 2)

    def test_killed_worker_gives_its_place_back(self, stacks):
        client = stacks.get({**OPEN, "AB_COMPUTE_MAX_HEAVY_CONCURRENT": 1})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            lost = pool.submit(requests.post, client.url + "/api/v1/simulate/bandit", json=LARGEST, timeout=30)
            os.kill(busy_worker(client.stack, "experiments-compute"), signal.SIGKILL)
            assert lost.result().status_code == 502
        assert patient(client, GOLDEN).status == 200
