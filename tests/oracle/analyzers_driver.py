"""Runs tests/oracle/analyzers.c: cases of one two-sample method in, results out."""
import math
import random
import subprocess
from types import SimpleNamespace

COLUMNS = ("degenerate effect relative control treatment lower upper level p statistic df power significant "
           "size size_lower size_upper own_lower own_upper lift lift_lower lift_upper first second third").split()
ALPHAS = (0.001, 0.01, 0.05, 0.1)


class Analyzers:
    """Calls the methods of the program; floats travel in hexadecimal, so exactly."""

    def __init__(self, evaluator):
        self.program = evaluator("analyzers").program

    def run(self, method, cases):
        lines = "".join(f"{method} {' '.join(map(_text, case))}\n" for case in cases)
        done = subprocess.run([self.program], input=lines, text=True, capture_output=True, timeout=300, check=True)
        rows = [SimpleNamespace(**dict(zip(COLUMNS, map(float, line.split())))) for line in done.stdout.splitlines()]
        assert len(rows) == len(cases), done.stderr
        for case, row in zip(cases, rows):
            check_row(case, row)
        return rows

    def values(self, method, cases):
        """Cases of methods on values: (control, treatment, options)."""
        return self.run(method, [ranked_case(*case) for case in cases])


def ranked_case(control, treatment, alpha=0.05, quantile=0.5, trim=0.2, resamples=2000):
    return (alpha, quantile, trim, resamples, len(control), len(treatment), *control, *treatment)


def _text(value):
    return str(int(value)) if isinstance(value, int) else float(value).hex()


def check_row(case, row):
    """What holds for every result of every method."""
    for name in ("effect", "lower", "upper", "statistic", "df"):
        assert math.isfinite(getattr(row, name)), (case[:12], name)
    assert not math.isnan(row.relative), case[:12]  # infinite where it passes the largest double
    assert math.isfinite(row.lift_lower) and math.isfinite(row.lift_upper), case[:12]
    for name in ("p", "power"):
        assert 0 <= getattr(row, name) <= 1, (case[:12], name, getattr(row, name))
    assert row.lower <= row.upper, case[:12]
    assert not math.isinf(row.size) and not math.isinf(row.size_lower) and not math.isinf(row.size_upper)


def sample_pairs(count, seed, largest=60, decades=0):
    """Arms of every kind: normal, heavy-tailed, whole numbers full of ties, constant, far apart, tiny and
    huge units (up to 10^+-decades)."""
    draw, pairs = random.Random(seed), []
    while len(pairs) < count:
        n, m = (draw.choice([2, 3, draw.randint(2, 12), draw.randint(2, largest)]) for _ in range(2))
        shift = draw.choice([0, 0, 0.5, 2, 20])
        unit = 10 ** draw.uniform(-decades, decades)
        kind = draw.choice(["normal", "normal", "heavy", "ties", "binary", "constant", "offset"])
        make = {
            "normal": lambda: draw.gauss(0, 1),
            "heavy": lambda: math.exp(draw.gauss(0, 4)) * draw.choice([-1, 1]),
            "ties": lambda: float(draw.randint(0, 6)),
            "binary": lambda: float(draw.random() < 0.3),
            "constant": lambda: 3.0,
            "offset": lambda: 1e9 + draw.gauss(0, 1),
        }[kind]
        control = [make() * unit for _ in range(n)]
        other = (lambda: 3.0 + shift) if kind == "constant" and draw.random() < 0.5 else lambda: make() + shift
        if kind == "constant" and draw.random() < 0.3:
            other = lambda: draw.gauss(3, 1)
        pairs.append((control, [other() * unit for _ in range(m)]))
    return pairs


def table_cases(count, seed, smallest=2, largest=30):
    """(conversions, users) of both arms and alpha, the empty and the full among them."""
    draw, cases = random.Random(seed), []
    for _ in range(count):
        n1 = draw.randint(smallest, largest)
        n2 = draw.choice([n1, draw.randint(smallest, largest)])
        rate = draw.choice([draw.random(), 0.05, 0.95])
        x1 = draw.choice([0, n1, sum(draw.random() < rate for _ in range(min(n1, 400))), draw.randint(0, n1)])
        x2 = draw.choice([0, n2, sum(draw.random() < rate for _ in range(min(n2, 400))), draw.randint(0, n2)])
        cases.append((min(x1, n1), n1, min(x2, n2), n2, draw.choice(ALPHAS)))
    return cases
