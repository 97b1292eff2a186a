"""An HTTP client that holds every answer to the contract of the service.

Whatever a test is about, each answer it gets is checked at once: standard headers, the envelope of
errors, and the reply against the OpenAPI document. Every exchange is recorded.
"""

import http.client
import json
import re
import socket
import uuid
from dataclasses import dataclass, field

import requests

LANGUAGES = ("en", "ru", "de", "es", "fr", "zh", "ar")
ENVELOPE = {"detail", "error_code", "status_code", "request_id"}
EVALUATION_MEMBERS = {"key", "errorCode", "errorDetails"}  # of the protocol for remote evaluation, beside the envelope
UUID4 = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
REQUEST_ID = re.compile(r"^[A-Za-z0-9._:-]{1,128}$")
FIXED_HEADERS = {
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# The loosest policy that an answer may carry.
CONTENT_POLICY = {
    "default-src": {"'self'"}, "base-uri": {"'self'"}, "connect-src": {"'self'"},
    "font-src": {"'self'"}, "form-action": {"'self'"},
    "frame-ancestors": {"'none'"}, "img-src": {"'self'", "data:"}, "object-src": {"'none'"},
    "script-src": {"'self'"}, "style-src": {"'self'"},
}
# Members that the errors of a 422 must have beside type, loc, msg and input.
ERROR_CONTEXTS = {
    "literal_error": {"expected"}, "greater_than": {"gt"}, "greater_than_equal": {"ge"},
    "less_than": {"lt"}, "less_than_equal": {"le"}, "string_too_short": {"min_length"},
    "string_too_long": {"max_length"}, "too_short": {"field_type", "min_length", "actual_length"},
    "too_long": {"field_type", "max_length", "actual_length"}, "value_error": {"error"}, "json_invalid": {"error"},
}
PLAIN_ERRORS = {
    "missing", "extra_forbidden", "string_type", "list_type", "dict_type", "int_type", "float_type", "bool_type",
    "model_attributes_type", "int_parsing", "float_parsing", "bool_parsing", "datetime_parsing", "int_from_float",
}


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def unique_members(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), f"member given twice among {[name for name, _ in pairs]}"
    return members


def read_json(body):
    """Strictly: UTF-8, no NaN, no member twice."""
    return json.loads(body.decode(), parse_constant=refuse_constant, object_pairs_hook=unique_members)


@dataclass
class Answer:
    """One answer, with what was asked."""

    method: str
    path: str  # with its query, as sent
    sent_headers: dict
    status: int
    headers: requests.structures.CaseInsensitiveDict
    header_list: list  # (name, value) as they came, repeated ones too
    body: bytes
    seconds: float = 0

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return read_json(self.body)

    @property
    def error_code(self):
        return self.json().get("error_code") if self.status >= 400 else None

    @property
    def detail(self):
        return self.json()["detail"]

    def errors(self):
        """Of a 422: location to error."""
        assert self.status == 422, f"{self.status}: {self.text[:500]}"
        found = {tuple(e["loc"]): e for e in self.detail}
        assert len(found) == len(self.detail), f"one place named twice in {self.detail}"
        return found

    @property
    def bare_path(self):
        return self.path.split("?")[0]

    def __str__(self):
        return f"{self.method} {self.path[:200]} -> {self.status} {self.body[:600]!r}"


@dataclass
class Record:
    """What happened on one stack."""

    answers: list = field(default_factory=list)
    secrets: set = field(default_factory=set)


class Client:
    """Talks to one service of one stack."""

    def __init__(self, stack, document=None, record=None, headers=None):
        self.stack = stack
        self.url = stack.base_url
        self.document = document
        self.record = record if record is not None else Record()
        self.headers = dict(headers or {})
        self.session = requests.Session()
        self.session.trust_env = False

    def with_headers(self, headers):
        """Another client of the same service, with a connection of its own."""
        return Client(self.stack, self.document, self.record, {**self.headers, **headers})

    def with_token(self, token):
        self.record.secrets.add(token)
        return self.with_headers({"Authorization": f"Bearer {token}"})

    def get(self, path, **options):
        return self.send("GET", path, **options)

    def post(self, path, value=None, **options):
        return self.send("POST", path, json=value, **options)

    def send(self, method, path, json=None, data=None, headers=None, may_fail=False, gzip=False):
        """Sends one request; `json` as a value, or `data` as bytes (an iterator sends chunks). The
        path goes out as it is. An answer above 499 is a failure unless it may fail."""
        sent = {"Accept-Encoding": "gzip" if gzip else "identity", **self.headers, **(headers or {})}
        request = requests.Request(method, self.url, json=json, data=data, headers=sent)
        prepared = self.session.prepare_request(request)
        prepared.url = self.url + path
        if data is not None and headers and "Content-Type" in headers and headers["Content-Type"] is None:
            prepared.headers.pop("Content-Type", None)
        reply = self.session.send(prepared, allow_redirects=False, timeout=30)
        answer = Answer(method, path, dict(prepared.headers), reply.status_code, reply.headers,
                        list(reply.raw.headers.items()), reply.content, reply.elapsed.total_seconds())
        return self.keep(answer, may_fail)

    def raw(self, data, method="GET", path="/", may_fail=False, checked=True, timeout=15):
        """Sends bytes on a connection of their own and reads one answer; None when the peer closes
        without one. `method` and `path` say what the bytes ask for."""
        host, port = self.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=timeout) as connection:
            try:
                connection.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before the end; the answer may be there all the same
            return self.read_answer(connection, method, path, may_fail, checked)

    def read_answer(self, connection, method="GET", path="/", may_fail=False, checked=True):
        reply = http.client.HTTPResponse(connection, method=method)
        try:
            reply.begin()
            body = reply.read()
        except (http.client.BadStatusLine, http.client.RemoteDisconnected, ConnectionResetError):
            return None
        headers = requests.structures.CaseInsensitiveDict(reply.getheaders())
        answer = Answer(method, path, {}, reply.status, headers, reply.getheaders(), body)
        return self.keep(answer, may_fail, checked)

    def keep(self, answer, may_fail, checked=True):
        self.record.answers.append(answer)
        if answer.status == 200 and b'"plaintext_key":"' in answer.body:
            self.record.secrets.add(answer.json()["plaintext_key"])
        if checked:
            check(answer, self.document)
        assert may_fail or answer.status < 500, str(answer)
        return answer


