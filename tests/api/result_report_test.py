"""The report of a running experiment has the effect with its interval, plain and adjusted, the verdict, segments and the
checks of the data, in seven languages; figures are those of the other routes."""

import json
import re
from pathlib import Path

import pytest

from live_test import Experiment
from project_fixtures import expect, payload

pytest_plugins = ["store_fixtures"]

LOCALES = Path(__file__).resolve().parents[2] / "locales"
LANGUAGES = ["en", "ru", "de", "fr", "es", "ar", "zh"]
USERS = 600


@pytest.fixture(scope="module")
def experiment(store):
    """Phones gain, the web does not; what was spent before explains revenue; one arm has users of the other."""
    design = payload("report of a result", "continuous", metrics={
        "primary_metric_name": "revenue", "metric_type": "continuous", "baseline_value": 30, "std_dev": 11, "mde_pct": 5,
        "alpha": 0.05, "power": 0.8}, setup={"variants_count": 2, "traffic_split": [50, 50],
                                             "dimensions": [{"name": "platform", "values": ["手机", "web"]}]})
    made = Experiment(store.client, design)
    spent = [10 + i % 37 for i in range(USERS)]
    users = [f"u{i}" for i in range(USERS)]
    made.send("pre-period", *[{"user_id": u, "covariate_name": "spent", "value": s} for u, s in zip(users, spent)])
    made.send("exposures", *[{"user_id": u, "variation_index": i % 2, "dimensions": [
        {"name": "platform", "value": ["手机", "web"][i // 2 % 2]}]} for i, u in enumerate(users)])
    made.send("conversions", *[{"user_id": u, "metric": "revenue", "value": spent[i] + i % 7 + 25 * (i % 4 == 1)}
                               for i, u in enumerate(users)])
    made.send("exposures", *[{"user_id": u, "variation_index": 1 - i % 2} for i, u in enumerate(users[:20])])
    return made


def labels(language):
    return json.loads((LOCALES / f"{language}.json").read_text())["export"]


def rows(markdown, heading):
    """The cells of the table under a heading."""
    part = re.split(r"\n#+ ", markdown.split(f"# {heading}\n", 1)[1])[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def signed(value):
    return f"{value:+.2f}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_a_reader_asks_for(experiment, language):
    shown = labels(language)
    text = experiment.client.get(experiment.path("report/markdown"), headers={"Accept-Language": language}).text
    text = re.sub("[\u2066-\u2069]", "", text)  # keeps numbers in order from right to left
    assert "{{" not in text
    compared = experiment.stats()["adjusted"]["analysis"]["comparisons"][0]
    [row] = rows(text, shown["adjusted"])
    adjusted = compared["adjusted"]
    assert row[1] == signed(adjusted["effect"]) and row[4] == signed(compared["unadjusted"]["effect"])
    assert signed(adjusted["ci_lower"]) in row[2] and signed(adjusted["ci_upper"]) in row[2]
    assert float(re.search(r"[\d.]+", row[5])[0]) == pytest.approx(compared["variance_reduction_pct"], abs=0.06)
    slices = expect(experiment.client.get(experiment.path("slices")))
    results = {(s["dimension"] + ": " + s["value"]): s for s in slices["slices"]}
    segments = rows(text, shown["segments"])
    assert {r[0] for r in segments} == set(results) and slices["discoveries"] == 1
    for row in segments:
        [effect] = results[row[0]]["effects"]
        assert row[3] == str(results[row[0]]["people"]) and row[4] == signed(effect["effect"])
        assert signed(effect["ci_lower"]) in row[5] and signed(effect["ci_upper"]) in row[5]
        assert row[6] == shown["segment_better" if effect["is_discovered"] else "segment_open"]
    alarms = {a["code"]: a["severity"] for a in expect(experiment.client.get(experiment.path("quality")))["alarms"]}
    assert alarms == {"SEVERAL_ARMS": "high", "CONTAMINATED": "high"}
    checks = dict(rows(text, shown["checks"]))
    assert checks.pop(shown["check_several"]) == checks.pop(shown["check_contaminated"]) == shown["check_high"]
    assert len(checks) == 7 and set(checks.values()) == {shown["check_fine"]}


def test_html_and_pdf_have_the_same_parts(experiment):
    html = experiment.client.get(experiment.path("report/html")).text
    for part in ("Adjusted effect", "Segments", "platform: 手机", "Discovery: better", "Checks of the data"):
        assert part in html
    assert experiment.client.get(experiment.path("report/pdf")).body.startswith(b"%PDF-")
