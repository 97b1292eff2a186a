"""What holds for every operation, read off /openapi.json alone: a new route is tested by being there.

Cases are made from the document of a stack with all tokens, so that operator routes are reached too.
Shapes that several operations share are tested field by field with the first of them.
"""

import json

import jsonschema
import pytest

from caller import Caller, for_all, token_for
from client import LANGUAGES
from conftest import CAPPED, CLOSED, STACKS
from openapi import METHODS

CAPS = {name: cap for name, cap in CAPPED.items() if name.endswith("_BODY_BYTES")}
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


# What needs projects with kept analyses: compare_test.py and reports_test.py ask for it.
OF_ANALYSES = {"compare_projects", "compare_two_projects", "export_comparison", "report_pdf", "report_csv", "report_xlsx"}
# What needs a design whose clusters take turns: live_switchback_test.py.
OF_TURNS = {"read_switchback"}
OF_DELIVERIES = {"resend_delivery"}  # needs a delivery that failed: webhooks_test.py


# What everybody may read: the key that checks certificates elsewhere.
PUBLIC = {"/api/v1/certificates/key"}
# Routes that change nothing although they are POST: readers may ask them.
QUESTIONS = {"preview_flag", "preview_flags"}
# Files: their query means nothing.
OF_FILES = {"openapi"}


def of_platform(operation):
    """What a chat platform calls: off here, and proved by a signature; chat_test.py asks for it."""
    return operation.path.startswith("/chatapp/")


def of_evaluation(operation):
    """Of another contract (OFREP): flags_test.py asks for it."""
    return operation.path.startswith("/ofrep/")


def pytest_generate_tests(metafunc):
    """Fixtures `operation`, and by what it has: `reader` (GET), `writer` (a body), `owner` (an id in its
    path), `asker` (query parameters)."""
    document = metafunc.config.stash[STACKS].get(CLOSED).document
    operations = [o for o in document.operations if not of_evaluation(o)]
    chosen = {
        "operation": operations,
        "reader": [o for o in operations if o.method == "GET" and o.name not in OF_ANALYSES | OF_TURNS
                   and not of_platform(o)],
        "writer": [o for o in operations if document.body_schema(o) and o.name not in OF_ANALYSES],
        "owner": [o for o in operations if not o.concrete],
        "asker": [o for o in operations
                  if any(p["in"] == "query" for p in o.spec["parameters"]) and o.name not in OF_ANALYSES | OF_TURNS
                  and not of_platform(o)],
    }
    for name in set(chosen) & set(metafunc.fixturenames):
        metafunc.parametrize(name, chosen[name], ids=[each.name for each in chosen[name]])


CALLERS = {}


@pytest.fixture
def caller(closed):
    return CALLERS.setdefault(closed, Caller(closed))


def steady(answer):
    """Headers that do not change from one call to the next."""
    changing = {"Date", "X-Request-ID", "X-Process-Time-Ms", "Content-Length",
                "Connection"}  # nginx closes one after a thousand requests
    return {name: value for name, value in answer.headers.items() if name not in changing}


