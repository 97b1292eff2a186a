"""What holds for every operation, read off /openapi.json alone: a new route is tested by being there.

Cases are made from the document of a stack with all tokens, so that operator routes are reached too.
"""

import json
import math

import jsonschema
import pytest

from client import LANGUAGES
from conftest import CLOSED, STACKS, TOKENS
from openapi import METHODS, at

CAPS = {"AB_MAX_REQUEST_BODY_BYTES": 1024, "AB_MAX_WORKSPACE_BODY_BYTES": 2048, "AB_MAX_CHATAPP_BODY_BYTES": 1536}
OPERATOR_PATHS = ("/api/v1/keys", "/api/v1/webhooks")
TYPE_ERRORS = {
    "string": "string_type", "integer": "int_type", "number": "float_type", "boolean": "bool_type",
    "array": "list_type", "enum": "literal_error", "object": "model_attributes_type",
}
# Values of the wrong type, and the error each gives. Strings that read as numbers are no error.
WRONG_VALUES = {
    "string": [(5, "string_type"), (True, "string_type"), ([], "string_type"), ({}, "string_type")],
    "integer": [("abc", "int_parsing"), ("1.5", "int_parsing"), (1.5, "int_from_float"), ([1], "int_type"),
                ({}, "int_type")],
    "number": [("abc", "float_parsing"), ("", "float_parsing"), ("nan", "float_parsing"), ("inf", "float_parsing"),
               ("1e999", "float_parsing"), ("0x10", "float_parsing"), ([1], "float_type"), ({}, "float_type")],
    "boolean": [("perhaps", "bool_parsing"), (2, "bool_parsing"), ([], "bool_type"), ({}, "bool_type")],
    "array": [(5, "list_type"), ("x", "list_type"), ({}, "list_type"), (True, "list_type")],
    "enum": [("no such word", "literal_error"), ("", "literal_error"), (5, "literal_error"), ([], "literal_error")],
    "object": [(5, "model_attributes_type"), ("x", "model_attributes_type"), ([], "model_attributes_type")],
}
BOUNDS = {
    "minimum": ("greater_than_equal", "ge", "greater than or equal to", -1),
    "exclusiveMinimum": ("greater_than", "gt", "greater than", 0),
    "maximum": ("less_than_equal", "le", "less than or equal to", 1),
    "exclusiveMaximum": ("less_than", "lt", "less than", 0),
}
LARGEST_INTEGER = 2**53


def pytest_generate_tests(metafunc):
    """Fixtures `operation`, `reader` (GET), `writer` (with a body), `field`, `wrong`, `bound`, `shape`."""
    wanted = {"operation", "reader", "writer", "field", "wrong", "bound", "shape"} & set(metafunc.fixturenames)
    if not wanted:
        return
    document = metafunc.config.stash[STACKS].get(CLOSED).document
    writers = [o for o in document.operations if document.body_schema(o)]
    fields = [(o, f) for o in writers for f in document.fields(o)]
    cases = {
        "operation": document.operations,
        "reader": [o for o in document.operations if o.method == "GET" and o.concrete],
        "writer": writers,
        "field": fields,
        "wrong": [(o, f, *case) for o, f in fields for case in WRONG_VALUES.get(f.kind, [])],
        "bound": [(o, f, b) for o, f in fields for b in BOUNDS if b in f.schema],
        "shape": [(o, *shape) for o in writers for shape in document.objects(o)],
    }
    for name in wanted:
        metafunc.parametrize(name, cases[name], ids=[identify(case) for case in cases[name]])


def identify(case):
    if not isinstance(case, tuple):
        return case.name
    operation, place, *rest = case
    place = ".".join(map(str, place)) or "body" if isinstance(place, tuple) else str(place)
    shown = [json.dumps(each) if not isinstance(each, (dict, str)) else str(each)[:20] for each in rest[:1]]
    return "-".join([operation.name, place, *shown])


def token_for(path):
    name = "AB_ADMIN_TOKEN" if path.startswith(OPERATOR_PATHS) else "AB_API_TOKEN"
    return {"Authorization": f"Bearer {TOKENS[name]}"}


def ask(client, operation, value=None, **options):
    headers = {**token_for(operation.path), **options.pop("headers", {})}
    return client.send(operation.method, operation.path, json=value, headers=headers, **options)


