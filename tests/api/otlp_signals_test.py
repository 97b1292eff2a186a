"""Metrics and logs as a collector gets them, decoded by the official package: they say what /metrics and the log files say,
while the collector is there, after it was away, and whatever it answers."""

import os
import re
import signal
import threading
import time
from pathlib import Path

import pytest
import requests

from signal_collector import SignalCollector, attributes, hexadecimal
from exposition import kinds, samples
from stack import Stack
from wait import wait_for

SERVICES = ("experiments", "orchestrator")
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture(scope="module")
def collector():
    collector = SignalCollector()
    yield collector
    collector.close()


@pytest.fixture(scope="module")
def stack(collector):
    settings = {"ASSAY_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}/", "ASSAY_OTLP_HEADERS": "x-api-key=secret=1",
                "ASSAY_OTLP_METRICS_SECONDS": "1", "ASSAY_OTLP_TIMEOUT_SECONDS": "2",
                "AB_RATE_LIMIT_ENABLED": "false", "ORCH_RATE_LIMIT_RPM": "100000"}
    with Stack(services=SERVICES) as stack:
        yield stack.start(settings)


@pytest.fixture(autouse=True)
def answers(collector):
    collector.answer, collector.pause = (200, {}, b""), 0
    yield
    collector.answer, collector.pause = (200, {}, b""), 0


def metrics_of(collector, service):
    """Of each reading of the service: its metrics by name."""
    found = []
    for document in collector.documents("metrics"):
        [resource] = document["resourceMetrics"]
        if attributes(resource["resource"])["service.name"] == service:
            [scope] = resource["scopeMetrics"]
            found.append({metric["name"]: metric for metric in scope["metrics"]})
    return found


def readings(collector, service, more_than=0):
    return wait_for(lambda: found if len(found := metrics_of(collector, service)) > more_than else None)


def kind_of(metric):
    return next(word for word in ("sum", "gauge", "histogram", "summary") if word in metric)


def values_of(metric):
    """By the name that the text has for it."""
    found = {}
    for point in metric[kind_of(metric)]["dataPoints"]:
        labels = ",".join(f'{key}="{value}"' for key, value in attributes(point).items())
        found[metric["name"] + (f"{{{labels}}}" if labels else "")] = point
    return found


def test_every_service_sends_what_a_scraper_reads(stack, collector):
    for service in (*SERVICES, "accounts"):
        metrics = readings(collector, service)[-1]
        for metric in metrics.values():
            assert metric["description"], metric["name"]
            for point in metric[kind_of(metric)]["dataPoints"]:
                if kind_of(metric) != "gauge":
                    assert 0 < int(point["startTimeUnixNano"]) <= int(point["timeUnixNano"]) <= time.time_ns()
                if kind_of(metric) == "histogram":
                    assert sum(map(int, point["bucketCounts"])) == int(point.get("count", 0)), metric["name"]
                    assert len(point["bucketCounts"]) == len(point["explicitBounds"]) + 1
            if kind_of(metric) in ("sum", "histogram"):
                assert metric[kind_of(metric)]["aggregationTemporality"] == "AGGREGATION_TEMPORALITY_CUMULATIVE"
            assert kind_of(metric) != "sum" or metric["sum"]["isMonotonic"]
    assert all(headers["X-Api-Key"] == "secret=1" and headers["Content-Type"] == "application/x-protobuf"
               for _, _, headers, _, _ in ((t, p, {k.title(): v for k, v in h.items()}, s, b) for t, p, h, s, b in collector.calls("metrics")))
    for service in SERVICES:
        scraped = requests.get(stack.url_of(service) + "/metrics", timeout=30).text
        metrics = readings(collector, service, len(metrics_of(collector, service)))[-1]
        words = {"sum": "counter"}
        said = {name: words.get(kind_of(metric), kind_of(metric)) for name, metric in metrics.items()}
        # A metric with labels that nobody has used has no points: the message has nothing of it.
        assert said.items() <= kinds(scraped).items()
        assert {name for name in kinds(scraped) if re.search(rf"^{name}(_count)?[ {{]", scraped, re.M)} == said.keys()


def test_counts_are_those_of_the_text(stack, collector):
    series = 'ab_http_requests_total{class="client_error",family="projects"}'
    for _ in range(3):
        assert requests.get(stack.base_url + "/api/v1/projects/nobody", timeout=30).status_code == 404
    expected = samples(requests.get(stack.base_url + "/metrics", timeout=30).text)[series]
    before = len(metrics_of(collector, "experiments"))
    metrics = readings(collector, "experiments", before + 1)[-1]
    assert values_of(metrics["ab_http_requests_total"])[series]["asDouble"] == expected >= 3
    seconds = values_of(metrics["ab_http_request_duration_seconds"])['ab_http_request_duration_seconds{family="projects"}']
    assert int(seconds["count"]) >= 3 and metrics["ab_http_request_duration_seconds"]["unit"] == "s"
    starts = {metric["ab_http_requests_total"]["sum"]["dataPoints"][0]["startTimeUnixNano"]
              for metric in metrics_of(collector, "experiments")}
    assert len(starts) == 1  # counted since the same moment