# Answers that are files; what is in them is for the tests that ask for them.
FILES = ("application/pdf", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")


def check(answer, document):
    """Everything that holds for any answer."""
    check_headers(answer)
    check_request_id(answer)
    if answer.method == "HEAD" or answer.status == 304:
        assert answer.body == b"", str(answer)
        if answer.status == 304:
            return
    elif "Content-Encoding" not in answer.headers:
        assert answer.headers.get("Content-Length") == str(len(answer.body)), str(answer)
    operation = document and document.find(answer.method, answer.bare_path)
    media_type = answer.headers["Content-Type"].split(";")[0]
    if operation and answer.status == 200 and answer.method != "OPTIONS":
        described = {described.split(";")[0] for described in document.media_types(operation, 200)}
        assert media_type in described, f"{media_type} in {answer}"
    if answer.method == "HEAD" or media_type.startswith("text/") or media_type in FILES:
        return
    assert answer.headers["Content-Type"] == "application/json", str(answer)
    check_text(answer)
    if answer.status == 200:
        assert "X-Error-Code" not in answer.headers, str(answer)
        if operation:
            check_reply(answer, document, document.reply_schema(operation))
    elif set(answer.json()) != ENVELOPE and operation and document.response_schema(operation, answer.status):
        check_reply(answer, document, document.response_schema(operation, answer.status))
    else:
        check_error(answer, document)


def check_headers(answer):
    names = [name.lower() for name, _ in answer.header_list]
    for name in set(names) - {"vary"}:  # a list; nginx adds a line of its own
        assert names.count(name) == 1, f"{name} is sent twice: {answer}"
    for name, value in FIXED_HEADERS.items():
        assert answer.headers.get(name) == value, f"{name}: {answer.headers.get(name)!r} in {answer}"
    check_content_policy(answer.headers["Content-Security-Policy"])
    assert re.fullmatch(r"\d+\.\d\d", answer.headers.get("X-Process-Time-Ms", "none")), \
        f"X-Process-Time-Ms: {answer.headers.get('X-Process-Time-Ms')!r} in {answer}"
    for name, value in answer.header_list:
        assert value.isprintable(), f"{name}: {value!r} in {answer}"


def check_content_policy(policy):
    given = {part.split()[0]: set(part.split()[1:]) for part in policy.split(";")}
    for directive, sources in CONTENT_POLICY.items():
        fallback = given.get("default-src", {"*"}) if directive.endswith("-src") else {"*"}
        named = {source for source in given.get(directive, fallback) if not source.startswith("'sha256-")}
        assert named <= sources | {"'none'"}, policy


def check_request_id(answer):
    sent = {name.lower(): value for name, value in answer.sent_headers.items()}.get("x-request-id")
    shown = answer.headers.get("X-Request-ID", "")
    if isinstance(sent, str) and REQUEST_ID.match(sent):
        assert shown == sent, str(answer)
    elif answer.sent_headers:
        assert UUID4.match(shown), f"{shown!r} in {answer}"


def check_text(answer):
    """Compact, characters as they are, numbers in their shortest form."""
    value = answer.json()
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert answer.text == plain, f"\n{answer.text[:2000]}\nis not\n{plain[:2000]}"


def check_reply(answer, document, schema):
    value = answer.json()
    problems = document.problems(schema, value) + document.mistyped_numbers(schema, value)
    assert not problems, f"{problems} in {answer}"
    assert answer.headers["Content-Language"] in LANGUAGES


def check_error(answer, document):
    body = answer.json()
    assert set(body) - (EVALUATION_MEMBERS if answer.path.startswith("/ofrep/") else set()) == ENVELOPE, str(answer)
    assert body["status_code"] == answer.status and answer.status >= 400, str(answer)
    assert re.fullmatch(r"[a-z][a-z_]*", body["error_code"]), str(answer)
    assert answer.headers.get("X-Error-Code") == body["error_code"], str(answer)
    assert answer.headers["X-Request-ID"] == body["request_id"], str(answer)
    if document:
        problems = document.problems(error_schema(answer, document), body)
        assert not problems, f"{problems} in {answer}"
    if answer.status == 401:
        assert answer.headers.get("WWW-Authenticate") == "Bearer", str(answer)
    if answer.status in (429, 503):
        assert int(answer.headers["Retry-After"]) >= 1, str(answer)
    if answer.status == 405:
        assert answer.headers["Allow"], str(answer)
    if body["error_code"] == "validation_error":
        for error in body["detail"]:
            check_validation_error(error)


def error_schema(answer, document):
    """A 422 has the shape that its operation announces: of errors at their places, or of a text too."""
    if answer.status != 422:
        return document.component("Error")
    operation = document.find(answer.method, answer.bare_path)
    return operation and document.response_schema(operation, 422) or document.component("ValidationError")


def check_validation_error(error):
    assert error["type"] in PLAIN_ERRORS | set(ERROR_CONTEXTS), error
    assert error["loc"][0] in ("body", "query", "path", "header"), error
    at = {"at"} if error["type"] == "json_invalid" else set()  # in a record of a list
    assert set(error.get("ctx", {})) - at == ERROR_CONTEXTS.get(error["type"], set()), error
    assert error["msg"], error


def new_request_id():
    return str(uuid.uuid4())