def send_text(client, operation, text, content_type="application/json", **options):
    data = text.encode() if isinstance(text, str) else text
    return ask(client, operation, data=data, headers={"Content-Type": content_type}, **options)


def error_at(answer, location):
    """The error at a place of the body; the only one, but for those of rules that follow from it."""
    errors = answer.errors()
    assert ("body", *location) in errors, errors
    assert len(errors) == 1, errors
    return errors["body", *location]


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

    def test_says_who_may_call(self, closed):
        for operation in closed.document.operations:
            protected = operation.path.startswith("/api/v1") or operation.path == "/readyz"
            assert bool(operation.spec["security"]) == protected, operation.name
            assert ("401" in operation.spec["responses"]) == protected, operation.name

    def test_is_the_same_for_everybody(self, closed, api):
        assert closed.get("/openapi.json").text == api.get("/openapi.json").text


class TestMethods:
    def test_other_methods_are_named_in_allow(self, closed, operation):
        if not operation.concrete:
            pytest.skip("needs an id")
        document = closed.document
        known = document.methods(operation.path)
        allowed = known | ({"HEAD"} if "GET" in known else set())
        for method in [*map(str.upper, METHODS), "OPTIONS", "FOO"]:
            if method in known:
                continue
            answer = closed.send(method, operation.path, headers=token_for(operation.path))
            assert (answer.status, answer.error_code) == (405, "http_error"), answer
            assert set(answer.headers["Allow"].split(", ")) == allowed, answer

    def test_head_is_get_without_body(self, closed, reader):
        get, head = (closed.send(m, reader.path, headers=token_for(reader.path)) for m in ("GET", "HEAD"))
        assert head.status == get.status == 200

        def steady(answer):
            return {n: v for n, v in answer.headers.items() if n not in (
                "Date", "X-Request-ID", "X-Process-Time-Ms", "Content-Length", "RateLimit-Remaining")}

        assert steady(head) == steady(get)
        assert abs(int(head.headers["Content-Length"]) - len(get.body)) < 16  # counters grow

    def test_query_parameters_that_nobody_knows_are_ignored(self, closed, reader):
        answer = closed.send("GET", reader.path + "?no_such_parameter=1&%ff=%00", headers=token_for(reader.path))
        assert answer.status == 200

    def test_path_with_a_slash_more_is_another_path(self, closed, operation):
        if operation.concrete and operation.path.startswith("/api/"):
            answer = closed.send(operation.method, operation.path + "/", headers=token_for(operation.path))
            assert (answer.status, answer.error_code) == (404, "not_found")


class TestLanguage:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_answer_names_its_language(self, closed, operation, language):
        if not operation.concrete:
            pytest.skip("needs an id")
        headers = {**token_for(operation.path), "Accept-Language": language}
        for method in (operation.method, "PATCH", "FOO"):
            answer = closed.send(method, operation.path, headers=headers)
            assert answer.headers["Content-Language"] == language
            assert {"Accept-Language", "Origin"} <= set(answer.headers["Vary"].split(", "))


