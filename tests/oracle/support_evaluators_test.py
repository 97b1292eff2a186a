"""Agreement of evaluators with reviewers against statsmodels (Cohen's kappa with the standard error of Fleiss, Cohen and
Everitt 1969), and how often its interval holds the true value."""
import itertools
import math
import subprocess
import warnings

import numpy
import pytest
from scipy import stats

inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")


@pytest.fixture(scope="module")
def kappas(evaluator):
    program = evaluator("agreement").program

    def call(tables, confidence=0.95):
        text = "".join(f"kappa {' '.join(map(str, table))} {confidence}\n" for table in tables)
        done = subprocess.run([program], input=text, text=True, capture_output=True, timeout=120, check=True)
        return [list(map(float, line.split())) for line in done.stdout.splitlines()]

    return call


GRID = [table for table in itertools.product((0, 1, 2, 13, 250, 4000), repeat=4) if sum(table)]


@pytest.mark.parametrize("confidence", (0.8, 0.95, 0.99))
def test_kappa_and_its_interval(kappas, confidence):
    z = stats.norm.isf((1 - confidence) / 2)
    measured_ones = 0
    for (a, b, c, d), found in zip(GRID, kappas(GRID, confidence)):
        cases, observed, measured, kappa, low, high, rarest = found
        n = a + b + c + d
        assert cases == n and observed == pytest.approx((a + d) / n, abs=1e-14)
        assert rarest == min(a + b, c + d, a + c, b + d)
        assert measured == (rarest > 0)
        if not measured:  # one of them used one verdict only: nothing to compare
            assert (kappa, low, high) == (0, 0, 0)
            continue
        measured_ones += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = inter_rater.cohens_kappa(numpy.array([[a, b], [c, d]], dtype=float))
        deviation = math.sqrt(max(wanted.var_kappa, 0))
        assert kappa == pytest.approx(wanted.kappa, abs=1e-12)
        assert low == pytest.approx(max(wanted.kappa - z * deviation, -1), abs=1e-7), (a, b, c, d)
        assert high == pytest.approx(min(wanted.kappa + z * deviation, 1), abs=1e-7), (a, b, c, d)
    assert measured_ones > 1000


def test_extremes(kappas):
    all_agree, all_differ, one_case, chance = kappas([(20, 0, 0, 30), (0, 25, 25, 0), (1, 0, 0, 0), (25, 25, 25, 25)])
    assert all_agree[3:6] == [1, 1, 1]
    assert all_differ[3:6] == [-1, -1, -1]
    assert one_case[2] == 0
    assert chance[3] == 0 and chance[4] == pytest.approx(-chance[5]) and chance[5] > 0.15


def test_the_interval_holds_the_true_value_as_often_as_it_promises(kappas):
    """50 cases, the least that anything is advised from; tables with five verdicts of each kind count."""
    generator = numpy.random.Generator(numpy.random.Philox(20261127))
    for true in ((0.2, 0.1, 0.1, 0.6), (0.12, 0.18, 0.28, 0.42), (0.3, 0.05, 0.1, 0.55)):
        row, column = (true[0] + true[1], true[2] + true[3]), (true[0] + true[2], true[1] + true[3])
        chance = row[0] * column[0] + row[1] * column[1]
        kappa = (true[0] + true[3] - chance) / (1 - chance)
        tables = generator.multinomial(50, true, size=4000).tolist()
        usable = [found for found in kappas(tables) if found[6] >= 5]
        assert len(usable) > 3000
        held = sum(low <= kappa <= high for *_, low, high, _ in usable) / len(usable)
        too_low = sum(high < kappa for *_, high, _ in usable) / len(usable)
        assert held > 0.92, (true, held)
        assert too_low < 0.05, (true, too_low)  # what would switch off an evaluator that is worth its place
