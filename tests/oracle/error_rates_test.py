"""A small sample of the simulations that `make error-rates` and its neighbors run in full: no method is wrong
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


def rows_of(evaluator, program, runs):
    done = subprocess.run([evaluator(program).program, str(runs)], text=True, capture_output=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("| ")]


def test_rules_that_may_stop_early_keep_alpha(evaluator):
    runs = 2000 if os.environ.get("ASSAY_TEST_SOAK") == "1" else 20
    assert len(rows_of(evaluator, "stopping_error_rates", runs)) == 3 + 12 + 7 + 5


def test_what_is_printed_of_stopping_by_expected_loss_is_what_happens(evaluator):
    """Posteriors print how often the treatment is chosen; users drawn one by one choose it as often."""
    runs = 500
    for row in rows_of(evaluator, "loss_error_rates", runs)[1:]:
        *_, chosen, printed = [float(cell.strip(" %")) / 100 for cell in row.strip("| ").split("|")]
        assert abs(chosen - printed) < 4.5 * (printed * (1 - printed) / runs) ** 0.5 + 0.015, row


def test_adjusted_intervals_cover_the_effect(evaluator):
    runs = 10000 if os.environ.get("ASSAY_TEST_SOAK") == "1" else 100
    assert len(rows_of(evaluator, "adjustment_coverage", runs)) == 14