class TestBody:
    def test_example_is_answered(self, closed, writer):
        document = closed.document
        for example in document.body_schema(writer)["examples"]:
            assert document.problems(document.body_schema(writer), example) == []
            assert ask(closed, writer, example).status == 200

    def test_same_body_gives_the_same_answer(self, closed, writer):
        answers = {ask(closed, writer, closed.document.example(writer)).body for _ in range(4)}
        assert len(answers) == 1 or writer.spec["tags"] != ["calculations"]

    def test_absent(self, closed, writer):
        for data in (None, b""):
            answer = ask(closed, writer, data=data)
            error = error_at(answer, ())
            assert error["type"] == "missing" and error["msg"] == "Field required"

    @pytest.mark.parametrize("text", ["[]", "5", '"text"', "null", "true", "[{}]"])
    def test_not_an_object(self, closed, writer, text):
        error = error_at(send_text(closed, writer, text), ())
        assert error["type"] == "model_attributes_type"

    @pytest.mark.parametrize("content_type", [
        "application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8", "APPLICATION/JSON",
        "application/vnd.example+json", None])
    def test_content_types_that_are_json(self, closed, writer, content_type):
        text = json.dumps(closed.document.example(writer))
        assert send_text(closed, writer, text, content_type).status == 200

    @pytest.mark.parametrize("content_type", [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml",
        "application/jsonp", "json", "text/json", "application/json-patch", "application/json, text/plain"])
    def test_content_types_that_are_not(self, closed, writer, content_type):
        text = json.dumps(closed.document.example(writer))
        error = error_at(send_text(closed, writer, text, content_type), ())
        assert error["type"] == "model_attributes_type"

    @pytest.mark.parametrize("chunked", [False, True])
    @pytest.mark.parametrize("size", [4096, 200_000])
    def test_over_the_cap(self, stacks, writer, size, chunked):
        """The smaller one reaches the responder, the larger one is refused by nginx."""
        client = stacks.get({**CLOSED, **CAPS})
        body = json.dumps(client.document.example(writer)).encode().ljust(size)
        pieces = iter([body[i:i + 1000] for i in range(0, size, 1000)])
        answer = send_text(client, writer, pieces if chunked else body)
        assert (answer.status, answer.error_code) == (413, "request_body_too_large")
        assert answer.detail in {f"Request body exceeds limit of {cap} bytes" for cap in CAPS.values()}

    @pytest.mark.parametrize("chunked", [False, True])
    def test_exactly_at_the_cap(self, stacks, writer, chunked):
        client = stacks.get({**CLOSED, **CAPS})
        if not writer.path.startswith("/api/v1") or "workspace" in writer.path:
            pytest.skip("has another cap")
        cap = CAPS["AB_MAX_REQUEST_BODY_BYTES"]
        body = json.dumps(client.document.example(writer)).encode()
        for size, status in ((cap, 200), (cap + 1, 413)):
            padded = body.ljust(size)
            assert send_text(client, writer, iter([padded]) if chunked else padded).status == status

    def test_white_space_around_it(self, closed, writer):
        text = json.dumps(closed.document.example(writer), indent=4)
        assert send_text(closed, writer, f" \r\n\t{text}\n\n ").status == 200


# Bytes of a body, the place where reading cannot go on, and how far it may be off: a token's length.
BROKEN = {
    "empty text": (b" ", 1, 1),
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
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "deep nesting": (b'{"a":' + b"[" * 1000 + b"]" * 1000 + b"}", 5, 1000),
    "deep nesting not closed": (b"[" * 100_000, 0, 1000),
    "wrong bracket": (b'{"a":[1}', 7, 1),
    "bad escape": (b'{"a":"\\x"}', 5, 4),
    "word": (b"hello", 0, 5),
    "form": (b"a=1&b=2", 0, 1),
}
BROKEN["UTF-16"] = (BROKEN["UTF-16"], 0, 2)


class TestSyntax:
    @pytest.mark.parametrize("name", BROKEN)
    def test_is_refused_with_the_place(self, closed, writer, name):
        body, place, length = BROKEN[name]
        answer = send_text(closed, writer, body)
        assert (answer.status, answer.error_code) == (422, "validation_error")
        [error] = answer.detail
        assert (error["type"], error["msg"], error["input"]) == ("json_invalid", "JSON decode error", {})
        assert error["loc"][0] == "body" and error["ctx"]["error"]
        assert place <= error["loc"][1] <= place + length, error


