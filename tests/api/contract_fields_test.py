"""Every field of every request body, read off /openapi.json: types, bounds, lengths, words, and what is
forgiven. Fields of shapes that several operations share are tested with the first of them."""

import math

import pytest

from caller import Caller
from conftest import CLOSED, STACKS
from openapi import at

TYPE_ERRORS = {
    "string": "string_type", "integer": "int_type", "number": "float_type", "boolean": "bool_type",
    "array": "list_type", "enum": "literal_error", "object": "model_attributes_type",
    "dictionary": "dict_type", "moment": "datetime_parsing",
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
    "dictionary": [(5, "dict_type"), ("x", "dict_type"), ([], "dict_type")],
    "moment": [("yesterday", "datetime_parsing"), ("2026-13-01", "datetime_parsing"), (True, "datetime_parsing"),
               ([], "datetime_parsing"), ({}, "datetime_parsing")],
    "any": [],
}
BOUNDS = {
    "minimum": ("greater_than_equal", "ge", "greater than or equal to", -1),
    "exclusiveMinimum": ("greater_than", "gt", "greater than", 0),
    "maximum": ("less_than_equal", "le", "less than or equal to", 1),
    "exclusiveMaximum": ("less_than", "lt", "less than", 0),
}
LARGEST_INTEGER = 2**53


# Tests of what is done with a kind of field, whichever it is: one field of the kind shows it for its operation, and
# `make soak` walks all of them. The other tests are about what the row of a field says.
NUMBERS = ("integer", "number")
OF_KINDS = {"test_integers_that_are_not_exact": ("integer",), "test_first_integer_that_a_double_cannot_hold": ("integer",),
            "test_numbers_in_other_clothes": NUMBERS, "test_booleans_as_numbers": NUMBERS,
            "test_words_for_booleans": ("boolean",)}


def of_kinds(document, places, kinds):
    """The places of these kinds; after the first of a kind in an operation's example, the others for `make soak`."""
    shown = set()
    for operation, field in places:
        kind = (operation.name, field.kind)
        if field.kind in kinds:
            yield pytest.param((operation, field), id=f"{operation.name}-{field}",
                               marks=[pytest.mark.soak] if kind in shown else [])
            if value_at(document.example(operation), field) is not None:
                shown.add(kind)


def value_at(body, field):
    """None where the body has no such field."""
    try:
        return at(body, field.location)
    except (KeyError, IndexError, TypeError):
        return None


def pytest_generate_tests(metafunc):
    """Fixtures `place`: an operation and one of its fields; `shape`: an operation and one of its objects."""
    document = metafunc.config.stash[STACKS].get(CLOSED).document
    seen, places, shapes = set(), [], []
    for operation in document.operations:
        schema = document.body_schema(operation)
        if schema and not operation.path.startswith("/ofrep/"):  # 400, as its protocol says
            fields = document.fields(operation, seen)
            places += [(operation, field) for field in fields]
            shapes += [(operation, (), schema)] if fields else []
            shapes += [(operation, f.location, f.schema) for f in fields if f.kind == "object" and any(
                other.location[:len(f.location)] == f.location and other is not f for other in fields)]
    if "place" in metafunc.fixturenames:
        kinds = OF_KINDS.get(metafunc.function.__name__)
        if kinds is None:
            metafunc.parametrize("place", places, ids=[f"{o.name}-{f}" for o, f in places])
        else:
            metafunc.parametrize("place", list(of_kinds(document, places, kinds)))
    if "shape" in metafunc.fixturenames:
        metafunc.parametrize("shape", shapes, ids=["-".join([o.name, *map(str, at)]) for o, at, _ in shapes])


CALLERS = {}


def is_secret(name):
    """What is not sent back, by its name."""
    bare = str(name).replace("_", "").lower()
    return any(word in bare for word in ("secret", "token", "password", "apikey", "authorization"))


def field_errors(answer):
    """Errors by place, without those of rules that span several fields: the smallest document that
    fits the schema may break some."""
    return {place: error for place, error in answer.errors().items() if error["type"] != "value_error"}


