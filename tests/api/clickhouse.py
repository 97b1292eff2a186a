"""A stand-in for ClickHouse that takes inserts and misbehaves on demand: it keeps what was inserted, knows sessions as the
real one does, and answers where the last block is. What it cannot do is compute: that is tested with the real one
(tests/scale)."""

import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

NO_TABLE, NO_SESSION, LOCKED = 60, 372, 373


class Refusal(Exception):
    """An exception of the server, with its code."""


class StandIn:
    """`faults` is a list of what the next inserts do, one each: "lost" (closes the connection, nothing is inserted),
    "late" (the same, and inserts a second later), "unheard" (inserts, closes without an answer), "refused" (500), "cut"
    and "unended" (the connection ends in mid-body, so the first half of the lines, or all but the last, are kept)."""

    def __init__(self):
        self.faults, self.done = [], Counter()
        self.tables, self.sessions, self.busy = {}, {}, set()
        self.inserts = 0
        self.away = False
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                outer.handle(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def handle(self, request):
        given = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
        body = request.rfile.read(int(request.headers.get("Content-Length", 0))).decode()
        statement = given.get("query", body)
        if self.away:
            request.close_connection = True
            return
        try:
            with self.lock:
                self.check_session(given)
            status, text = 200, self.run(statement, body, given)
        except Refusal as refusal:
            status, text = 500, f"Code: {refusal.args[0]}, e.displayText() = DB::Exception: {refusal.args[1]}"
        if text is None:
            request.close_connection = True
            return
        request.send_response(status)
        request.send_header("Content-Length", str(len(text.encode())))
        request.end_headers()
        request.wfile.write(text.encode())

    def check_session(self, given):
        name, now = given.get("session_id"), time.monotonic()
        if name is None:
            return
        if name in self.busy:
            raise Refusal(LOCKED, "Session is locked by a concurrent client.")
        if "session_check" in given and self.sessions.get(name, 0) < now:
            raise Refusal(NO_SESSION, "Session not found.")
        self.sessions[name] = now + int(given["session_timeout"])

    def run(self, statement, body, given):
        words = statement.split()
        with self.lock:
            if words[:2] == ["CREATE", "TABLE"]:
                self.tables.setdefault(words[5], [])
            elif words[:2] == ["DROP", "TABLE"]:
                self.tables.pop(words[4], None)
            elif words[0] == "INSERT":
                pass
            elif "sum(row_block * row_sign) AS b" in statement:
                return self.mark(re.search(r"FROM (\S+)", statement)[1])
            elif statement != "SELECT 1" and words[0] == "SELECT":
                raise Refusal(48, "the stand-in does not compute")
        return self.insert(words[2], body, given) if words[0] == "INSERT" else "1\n"

    def rows_of(self, table):
        if table not in self.tables:
            raise Refusal(NO_TABLE, f"Table {table} doesn't exist.")
        return self.tables[table]

    def mark(self, table):
        block = sum(int(row[-3]) * int(row[-4]) for row in self.rows_of(table) if row[0] == "")
        return f'{{"data": [["{block}"]]}}'

    def insert(self, table, body, given):
        self.inserts += 1
        with self.lock:
            fault = self.faults.pop(0) if self.faults else None
            self.done[fault] += 1
        if fault == "lost":
            return None
        if fault == "refused":
            raise Refusal(252, "Too many parts.")
        if fault == "late":
            self.busy.add(given["session_id"])
            threading.Timer(1, self.finish, (table, body, given["session_id"])).start()
            return None
        rows = [row.split("\t") for row in body.splitlines()]
        kept = {"cut": len(rows) // 2, "unended": len(rows) - 1}.get(fault, len(rows))
        with self.lock:
            self.rows_of(table).extend(rows[:kept])
        return None if fault in ("unheard", "cut", "unended") else ""

    def finish(self, table, body, session):
        with self.lock:
            self.tables[table].extend(row.split("\t") for row in body.splitlines())
            self.busy.discard(session)
            self.sessions[session] = time.monotonic() + 1

    def live_rows(self, table):
        """The rows after all signs are added up, without the marks; a sign that is left over is an error."""
        with self.lock:
            sums = Counter()
            for row in self.tables.get(table, []):
                if row[0]:
                    sums[tuple(row[:-4])] += int(row[-4])
        assert set(sums.values()) <= {0, 1}, {row: sign for row, sign in sums.items() if sign not in (0, 1)}
        return sorted(row for row, sign in sums.items() if sign)