class TestFields:
    def test_missing(self, closed, field):
        operation, place = field
        if not place.required:
            return
        example = closed.document.example(operation)
        answer = ask(closed, operation, closed.document.without(operation, example, place.location))
        error = error_at(answer, place.location)
        assert (error["type"], error["msg"]) == ("missing", "Field required")

    def test_wrong_type(self, closed, wrong):
        operation, place, value, code = wrong
        body = closed.document.with_value(operation, closed.document.example(operation), place.location, value)
        error = error_at(ask(closed, operation, body), place.location)
        assert error["type"] == code and error["input"] == value
        if code == "literal_error":
            *others, last = [f"'{word}'" for word in place.schema["enum"] if word is not None]
            expected = ", ".join(others) + " or " + last if others else last
            assert error["ctx"] == {"expected": expected} and error["msg"] == f"Input should be {expected}"

    def test_null(self, closed, field):
        operation, place = field
        body = closed.document.with_value(operation, closed.document.example(operation), place.location, None)
        answer = ask(closed, operation, body)
        if place.nullable:
            assert answer.status == 200 or ("body", *place.location) not in answer.errors()
        else:
            assert error_at(answer, place.location)["type"] == TYPE_ERRORS[place.kind]

    def test_outside_the_bound(self, closed, bound):
        operation, place, name = bound
        code, context, words, step = BOUNDS[name]
        limit = place.schema[name]
        whole = place.kind == "integer"
        shown = int(limit) if limit == int(limit) else limit
        values = [limit + step if whole else math.nextafter(limit, math.inf * step) if step else limit]
        values.append(limit + (1000 if "aximum" in name else -1000))
        for value in values:
            value = int(value) if whole else float(value)
            body = closed.document.with_value(operation, closed.document.example(operation), place.location, value)
            error = error_at(ask(closed, operation, body), place.location)
            assert error["type"] == code and error["ctx"] == {context: limit} and error["input"] == value
            assert error["msg"] == f"Input should be {words} {shown}"

    def test_on_the_bound(self, closed, bound):
        """The bound itself (or the number next to it) is no error of this field."""
        operation, place, name = bound
        limit, inward = place.schema[name], -math.inf if "aximum" in name else math.inf
        if name.startswith("exclusive"):
            limit = limit + math.copysign(1, inward) if place.kind == "integer" else math.nextafter(limit, inward)
        body = closed.document.with_value(operation, closed.document.example(operation), place.location, limit)
        answer = ask(closed, operation, body)
        assert answer.status != 422 or ("body", *place.location) not in answer.errors(), answer

    @pytest.mark.parametrize("value", [LARGEST_INTEGER + 1, 10**18, 10**30, float(10**17), str(LARGEST_INTEGER + 1),
                                       -LARGEST_INTEGER - 1, -(10**30)])
    def test_integers_that_are_not_exact(self, closed, field, value):
        operation, place = field
        if place.kind != "integer":
            return
        body = closed.document.with_value(operation, closed.document.example(operation), place.location, value)
        error = error_at(ask(closed, operation, body), place.location)
        assert error["type"] in ("less_than_equal", "less_than", "greater_than_equal", "greater_than")
        assert list(error["ctx"].values())[0] == place.schema.get("maximum" if float(value) > 0 else "minimum", place.schema.get(
            "exclusiveMinimum" if float(value) < 0 else "exclusiveMaximum", math.copysign(LARGEST_INTEGER, float(value))))

    def test_lengths(self, closed, field):
        operation, place = field
        document, example = closed.document, closed.document.example(operation)
        filler = "é" if place.kind == "string" else [document.fitting(place.schema["items"])] \
            if place.kind == "array" else None
        names = ("minLength", "maxLength") if place.kind == "string" else ("minItems", "maxItems")
        codes = ("string_too_short", "string_too_long") if place.kind == "string" else ("too_short", "too_long")
        for name, code, step in zip(names, codes, (-1, 1)):
            if filler is None or name not in place.schema:
                continue
            limit = place.schema[name]
            body = document.with_value(operation, example, place.location, filler * (limit + step))
            error = error_at(ask(closed, operation, body), place.location)
            assert error["type"] == code
            assert error["ctx"]["min_length" if step < 0 else "max_length"] == limit
            assert f"at {'least' if step < 0 else 'most'} {limit} " in error["msg"]
            if place.kind == "array":
                assert error["ctx"]["actual_length"] == limit + step and error["ctx"]["field_type"] == "List"
                assert error["msg"].endswith(f"after validation, not {limit + step}")
            inside = document.with_value(operation, example, place.location, filler * limit)
            answer = ask(closed, operation, inside)
            assert answer.status != 422 or ("body", *place.location) not in answer.errors()

    def test_extra_members(self, closed, shape):
        operation, location, _ = shape
        document, example = closed.document, closed.document.example(operation)
        body = document.with_value(operation, example, (*location, "no_such_member"), 7)
        error = error_at(ask(closed, operation, body), (*location, "no_such_member"))
        assert (error["type"], error["msg"], error["input"]) == (
            "extra_forbidden", "Extra inputs are not permitted", 7)

    def test_all_errors_come_together(self, closed, shape):
        """Every required member missing, one that is unknown; in the order of the schema."""
        operation, location, schema = shape
        document, example = closed.document, closed.document.example(operation)
        body = document.with_value(operation, example, (*location, "unknown"), 1)
        for name in [name for name in at(body, location) if name != "unknown"]:
            body = document.without(operation, body, (*location, name))
        answer = ask(closed, operation, body)
        required = [name for name in schema["properties"] if name in schema["required"]]
        assert list(answer.errors()) == [("body", *location, name) for name in [*required, "unknown"]]
        assert all(e["input"] == {"unknown": 1} for e in answer.detail if e["type"] == "missing")

    def test_every_field_wrong_at_once(self, closed, writer):
        """An error for each outermost field, whatever the others are."""
        outer = [f for f in closed.document.fields(writer) if len(f.location) == 1]
        body = {f.location[0]: WRONG_VALUES[f.kind][-1][0] for f in outer}
        answer = ask(closed, writer, body)
        assert [(e["loc"], e["type"]) for e in answer.detail] == [
            (["body", *f.location], WRONG_VALUES[f.kind][-1][1]) for f in outer]