def test_a_collector_that_asks_for_time_gets_it(stack, collector):
    collector.answer = (429, {"Retry-After": "3"}, b"")
    wait_for(lambda: collector.calls("metrics", 429))
    refused = collector.calls("metrics", 429)[-1][0]
    collector.answer = (200, {}, b"")
    wait_for(lambda: collector.calls("metrics")[-1][3] == 200)
    later = [call[0] for call in collector.calls("metrics") if call[0] > refused]
    assert later and later[0] - refused >= 2.9


def test_refusals_are_told_once_and_do_no_harm(stack, collector):
    """500, a part that is left out, and garbage: the log says so, and the next call has everything."""
    for answer in ((500, {}, b"out of order"), (200, {}, b"\x0a\x02\x08\x03"), (200, {}, b"\xff" * 40)):
        collector.answer = answer
        calls = len(collector.calls("metrics"))
        wait_for(lambda calls=calls: len(collector.calls("metrics")) > calls + 2)
        assert requests.get(stack.base_url + "/health", timeout=30).status_code == 200
    collector.answer = (200, {}, b"")
    assert readings(collector, "experiments", len(metrics_of(collector, "experiments")))
    assert 1 <= stack.logs("accounts-metrics-export").count("metrics_not_exported") <= 3


def records_of(collector):
    """(service, attributes with body and severity) of each record."""
    found = []
    for document in collector.documents("logs"):
        [resource] = document["resourceLogs"]
        service = attributes(resource["resource"])["service.name"]
        for record in resource["scopeLogs"][0].get("logRecords", []):
            found.append((service, {**attributes(record), "body": record["body"].get("stringValue", ""),
                                    "severity": record["severityNumber"], "time": int(record["timeUnixNano"]),
                                    "trace": hexadecimal(record.get("traceId", ""))}))
    return found


def program_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:  # gone meanwhile
        return b""


def ask(stack, name, path="/api/v1/projects"):
    headers = {"X-Request-ID": name, "traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    return requests.get(stack.base_url + path, headers=headers, timeout=30)


def record_named(collector, name):
    """The one about the request itself; there may be warnings beside it."""
    return next((pair for pair in records_of(collector) if pair[1].get("request_id") == name and pair[1]["body"] == "http_request"), None)


def test_a_line_of_a_request_is_a_record(stack, collector):
    begun = time.time_ns()
    ask(stack, "signal-1", "/api/v1/projects/nobody")
    service, record = wait_for(lambda: record_named(collector, "signal-1"))
    assert service == "experiments" and record["logger"] == "assay.experiments"
    assert record["body"] == "http_request" and record["severity"] == "SEVERITY_NUMBER_INFO"
    assert record["status_code"] == 404 and record["path"] == "/api/v1/projects/nobody"
    assert record["log.file.name"] == "experiments-projects.log" and begun <= record["time"] <= time.time_ns()


def test_a_line_that_is_not_ours_is_its_own_body(stack, collector):
    line = "2026/11/28 12:00:00 [warn] 1#1: Привет, 世界 a line of somebody else"
    with open(stack.directory / "log" / "nginx.log", "a", encoding="utf-8") as log:
        log.write(line + "\n")
    service, record = wait_for(lambda: next((pair for pair in records_of(collector) if "somebody else" in pair[1]["body"]), None))
    assert service == "nginx" and record["body"] == line and record["severity"] == "SEVERITY_NUMBER_WARN"


def test_no_line_is_lost_while_logs_are_rotated(stack, collector):
    """Nobody stops asking, and workers of before write to the old files until they have ended."""
    names, over = [], threading.Event()

    def asking():
        while not over.is_set():
            if ask(stack, f"turned-{len(names)}").status_code == 200:
                names.append(f"turned-{len(names)}")
    thread = threading.Thread(target=asking)
    thread.start()
    try:
        wait_for(lambda: len(names) > 20)
        for log in (stack.directory / "log").glob("*.log"):
            log.rename(f"{log}.1")
        assert stack.run("reopen").returncode == 0
        new = stack.directory / "log" / "experiments-projects.log"
        wait_for(lambda: new.exists() and "turned-" in new.read_text())
    finally:
        over.set()
        thread.join()
    wait_for(lambda: {record.get("request_id") for _, record in records_of(collector)} >= set(names), seconds=180)


def test_no_line_is_lost_while_the_collector_is_away_and_logs_are_rotated(stack, collector):
    collector.close()
    names = []

    def some(kind):
        for at in range(20):
            names.append(f"away-{kind}-{at}")
            assert ask(stack, names[-1]).status_code == 200

    some("before")
    for log in (stack.directory / "log").glob("*.log"):
        log.rename(f"{log}.1")
    some("renamed")
    assert stack.run("reload").returncode == 0
    some("after")
    collector.open()
    wait_for(lambda: {record.get("request_id") for _, record in records_of(collector)} >= set(names), seconds=180)


def test_a_killed_exporter_goes_on_where_it_was(stack, collector):
    ask(stack, "killed-0")
    wait_for(lambda: record_named(collector, "killed-0"))

    def exporters():
        return [pid for pid in stack.processes() if program_of(pid).endswith(b"/cron-bin/log-export")]

    [pid] = wait_for(exporters)
    os.kill(pid, signal.SIGKILL)
    for at in range(1, 20):
        ask(stack, f"killed-{at}")
    wait_for(lambda: {f"killed-{at}" for at in range(20)} <= {record.get("request_id") for _, record in records_of(collector)},
             seconds=180)
