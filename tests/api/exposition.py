"""The text that scrapers read, and Prometheus' own judge of it."""

import re
import subprocess

# A sample: its name, its labels, its value.
SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)")


# Names are what dashboards know, whether they follow the custom or not.
OF_NAMES = ('should not have "_total" suffix', 'should not have "_count" suffix')


def judge(text):
    """What promtool of Debian's package `prometheus` finds beside names; fails on what a scraper could not read."""
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr  # 3: it would have chosen other names
    return [line for line in done.stderr.splitlines() if not line.endswith(OF_NAMES)]


def samples(text):
    """Values by the whole name, with labels: 'rag_requests_total{route="auto"}'."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            key = name + ("{" + labels + "}" if labels else "")
            assert key not in found, f"{key} is told twice"
            found[key] = float(value)
    return found


def kinds(text):
    """The kind of each metric, whether it has samples or not."""
    return dict(line.split()[2:4] for line in text.splitlines() if line.startswith("# TYPE "))