class TestLenience:
    """What clients rely on: numbers as strings, integers as floats, words for booleans."""

    def test_numbers_in_other_clothes(self, closed, writer):
        document, example = closed.document, closed.document.example(writer)
        plain = ask(closed, writer, example).json()
        for field in document.fields(writer):
            try:
                value = at(example, field.location)
            except (KeyError, IndexError, TypeError):
                continue
            if field.kind not in ("integer", "number"):
                continue
            forms = [str(value), f" {value} ", f"{value:.17e}", float(value)]
            for form in forms:
                body = document.with_value(writer, example, field.location, form)
                assert ask(closed, writer, body).json() == plain, (str(field), form)

    @pytest.mark.parametrize("value", [True, False])
    def test_booleans_as_numbers(self, closed, field, value):
        operation, place = field
        if place.kind in ("integer", "number"):
            body = closed.document.with_value(operation, closed.document.example(operation), place.location, value)
            answer = ask(closed, operation, body)
            wrong = answer.errors().get(("body", *place.location)) if answer.status == 422 else None
            assert wrong is None or wrong["type"].startswith(("less_than", "greater_than")), wrong

    def test_words_for_booleans(self, closed, field):
        operation, place = field
        if place.kind != "boolean":
            return
        document, example = closed.document, closed.document.example(operation)
        for truth, words in {True: (1, 1.0, "1", "true", "TRUE", "Yes", "on", "t", "Y"),
                             False: (0, 0.0, "0", "false", "False", "no", "OFF", "f", "n")}.items():
            plain = ask(closed, operation, document.with_value(operation, example, place.location, truth))
            for word in words:
                body = document.with_value(operation, example, place.location, word)
                assert ask(closed, operation, body).body == plain.body, word


@pytest.mark.last
class TestSession:
    """Looks back on all exchanges of the session."""

    @pytest.fixture(autouse=True)
    def whole_session(self, request):
        chosen = {item.location[0].rsplit("/", 1)[-1] for item in request.session.items}
        names = {item.originalname for item in request.session.items if item.location[0].endswith("contract_test.py")}
        if not {"test_example_is_answered", "test_wrong_type", "test_other_methods_are_named_in_allow"} <= names:
            pytest.skip(f"needs all of contract_test.py; chosen are {sorted(chosen)}")

    def test_every_operation_was_seen_to_succeed_and_to_fail(self, stacks, closed):
        seen = {(operation.name, answer.status) for client in stacks.started.values()
                for answer in client.record.answers
                for operation in [client.document.find(answer.method, answer.bare_path)] if operation}
        paths_refused = {answer.bare_path for client in stacks.started.values()
                         for answer in client.record.answers if answer.status >= 400}
        for operation in closed.document.operations:
            assert (operation.name, 200) in seen, f"{operation.name} never answered 200"
            failed = any(name == operation.name and status >= 400 for name, status in seen)
            assert failed or operation.path in paths_refused, f"{operation.name} never answered an error"

    def test_answers_have_announced_statuses_only(self, stacks):
        """What nginx answers to broken requests needs no announcement."""
        unannounced = set()
        for client in stacks.started.values():
            for answer in client.record.answers:
                operation = client.document.find(answer.method, answer.bare_path)
                of_nginx = "Content-Language" not in answer.headers
                if operation and not of_nginx and str(answer.status) not in operation.spec["responses"]:
                    unannounced.add((operation.name, answer.status))
        assert not unannounced
