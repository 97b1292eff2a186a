"""Sends requests to one service and writes each with its answer as a line of the recording."""

import io
import json
import re
import time
import zipfile
from collections import Counter
from contextlib import suppress

import requests

from normalise import Number, number_placeholder, read, write

# Of a connection, of an instant, or repeated in the body.
LEFT_OUT = {"date", "connection", "content-length", "transfer-encoding", "keep-alive"}
SIGNED = ("X-Chatapp-Request-Timestamp", "X-Chatapp-Signature")
STREAM_SECONDS = 1  # that the next event may take
PRESENT_ONLY = {"x-request-id", "x-process-time-ms", "etag", "x-trace-id", "server-timing"}
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(\{.*\})? [^ ]+$")
BOUNDARY = "recording-boundary"


def multipart(*parts):
    """(headers, bytes) of a form with (name, file name or None, content) each."""
    data = b""
    for name, file, content in parts:
        content = content.encode() if isinstance(content, str) else content
        data += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        data += f'; filename="{file}"\r\nContent-Type: application/octet-stream'.encode() if file else b""
        data += b"\r\n\r\n" + content + b"\r\n"
    return {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}, data + f"--{BOUNDARY}--\r\n".encode()


class Recorder:
    """`document` says which route a path belongs to; answers go through the normaliser into `out`."""

    def __init__(self, url, document, normaliser, out, service):
        self.url, self.document, self.normaliser, self.out, self.service = url, document, normaliser, out, service
        self.session = requests.Session()
        self.session.trust_env = False
        self.step = "start"
        self.count = 0
        self.statuses = Counter()  # (route, status)
        self.misfits = None  # what the document does not announce, where that is looked for

    def send(self, method, path, headers=None, body=None, data=None, events=None, route=None, step=None):
        """The answer, recorded. `events`: how many are read of a stream that does not end by itself."""
        sent = {"Accept-Encoding": "identity", "User-Agent": "recording", **(headers or {})}
        request = requests.Request(method, self.url, json=body, data=data, headers=sent)
        prepared = self.session.prepare_request(request)
        prepared.url = self.url + path
        self.session.cookies.clear()
        answer = self.session.send(prepared, allow_redirects=False, stream=events is not None,
                                   timeout=60 if events is None else STREAM_SECONDS)
        text = None
        if events is not None:
            text = self.some_events(answer, events)
        operation = self.document.find(method, path.split("?")[0])
        route = route or (f"{operation.method} {operation.path}" if operation else f"{method} (no route)")
        if route.startswith(method + " "):
            self.statuses[route, answer.status_code] += 1
            if self.misfits is not None and operation is not None:
                self.misfits += self.misfit(operation, answer)
        self.count += 1
        self.out.write(self.line(route, step or self.step, prepared, sent, answer, text) + "\n")
        return answer

    def misfit(self, operation, answer):
        """What the document does not announce of an answer; redirects and failures of nginx are not in it."""
        said = f"{operation.method} {operation.path} [{self.step}] {answer.status_code}"
        if answer.status_code in (303, 307, 405) or answer.status_code >= 500 and "X-Error-Code" not in answer.headers:
            return []
        if answer.headers.get("X-Live-Version") != answer.headers.get("X-Live-Latest-Version"):
            return []  # the document describes the latest version
        if str(answer.status_code) not in operation.spec["responses"]:
            return [f"{said}: announced are {', '.join(operation.spec['responses'])}"]
        schema = self.document.response_schema(operation, answer.status_code)
        if schema is None or not answer.headers.get("Content-Type", "").endswith("json"):
            return []
        return [f"{said}: {problem[:300]}" for problem in self.document.problems(schema, answer.json())[:3]]

    @staticmethod
    def some_events(answer, count):
        """Lines of a stream until so many events have come, or of whatever else it is."""
        if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            return None if answer.content is None else answer.text
        lines, seen, end = [], 0, time.monotonic() + STREAM_SECONDS
        with suppress(requests.exceptions.RequestException):  # no event comes any more
            for line in answer.iter_lines(decode_unicode=True):
                lines += [] if line.startswith(":") else [line]
                seen += line.startswith("data:")
                if seen >= count or time.monotonic() > end:
                    break
        answer.close()
        return "\n".join(lines)

    def line(self, route, step, prepared, sent, answer, text):
        body = prepared.body or b""
        body = body if isinstance(body, bytes) else body.encode()
        request = {"path": self.normaliser.text(prepared.path_url)}
        shown = {name: "<signed>" if name in SIGNED else self.normaliser.text(value) for name, value in sent.items()
                 if name not in ("Accept-Encoding", "User-Agent")}
        if shown:
            request["headers"] = shown
        if body:
            text_of = body.decode("utf-8", "backslashreplace") if len(body) < 2000 else f"{len(body)} bytes"
            request["body"] = self.normaliser.text(text_of)
        head = {"service": self.service, "route": route, "step": step, "method": prepared.method, "request": request, "status": answer.status_code,
                "headers": self.headers(answer)}
        return json.dumps(head, ensure_ascii=False)[:-1] + ', "body": ' + write(self.body(route, answer, text)) + "}"

    def headers(self, answer):
        found = {}
        for name, value in answer.raw.headers.items():
            low = name.lower()
            if low not in LEFT_OUT:
                value = "<present>" if low in PRESENT_ONLY else self.normaliser.text(value)
                found[low] = f"{found[low]} | {value}" if low in found else value
        return {name: self.header_value(name, found[name]) for name in sorted(found)}

    def header_value(self, name, value):
        shown = number_placeholder(value) or value
        to = next((to for pattern, to in self.normaliser.headers if re.fullmatch(pattern, name)), shown)
        return to(value) if callable(to) else to

    def body(self, route, answer, text):
        content = answer.content if text is None else text.encode()
        kind = answer.headers.get("Content-Type", "").split(";")[0]
        if not content:
            return ""
        if kind.endswith("json"):
            return self.json(route, content)
        if kind == "text/event-stream":
            return [self.event(route, line) for line in content.decode().split("\n")]
        if content.startswith(b"PK\x03\x04"):
            return self.archive(content)
        if content.startswith(b"%PDF"):
            return self.pdf(content)
        text = content.decode("utf-8", "backslashreplace")
        if "# TYPE " in text or "# HELP " in text:
            return self.metrics(text)
        return self.normaliser.value(route, text.split("\n"))

    def json(self, route, content):
        text = content.decode("utf-8", "backslashreplace")
        try:
            value = read(text)
        except ValueError:
            return ["not JSON", self.normaliser.text(text)]
        shown = self.normaliser.value(route, value)
        return shown if write(value) == text.rstrip("\n") else [f"not compact: {len(text.splitlines())} lines", shown]

    def event(self, route, line):
        """A line of a stream; its data may be JSON."""
        if not line.startswith("data: {"):
            return self.normaliser.text(line)
        try:
            return ["data", self.normaliser.value(route, read(line[6:]), ".event")]
        except ValueError:
            return self.normaliser.text(line)

    def archive(self, content):
        with zipfile.ZipFile(io.BytesIO(content)) as files:
            return [[name, self.normaliser.text(files.read(name).decode("utf-8", "backslashreplace"))] for name in files.namelist()]

    def pdf(self, content):
        """Its length varies with the texts of times; so the number of pages and objects."""
        return ["PDF", Number(str(content.count(b"/Type /Page"))), Number(str(content.count(b" obj")))]

    def metrics(self, text):
        """Names, kinds and labels; what is counted differs."""
        found = set()
        for line in text.splitlines():
            sample = SAMPLE.match(line)
            found.add(self.normaliser.text(sample.group(1) + (sample.group(2) or "") if sample else line))
        return sorted(found)
