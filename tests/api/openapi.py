"""Reads an OpenAPI document: its operations, the fields of their bodies, and documents that fit them.

Knows JSON Schema as the service writes it, and nothing of any particular route.
"""

import copy
import math
from dataclasses import dataclass

import jsonschema

# Weights are written as they came: whole ones without a point.
PLAIN_NUMBERS = {"traffic_split"}
METHODS = ("get", "put", "post", "delete", "patch")


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    spec: dict

    @property
    def name(self):
        return self.spec["operationId"]

    @property
    def success(self):
        """The status of its first success: 200, or 202 where the work comes later."""
        return min(int(status) for status in self.spec["responses"] if status.startswith("2"))

    @property
    def concrete(self):
        """Its path can be asked for as it stands."""
        return "{" not in self.path


@dataclass(frozen=True)
class Field:
    """One value inside a body: a member of an object, or item 0 of a list."""

    location: tuple
    schema: dict  # without the null alternative, reference resolved
    nullable: bool
    required: bool
    is_item: bool

    @property
    def kind(self):
        if "enum" in self.schema:
            return "enum"
        if self.schema.get("format") == "date-time":
            return "moment"
        kind = self.schema.get("type", "any")
        kind = [k for k in kind if k != "null"][0] if isinstance(kind, list) else kind
        return "dictionary" if kind == "object" and "properties" not in self.schema else kind

    def __str__(self):
        return ".".join(map(str, self.location))


