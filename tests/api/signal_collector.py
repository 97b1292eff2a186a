"""A collector of metrics and logs for tests: keeps what it gets, and answers as it is told."""

import base64
import json
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

OTLP = Path(__file__).resolve().parents[1] / "otlp"


class SignalCollector:
    """`answer` is the status, more headers and the body of each answer from now on."""

    def __init__(self, port=0):
        self.received, self.answer, self.pause = [], (200, {}, b""), 0
        self.decoded = {}
        self.python = subprocess.run([OTLP / "install"], check=True, capture_output=True, text=True).stdout.strip()
        self.port = port
        self.open()

    def open(self):
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers, answer = owner.answer
                time.sleep(owner.pause)
                owner.received.append((time.monotonic(), self.path, dict(self.headers), status, body))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """Away: connections are refused until open()."""
        self.server.shutdown()
        self.server.server_close()

    def calls(self, signal, status=None):
        return [call for call in list(self.received)
                if call[1] == f"/v1/{signal}" and status in (None, call[3])]

    def documents(self, signal, status=200):
        """What came in calls of that outcome, decoded; each body is decoded once."""
        bodies = [call[4] for call in self.calls(signal, status)]
        fresh = [body for body in dict.fromkeys(bodies) if body not in self.decoded]
        if fresh:
            lines = "".join(body.hex() + "\n" for body in fresh)
            done = subprocess.run([self.python, OTLP / "decode.py", signal], input=lines, capture_output=True, text=True, check=True)
            self.decoded.update(zip(fresh, map(json.loads, done.stdout.splitlines()), strict=True))
        return [self.decoded[body] for body in bodies]


def value_of(any_value):
    if not any_value:
        return ""
    [(kind, value)] = any_value.items()
    return int(value) if kind == "intValue" else value


def attributes(of):
    return {attribute["key"]: value_of(attribute["value"]) for attribute in of.get("attributes", [])}


def hexadecimal(encoded):
    return base64.b64decode(encoded).hex()
