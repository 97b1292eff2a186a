"""Effective votes: simulated judges whose errors have a known correlation, the posterior against scipy's
beta-binomial on a grid ten times as fine, and early ends against the votes of all."""
import itertools
import subprocess

import numpy
import pytest
from scipy import stats

UNKNOWN = -1


@pytest.fixture(scope="module")
def run(evaluator):
    program = evaluator("votes").program

    def call(lines):
        text = "".join(" ".join(map(str, line)) + "\n" for line in lines)
        done = subprocess.run([program], input=text, text=True, capture_output=True, timeout=120, check=True)
        return [list(map(float, line.split())) for line in done.stdout.splitlines()]

    return call


def kish(voters, correlation):
    return voters / (1 + (voters - 1) * correlation)


def beta_judges(rng, questions, voters, error, correlation):
    """Errors of judges whose probability of erring varies between questions."""
    if correlation == 0:
        return rng.random((questions, voters)) < error
    total = 1 / correlation - 1
    return rng.random((questions, voters)) < rng.beta(error * total, (1 - error) * total, (questions, 1))


def normal_correlation(error, correlation):
    """Of normal variables that are both below the threshold so often that the events correlate so much."""
    cut, low, high = stats.norm.ppf(error), 0, .99999
    for _ in range(40):
        middle = (low + high) / 2
        both = stats.multivariate_normal.cdf([cut, cut], cov=[[1, middle], [middle, 1]])
        low, high = (middle, high) if (both - error ** 2) / (error * (1 - error)) < correlation else (low, middle)
    return low


def factor_judges(rng, questions, voters, error, correlation):
    """Errors of judges that share a normal factor: not the model of the estimate."""
    shared = normal_correlation(error, correlation) if correlation else 0
    normals = (numpy.sqrt(shared) * rng.normal(size=(questions, 1))
               + numpy.sqrt(1 - shared) * rng.normal(size=(questions, voters)))
    return normals < stats.norm.ppf(error)


def records(errors, known=True):
    """Two possible answers: all that err agree."""
    voters, counts = errors.shape[1], {}
    for wrong in errors.sum(axis=1):
        groups = max(wrong, voters - wrong), min(wrong, voters - wrong)
        key = (voters, *groups, voters - wrong if known else UNKNOWN)
        counts[key] = counts.get(key, 0) + 1
    return [[int(part) for part in key] + [questions] for key, questions in counts.items()]


def case(voters, rows):
    return ["estimate", voters, len(rows), *itertools.chain(*rows)]


@pytest.mark.parametrize("judges", [beta_judges, factor_judges])
@pytest.mark.parametrize("voters", [3, 5, 9])
@pytest.mark.parametrize("error", [.1, .3])
def test_effective_votes_of_simulated_judges(run, judges, voters, error):
    rng = numpy.random.default_rng(5)
    correlations = [round(.1 * step, 1) for step in range(10)]
    found = run([case(voters, records(judges(rng, 4000, voters, error, r))) for r in correlations])
    for r, row in zip(correlations, found):
        assert row[2] == pytest.approx(kish(voters, r), rel=.1), r
        assert row[1] == pytest.approx(error, abs=.03), r
        assert row[4:] == [4000, 0]


def posterior(rows, voters):
    """Means of r and e, by scipy's beta-binomial on a finer grid."""
    e = numpy.linspace(.001, .499, 250)[:, None]
    r = numpy.concatenate([numpy.geomspace(1e-5, .05, 150), numpy.linspace(.051, .985, 350)])[None, :]
    total = 1 / r - 1
    a, b = e * total, (1 - e) * total

    def log_sequence(n, k):
        return stats.betabinom.logpmf(k, n, a, b) - numpy.log(stats.binom.pmf(k, n, .5) * 2 ** n)

    logs = numpy.zeros(a.shape)
    for n, first, second, right, questions in rows:
        logs += questions * (log_sequence(n, n - right) if right >= 0
                             else numpy.logaddexp(log_sequence(n, n - first), log_sequence(n, n - second)))
    weights = numpy.exp(logs - logs.max()) * (1 - r) ** .3 * numpy.gradient(r[0])[None, :]
    mean_r, mean_e = (weights * r).sum() / weights.sum(), (weights * e).sum() / weights.sum()
    return mean_r, mean_e, kish(voters, mean_r)


