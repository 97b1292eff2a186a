"""Runs tests/oracle/experiments.c: many cases in, rows of columns out."""
import math
import subprocess


class Refused(str):
    """The reason the kernel gave instead of an answer."""


class Driver:
    def __init__(self, evaluator):
        self.program = evaluator("experiments").program

    def rows(self, name, cases):
        """One list of floats, or a Refused, per case; floats travel in hexadecimal, so exactly."""
        lines = "".join(f"{name} {' '.join(map(_text, case))}\n" for case in cases)
        done = subprocess.run([self.program], input=lines, text=True, capture_output=True,
                              timeout=120, check=True)
        answers = done.stdout.splitlines()
        assert len(answers) == len(cases), done.stderr
        return [_row(answer) for answer in answers]


def _text(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "nan"
    return str(int(value)) if isinstance(value, int) else float(value).hex()


def _row(answer):
    if answer.startswith("error "):
        return Refused(answer.split()[1])
    return [float(word) for word in answer.split()]


def no_complaints(complaints):
    found = [text for text in complaints if text]
    assert not found, "\n" + "\n".join(found[:10]) + f"\n{len(found)} in all"
