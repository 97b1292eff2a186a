"""What is drawn at random depends on the request alone: not on the worker that answers, on how many there are, or
on how many processors one may use. Two stacks that differ in all of these give the same bytes."""

import concurrent.futures
import random
import time

import pytest

from conftest import OPEN

# One request at a time has all processors, or 64 share them; few workers or many.
FEW = {**OPEN, "ASSAY_WORKERS": 1, "AB_COMPUTE_MAX_HEAVY_CONCURRENT": 1, "AB_COMPUTE_MAX_COST_UNITS_IN_FLIGHT": 1}
CROWD = {**OPEN, "ASSAY_WORKERS": 6, "AB_COMPUTE_MAX_HEAVY_CONCURRENT": 64, "AB_COMPUTE_MAX_CHEAP_CONCURRENT": 64,
         "AB_COMPUTE_MAX_COST_UNITS_IN_FLIGHT": 100000}
TIMES = 3  # each stack is asked, at the same moment


def arms(sizes, seed):
    draw = random.Random(seed)
    return {f"{arm}_values": [draw.gauss(0, 1) + shift for _ in range(size)]
            for arm, size, shift in zip(("control", "treatment"), sizes, (0, 0.2))}


def game(rates, **more):
    return "/api/v1/simulate/bandit", {"arm_rates": rates, "horizon": 700, "num_simulations": 333, **more}


REQUESTS = {
    "a bandit of two arms": game([0.05, 0.12], seed=7),
    "a bandit of ten": game([0.1 + 0.01 * arm for arm in range(10)], seed=2**53),
    "one run": game([0.5, 0.5], seed=0, num_simulations=1),
    "more runs than threads can share evenly": game([0.2, 0.1, 0.3], seed=1, horizon=10, num_simulations=1999),
    "the seed that is used when none is given": game([0.3, 0.31]),
    **{f"{analyzer} of {sizes}": ("/api/v1/results", {"metric_type": analyzer, "ranked": arms(sizes, seed)})
       for seed, sizes in enumerate([(8, 9), (60, 50), (400, 333)]) for analyzer in ("bootstrap", "quantile")},
    "every relabelling": ("/api/v1/results", {"metric_type": "bootstrap", "ranked": arms((5, 6), 9)}),
    "the smallest arms": ("/api/v1/results", {"metric_type": "quantile", "ranked": arms((2, 2), 9)}),
}


def patient(client, path, body):
    """The answer, when others leave room for it."""
    until = time.monotonic() + 30
    while (answer := client.post(path, body)).status == 429:
        assert answer.error_code == "compute_capacity_exceeded" and time.monotonic() < until, answer
        time.sleep(0.02)
    assert answer.status == 200, answer
    return answer


def together(client, path, body):
    """Answers of as many workers as there are at the time."""
    with concurrent.futures.ThreadPoolExecutor(TIMES) as pool:
        waiting = [pool.submit(patient, client.with_headers({}), path, body) for _ in range(TIMES)]
        return [each.result().body for each in waiting]


@pytest.mark.parametrize("name", REQUESTS)
def test_same_bytes(stacks, name):
    bodies = [body for environment in (FEW, CROWD) for body in together(stacks.get(environment), *REQUESTS[name])]
    assert len(bodies) == 2 * TIMES and len(set(bodies)) == 1


def test_other_seeds_give_other_bytes(stacks):
    path, body = REQUESTS["a bandit of two arms"]
    client = stacks.get(CROWD)
    assert len({patient(client, path, {**body, "seed": seed}).json()["final_bandit_regret"] for seed in range(5)}) == 5
