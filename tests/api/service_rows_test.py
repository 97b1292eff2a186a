"""What holds for every row of the three other services, read off their /openapi.json alone (contract_test.py does so
for the first): strangers, empty and broken bodies, unknown ids and other methods get announced answers only."""

import json
import re

import pytest

from openapi import wrong_values
from service import Service

SERVICES = ("support", "livedata", "orchestrator")
KEY, ADMIN = "key-of-the-walk-over-rows", "key-of-the-administration"
SETTINGS = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "LIVE_API_KEYS": f"{KEY}:walk", "LIVE_ADMIN_KEY": ADMIN,
            "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": "100000", "AUTH_FAILURE_LIMIT": "100000",
            "ORCH_API_KEY": KEY, "ORCH_RATE_LIMIT_RPM": "0", "ORCH_EXECUTION_PROFILE": "dry-run",
            "ASSAY_CONNECTIONS_PER_CLIENT": "0"}
# Rows in the formats of providers, which answer 400 to what they do not understand.
DIALECTS = {"chat_completions", "completions", "embeddings", "messages", "responses"}
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


@pytest.fixture(scope="module", params=SERVICES)
def service(request, stack):
    return stack if stack.name == request.param else stack.beside(request.param)


@pytest.fixture(scope="module")
def stack():
    with Service(SERVICES[0], SETTINGS, services=SERVICES) as running:
        yield running


def credentials(service):
    """All keys that go into headers of their own."""
    schemes = service.document.spec["components"]["securitySchemes"]
    return {scheme["name"]: ADMIN if name.startswith("admin") else KEY
            for name, scheme in schemes.items() if scheme["type"] == "apiKey" and scheme["in"] == "header"}


def concrete(operation, word):
    """The path with a word for each placeholder."""
    return "/".join(word if part.startswith("{") else part for part in operation.path.split("/"))


def example(service, operation):
    """A body that fits, None where there is none in JSON."""
    body = operation.spec.get("requestBody", {}).get("content", {}).get("application/json")
    return service.document.example(operation) if body and service.document.body_schema(operation) else None


def ask(service, operation, headers, word="no-such-thing", method=None, **body):
    """One call, whose answer is held to the document; a stream is left after its head."""
    method = method or operation.method
    streams = "text/event-stream" in service.document.media_types(operation, 200)
    answer = service.send(method, concrete(operation, word), headers=headers, stream=streams, **body)
    if streams:
        _ = answer.text if answer.status_code >= 400 else None  # read before it is left
        answer.close()
        assert str(answer.status_code) in operation.spec["responses"] or answer.status_code == 405, \
            f"{operation.name} answers {answer.status_code}"
    assert answer.status_code < 500 or answer.status_code == 503 and "503" in operation.spec["responses"], \
        f"{operation.name} answers {answer.status_code}: {answer.text[:200]}"
    return answer


def walk(service, check):
    """check(operation) for every row; fails with what all of them said."""
    said = []
    for operation in service.document.operations:
        try:
            check(operation)
        except AssertionError as error:
            said.append(str(error).splitlines()[0])
    assert not said, "\n".join(said)
    assert service.document.operations


def test_strangers(service):
    """Refused where the row asks who is calling, and answered by nothing but what it announces elsewhere."""
    def check(operation):
        status = ask(service, operation, {}, json={} if operation.spec.get("requestBody") else None).status_code
        required = operation.spec.get("security") and {} not in operation.spec["security"]
        assert not required or status in (401, 403), f"{operation.name} answers a stranger {status}"
    walk(service, check)


@pytest.mark.parametrize("word", ["no-such-thing", "00000000-0000-4000-8000-000000000000", "%E2%82%AC"])
def test_unknown_ids_and_empty_bodies(service, word):
    walk(service, lambda operation: ask(service, operation, credentials(service), word,
                                        json={} if operation.spec.get("requestBody") else None))


@pytest.mark.parametrize("text", ["{", "[1, 2]", "\ud83d".encode("utf-8", "surrogatepass"), '{"a": NaN}'],
                         ids=["cut", "a list", "no text", "no number"])
def test_broken_bodies(service, text):
    def check(operation):
        body = operation.spec.get("requestBody")
        if body and "application/json" in body["content"]:
            headers = {**credentials(service), "Content-Type": "application/json"}
            status = ask(service, operation, headers, data=text).status_code
            assert 400 <= status < 500, f"{operation.name} answers {status}"
    walk(service, check)


