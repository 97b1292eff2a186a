"""Calls operations by the document alone: with the right token, and on resources made for them.

A path like /things/{thing_id}/name is called on a thing that POST /things has made from its example.
"""

import itertools
import json

from conftest import TOKENS

OPERATOR_PATHS = ("/api/v1/keys", "/api/v1/webhooks")

# Things that are made under another name: a running experiment is a project.
MADE_BY = {"/api/v1/experiments": "/api/v1/projects"}


# Of names that only one may have. Several callers may call one stack.
NUMBERS = itertools.count(1)

# A form with a file of users.
DATA_FORM = (
    b'--data\r\nContent-Disposition: form-data; name="mapping"\r\n\r\n'
    b'{"arm":"variant","value":"revenue","metric_type":"continuous"}\r\n'
    b'--data\r\nContent-Disposition: form-data; name="file"; filename="users.csv"\r\n\r\n'
    b"variant,revenue\na,1\na,2\na,4\nb,2\nb,5\nb,6\n\r\n--data--\r\n"
)


def token_for(path):
    name = "AB_ADMIN_TOKEN" if path.startswith(OPERATOR_PATHS) else "AB_API_TOKEN"
    return {"Authorization": f"Bearer {TOKENS[name]}"}


class Caller:
    """Calls the operations of one stack that has all tokens configured."""

    def __init__(self, client):
        self.client = client
        self.document = client.document
        self.kept = {}  # collection path: id of a resource that only refused calls are made on

    def example(self, operation):
        example = self.document.example(operation)
        if operation.path.startswith(("/api/v1/metrics", "/api/v1/segments")):  # no two of them have one name
            example["name"] += f" {next(NUMBERS)}"
        return example

    def path(self, operation, fresh=False):
        """The operation's path with ids of existing resources; new ones where the call may change them."""
        path = operation.path
        adaptive = operation.name in ("read_adaptive", "delete_adaptive")
        # Experiments become adaptive before their first exposure; with planned looks they have no certificate.
        fresh = fresh or adaptive or operation.name in ("write_adaptive", "take_look")
        while "{" in path:
            collection, rest = path.split("/{", 1)
            path = f"{collection}/{self._resource(collection, fresh)}{rest.split('}', 1)[1]}"
        if adaptive:
            self.client.send("PUT", path, json={"floor": 0.1}, headers=token_for(path))
        if operation.name == "take_look":
            self._plan_looks(path.split("/")[4])
        return path

    def _plan_looks(self, project):
        design = self.example(self.document.find("POST", "/api/v1/projects"))
        design["constraints"]["planned_looks"] = {"information_fractions": [0.5, 1]}
        path = f"/api/v1/projects/{project}"
        self.client.send("PUT", path, json=design, headers=token_for(path))

    def _resource(self, collection, fresh):
        if collection.endswith("/deliveries"):  # a delivery is made by a test of its webhook
            where = collection.removesuffix("deliveries") + "test"
            return self.send(self.document.find("POST", where), where).json()["delivery_id"]
        if collection == "/share":  # a link is opened by its token
            return self._share()["token"]
        if collection == "/api/v1/results/file/tasks":
            return self._send_file(collection).json()["id"]
        if fresh or collection not in self.kept:
            made_by = MADE_BY.get(collection, collection)
            maker = self.document.find("POST", made_by)
            answer = self.send(maker, made_by, self.example(maker))
            assert answer.status == 200, answer
            made = answer.json()
            # These come with their uses beside them.
            made = next((made[name] for name in ("metric", "segment") if isinstance(made.get(name), dict)), made)
            if fresh:
                return made["id"]
            self.kept[collection] = made["id"]
        return self.kept[collection]

    def _send_file(self, path):
        return self.client.send("POST", path, data=DATA_FORM, headers={
            **token_for(path), "Content-Type": "multipart/form-data; boundary=data"})

    def _share(self):
        experiment = self._resource("/api/v1/experiments", fresh=True)
        path = f"/api/v1/experiments/{experiment}/report/shares"
        answer = self.send(self.document.find("POST", path), path, {})
        assert answer.status == 200, answer
        return answer.json()

    def send(self, operation, path, value=None, method=None, headers=None, **options):
        headers = {**token_for(path), **(headers or {})}
        return self.client.send(method or operation.method, path, json=value, headers=headers, **options)

    def ask(self, operation, value=None, **options):
        """A call that is expected to be refused, or to change nothing."""
        return self.send(operation, self.path(operation), value, **options)

    def succeed(self, operation, value=None):
        """A call on fresh resources. Where the state of a resource forbids it, its other actions are
        tried before it once."""
        path = self.path(operation, fresh=True)
        if operation.method == "POST" and path.startswith("/api/v1/workspace/"):  # takes what the export gives
            return self.send_text(operation, self.client.get("/api/v1/workspace/export", headers=token_for(path)).text)
        if operation.name in ("results_file", "order_results_file"):
            return self._send_file(path)
        if value is None and self.document.body_schema(operation):
            value = self.example(operation)
        answer = self.send(operation, path, value)
        if answer.status == 409:
            for other in self.document.operations:
                if other.path.startswith(operation.path + "/") and other.method == "POST":
                    self.send(other, path + other.path[len(operation.path):])
            answer = self.send(operation, path, value)
        return answer

    def send_text(self, operation, text, content_type="application/json", fresh=False, client=None):
        """A body as bytes, or in pieces when it is an iterator."""
        data = text.encode() if isinstance(text, str) else text
        headers = {**token_for(operation.path), "Content-Type": content_type}
        path = self.path(operation, fresh)
        return (client or self.client).send(operation.method, path, data=data, headers=headers)

    def text(self, operation):
        return json.dumps(self.example(operation))


def for_all(cases, check):
    """check(case) for every case; fails with what all of them said."""
    said = []
    for case in cases:
        try:
            check(case)
        except AssertionError as error:
            said.append(f"{case}: {str(error)[:600]}")
    assert not said, f"{len(said)} of the cases:\n" + "\n\n".join(said[:8])
