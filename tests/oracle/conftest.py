"""What the oracle tests share: programs that evaluate C functions line by line, and records of the worst
error of each function and of each analyzer (accuracy.py), printed at the end of the run.

Run with `/usr/bin/python3 -m pytest tests/oracle`; BUILD names the build directory (default build).
"""
import os
import subprocess
from pathlib import Path

import pytest

import stored
from accuracy import ACCURACY, Worst

ROOT = Path(__file__).resolve().parents[2]
CASE_LENGTH = 100  # of an input in the tables


class Evaluator:
    """Calls functions of one program of tests/oracle by name."""

    def __init__(self, program):
        self.program = ROOT / os.environ.get("BUILD", "build") / "tests" / "oracle" / program

    def many(self, calls):
        """Evaluates (name, argument, ...) tuples; floats travel in hexadecimal, so exactly."""
        lines = [" ".join([name, *map(self._text, arguments)]) for name, *arguments in calls]
        if not lines:
            return []
        done = subprocess.run([self.program], input="\n".join(lines) + "\n", text=True,
                              stdout=subprocess.PIPE, timeout=60, check=True)
        answers = [float(answer) for answer in done.stdout.splitlines()]
        assert len(answers) == len(lines)
        return answers

    def __call__(self, name, *arguments):
        return self.many([(name, *arguments)])[0]

    @staticmethod
    def _text(value):
        return str(value) if isinstance(value, int) else float(value).hex()


WORST = Worst()


@pytest.fixture(scope="session")
def evaluator():
    """A factory: evaluator("evaluate") calls the functions of tests/oracle/evaluate.c."""
    return Evaluator


@pytest.fixture(scope="session")
def evaluate(evaluator):
    return evaluator("evaluate")


@pytest.fixture(scope="session")
def worst():
    return WORST


@pytest.fixture
def accuracy():
    """The record of accuracy.py; what the test missed fails it when it ends."""
    yield ACCURACY
    misses = ACCURACY.take_misses()
    assert not misses, "\n" + misses


def _is_whole_run(config):
    """Whether every test of the folder was asked for, so that the number of inputs means something."""
    here = Path(__file__).parent
    asked = [Path(argument.split("::")[0]).resolve() for argument in config.args]
    return any(path in (here, here.parent, ROOT) for path in asked) and not config.option.keyword


def pytest_sessionfinish(session, exitstatus):
    stored.write_all()
    if exitstatus == 0 and _is_whole_run(session.config) and ACCURACY.thin_rows():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _case_text(case):
    if not isinstance(case, tuple):
        return str(case)[:CASE_LENGTH]
    return ", ".join(f"{x:.6g}" if isinstance(x, float) else str(x) for x in case)[:CASE_LENGTH]


def pytest_terminal_summary(terminalreporter):
    _print_functions(terminalreporter)
    if not ACCURACY.rows:
        return
    terminalreporter.section("worst error per analyzer")
    for line in ACCURACY.lines():
        terminalreporter.line(line)
    if _is_whole_run(terminalreporter.config):
        for line in ACCURACY.thin_rows():
            terminalreporter.line(f"FAILED {line}")


def _print_functions(terminalreporter):
    if not WORST.rows:
        return
    width = max(len(label) for label in WORST.rows)
    terminalreporter.section("worst error per function")
    terminalreporter.line(f"{'function':{width}}  {'cases':>6}  {'worst':>8}  {'limit':>7}  "
                          f"{'judge':7} at")
    for label, (count, error, tolerance, case, source) in sorted(WORST.rows.items()):
        terminalreporter.line(f"{label:{width}}  {count:6d}  {error:8.1e}  {tolerance:7.0e}  "
                              f"{source:7} {_case_text(case)}")
