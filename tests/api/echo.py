"""Stacks whose responders are echo_responder.c, which shows what reaches it, can be slow, and can die
while it answers: what the tests of nginx/stack do to them. The fixtures are in echo_fixtures.py."""

import re
import socket
import threading

import requests

from stack import ROWS, SERVICES

SYSTEM, ANALYSIS, COMPUTE = "experiments-system", "experiments-analysis", "experiments-compute"
POOLS = list(dict.fromkeys(f"{row[1]}-{row[2]}" for row in ROWS if row[:2] == ["family", SERVICES[0]]))
ENVELOPE = {"detail", "error_code", "status_code", "request_id"}
PAGE_HEADERS = {
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
UUID4 = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")


def start(stack):
    done = stack.run("start")
    assert done.returncode == 0, done.stdout + done.stderr
    return stack


def send_raw(url, data):
    """Sends bytes that no client library would send; returns the whole answer."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(data)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer.decode()


def assert_envelope(answer, status, code):
    assert answer.status_code == status
    body = answer.json()
    assert set(body) == ENVELOPE
    assert (body["status_code"], body["error_code"]) == (status, code)
    assert answer.headers["X-Error-Code"] == code
    assert answer.headers["X-Request-ID"] == body["request_id"]
    for name, value in PAGE_HEADERS.items():
        assert answer.headers[name] == value
    assert "Content-Security-Policy" in answer.headers
    return body


def assert_nothing_left(stack):
    assert stack.processes() == []
    assert list((stack.directory / "run").iterdir()) == []


class Load:
    """Keeps asking from many threads; collects everything that is not a 200."""

    def __init__(self, url, threads):
        self.url, self.failures, self.answers, self.running = url, [], 0, True
        self.threads = [threading.Thread(target=self.ask) for _ in range(threads)]

    def ask(self):
        while self.running:
            try:
                status = requests.get(self.url, timeout=20).status_code
            except requests.RequestException as error:
                status = repr(error)
            self.answers += 1
            if status != 200:
                self.failures.append(status)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.running = False
        for thread in self.threads:
            thread.join()
