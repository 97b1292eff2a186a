"""Runs tests/oracle/groups.c: tables of counts, or groups of values, of one method in, results out."""
import math
import random
import subprocess
from types import SimpleNamespace

ALPHAS = (0.001, 0.01, 0.05, 0.1)
TABLE_COLUMNS = "statistic df p significant v total least".split()
GROUPS_COLUMNS = "statistic df1 df2 p significant size total".split()
GROUP_COLUMNS = "mean std median rank".split()


class Groups:
    """Calls the methods of the program; floats travel in hexadecimal, so exactly."""

    def __init__(self, evaluator):
        self.program = evaluator("groups").program

    def lines(self, method, cases):
        text = "".join(f"{method} {' '.join(map(_text, case))}\n" for case in cases)
        done = subprocess.run([self.program], input=text, text=True, capture_output=True, timeout=300, check=True)
        answers = done.stdout.splitlines()
        assert len(answers) == len(cases), done.stderr
        return [None if answer == "refused" else [float(word) for word in answer.split()] for answer in answers]

    def tables(self, method, cases):
        """Cases are (table, alpha); a row, or None where there is no test."""
        numbers = [(alpha, len(table), len(table[0]), *(count for line in table for count in line))
                   for table, alpha in cases]
        return [line and SimpleNamespace(**dict(zip(TABLE_COLUMNS, line))) for line in self.lines(method, numbers)]

    def groups(self, method, cases):
        """Cases are (groups, alpha); a row with a row per group in `groups`, or None."""
        numbers = [(alpha, len(groups), *(x for group in groups for x in (len(group), *group)))
                   for groups, alpha in cases]
        return [line and _groups_row(line) for line in self.lines(method, numbers)]


def _text(value):
    return str(value) if isinstance(value, int) else float(value).hex()


def _groups_row(line):
    width, each = len(GROUPS_COLUMNS), len(GROUP_COLUMNS)
    row = SimpleNamespace(**dict(zip(GROUPS_COLUMNS, line)))
    row.groups = [SimpleNamespace(**dict(zip(GROUP_COLUMNS, line[at:at + each])))
                  for at in range(width, len(line), each)]
    assert math.isfinite(row.statistic) and 0 <= row.p <= 1 and math.isfinite(row.size)
    return row


def table_cases(count, seed, largest=12, users=5_000_000):
    """Tables of every kind: sparse, crowded, close to independence, with one dominant class, diagonal."""
    draw, cases = random.Random(seed), []
    while len(cases) < count:
        rows, columns = (draw.choice([2, 2, 3, draw.randint(2, largest)]) for _ in range(2))
        mean = 10 ** draw.uniform(-0.5, math.log10(users / (rows * columns * 4)))
        row_shares = [draw.choice([1, 1, 0.01, draw.random()]) for _ in range(rows)]
        kind = draw.choice(["random", "random", "independent", "diagonal", "sparse"])
        table = []
        for i in range(rows):
            expected = [mean * row_shares[i] * (1 + (j + i) % 3 if kind == "random" else 1 + j % 3)
                        for j in range(columns)]
            if kind == "independent":
                line = [round(e) + draw.choice([0, 0, 1]) for e in expected]
            elif kind == "diagonal":
                line = [draw.randint(1, 9) if i % columns == j or j % rows == i else 0 for j in range(columns)]
            else:
                zero = 0.5 if kind == "sparse" else 0.02
                line = [0 if draw.random() < zero else max(0, round(draw.gauss(e, math.sqrt(e)))) for e in expected]
            table.append(line)
        cases.append((table, draw.choice(ALPHAS)))
    return cases


def group_cases(count, seed, most=6, largest=40, decades=0):
    """Groups of every kind: normal, heavy-tailed, tied, constant, far from zero, of unequal spread, of any unit."""
    draw, cases = random.Random(seed), []
    while len(cases) < count:
        k = draw.choice([2, 3, draw.randint(2, most)])
        unit, apart = 10 ** draw.uniform(-decades, decades), draw.choice([0, 0, 0.3, 1, 10])
        kind = draw.choice(["normal", "normal", "spread", "heavy", "ties", "binary", "offset", "constant"])
        groups = []
        for i in range(k):
            deviation = 10 ** draw.uniform(-3, 3) if kind == "spread" else 1
            make = {
                "heavy": lambda: math.exp(draw.gauss(0, 3)) * draw.choice([-1, 1]),
                "ties": lambda: float(draw.randint(0, 5)),
                "binary": lambda: float(draw.random() < 0.4),
                "offset": lambda: 1e9 + draw.gauss(0, 1),
                "constant": lambda: 3.0,
            }.get(kind, lambda: deviation * draw.gauss(0, 1))
            n = draw.choice([2, 3, draw.randint(2, largest)])
            groups.append([(make() + apart * (i % 3)) * unit for _ in range(n)])
        if kind == "constant" and draw.random() < 0.5:
            groups[0] = [draw.gauss(3, 1) * unit for _ in groups[0]]
        cases.append((groups, draw.choice(ALPHAS)))
    return cases