class Bench:
    """One field of one operation, with a body to put it in."""

    def __init__(self, caller, operation, field):
        self.caller, self.operation, self.field = caller, operation, field
        self.document, self.body = caller.document, caller.example(operation)

    def put(self, value):
        body = self.document.with_value(self.operation, self.caller.example(self.operation), self.field.location, value)
        return self.caller.ask(self.operation, body)

    def without(self):
        return self.caller.ask(self.operation, self.document.without(self.operation, self.body, self.field.location))

    def error(self, answer):
        """The one error, which is at this field."""
        errors = field_errors(answer)
        assert list(errors) == [("body", *self.field.location)], answer
        return errors["body", *self.field.location]

    def accepts(self, answer):
        """Rules that span several fields may still refuse the document."""
        return answer.status != 422 or ("body", *self.field.location) not in answer.errors()


@pytest.fixture
def caller(closed):
    return CALLERS.setdefault(closed, Caller(closed))


@pytest.fixture
def bench(caller, place):
    return Bench(caller, *place)


class TestField:
    def test_absence(self, bench):
        if bench.field.is_item:
            return
        answer = bench.without()
        if bench.field.required:
            error = bench.error(answer)
            assert (error["type"], error["msg"]) == ("missing", "Field required")
        else:
            assert bench.accepts(answer)

    def test_null(self, bench):
        answer = bench.put(None)
        if bench.field.kind == "any":  # any JSON, or a moment, which is text or a number
            assert bench.accepts(answer) or bench.error(answer)["type"] == "datetime_parsing"
        elif bench.field.nullable:
            assert bench.accepts(answer)
        else:
            assert bench.error(answer)["type"] == TYPE_ERRORS[bench.field.kind]

    def test_wrong_types(self, bench):
        for value, code in WRONG_VALUES[bench.field.kind]:
            error = bench.error(bench.put(value))
            shown = "***" if is_secret(bench.field.location[-1]) else value
            assert error["type"] == code and error["input"] == shown, error
            if code == "literal_error":
                *others, last = [f"'{word}'" for word in bench.field.schema["enum"] if word is not None]
                expected = ", ".join(others) + " or " + last if others else last
                assert error["ctx"] == {"expected": expected} and error["msg"] == f"Input should be {expected}"

    def test_bounds(self, bench):
        whole = bench.field.kind == "integer"
        for name in BOUNDS:
            if name not in bench.field.schema:
                continue
            code, context, words, step = BOUNDS[name]
            limit = bench.field.schema[name]
            outward = math.inf if "aximum" in name else -math.inf
            just_outside = limit + step if whole else math.nextafter(limit, outward) if step else limit
            for value in (just_outside, limit + math.copysign(1000, outward)):
                value = int(value) if whole else float(value)
                error = bench.error(bench.put(value))
                assert error["type"] == code and error["ctx"] == {context: limit} and error["input"] == value
                shown = int(limit) if limit == int(limit) else limit
                assert error["msg"] == f"Input should be {words} {shown}"
            just_inside = limit if step else limit - math.copysign(1, outward) if whole else \
                math.nextafter(limit, -outward)
            assert bench.accepts(bench.put(int(just_inside) if whole else just_inside))

    def test_integers_that_are_not_exact(self, bench):
        schema, codes = bench.field.schema, {"less_than_equal", "less_than", "greater_than_equal", "greater_than"}
        for value in (LARGEST_INTEGER + 2, 10**18, 10**30, 1e17, -LARGEST_INTEGER - 2, -(10**30)):
            error = bench.error(bench.put(value))
            assert error["type"] in codes, error
            names = ("maximum", "exclusiveMaximum") if value > 0 else ("minimum", "exclusiveMinimum")
            limit = next((schema[n] for n in names if n in schema), math.copysign(LARGEST_INTEGER, value))
            assert list(error["ctx"].values()) == [limit]

    @pytest.mark.parametrize("value", [LARGEST_INTEGER + 1, str(LARGEST_INTEGER + 1), -LARGEST_INTEGER - 1])
    def test_first_integer_that_a_double_cannot_hold(self, bench, value):
        """It must not be taken for its neighbour."""
        assert bench.error(bench.put(value))["type"].startswith(("less_than", "greater_than"))

    def test_lengths(self, bench):
        schema = bench.field.schema
        for name, code, step in (("minLength", "string_too_short", -1), ("maxLength", "string_too_long", 1),
                                 ("minItems", "too_short", -1), ("maxItems", "too_long", 1)):
            if name not in schema:
                continue
            limit, is_list = schema[name], name.endswith("Items")
            filler = [bench.document.fitting(schema["items"])] if is_list else "é"
            error = bench.error(bench.put(filler * (limit + step)))
            assert error["type"] == code
            assert error["ctx"]["min_length" if step < 0 else "max_length"] == limit
            assert f"at {'least' if step < 0 else 'most'} {limit} " in error["msg"]
            if is_list:
                assert error["ctx"]["actual_length"] == limit + step and error["ctx"]["field_type"] == "List"
                assert error["msg"].endswith(f"after validation, not {limit + step}")
            assert bench.accepts(bench.put(filler * limit))


