"""Stacks to load, wrk to load them, and what the processes of a stack use meanwhile."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "api"))
from stack import BUILD, Stack  # noqa: E402  (found by the line above)

TOKEN = "write-token-of-the-benchmark"
# Authentication and rate limiting do their work, and no request of the benchmark is refused.
SETTINGS = {
    "AB_API_TOKEN": TOKEN,
    "AB_RATE_LIMIT_REQUESTS": 100000, "AB_RATE_LIMIT_WINDOW_SECONDS": 1,
    "AB_HEAVY_RATE_LIMIT_REQUESTS": 100000, "AB_HEAVY_RATE_LIMIT_WINDOW_SECONDS": 1,
    "ASSAY_WORKERS": 2 * (os.cpu_count() or 1), "ASSAY_WORKER_REQUESTS": 0,
}
TICKS = os.sysconf("SC_CLK_TCK")

# wrk writes what it has counted; latencies are in microseconds.
SCRIPT = """
wrk.method = "@METHOD@"
wrk.body = @BODY@
wrk.headers["Authorization"] = "Bearer @TOKEN@"
wrk.headers["Content-Type"] = "application/json"
done = function(summary, latency, requests)
    local e = summary.errors
    io.write(string.format('RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p95":%d,"p99":%d,"failed":%d}\\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(95), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def write_bare_build(directory, program_of, **environment):
    """Fills a build directory in which `program_of(name)` of tests/bench/stack takes the place of each responder, with
    these variables. What the stack asks a responder about itself (--describe-settings...) and the programs are ours."""
    build = Path(directory)
    (build / "fcgi-bin").mkdir(parents=True, exist_ok=True)
    (build / "cron-bin").symlink_to((BUILD / "cron-bin").resolve())
    assignments = "".join(f"{name}={shlex.quote(str(value))} " for name, value in environment.items())
    for responder in (BUILD / "fcgi-bin").resolve().iterdir():
        program = (BUILD / "tests/bench/stack" / program_of(responder.name)).resolve()
        script = build / "fcgi-bin" / responder.name
        script.write_text(f'#!/bin/bash\n[ $# -eq 0 ] || exec {responder} "$@"\n{assignments}exec -a "$0" {program}\n')
        script.chmod(0o755)
    return build


def bare_build():
    """A temporary one in which every responder is hello.c."""
    directory = tempfile.TemporaryDirectory(prefix="assay-bare-")
    write_bare_build(directory.name, lambda name: "hello")
    return directory


def start(build=None, **settings):
    """A stack of its own with one process count for all: the settings above, and what is given."""
    return Stack(build).start({**SETTINGS, **settings})


class Request:
    """One request to repeat."""

    def __init__(self, method, path, body=None):
        self.method, self.path = method, path
        self.body = None if body is None else json.dumps(body, separators=(",", ":"))

    def script(self):
        lua = "nil" if self.body is None else "[==[" + self.body + "]==]"
        return SCRIPT.replace("@METHOD@", self.method).replace("@BODY@", lua).replace("@TOKEN@", TOKEN)


def expect_answer(stack, request):
    """One answer of 200, or none of what is measured would mean anything."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    body = None if request.body is None else request.body.encode()
    asked = urllib.request.Request(stack.base_url + request.path, body, headers, method=request.method)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        assert answer.status == 200


def run_wrk(stack, request, seconds, connections):
    """Repeats the request on as many connections; what wrk has counted."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(request.script())
        script.flush()
        done = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script.name, stack.base_url + request.path],
            capture_output=True, text=True, check=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    counted = json.loads(line.split(" ", 1)[1])
    if counted["failed"] or not counted["requests"]:
        raise RuntimeError(f"{request.method} {request.path}: {counted}\n{stack.logs()[-2000:]}")
    counted["rate"] = counted["requests"] / counted["microseconds"] * 1e6
    return counted


def processor_seconds(pids):
    """User and system time of the processes; one that has left counts nothing."""
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def measure(stack, pool, request, seconds, connections):
    """As run_wrk, with the processor time that the pool used per request, in microseconds."""
    workers = stack.workers(pool)
    before = processor_seconds(workers)
    counted = run_wrk(stack, request, seconds, connections)
    counted["processor"] = (processor_seconds(workers) - before) / counted["requests"] * 1e6
    return counted


def memory_per_worker(stack, pool):
    """Megabytes that one worker adds: what it alone holds, and its share of what it shares."""
    sizes = []
    for pid in stack.workers(pool):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                sizes.append(int(line.split()[1]) / 1024)
    return sum(sizes) / len(sizes)


def start_seconds(build=None):
    """From nothing to the first answer."""
    began = time.monotonic()
    with start(build):
        return time.monotonic() - began


def example_of(stack, path):
    """The body that the API document gives as the example of POST `path`."""
    import requests

    document = requests.get(stack.base_url + "/openapi.json", timeout=10).json()
    content = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    if "example" in content:
        return content["example"]
    schema = content["schema"]
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    return (document["components"]["schemas"][name] if name else schema)["examples"][0]