CASES = [
    [],
    [[9, 9, 0, UNKNOWN, 1]],
    [[2, 1, 1, UNKNOWN, 3], [2, 2, 0, 2, 4]],
    [[9, 9, 0, 9, 80], [9, 5, 4, 4, 3], [9, 8, 1, UNKNOWN, 9]],
    [[5, 3, 1, 0, 2], [5, 5, 0, UNKNOWN, 30], [3, 2, 1, 1, 7]],
    [[16, 16, 0, 16, 500], [16, 16, 0, 0, 60]],
]


@pytest.mark.parametrize("rows", CASES)
def test_posterior_is_the_one_of_a_finer_grid(run, rows):
    [found] = run([case(9, rows)])
    expected = posterior(rows, 9)
    assert found[0] == pytest.approx(expected[0], abs=.015)
    assert found[1] == pytest.approx(expected[1], abs=.01)
    assert found[2] == pytest.approx(expected[2], rel=.04)
    r, e = found[:2]
    total = 1 / r - 1
    wrong = stats.betabinom.pmf(numpy.arange(10), 9, e * total, (1 - e) * total)
    assert found[3] == pytest.approx(wrong[5:].sum(), abs=1e-9)


def test_nine_models_without_a_past_are_worth_two(run):
    [[_, _, votes, *_]] = run([case(9, [])])
    assert votes == pytest.approx(2, abs=.1)


def test_records_that_cannot_be_do_not_count(run):
    broken = [[1, 1, 0, 1, 5], [17, 9, 8, 3, 5], [5, 4, 3, 2, 5], [5, 3, 2, 6, 5], [5, 0, 0, 1, 5], [5, 2, 3, 1, 5],
              [5, 3, 2, 1, 0]]
    found = run([case(5, broken), case(5, [])])
    assert found[0] == found[1]


def ask_in_turn(run, votes):
    """The verdict and the number of votes asked for, when asking only for as many as can decide."""
    asked, open_votes, groups = 0, len(votes), {}
    while open_votes:
        sizes = sorted(groups.values(), reverse=True) + [0, 0]
        [[needed]] = run([["needed", sizes[0], sizes[1], open_votes]])
        if not needed:
            break
        for vote in votes[asked:asked + int(needed)]:
            groups[vote] = groups.get(vote, 0) + 1
        asked += int(needed)
        open_votes -= int(needed)
    return max(groups, key=groups.get), asked


def test_early_ends_have_the_verdict_of_all(run):
    for votes in itertools.product("abc", repeat=5):
        verdict, asked = ask_in_turn(run, votes)
        counts = {vote: votes.count(vote) for vote in votes}
        best = [vote for vote in counts if counts[vote] == max(counts.values())]
        assert verdict in best and (asked == 5 or best == [verdict]), votes


def test_calls_saved_where_errors_correlate(run):
    table = {(first, second, left): run([["needed", first, second, left]])[0][0]
             for first in range(10) for second in range(first + 1) for left in range(10 - first - second)}
    rng = numpy.random.default_rng(7)
    errors = factor_judges(rng, 4000, 9, .1, .6)
    asked = 0
    for row in errors:
        counts, position = [0, 0], 0
        while position < 9:
            needed = int(table[max(counts), min(counts), 9 - position])
            if not needed:
                break
            for wrong in row[position:position + needed]:
                counts[int(wrong)] += 1
            position += needed
        assert (counts[1] > counts[0]) == (row.sum() > 4)
        asked += position
    assert 1 - asked / errors.size >= .4
