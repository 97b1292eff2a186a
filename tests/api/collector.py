"""A collector of OpenTelemetry, and spans as the official package decodes them."""

import base64
import json
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

OTLP = Path(__file__).resolve().parents[1] / "otlp"


class Collector:
    """Keeps what it gets; also takes webhooks, on any path but that of traces."""

    def __init__(self):
        self.received, self.status, self.pause, self.answer = [], 200, 0, b""
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(owner.pause)
                owner.received.append((self.path, dict(self.headers), body))
                self.send_response(owner.status)
                self.send_header("Content-Length", str(len(owner.answer)))
                self.end_headers()
                self.wfile.write(owner.answer)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def at(self, path):
        return [(headers, body) for where, headers, body in list(self.received) if where == path]

    def spans(self):
        return decode([body for _, body in self.at("/v1/traces")])


def value_of(any_value):
    [(kind, value)] = any_value.items()
    return int(value) if kind == "intValue" else value


def attributes(of):
    return {attribute["key"]: value_of(attribute["value"]) for attribute in of.get("attributes", [])}


class Span:
    def __init__(self, span, resource):
        def number(encoded):
            return base64.b64decode(encoded).hex()
        self.service = attributes(resource)["service.name"]
        self.name, self.kind = span["name"], span["kind"].removeprefix("SPAN_KIND_")
        self.id, self.trace, self.parent = number(span["spanId"]), number(span["traceId"]), number(span.get("parentSpanId", ""))
        self.start, self.end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        self.attributes, self.status = attributes(span), span.get("status", {})

    def __repr__(self):
        return f"{self.service}: {self.name}"


def decode(bodies):
    python = subprocess.run([OTLP / "install"], check=True, capture_output=True, text=True).stdout.strip()
    lines = "".join(body.hex() + "\n" for body in bodies)
    done = subprocess.run([python, OTLP / "decode.py"], input=lines, capture_output=True, text=True, check=True)
    return [Span(span, part["resource"]) for line in done.stdout.splitlines() for part in json.loads(line)["resourceSpans"]
            for scope in part["scopeSpans"] for span in scope["spans"]]
