"""A provider of advice on the loopback interface that speaks every protocol and misbehaves to order."""

import json
import socket
import socketserver
import struct
import threading
import time
from dataclasses import dataclass

ADVICE = {"brief_assessment": "Sound.", "key_risks": ["novelty"], "design_improvements": [], "metric_recommendations": [],
          "interpretation_pitfalls": ["peeking"], "additional_checks": []}
HYPOTHESES = {"hypotheses": [{"change": f"change {n}", "rationale": "because", "primary_metric": "orders",
                              "expected_direction": "Decrease" if n == 1 else "up"} for n in range(1, 6)]}


@dataclass
class Heard:
    """One request as it came in."""

    path: str
    headers: dict
    body: dict

    @property
    def prompt(self):
        return self.body["prompt"] if "prompt" in self.body else self.body["messages"][0]["content"]


def response(status, body, *headers):
    lines = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def wrap(path, text):
    """The text as the protocol of the path puts it."""
    if path == "/v1/messages":
        return {"content": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": text}]}
    if path == "/v1/chat/completions":
        return {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return {"status": "succeeded", "output_text": "", "results": [{"output_text": text}]}


def says(text):
    """An answer with this text, or this value as JSON."""
    text = text if isinstance(text, str) else json.dumps(text)
    return lambda heard: response(200, json.dumps(wrap(heard.path, text)).encode())


def well(heard):
    return says(HYPOTHESES if "testable hypotheses" in heard.prompt else ADVICE)(heard)


def status(code, *headers):
    return lambda heard: response(code, b'{"error":"no"}', *headers)


def raw(data):
    return lambda heard: data


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline().decode()
        headers = {}
        while (header := self.rfile.readline().decode().strip()):
            name, value = header.split(":", 1)
            headers[name.lower()] = value.strip()
        body = self.rfile.read(int(headers.get("content-length", 0)))
        heard = Heard(line.split(" ")[1], headers, json.loads(body))
        behaviour = self.server.provider.hear(heard)
        if behaviour == "hang":
            time.sleep(2)
            return
        data = behaviour(heard)
        try:
            self.wfile.write(data)
            if data.endswith(b"RESET"):
                self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass  # the other side has had enough


class Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


class FakeProvider:
    """Behaves as told, the last behaviour for all further calls."""

    def __init__(self):
        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.listener.provider = self
        self.lock = threading.Lock()
        self.behave()
        threading.Thread(target=self.listener.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listener.server_address[1]}"

    def behave(self, *behaviours):
        """What the next calls meet; also forgets what was heard."""
        self.behaviours, self.heard = list(behaviours) or [well], []

    def hear(self, heard):
        with self.lock:
            self.heard.append(heard)
            return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()
