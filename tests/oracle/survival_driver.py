"""Runs tests/oracle/survival.c, and the same cases through R: both give a list of SimpleNamespace."""
import random
import subprocess
from pathlib import Path
from types import SimpleNamespace

REFERENCE = Path(__file__).with_name("survival_reference.R")
ALPHAS = (0.001, 0.01, 0.05, 0.1)
WEIGHTS = ((0, 0), (0, 0), (1, 0), (0.5, 0), (4, 0), (0, 1), (1, 1), (0, 4), (2.5, 0.5))


class Case:
    """Arms are lists of (time, observed)."""

    def __init__(self, arms, rho=0, gamma=0, alpha=0.05):
        self.arms, self.rho, self.gamma, self.alpha = arms, rho, gamma, alpha

    def numbers(self):
        times = [("" if observed else "-") + repr(float(time)) for arm in self.arms for time, observed in arm]
        return [str(len(self.arms)), *(str(len(arm)) for arm in self.arms), *times]

    def __repr__(self):
        return f"{[len(arm) for arm in self.arms]} rho={self.rho} gamma={self.gamma} {self.arms}"


def run(program, cases):
    """What our functions give."""
    lines = [" ".join(["survival", str(c.rho), str(c.gamma), str(c.alpha), *c.numbers()]) for c in cases]
    rows = answers([program], lines, cases)
    results = []
    for case, row in zip(cases, rows):
        arms = len(case.arms)
        cox = 4 + arms
        assert int(row[cox + 5]) * 5 == len(row) - cox - 6
        results.append(SimpleNamespace(
            tested=row[0] == 1, chi_square=row[1], df=row[2], p=row[3], expected=row[4:cox], fitted=row[cox] == 1,
            beta=row[cox + 1], se=row[cox + 2], z=row[cox + 3], cox_p=row[cox + 4], curve=points(row[cox + 6:])))
    return results


def run_in_r(cases):
    """The log-rank test only where there is no gamma, which survdiff does not know."""
    lines = [" ".join([str(-1 if c.gamma else c.rho), str(c.alpha), *c.numbers()]) for c in cases]
    rows = answers(["Rscript", "--vanilla", str(REFERENCE)], lines, cases)
    results = []
    for case, row in zip(cases, rows):
        arms = len(case.arms)
        results.append(SimpleNamespace(chi_square=row[0], expected=row[1:1 + arms], beta=row[1 + arms], se=row[2 + arms],
                                       curve=points(row[3 + arms:])))
    return results


def answers(command, lines, cases):
    done = subprocess.run(command, input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=120, check=True)
    rows = [[float(word.replace("NA", "nan")) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(rows) == len(cases), done.stderr
    return rows


def points(numbers):
    return [tuple(numbers[i:i + 5]) for i in range(0, len(numbers), 5)]


def make_arm(draw, kind, size, unit):
    hazard, censored = draw.choice([0.3, 1, 1, 3]), draw.choice([0, 0.2, 0.5, 0.9])
    make = {
        "continuous": lambda: draw.expovariate(hazard),
        "ties": lambda: float(draw.randint(0, 12)),
        "many ties": lambda: float(draw.randint(0, 2)),
        "one time": lambda: 1.0,
        "heavy": lambda: draw.expovariate(1) ** 5,
    }[kind]
    return [(make() * unit, draw.random() >= censored) for _ in range(size)]


def survival_cases(count, seed):
    """Every kind of arms: ties and none, one subject, one event, none, an arm all censored, separated arms, identical
    ones, times a billion times as long or short, up to ten arms."""
    draw, cases = random.Random(seed), []
    for index in range(count):
        kind = draw.choice(["continuous", "continuous", "ties", "ties", "many ties", "heavy", "one time"])
        unit = draw.choice([1, 1, 1e9, 1e-9, 1e300])
        arms = draw.choice([2, 2, 2, 2, 3, 6])
        sizes = [draw.choice([1, draw.randint(2, 12), draw.randint(5, 40)]) for _ in range(arms)]
        case = [make_arm(draw, kind, size, unit) for size in sizes]
        special = index % 20
        if special == 0:
            case[1] = [(time, False) for time, _ in case[1]]
        elif special == 1:
            case = [[(time, False) for time, _ in arm] for arm in case]
        elif special == 2:
            case = [[(time, False) for time, _ in arm] for arm in case]
            case[0][0] = (case[0][0][0], True)
        elif special == 3:
            case[1] = [(time + 20 * unit, observed) for time, observed in case[1]]
        elif special == 4:
            case[1] = list(case[0])
        elif special == 5:
            case = [arm[:1] for arm in case]
        elif special == 6:
            case[0] = make_arm(draw, kind, 200, unit)
        cases.append(Case(case, *draw.choice(WEIGHTS), draw.choice(ALPHAS)))
    return cases
