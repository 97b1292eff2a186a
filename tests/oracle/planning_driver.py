"""Runs tests/oracle/experiments_planning.c: JSON objects in, JSON objects out."""
import json
import subprocess


class Planning:
    def __init__(self, evaluator):
        self.program = evaluator("experiments_planning").program

    def many(self, name, cases):
        """One answer per case (a dict of arguments); floats travel in their shortest form, so
        exactly."""
        lines = "".join(json.dumps({"call": name, **case}) + "\n" for case in cases)
        done = subprocess.run([self.program], input=lines, text=True, capture_output=True,
                              timeout=120, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(cases), done.stderr
        assert all(answers), f"there is no function {name}"
        return answers

    def one(self, name, **arguments):
        return self.many(name, [arguments])[0]
