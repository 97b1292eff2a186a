"""The walk that the API document gives: each operation without a credential, with other roles, by other methods, with
unknown ids, with every parameter and every field of its body wrong in turn, and as it should be."""

import json

from openapi import wrong_values

UNKNOWN_IDS = ("no-such-thing", "00000000-0000-4000-8000-000000000000", "%E2%82%AC")
BROKEN = (b"{", b"[1]", b'{"a":NaN}', b'{"a":1,"a":2}', b"\xff", b"null")
METHODS = ("GET", "PUT", "POST", "PATCH", "DELETE")


class Walk:
    """`plan` has what no document tells:

    credentials     name: headers, the strongest first
    credential_of   operation -> the name of the one that is used
    values          name of a path parameter -> value, or a function of the operation
    queries         operationId: queries with which it succeeds (default: none)
    bodies          operationId: bodies with which it succeeds (default: the example of its document)
    contents        operationId: (headers, bytes) of bodies that are no JSON
    endless         operationIds of streams that do not end
    left_out        operationId: why it is not asked to succeed by the walk
    """

    def __init__(self, recorder, document, plan):
        self.recorder, self.document, self.plan = recorder, document, plan
        self.seen = set()  # components whose fields were walked

    def send(self, operation, path, credential=None, method=None, step=None, headers=None, **options):
        credential = self.plan.credential_of(operation) if credential is None else credential
        headers = {**self.plan.credentials.get(credential, {}), **(headers or {})}
        events = 3 if operation.name in self.plan.endless else None
        return self.recorder.send(method or operation.method, path, headers, events=events, step=step,
                                  route=f"{operation.method} {operation.path}", **options)

    def path(self, operation, word=None):
        parts = []
        for part in operation.path.split("/"):
            if part.startswith("{"):
                value = self.plan.values.get(part[1:-1], "no-such-thing")
                value = value(operation) if callable(value) else value
                part = str(value) if word is None else word
            parts.append(part)
        return "/".join(parts)

    def valid(self, operation):
        """Ways in which it should succeed: options of `send` each."""
        if operation.name in self.plan.contents:
            return [{"headers": headers, "data": data} for headers, data in self.plan.contents[operation.name]]
        if operation.name in self.plan.bodies:
            return [{"body": body} for body in self.plan.bodies[operation.name]]
        if self.json_body(operation):
            return [{"body": self.document.example(operation)}]
        return [{}]

    def json_body(self, operation):
        content = operation.spec.get("requestBody", {}).get("content", {})
        return "application/json" in content and self.document.body_schema(operation) is not None

    def reads(self, step):
        for operation in self.document.operations:
            if operation.method == "GET" and operation.name not in self.plan.left_out:
                for query in self.plan.queries.get(operation.name, [""]):
                    self.send(operation, self.path(operation) + query, step=step)

    def writes(self, step, deleting):
        for operation in self.document.operations:
            if operation.method != "GET" and (operation.method == "DELETE") == deleting and operation.name not in self.plan.left_out:
                for options in self.valid(operation):
                    for query in self.plan.queries.get(operation.name, [""]):
                        self.send(operation, self.path(operation) + query, step=step, **options)

    def refusals(self):
        for operation in self.document.operations:
            first = {**self.valid(operation)[0]}
            self.strangers(operation, first)
            self.methods(operation)
            self.unknown_ids(operation, first)
            self.wrong_queries(operation, first)
            if operation.spec.get("requestBody"):
                self.wrong_bodies(operation)

    def strangers(self, operation, valid):
        path = self.path(operation)
        if operation.method == "GET" or operation.spec.get("security"):
            self.send(operation, path, credential="none", step="stranger", **valid)
            self.send(operation, path, credential="wrong", step="wrong credential", **valid)
        own = self.plan.credential_of(operation)
        for name in self.plan.credentials:
            if name not in (own, "none", "wrong") and operation.spec.get("security"):
                options = valid if operation.method == "GET" else {"body": {"no_such_member": 1}}
                self.send(operation, path, credential=name, step=f"as {name}", **options)

    def methods(self, operation):
        path, known = self.path(operation), self.document.methods(self.path(operation))
        others = [method for method in METHODS if method not in known]
        for method in [*others[:1], "OPTIONS", "FOO"]:
            self.send(operation, path, method=method, step=f"method {method}")
        if operation.method == "GET" and operation.name not in self.plan.endless:
            self.send(operation, path, method="HEAD", step="head")
        if operation.path.startswith(("/api/", "/v1/")):
            self.send(operation, path + "/", step="slash more")

    def unknown_ids(self, operation, valid):
        if not operation.concrete:
            for word in UNKNOWN_IDS:
                self.send(operation, self.path(operation, word), step=f"unknown id {word}", **valid)

    def wrong_queries(self, operation, valid):
        path = self.path(operation)
        self.send(operation, path + "?no_such_parameter=1&a=b", step="unknown parameter", **valid)
        for parameter in operation.spec.get("parameters", []):
            if parameter["in"] != "query":
                continue
            field, name = self.document.field_of(parameter["schema"]), parameter["name"]
            values = {"string": [""], "enum": ["no%20such%20word"], "boolean": ["perhaps"]}.get(field.kind, ["abc", "1.5"])
            if "minimum" in field.schema:
                values.append(str(int(field.schema["minimum"]) - 1))
            if "maximum" in field.schema:
                values.append(str(int(field.schema["maximum"]) + 1))
            if field.schema.get("maxLength", 10**6) < 5000:
                values.append("x" * (field.schema["maxLength"] + 1))
            for value in values:
                self.send(operation, f"{path}?{name}={value}", step=f"query {name}={value[:20]}", **valid)

    def wrong_bodies(self, operation):
        path = self.path(operation)
        self.send(operation, path, step="no body")
        for number, data in enumerate(BROKEN):
            self.send(operation, path, data=data, headers={"Content-Type": "application/json"}, step=f"broken body {number}")
        self.send(operation, path, data=b"{}", headers={"Content-Type": "text/plain"}, step="text/plain")
        if not self.json_body(operation):
            return
        self.send(operation, path, body={}, step="empty body", headers={"Accept-Language": "de"})
        example = self.document.example(operation)
        self.send(operation, path, body={**example, "no_such_member": 1}, step="unknown member")
        for field in self.document.fields(operation, self.seen):
            for value in wrong_values(field):
                body = self.document.with_value(operation, example, field.location, value)
                self.send(operation, path, body=body, step=f"{field}={json.dumps(value)[:20]}")
            if field.required and not field.is_item:
                self.send(operation, path, body=self.document.without(operation, example, field.location), step=f"without {field}")