class TestShape:
    def test_members_that_nobody_knows(self, caller, shape):
        operation, location, schema = shape
        body = caller.document.with_value(operation, caller.example(operation), (*location, "no_such_member"), 7)
        answer, place = caller.ask(operation, body), ("body", *location, "no_such_member")
        if schema.get("additionalProperties") is False:
            errors = field_errors(answer)
            assert list(errors) == [place]
            assert (errors[place]["type"], errors[place]["msg"], errors[place]["input"]) == (
                "extra_forbidden", "Extra inputs are not permitted", 7)
        else:
            assert answer.status != 422 or place not in answer.errors()

    def test_all_errors_come_together(self, caller, shape):
        """Every required member missing, one that is unknown; in the order of the schema."""
        operation, location, schema = shape
        body = caller.document.with_value(operation, caller.example(operation), (*location, "unknown"), 1)
        for name in [name for name in at(body, location) if name != "unknown"]:
            body = caller.document.without(operation, body, (*location, name))
        required = [name for name in schema["properties"] if name in schema.get("required", [])]
        unknown = ["unknown"] if schema.get("additionalProperties") is False else []
        answer = caller.ask(operation, body)
        if required + unknown:
            assert list(field_errors(answer)) == [("body", *location, name) for name in required + unknown]
            assert all(e["input"] == {"unknown": 1} for e in answer.detail if e["type"] == "missing")

    def test_every_member_wrong_at_once(self, caller, shape):
        operation, location, schema = shape
        fields = {name: caller.document.field_of(member) for name, member in schema["properties"].items()}
        wrong = {name: WRONG_VALUES[field.kind][-1] for name, field in fields.items() if WRONG_VALUES[field.kind]}
        if not wrong:
            return
        body = caller.example(operation)
        for name, (value, _) in wrong.items():
            body = caller.document.with_value(operation, body, (*location, name), value)
        found = [(place, error["type"]) for place, error in field_errors(caller.ask(operation, body)).items()]
        assert found == [(("body", *location, name), code) for name, (_, code) in wrong.items()]


class TestForgiven:
    """What clients rely on: numbers as strings, integers as floats, words for booleans."""

    def test_numbers_in_other_clothes(self, bench):
        value = value_at(bench.body, bench.field)
        if value is None:
            return
        plain = bench.put(value)
        comparable = plain.body == bench.put(value).body
        digits = f"{value}.0" if bench.field.kind == "integer" else f"{value:.17e}"  # an integer has no exponent
        for form in (str(value), f" {value} ", digits, float(value)):
            answer = bench.put(form)
            assert answer.status == plain.status == bench.operation.success and (not comparable or answer.body == plain.body), form

    def test_booleans_as_numbers(self, bench):
        for value in (True, False):
            answer = bench.put(value)
            assert bench.accepts(answer) or bench.error(answer)["type"].startswith(("less_than", "greater_than"))

    def test_words_for_booleans(self, bench):
        for word in (True, 1, 1.0, "1", "true", "TRUE", "Yes", "on", "t", "Y",
                     False, 0, 0.0, "0", "false", "False", "no", "OFF", "f", "n"):
            assert bench.accepts(bench.put(word)), word