class Document:
    """One OpenAPI document."""

    def __init__(self, spec):
        self.spec = spec
        self.resolver = jsonschema.RefResolver.from_schema(spec)
        self.operations = [
            Operation(method.upper(), path, item[method])
            for path, item in spec["paths"].items() for method in METHODS if method in item]
        self.found = {}  # path: its operations; looked for with every answer

    def find(self, method, path):
        """The operation that answers, or None. HEAD is answered by GET."""
        wanted = "GET" if method == "HEAD" else method
        for operation in self.at_path(path):
            if operation.method == wanted:
                return operation
        return None

    def methods(self, path):
        return {operation.method for operation in self.at_path(path)}

    def at_path(self, path):
        """The operations of a path; what is named word by word comes before a placeholder."""
        if path not in self.found:
            fitting = [operation for operation in self.operations if self.matches(operation.path, path)]
            fewest = min((operation.path.count("{") for operation in fitting), default=0)
            self.found[path] = [operation for operation in fitting if operation.path.count("{") == fewest]
        return self.found[path]

    @staticmethod
    def matches(template, path):
        ours, theirs = template.split("/"), path.split("/")
        return len(ours) == len(theirs) and all(
            a == b or (a.startswith("{") and b) for a, b in zip(ours, theirs))

    def resolve(self, schema):
        while "$ref" in schema:
            schema = self.resolver.resolve(schema["$ref"])[1]
        return schema

    def component(self, name):
        return self.spec["components"]["schemas"][name]

    def reply_schema(self, operation):
        return self._content(operation.spec["responses"]["200"])

    def response_schema(self, operation, status):
        """The schema of an answer, or None where the operation does not announce the status."""
        response = operation.spec["responses"].get(str(status))
        return None if response is None else self._content(self.resolve(response))

    def body_schema(self, operation):
        """None where there is no body, or one that is taken as it comes."""
        body = operation.spec.get("requestBody")
        schema = None if body is None else self._content(body)
        return None if schema == {"type": "string"} else schema

    def _content(self, holder):
        content = holder.get("content", {}).get("application/json")
        return None if content is None else self.resolve(content["schema"])

    def example(self, operation):
        """A body that the operation takes."""
        return self.fitting(self.body_schema(operation))

    def media_types(self, operation, status):
        response = operation.spec["responses"].get(str(status), {})
        return set(self.resolve(response).get("content", {}))

    def problems(self, schema, value):
        """What jsonschema says against the value."""
        validator = jsonschema.Draft202012Validator(schema, resolver=self.resolver)
        return [f"{'/'.join(map(str, e.path))}: {e.message}" for e in validator.iter_errors(value)]

    def mistyped_numbers(self, schema, value, where=""):
        """Numbers written in the wrong form: a float without a point, an integer with one."""
        schema, nullable = self._unfold(schema)
        if value is None and nullable:
            return []
        kind = Field((), schema, nullable, True, False).kind
        if kind == "number" and not isinstance(value, float):
            return [f"{where}: {value!r} should have a decimal point"]
        if kind == "integer" and not isinstance(value, int):
            return [f"{where}: {value!r} should have none"]
        if kind == "array":
            return [complaint for i, item in enumerate(value)
                    for complaint in self.mistyped_numbers(schema["items"], item, f"{where}/{i}")]
        if kind == "object":
            return [complaint for name, member in schema.get("properties", {}).items() if name in value
                    if name not in PLAIN_NUMBERS
                    for complaint in self.mistyped_numbers(member, value[name], f"{where}/{name}")]
        return []

    def _unfold(self, schema):
        """The schema without its null alternative, and whether it had one."""
        schema = self.resolve(schema)
        nullable = isinstance(schema.get("type"), list) and "null" in schema["type"]
        if "anyOf" in schema:
            rest = [s for s in schema["anyOf"] if s.get("type") != "null"]
            nullable = len(rest) < len(schema["anyOf"])
            schema = self.resolve(rest[0])
        return schema, nullable

    def field_of(self, schema):
        """A schema as a field of its own."""
        inner, nullable = self._unfold(schema)
        return Field((), inner, nullable, False, False)

    @staticmethod
    def component_of(schema):
        """The name of the component that a schema, its items or its alternatives refer to, or None."""
        for each in (schema, schema.get("items", {}), *schema.get("anyOf", [])):
            if "$ref" in each:
                return each["$ref"]
        return None

    def fields(self, operation, seen=None):
        """All fields of the operation's body, outer ones first. Components in `seen` are not entered
        again, and those entered are added to it."""
        found, body = [], operation.spec["requestBody"]["content"]["application/json"]["schema"]
        seen = set() if seen is None else seen
        if self.component_of(body) not in seen:
            seen.add(self.component_of(body))
            self._collect(self.resolve(body), (), found, seen)
        return found

    def _collect(self, schema, location, found, seen):
        for name, member in schema.get("properties", {}).items():
            inner, nullable = self._unfold(member)
            field = Field((*location, name), inner, nullable, name in schema.get("required", []), False)
            self._add(field, self.component_of(member), found, seen)

    def _add(self, field, component, found, seen):
        found.append(field)
        if field.kind == "object":
            if component is None or component not in seen:
                seen.add(component)
                self._collect(field.schema, field.location, found, seen)
        elif field.kind == "array":
            item, nullable = self._unfold(field.schema["items"])
            self._add(Field((*field.location, 0), item, nullable, False, True), component, found, seen)

    def fitting(self, schema):
        """Some value that fits the schema: its example, or else as small as possible."""
        schema, _ = self._unfold(schema)
        field = Field((), schema, False, True, False)
        if "examples" in schema:
            return copy.deepcopy(schema["examples"][0])
        if field.kind == "enum":
            return schema["enum"][0]
        if field.kind in ("integer", "number"):
            return self._fitting_number(schema, field.kind == "integer")
        if field.kind in ("moment", "any"):  # a moment that is sent may be text or a number
            return "2026-07-31T12:00:00Z"
        if field.kind == "string":
            return "x" * max(1, schema.get("minLength", 0))
        if field.kind == "boolean":
            return True
        if field.kind == "array":
            return [self.fitting(schema["items"]) for _ in range(max(1, schema.get("minItems", 0)))]
        return {name: self.fitting(schema["properties"][name]) for name in schema.get("required", [])}

    @staticmethod
    def _fitting_number(schema, whole):
        lower = schema.get("exclusiveMinimum", schema.get("minimum", -math.inf))
        upper = schema.get("exclusiveMaximum", schema.get("maximum", math.inf))
        for value in (3, 2, 1, 0, 0.5, 0.75, 0.05, (lower + upper) / 2):
            if lower < value < upper and (not whole or value == int(value)):
                return value
        return lower if math.isfinite(lower) else upper

    def with_value(self, operation, body, location, value):
        """A copy of the body with a value put at the location; objects and lists on the way to it
        are made where the body has none."""
        body = copy.deepcopy(body)
        at, schema = body, self.body_schema(operation)
        for step in location[:-1]:
            inner = self._unfold(schema["items"] if isinstance(step, int) else schema["properties"][step])[0]
            if isinstance(step, int):
                at[step] = at[step] if at[step] is not None else self.fitting(inner)
            elif at.get(step) is None:
                at[step] = self.fitting(inner)
            at, schema = at[step], inner
        at[location[-1]] = value
        return body

    def without(self, operation, body, location):
        """A copy of the body without the member at the location."""
        body = self.with_value(operation, body, location, None)
        at = body
        for step in location[:-1]:
            at = at[step]
        del at[location[-1]]
        return body


# A value of another type for each kind of field.
OTHER_TYPE = {"string": 5, "integer": "x", "number": "x", "boolean": "x", "enum": "no such word", "array": "x", "object": "x",
              "dictionary": 5, "moment": "yesterday"}


def wrong_values(field):
    """Values that a field does not take: another type, null, and what is just outside its bounds."""
    values, schema = [OTHER_TYPE[field.kind]] if field.kind in OTHER_TYPE else [], field.schema
    if not field.nullable and not field.is_item and field.kind != "any":
        values.append(None)
    if "minimum" in schema:
        values.append(schema["minimum"] - 1)
    if "maximum" in schema:
        values.append(schema["maximum"] + 1)
    if "exclusiveMinimum" in schema:
        values.append(schema["exclusiveMinimum"])
    if schema.get("minLength"):
        values.append("")
    if field.kind == "string" and schema.get("maxLength", 10**6) < 3000:
        values.append("x" * (schema["maxLength"] + 1))
    return values


def at(body, location):
    """The value at a location of a body."""
    for step in location:
        body = body[step]
    return body