# Files and parts of pages, whose query means nothing, and what identity providers ask, who add members of their own.
WITHOUT_QUERY = {"openapi", "summary_piece", "sso_callback"}


def test_unknown_query_parameters_are_refused(service):
    def check(operation):
        body = operation.spec.get("requestBody", {}).get("content", {})
        sent = {"files": {"file": b"x"}} if "multipart/form-data" in body else {"json": example(service, operation)}
        answer = ask(service, operation, credentials(service), **sent, params={"no_such_parameter": 1})
        if operation.name in WITHOUT_QUERY:
            assert answer.status_code != 422
            return
        status = 400 if operation.name in DIALECTS else 422
        assert answer.status_code == status, f"{operation.name} answers {answer.status_code}: {answer.text[:200]}"
        assert "no_such_parameter" in answer.text, f"{operation.name} does not name it"
    walk(service, check)


# What programs outside send in their own format, and documents that are kept as they are.
OPEN_BODIES = {*DIALECTS, "ingest_events", "validate_contract", "email_inbound"}


def test_unknown_body_members_are_refused(service):
    def check(operation):
        if operation.method not in ("POST", "PUT", "PATCH") or operation.name in OPEN_BODIES:
            return
        body = operation.spec.get("requestBody", {}).get("content", {})
        if "multipart/form-data" in body:
            sent = {"files": {"file": b"x"}, "data": {"no_such_member": "1"}}
        else:
            sent = {"json": {**(example(service, operation) or {}), "no_such_member": 1}}
        answer = ask(service, operation, credentials(service), **sent)
        assert answer.status_code == 422, f"{operation.name} answers {answer.status_code}: {answer.text[:200]}"
        assert "no_such_member" in answer.text, f"{operation.name} does not name it"
    walk(service, check)


def test_every_field_wrong_in_turn(service):
    """Refused with the place of the field; shapes that operations share are walked with the first of them."""
    seen = set()

    def check(operation):
        if example(service, operation) is None:
            return
        status = 400 if operation.name in DIALECTS else 422
        body = service.document.example(operation)
        for field in service.document.fields(operation, seen):
            wrong = [service.document.with_value(operation, body, field.location, value) for value in wrong_values(field)]
            if field.required and not field.is_item:
                wrong.append(service.document.without(operation, body, field.location))
            for sent in wrong:
                answer = ask(service, operation, credentials(service), json=sent)
                named = {f"body.{field}"} <= set(re.findall(r"body[.\w]+", answer.text)) or \
                    json.dumps(["body", *field.location], separators=(",", ":")) in answer.text
                assert answer.status_code == status and named, \
                    f"{operation.name} answers {answer.status_code} where {field} is wrong: {answer.text[:200]}"
    walk(service, check)


def test_every_query_parameter_wrong_in_turn(service):
    def check(operation):
        for parameter in operation.spec["parameters"]:
            field = service.document.field_of(parameter["schema"])
            if parameter["in"] != "query" or field.kind == "string":
                continue
            body = example(service, operation)
            answer = ask(service, operation, credentials(service), json=body, params={parameter["name"]: "no such value"})
            assert answer.status_code == 422 and parameter["name"] in answer.text, \
                f"{operation.name} answers {answer.status_code} where {parameter['name']} is wrong: {answer.text[:200]}"
    walk(service, check)


def test_other_methods_are_named_in_allow(service):
    def check(operation):
        path = concrete(operation, "x")
        rows = [row for row in service.document.operations if service.document.matches(row.path, path)]
        for method in sorted(METHODS - {row.method for row in rows}):
            answer = service.send(method, path, headers=credentials(service))
            allowed = set(answer.headers.get("Allow", "").split(", "))
            assert answer.status_code == 405 and operation.method in allowed, f"{method} {path}: {answer.status_code} {allowed}"
    walk(service, check)


def test_all_kinds_of_answers_are_announced(stack):
    """Made, accepted, nothing to say; events; and errors that every service writes in its own way."""
    statuses, streams, envelopes = set(), set(), set()
    for name in SERVICES:
        document = stack.beside(name).document
        envelopes.add(json.dumps(document.component("Error")))
        for operation in document.operations:
            statuses |= set(operation.spec["responses"])
            streams |= {name} if "text/event-stream" in document.media_types(operation, 200) else set()
    assert {"200", "201", "202", "204"} <= statuses
    assert streams == set(SERVICES)
    assert len(envelopes) == len(SERVICES)