class TestDocument:
    def test_describes_itself(self, closed):
        spec = closed.document.spec
        assert spec["openapi"].startswith("3.1.")
        assert spec["info"]["title"] and spec["info"]["version"] and spec["info"]["description"]
        assert spec["info"]["license"]["name"] == "MIT"
        assert set(spec["components"]["securitySchemes"]) == {"bearer", "api_key"}
        assert spec["components"]["securitySchemes"]["api_key"]["name"] == "X-API-Key"

    def test_names_are_unique_and_tags_declared(self, closed):
        operations = closed.document.operations
        assert len({o.name for o in operations}) == len(operations)
        tags = {tag["name"] for tag in closed.document.spec["tags"]}
        for operation in operations:
            assert set(operation.spec["tags"]) <= tags and operation.spec["summary"], operation.name

    def test_schemas_are_schemas_and_references_resolve(self, closed):
        def walk(node):
            if isinstance(node, dict):
                if "$ref" in node:
                    closed.document.resolve(node)
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)

        walk(closed.document.spec)
        for schema in closed.document.spec["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_path_parameters_are_declared(self, closed):
        for operation in closed.document.operations:
            declared = [p["name"] for p in operation.spec["parameters"] if p["in"] == "path"]
            assert declared == [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]

    def test_says_who_may_call(self, closed):
        for operation in closed.document.operations:
            protected = operation.path.startswith(("/api/v1", "/ofrep/")) or operation.path == "/readyz"
            protected = protected and operation.path not in PUBLIC
            signed = any(p["name"] == "X-Chatapp-Signature" for p in operation.spec["parameters"])
            assert bool(operation.spec["security"]) == protected, operation.name
            asked_below_the_portal = operation.path == "/metrics"
            assert ("401" in operation.spec["responses"]) == (protected or signed or asked_below_the_portal), operation.name

    def test_bodies_have_examples_that_fit(self, closed, writer):
        schema = closed.document.body_schema(writer)
        assert schema.get("examples"), "no example"
        for example in schema["examples"]:
            assert closed.document.problems(schema, example) == []

    def test_is_the_same_for_everybody(self, closed, api):
        assert closed.get("/openapi.json").text == api.get("/openapi.json").text


class TestEveryOperation:
    def test_succeeds(self, caller, operation):
        if operation.name in OF_ANALYSES | OF_DELIVERIES | OF_TURNS or of_platform(operation):
            pytest.skip("needs more than a call")
        answer = caller.succeed(operation)
        assert answer.status == operation.success, answer

    def test_other_methods_are_named_in_allow(self, caller, operation):
        known = caller.document.methods(operation.path)
        allowed = known | ({"HEAD"} if "GET" in known else set())
        for method in [*map(str.upper, METHODS), "OPTIONS", "FOO"]:
            if method not in known:
                answer = caller.ask(operation, method=method)
                assert (answer.status, answer.error_code) == (405, "http_error"), answer
                assert set(answer.headers["Allow"].split(", ")) == allowed, answer

    def test_head_is_get_without_body(self, caller, reader):
        get, head = (caller.ask(reader, method=method) for method in ("GET", "HEAD"))
        assert head.status == get.status == 200
        assert steady(head) == steady(get)
        assert abs(int(head.headers["Content-Length"]) - len(get.body)) < 300, "but for counters that grow"

    def test_query_parameters_that_nobody_knows_are_refused(self, caller, operation):
        if of_platform(operation):
            pytest.skip("takes whatever the platform adds")
        answer = caller.send(operation, caller.path(operation) + "?no_such_parameter=1&&a=b=c&")
        if operation.name in OF_FILES:
            assert answer.status == 200
            return
        assert (answer.status, answer.error_code) == (422, "validation_error"), answer
        assert {("query", "no_such_parameter"), ("query", "a")} == {
            tuple(error["loc"]) for error in answer.json()["detail"] if error["type"] == "extra_forbidden"}

    def test_bodies_that_nobody_reads_are_refused(self, caller, operation):
        if operation.method in ("POST", "PUT", "PATCH") and "requestBody" not in operation.spec:
            answer = caller.send(operation, caller.path(operation), {"surprise": 1})
            assert answer.status == 422 and answer.json()["detail"][0]["loc"] == ["body", "surprise"], answer

    def test_path_with_a_slash_more_is_another_path(self, caller, operation):
        if operation.path.startswith("/api/"):
            answer = caller.send(operation, caller.path(operation) + "/")
            assert (answer.status, answer.error_code) == (404, "not_found")

    def test_every_answer_names_its_language(self, caller, operation):
        for language in LANGUAGES:
            for method in (operation.method, "FOO"):
                if method == "DELETE":
                    continue  # the resource is kept for others
                answer = caller.ask(operation, method=method, headers={"Accept-Language": language},
                                    may_fail=of_platform(operation))
                assert answer.headers["Content-Language"] == language
                assert {"Accept-Language", "Origin"} <= set(answer.headers["Vary"].split(", "))

    def test_is_closed_to_strangers_and_read_only_to_readers(self, caller, operation):
        """What else a route asks for is the business of its own tests."""
        path = caller.path(operation)
        stranger = caller.client.send(operation.method, path, may_fail=of_platform(operation))
        public = not operation.spec["security"]
        assert (stranger.status != 401) == public, stranger
        if not public and operation.method != "GET":
            reader = caller.client.send(operation.method, path, headers={
                "X-API-Key": caller.client.stack.env["AB_READONLY_API_TOKEN"]})
            expected = (422, "validation_error") if operation.name in QUESTIONS else (403, "forbidden")
            assert (reader.status, reader.error_code) == expected

    @pytest.mark.parametrize("wrong", [UNKNOWN_ID, "x", "%20", "%ff", "%c3%28", "%27%20OR%201=1--", "%0a", "0" * 2000])
    def test_unknown_ids(self, caller, owner, wrong):
        path = owner.path.replace(owner.path[owner.path.index("{"):owner.path.index("}") + 1], wrong)
        value = caller.example(owner) if caller.document.body_schema(owner) else None
        answer = caller.send(owner, path, value)
        assert answer.status == 404 and answer.error_code.endswith("not_found"), answer


class TestQuery:
    WRONG = {"integer": [("abc", "int_parsing"), ("1.5", "int_parsing"), ("", "int_parsing")],
             "number": [("abc", "float_parsing"), ("nan", "float_parsing")],
             "boolean": [("perhaps", "bool_parsing"), ("2", "bool_parsing")],
             "string": [], "moment": [("yesterday", "datetime_parsing")], "enum": [("no such word", "literal_error"), ("", "literal_error")]}

    @staticmethod
    def parameters(caller, operation):
        for parameter in operation.spec["parameters"]:
            if parameter["in"] == "query":
                yield parameter["name"], caller.document.field_of(parameter["schema"])

    def test_wrong_values(self, caller, asker):
        for name, field in self.parameters(caller, asker):
            for value, code in self.WRONG[field.kind]:
                answer = caller.send(asker, f"{caller.path(asker)}?{name}={value.replace(' ', '%20')}")
                error = answer.errors()["query", name]
                assert error["type"] == code and error["input"] == value, answer

    def test_bounds(self, caller, asker):
        for name, field in self.parameters(caller, asker):
            for bound, step, code in (("minimum", -1, "greater_than_equal"), ("maximum", 1, "less_than_equal")):
                if bound in field.schema:
                    limit = int(field.schema[bound])
                    path = f"{caller.path(asker)}?{name}="
                    error = caller.send(asker, f"{path}{limit + step}").errors()["query", name]
                    assert error["type"] == code and list(error["ctx"].values()) == [limit]
                    assert caller.send(asker, f"{path}{limit}").status == 200
            if "maxLength" in field.schema:
                limit = field.schema["maxLength"]
                path = f"{caller.path(asker)}?{name}="
                named = caller.send(asker, path + "%C3%A9" * limit)
                assert named.status in (200, 404), named  # what it names may not be there
                errors = caller.send(asker, path + "%C3%A9" * (limit + 1)).errors()
                assert errors["query", name]["type"] == "string_too_long"

    def test_every_choice(self, caller, asker):
        for name, field in self.parameters(caller, asker):
            choices = {"enum": field.schema.get("enum", []), "boolean": ["true", "0", "Yes"]}.get(field.kind, [])
            for word in choices:
                assert word is None or caller.send(asker, f"{caller.path(asker)}?{name}={word}").status == 200

    def test_all_errors_come_together_and_the_last_value_counts(self, caller, asker):
        wrong = {name: self.WRONG[field.kind][0][0] for name, field in self.parameters(caller, asker)
                 if self.WRONG[field.kind]}
        query = "&".join(f"{name}={value}".replace(" ", "%20") for name, value in wrong.items())
        if wrong:  # texts alone are never of a wrong type
            assert list(caller.send(asker, f"{caller.path(asker)}?{query}").errors()) == [("query", name) for name in wrong]
        for name, field in self.parameters(caller, asker):
            if field.kind == "integer":
                assert caller.send(asker, f"{caller.path(asker)}?{name}=x&{name}=3").status == 200
                assert caller.send(asker, f"{caller.path(asker)}?{name}=3&{name}=x").status == 422


class TestBody:
    def test_absent(self, caller, writer):
        required = writer.spec["requestBody"]["required"]
        for data in (None, b""):
            answer = caller.ask(writer, data=data)
            if required:
                [error] = answer.detail
                assert (error["type"], error["loc"], error["msg"]) == ("missing", ["body"], "Field required")
            else:
                assert answer.status == 200

    @pytest.mark.parametrize("text", ["[]", "5", '"text"', "null", "true", "[{}]"])
    def test_not_an_object(self, caller, writer, text):
        [error] = caller.send_text(writer, text).detail
        assert (error["type"], error["loc"]) == ("model_attributes_type", ["body"])

    @pytest.mark.parametrize("content_type", [
        "application/json; charset=utf-8", "application/json;charset=UTF-8", "APPLICATION/JSON",
        "application/vnd.example+json", None])
    def test_content_types_that_are_json(self, caller, writer, content_type):
        assert caller.send_text(writer, caller.text(writer), content_type, fresh=True).status == writer.success

    @pytest.mark.parametrize("content_type", [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml",
        "application/jsonp", "json", "text/json", "application/json-patch", "application/json, text/plain"])
    def test_content_types_that_are_not(self, caller, writer, content_type):
        [error] = caller.send_text(writer, caller.text(writer), content_type).detail
        assert (error["type"], error["loc"]) == ("model_attributes_type", ["body"])

    @pytest.mark.parametrize("chunked", [False, True])
    @pytest.mark.parametrize("size", [8192, 200_000])
    def test_over_the_cap(self, stacks, writer, size, chunked):
        """The smaller one reaches the responder, the larger one is refused by nginx."""
        client = stacks.get(CAPPED)
        body = json.dumps(client.document.example(writer)).encode().ljust(size)
        pieces = iter([body[i:i + 1000] for i in range(0, size, 1000)])
        headers = {**token_for(writer.path), "Content-Type": "application/json"}
        answer = client.send(writer.method, writer.path.replace("{", "").replace("}", ""),
                             data=pieces if chunked else body, headers=headers)
        assert (answer.status, answer.error_code) == (413, "request_body_too_large")
        assert answer.detail in {f"Request body exceeds limit of {cap} bytes" for cap in CAPS.values()}

    @pytest.mark.parametrize("chunked", [False, True])
    def test_exactly_at_the_cap(self, stacks, chunked):
        client = stacks.get(CAPPED)
        cap = CAPS["AB_MAX_REQUEST_BODY_BYTES"]
        headers = {**token_for("/api/v1"), "Content-Type": "application/json"}
        for size, status in ((cap, 200), (cap + 1, 413)):
            body = b'{"observed_counts":[1,1],"expected_fractions":[0.5,0.5]}'.ljust(size)
            answer = client.send("POST", "/api/v1/srm-check", data=iter([body]) if chunked else body, headers=headers)
            assert answer.status == status

    def test_white_space_around_it(self, caller, writer):
        text = json.dumps(caller.example(writer), indent=4)
        assert caller.send_text(writer, f" \r\n\t{text}\n\n ", fresh=True).status == writer.success


# Bytes of a body, the place where reading cannot go on, and how far it may be off: a token's length.
BROKEN = {
    "white space": (b" ", 1, 1),
    "NaN": (b'{"a":NaN}', 5, 3),
    "Infinity": (b'{"a":Infinity}', 5, 8),
    "minus Infinity": (b'{"a":-Infinity}', 5, 9),
    "bytes after it": (b'{"a":1}x', 7, 1),
    "two documents": (b'{"a":1}{"a":1}', 7, 1),
    "single quotes": (b"{'a':1}", 1, 3),
    "trailing comma": (b'{"a":1,}', 7, 1),
    "trailing comma in a list": (b'{"a":[1,]}', 8, 1),
    "comment": (b'{"a":1/*x*/}', 6, 5),
    "unquoted key": (b'{a:1}', 1, 1),
    "member given twice": (b'{"a":1,"a":2}', 7, 6),
    "member given twice, written differently": (b'{"a":1,"\\u0061":2}', 7, 11),
    "not closed": (b'{"a":1', 6, 1),
    "string not closed": (b'{"a":"x', 5, 3),
    "leading zero": (b'{"a":01}', 5, 2),
    "leading plus": (b'{"a":+1}', 5, 2),
    "point without digits": (b'{"a":1.}', 5, 3),
    "hexadecimal": (b'{"a":0x1}', 5, 3),
    "number out of range": (b'{"a":1e400}', 5, 5),
    "integer out of range of a double": (b'{"a":' + b"9" * 400 + b"}", 5, 400),
    "invalid UTF-8": (b'{"a":"\xff"}', 6, 1),
    "overlong UTF-8": (b'{"a":"\xc0\xaf"}', 6, 1),
    "surrogate in UTF-8": (b'{"a":"\xed\xa0\x80"}', 6, 1),
    "lone surrogate escaped": (b'{"a":"\\ud800"}', 5, 9),
    "zero byte escaped": (b'{"a":"\\u0000"}', 5, 9),
    "zero byte": (b'{"a":"\x00"}', 5, 3),
    "line end in a string": (b'{"a":"\n"}', 5, 3),
    "byte order mark": (b'\xef\xbb\xbf{"a":1}', 0, 3),
    "UTF-16": ('{"a":1}'.encode("utf-16"), 0, 2),
    "deep nesting": (b'{"a":' + b"[" * 1000 + b"]" * 1000 + b"}", 5, 1000),
    "deep nesting not closed": (b"[" * 100_000, 0, 1000),
    "wrong bracket": (b'{"a":[1}', 7, 1),
    "bad escape": (b'{"a":"\\x"}', 5, 4),
    "word": (b"hello", 0, 5),
    "form": (b"a=1&b=2", 0, 1),
}


class TestSyntax:
    def test_is_refused_with_the_place(self, caller, writer):
        def check(name):
            body, place, length = BROKEN[name]
            answer = caller.send_text(writer, body)
            assert (answer.status, answer.error_code) == (422, "validation_error")
            [error] = answer.detail
            assert (error["type"], error["msg"], error["input"]) == ("json_invalid", "JSON decode error", {})
            assert error["loc"][0] == "body" and error["ctx"]["error"]
            assert place <= error["loc"][1] <= place + length, error

        for_all(BROKEN, check)


@pytest.mark.last
class TestSession:
    """Looks back on all exchanges of the session."""

    @pytest.fixture(autouse=True)
    def whole_session(self, request):
        names = {item.originalname for item in request.session.items}
        if not {"test_succeeds", "test_not_an_object", "test_other_methods_are_named_in_allow"} <= names:
            pytest.skip("needs all of contract_test.py")

    @staticmethod
    def seen(stacks):
        """(operation, answer) for all answers to known operations."""
        for client in stacks.clients.values():
            for answer in client.record.answers:
                operation = client.document.find(answer.method, answer.bare_path)
                if operation:
                    yield operation, answer

    def test_every_operation_was_seen_to_succeed_and_to_fail(self, stacks, closed):
        answered = {(operation.name, answer.status) for operation, answer in self.seen(stacks)}
        refused = {answer.bare_path for client in stacks.clients.values()
                   for answer in client.record.answers if answer.status >= 400}
        for operation in closed.document.operations:
            if of_evaluation(operation):
                continue
            if operation.name not in OF_ANALYSES | OF_DELIVERIES | OF_TURNS and not of_platform(operation):
                assert (operation.name, operation.success) in answered, f"{operation.name} never succeeded"
            failed = any(name == operation.name and status >= 400 for name, status in answered)
            assert failed or operation.path in refused, f"{operation.name} never answered an error"

    def test_answers_have_announced_statuses_only(self, stacks):
        """What nginx answers to broken requests needs no announcement, nor do failures."""
        unannounced = {(operation.name, answer.status) for operation, answer in self.seen(stacks)
                       if "Content-Language" in answer.headers and answer.status < 500
                       and str(answer.status) not in operation.spec["responses"]}
        assert not unannounced
