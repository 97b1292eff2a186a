"""The logs of all processes: one format, the request that has caused a line, and rotation as the package sets it up."""

import gzip
import json
import os
import re
import signal
import subprocess
import threading
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from stack import CHECKOUT, Stack
from wait import wait_for

KEY = {"X-API-Key": "key-of-shop"}
# What multiwatch and nginx write by themselves.
OF_OTHERS = re.compile(r"Spawning child|Child\[|multiwatch|\d{4}/\d\d/\d\d .*\[\w+\]")


@pytest.fixture(scope="module")
def stack():
    settings = {"ASSAY_ACCESS_LOG": "true", "AB_RATE_LIMIT_ENABLED": "false", "LIVE_API_KEYS": "key-of-shop:shop",
                "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1", "ASSAY_CONNECTIONS_PER_CLIENT": "0"}
    with Stack(services=("experiments", "livedata")) as stack:
        yield stack.start(settings)


@pytest.fixture
def receiver():
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()


def lines_of(stack, name=""):
    """The lines of base/log.h, of all logs whose names begin so."""
    return [json.loads(line) for line in stack.logs(name).splitlines() if line.startswith("{")]


def test_a_delivery_and_the_lines_about_it_name_the_request(stack, receiver):
    url, seen = receiver
    base = stack.url_of("livedata")
    hook = requests.post(f"{base}/v1/webhooks", json={"url": url}, headers=KEY, timeout=30)
    assert hook.status_code == 201, hook.text
    event = {"event_id": str(uuid.uuid4()), "event_type": "product.updated", "source": "shop", "name": "Tea",
             "timestamp": datetime.now(timezone.utc).isoformat(), "product_id": "PROD-1", "category": "tea", "price": 10,
             "in_stock": True, "stock_quantity": 1}
    sent = requests.post(f"{base}/v1/events", json=event, headers={**KEY, "X-Correlation-ID": "cause-1"}, timeout=30)
    assert sent.status_code == 200, sent.text
    headers, _ = wait_for(lambda: next(iter(seen), None))
    named = headers["X-Request-ID"]
    assert named == "cause-1"

    def lines(log, message):  # there may be warnings beside it
        return [line for line in lines_of(stack, log) if line["fields"].get("request_id") == named and line["message"] == message]
    [line] = wait_for(lambda: lines("livedata-worker", "webhook_delivered"))
    assert line["fields"]["status_code"] == 200
    wait_for(lambda: len(lines("livedata-events", "http_request")) == 1)
    assert {line["logger"] for line in map(json.loads, stack.run("logs", "--request", named).stdout.splitlines())} >= {
        "assay.livedata", "assay.livedata-worker"}


def test_every_line_of_every_log_has_one_format(stack):
    """Of responders, of programs and of nginx."""
    requests.get(stack.portal_url + "/", timeout=30)
    wait_for(lambda: [line for line in lines_of(stack, "access") if line["logger"] == "nginx"])
    for line in stack.logs().splitlines():
        if line.startswith("{"):
            entry = json.loads(line)
            assert list(entry) == ["fields", "level", "logger", "message", "timestamp"], line
            assert list(entry["fields"]) == sorted(entry["fields"]) and entry["level"] in (
                "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), line
            assert datetime.fromisoformat(entry["timestamp"].replace("Z", "+00:00")).tzinfo
        else:
            assert OF_OTHERS.match(line) or not line, line


class Asking(threading.Thread):
    """Asks all the time, each time by another name, until it is told to stop."""

    def __init__(self, stack):
        super().__init__()
        self.stack, self.names, self.over = stack, [], threading.Event()

    def run(self):
        session = requests.Session()
        while not self.over.is_set():
            name = f"asked-{len(self.names)}"
            answer = session.get(self.stack.url_of("experiments") + "/api/v1/projects", headers={"X-Request-ID": name}, timeout=60)
            assert answer.status_code == 200, answer.text
            self.names.append(name)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def logged_names(stack, log):
    """Of requests in the log and in what it was rotated to."""
    text = ""
    for file in (stack.directory / "log").glob(f"{log}.log*"):
        text += gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
    return sorted(json.loads(line)["fields"].get("request_id", "") for line in text.splitlines() if line.startswith("{"))


def test_the_package_rotates_logs_and_no_line_is_lost(stack, tmp_path):
    """Its own configuration, at the places of this stack, by logrotate itself; nobody stops asking."""
    config = (CHECKOUT / "tools/debian/logrotate").read_text().replace("    su assay assay\n", "")
    config = config.replace("/var/lib/assay", str(stack.directory)).replace("/usr/lib/assay", str(CHECKOUT))
    (tmp_path / "logrotate.conf").write_text(config)
    log = stack.directory / "log" / "experiments-projects.log"
    follow = subprocess.Popen([stack.program, "logs", "--dir", str(stack.directory), "--follow", "--service", "experiments-projects",
                               "--level", "INFO"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    followed = []
    threading.Thread(target=lambda: followed.extend(follow.stdout), daemon=True).start()
    try:
        with Asking(stack) as asking:
            for _ in range(2):
                wait_for(lambda count=len(asking.names): len(asking.names) > count + 20)
                before = log.stat().st_ino
                subprocess.run(["/usr/sbin/logrotate", "-f", "-s", tmp_path / "state", tmp_path / "logrotate.conf"],
                               check=True, timeout=120, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
                wait_for(lambda before=before: log.exists() and log.stat().st_ino != before)
                count = len(asking.names)
                wait_for(lambda count=count: len(asking.names) > count + 20)
                wait_for(lambda count=count: max((int(at) for at in re.findall(r'"asked-(\d+)"', "".join(followed))), default=-1) >= count)
    finally:
        os.killpg(follow.pid, signal.SIGTERM)
        follow.wait()
    # The last workers of before have what they began to write.
    wait_for(lambda: set(logged_names(stack, "experiments-projects")) >= set(asking.names))
    assert [name for name in logged_names(stack, "experiments-projects") if name.startswith("asked-")] == sorted(asking.names)
    assert set(logged_names(stack, "access")) >= set(asking.names)
    assert list((stack.directory / "log").glob("experiments-projects.log.2.gz"))


def test_what_is_followed_can_be_filtered(stack):
    """Only of the service, and only of the level and above."""
    follow = subprocess.Popen([stack.program, "logs", "--dir", str(stack.directory), "--follow", "--service", "livedata", "--level", "ERROR"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    followed = []
    threading.Thread(target=lambda: followed.extend(follow.stdout), daemon=True).start()

    def write(log, level, message):
        line = {"fields": {}, "level": level, "logger": "assay.test", "message": message, "timestamp": "2026-11-28T07:00:00.000000+00:00"}
        with open(stack.directory / "log" / f"{log}.log", "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    try:
        number = iter(range(10**6))

        def told():
            write("livedata-read", "INFO", "quiet")
            write("experiments-live", "ERROR", "elsewhere")
            write("livedata-read", "ERROR", f"loud {next(number)}")
            return followed
        wait_for(told)
    finally:
        os.killpg(follow.pid, signal.SIGTERM)
        follow.wait()
    assert all("loud" in line for line in followed)
