"""A small sample of the simulations that `make error-rates` and `make error-rates-goals` run in full: no method is wrong
significantly too often."""
import os
import subprocess


def test_sequential_methods_keep_alpha(evaluator):
    streams = 2000 if os.environ.get("ASSAY_TEST_SOAK") == "1" else 40
    done = subprocess.run([evaluator("error_rates").program, str(streams)], text=True, capture_output=True, timeout=1800)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    assert done.returncode == 0 and len(rows) == 24, done.stdout + done.stderr


def test_decisions_with_several_goals_keep_alpha(evaluator):
    runs = 2000 if os.environ.get("ASSAY_TEST_SOAK") == "1" else 40
    done = subprocess.run([evaluator("goal_error_rates").program, str(runs)], text=True, capture_output=True, timeout=1800)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    assert done.returncode == 0 and len(rows) == 9, done.stdout + done.stderr
