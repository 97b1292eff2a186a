"""A server on loopback that answers as it is told, well or badly."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Script:
    """What the server does with each request, in order; the last step is repeated."""

    def __init__(self) -> None:
        self.steps: list[dict] = []
        self.requests: list[dict] = []

    def then(self, body=None, status=200, headers=None, raw=None, cut=False, stall=0.0) -> "Script":
        self.steps.append({"body": body, "status": status, "headers": headers or {}, "raw": raw, "cut": cut,
                           "stall": stall})
        return self


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        script = self.server.script
        length = int(self.headers.get("Content-Length") or 0)
        script.requests.append({"method": self.command, "path": self.path, "headers": dict(self.headers.items()),
                                "body": self.rfile.read(length)})
        step = script.steps[min(len(script.requests), len(script.steps)) - 1]
        time.sleep(step["stall"])
        payload = step["raw"] if step["raw"] is not None else json.dumps(step["body"]).encode()
        self.send_response(step["status"])
        headers = {"Content-Type": "application/json", **step["headers"]}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload) + (100 if step["cut"] else 0)))
        self.end_headers()
        try:
            self.wfile.write(payload)
        except OSError:
            pass
        self.close_connection = step["cut"] or self.close_connection

    do_GET = do_POST = answer


@pytest.fixture
def server():
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.script = Script()
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    httpd.script.url = f"http://127.0.0.1:{httpd.server_port}"
    yield httpd.script
    httpd.shutdown()
    httpd.server_close()
