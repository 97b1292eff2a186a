"""The simulation behind docs/operate/sizing.md, against queues whose answer is known: M/M/1, M/M/c (Erlang 1917) and M/D/1
(Pollaczek 1930, Khinchine 1932)."""

import math
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

LOADER = SourceFileLoader("simulate", str(Path(__file__).resolve().parent / "simulate"))
simulate = module_from_spec(spec_from_loader("simulate", LOADER))
LOADER.exec_module(simulate)

MANY = {"customers": 200_000, "warm": 10_000}


def erlang_c(servers, load):
    """The share that waits."""
    last = load ** servers / math.factorial(servers) * servers / (servers - load)
    return last / (sum(load ** k / math.factorial(k) for k in range(servers)) + last)


@pytest.mark.parametrize("servers, busy", [(1, 0.5), (1, 0.7), (4, 0.7), (16, 0.8)])
def test_exponential_service(servers, busy):
    rate = servers * busy
    expected = 1 + erlang_c(servers, rate) / (servers - rate)
    assert simulate.Queue(rate, 1.0, servers, **MANY).mean() == pytest.approx(expected, rel=0.05)


def test_the_tail_of_one_server():
    assert simulate.Queue(0.5, 1.0, 1, **MANY).percentile(0.95) == pytest.approx(-math.log(0.05) / 0.5, rel=0.05)


def test_constant_service():
    assert simulate.Queue(0.7, 1.0, 1, constant=True, **MANY).mean() == pytest.approx(1 + 0.7 / (2 * 0.3), rel=0.05)


def test_more_load_never_takes_fewer_hosts():
    needed = [simulate.hosts_for(rate, 0.001, 0.05)[0] for rate in (10, 1000, 20_000, 100_000)]
    assert needed == sorted(needed) and needed[0] == 1 and needed[-1] >= 100_000 * 0.001 / simulate.PROCESSORS
