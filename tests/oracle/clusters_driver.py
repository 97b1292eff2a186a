"""Runs tests/oracle/clusters.c, and the same cases through R: both give a list of SimpleNamespace."""
import random
import subprocess
from pathlib import Path
from types import SimpleNamespace

REFERENCE = Path(__file__).with_name("cluster_reference.R")
ALPHAS = (0.001, 0.01, 0.05, 0.1)
OURS = ("refusal", "effect", "se", "df", "t", "p", "lower", "upper", "control", "treatment", "slope", "slope_se",
        "slope_df", "slope_p", "icc", "deff", "used", "relative_lower", "relative_upper")
THEIRS = ("effect", "se", "df", "p", "slope", "slope_se", "slope_df", "slope_p")


class Case:
    """Rows are tuples (cluster, arm, weight, total, covariate...); squares are one number per row, or None."""

    def __init__(self, rows, alpha=0.05, squares=None):
        self.rows, self.alpha, self.squares = rows, alpha, squares

    def columns(self):
        return [[row[i] for row in self.rows] for i in range(len(self.rows[0]))]

    def pooled(self):
        """One row per cluster and arm, for cases without covariates."""
        sums = {}
        for cluster, arm, weight, total in self.rows:
            known = sums.get((cluster, arm), (0, 0))
            sums[cluster, arm] = known[0] + weight, known[1] + total
        return Case([(*key, *value) for key, value in sums.items()], self.alpha)

    def is_whole(self):
        return all(row[2] == int(row[2]) for row in self.rows)

    def clusters(self):
        return 1 + max(int(row[0]) for row in self.rows)

    def sizes(self):
        """Clusters of each arm."""
        return [len({row[0] for row in self.rows if row[1] == arm and row[2] > 0}) for arm in (0, 1)]

    def __repr__(self):
        return f"{self.sizes()} clusters {len(self.rows)} rows alpha={self.alpha} {self.rows[:6]}"


def run(program, cases):
    lines = []
    for case in cases:
        columns = case.columns()
        if case.squares:
            columns.insert(4, case.squares)
        head = [case.alpha, case.clusters(), len(case.rows), len(case.rows[0]) - 4, int(bool(case.squares))]
        lines.append(" ".join(["cluster", *map(repr, head), *(repr(float(x)) for column in columns for x in column)]))
    return answers([program], lines, OURS)


def run_in_r(cases):
    """Fractional weights differ between rows of a cluster, which clubSandwich weighs in another way: they are pooled."""
    cases = [case if case.is_whole() else case.pooled() for case in cases]
    lines = [" ".join([str(len(case.rows)), str(len(case.rows[0]) - 4),
                       *(repr(float(x)) for column in case.columns() for x in column)]) for case in cases]
    return answers(["Rscript", "--vanilla", str(REFERENCE)], lines, THEIRS)


def answers(command, lines, names):
    done = subprocess.run(command, input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=300, check=True)
    rows = [[float(word.replace("NA", "nan")) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(rows) == len(lines), done.stderr
    return [SimpleNamespace(**dict(zip(names, row))) for row in rows]


def sizes_of(draw, kind, clusters):
    """Users of every cluster."""
    make = {"equal": lambda i: 4, "ones": lambda i: 1, "varied": lambda i: draw.randint(1, 12),
            "one giant": lambda i: 60 if i == 0 else draw.randint(1, 3),
            "heavy": lambda i: min(int(draw.paretovariate(0.8)), 50), "extreme": lambda i: 10 ** draw.randint(0, 4)}[kind]
    return [make(i) for i in range(clusters)]


def cluster_cases(count, seed):
    """Few clusters and many, equal and very unequal ones, clusters within one arm and across both, means, zeros and
    ones and ratios, rows of users and of sums, none to three covariates, values of any size."""
    draw, cases = random.Random(seed), []
    for _ in range(count):
        few = draw.choice([2, 2, 3, 5, 12])
        arms = [0] * few + [1] * draw.choice([2, 3, 6, 15, 30])
        kind = draw.choice(["equal", "ones", "varied", "varied", "one giant", "heavy", "extreme"])
        across = draw.random() < 0.2 and kind != "extreme"
        covariates = draw.choice([0, 0, 0, 1, 2, 3]) if len(arms) > 8 else 0
        unit, shape = draw.choice([1, 1, 1e-6, 1e6]), draw.choice(["means", "zeros and ones", "ratio", "sums"])
        shape = "sums" if kind == "extreme" else shape
        fractions = shape == "ratio" and not across and covariates == 0
        rows = []
        for cluster, (arm, size) in enumerate(zip(arms, sizes_of(draw, kind, len(arms)))):
            shift = draw.gauss(0, 1)
            own = [draw.gauss(0, 1) for _ in range(covariates)]
            for _ in range(1 if shape == "sums" else size):
                z = [x + draw.gauss(0, 0.5) * (shape != "sums") for x in own]
                value = 10 + shift + arm + draw.gauss(0, 2) + sum(z)
                weight = {"ratio": draw.uniform(0.1, 5) if fractions else draw.randint(1, 3), "sums": size}.get(shape, 1)
                total = float(draw.random() < 0.3 + 0.1 * arm) if shape == "zeros and ones" else value * weight * unit
                rows.append((cluster, draw.choice([0, 1]) if across else arm, weight, total, *z))
        cases.append(Case(rows, draw.choice(ALPHAS)))
    return cases
