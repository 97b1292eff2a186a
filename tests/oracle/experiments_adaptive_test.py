"""A small sample of the error rates of adaptive arms."""
import subprocess


def test_a_small_sample_of_the_error_rates(evaluator):
    """docs/use/error-rates-adaptive.md has 10 000 runs a row. Here 200: what holds is wrong in less than 12 %, and the
    controls that pool the arms are found out."""
    done = subprocess.run([evaluator("adaptive_error_rates").program, "200"], text=True, capture_output=True, timeout=300,
                          check=True)
    rates = {row[1].strip(): float(row[2].split()[0]) for row in (line.split("|") for line in done.stdout.splitlines())
             if len(row) == 6 and "%" in row[2]}
    assert len(rates) == 11
    for name, rate in rates.items():
        assert rate > 50 if name.startswith("control") else rate < 12, name
