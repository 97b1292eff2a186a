"""As much of OpenSearch as the service asks for, in memory, and ways to misbehave. `mode` is None, "error" (500),
"partial" (a shard failed), "late" (timed out), "empty" (no JSON) or "hang"; `lose` forgets the index, and
nothing with the word `refused` is stored. `without_vectors` is the engine without its k-NN plugin, `broken_vectors` one
whose indexes of vectors fail."""

import contextlib
import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

FIELDS = ("stems", "grams", "codes", "passage")
K1, B = 1.2, 0.75


def values_of(row, field):
    value = row.get(field)
    return value.split() if field in FIELDS and value is not None else [value]


def clause_of(nested):
    return nested["nested"]["query"]["knn"]["vectors.vector"]


def cosine(one, other):
    return sum(a * b for a, b in zip(one, other)) / (math.hypot(*one) * math.hypot(*other))


def nearness(nested, row):
    return max((cosine(clause_of(nested)["vector"], inner["vector"]) for inner in row["vectors"]), default=-2)


def matches(clause, row):
    (kind, inner), = clause.items()
    if kind == "nested":
        return matches(clause_of(clause)["filter"], row)
    if kind == "bool":
        return (all(matches(one, row) for one in inner.get("filter", ()))
                and not any(matches(one, row) for one in inner.get("must_not", ()))
                and (not inner.get("should") or any(matches(one, row) for one in inner["should"])))
    (field, wanted), = inner.items()
    if kind == "range":
        return row[field] <= wanted["lte"]
    if kind == "terms":
        return row.get(field) in wanted
    return (wanted["value"] if isinstance(wanted, dict) else wanted) in values_of(row, field)


class Index:
    def __init__(self):
        self.rows, self.found = {}, {}  # stored; found by searches

    def score(self, clause, row, rows):
        (field, wanted), = clause["term"].items()
        frequency = values_of(row, field).count(wanted["value"])
        if not frequency:
            return 0
        lengths = [len(values_of(other, field)) for other in rows if field in other]
        holding = sum(wanted["value"] in values_of(other, field) for other in rows)
        rarity = math.log(1 + (len(lengths) - holding + 0.5) / (holding + 0.5))
        norm = K1 * (1 - B + B * len(values_of(row, field)) / (sum(lengths) / len(lengths)))
        return wanted["boost"] * rarity * frequency / (frequency + norm)

    def aggregate(self, name, inner, rows):
        (kind, detail), *_ = inner.items()
        if kind == "filter":
            return {"doc_count": sum(matches(detail, row) for row in rows)}
        present = [row[detail["field"]] for row in rows if detail["field"] in row]
        if kind == "terms":
            return {"buckets": [{"key": key} for key in sorted(set(present))]}
        return {"value": float(sum(present)) if kind == "sum" else len(present)}

    def search(self, body):
        every = list(self.found.items())
        hits = [(name, row) for name, row in every if matches(body.get("query", {"bool": {}}), row)]
        should = body.get("query", {}).get("bool", {}).get("should", ())
        if should:
            rows = [row for _, row in every]
            hits.sort(key=lambda hit: -sum(self.score(clause, hit[1], rows) for clause in should if "term" in clause))
        if "nested" in body.get("query", {}):
            hits.sort(key=lambda hit: -nearness(body["query"], hit[1]))
        return {"hits": {"total": {"value": len(hits)},
                         "hits": [{"_id": name, "_source": row} for name, row in hits[:body.get("size", 10)]]},
                "aggregations": {name: self.aggregate(name, inner, [row for _, row in hits])
                                 for name, inner in body.get("aggs", {}).items()}}


class FakeOpenSearch:
    def __init__(self):
        self.indexes, self.mode, self.refused, self.calls, self.lock = {}, None, None, [], threading.Lock()
        self.without_vectors = self.broken_vectors = False
        self.leave = threading.Event()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def serve(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                if fake.mode == "hang":
                    fake.leave.wait(20)
                with fake.lock:
                    status, answer = fake.answer(self.command, urlsplit(self.path), body)
                content = b"nothing" if fake.mode == "empty" else json.dumps(answer).encode()
                with contextlib.suppress(OSError):  # the other side may have left
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            do_GET = do_POST = do_PUT = serve

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave.set()
        self.server.shutdown()
        self.server.server_close()

    def lose(self):
        with self.lock:
            self.indexes.clear()

    def add(self, name, row, alias="assay-support"):
        """As if somebody else had stored it."""
        with self.lock:
            self.indexes[alias].rows[name] = self.indexes[alias].found[name] = row

    def rows(self, alias="assay-support"):
        with self.lock:
            return list(self.indexes[alias].rows.values()) if alias in self.indexes else []

    def whole(self, answer):
        return {**answer, "timed_out": self.mode == "late",
                "_shards": {"total": 1, "successful": 1, "failed": int(self.mode == "partial")}}

    def answer(self, method, url, body):
        self.calls.append((method, url.path))
        if self.mode == "error":
            return 500, {"error": {"type": "broken"}}
        alias, _, action = url.path.strip("/").partition("/")
        if self.broken_vectors and "-vectors-" in alias:
            return 500, {"error": {"type": "broken"}}
        if method == "PUT" and self.without_vectors and "index.knn" in json.loads(body)["settings"]:
            return 400, {"error": {"type": "illegal_argument_exception"}}
        if method == "PUT":
            self.indexes.setdefault(*[(name, Index()) for name in json.loads(body)["aliases"]][0])
            return 200, {"acknowledged": True}
        if action == "_msearch":
            lines = [json.loads(line) for line in body.splitlines()]
            assert all(line["routing"] for line in lines[::2])
            return 200, {"responses": [self.search(alias, line) for line in lines[1::2]]}
        if action == "_bulk" and self.refused and self.refused in body:
            return 200, {"errors": True, "items": [{"index": {"error": {"type": "refused"}}}]}
        if action == "_bulk":
            return 200, self.bulk(alias, [json.loads(line) for line in body.splitlines()])
        if alias not in self.indexes:
            return 404, {"error": {"type": "index_not_found_exception"}}
        if action == "_refresh":
            self.indexes[alias].found = dict(self.indexes[alias].rows)
            return 200, self.whole({})
        assert "size=0" in url.query or parse_qs(url.query)["routing"], url
        return 200, self.search(alias, json.loads(body or "{}"))

    def search(self, alias, body):
        if alias not in self.indexes:
            return {"status": 404}
        return self.whole({"status": 200, **self.indexes[alias].search(body)})

    def bulk(self, alias, lines):
        if alias not in self.indexes:
            return {"errors": True, "items": [{"index": {"error": {"type": "index_not_found_exception"}}}]}
        rows, at = self.indexes[alias].rows, 0
        while at < len(lines):
            if "delete" in lines[at]:
                rows.pop(lines[at]["delete"]["_id"], None)
                at += 1
            else:
                rows[lines[at]["index"]["_id"]] = lines[at + 1]
                at += 2
        return {"errors": False}
