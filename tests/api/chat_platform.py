"""A loopback server that speaks like the chat platform: it signs what it sends to the service, exchanges codes of
installs for tokens, takes posts to channels and to response URLs, and answers as it is told to.

    with ChatPlatform() as platform:
        platform.command(service, "projects", response_url=platform.response_url("a"))
        wait_for(lambda: platform.told["a"])
"""

import hashlib
import hmac
import itertools
import json
import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode

CLIENT_ID, CLIENT_SECRET, SIGNING_SECRET = "4711.0815", "client-secret-of-the-tests", "signing-secret-of-the-tests"
BOT_TOKEN, USER_TOKEN = "xoxb-token-of-the-bot", "xoxp-token-of-the-user"


NUMBERS = itertools.count()


def sign(body, secret=SIGNING_SECRET, moment=None):
    """The headers that prove a body."""
    stamp = str(int(time.time() if moment is None else moment))
    digest = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return {"X-Chatapp-Request-Timestamp": stamp, "X-Chatapp-Signature": f"v0={digest}"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        platform = self.server.owner
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with platform.lock:
            status, answer = platform.take(self.path, dict(self.headers), body)
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class ChatPlatform:
    def __init__(self):
        self.lock = threading.Lock()
        self.told = defaultdict(list)  # name of a response URL: messages
        self.posted = []  # (token, message) of channels
        self.codes = {}  # code: the answer to its exchange
        self.failures = defaultdict(list)  # path: (status, answer) of the next calls
        self.calls = []

    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.owner = self
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def settings(self):
        """What a service has to be told to be this platform's app."""
        return {"AB_CHATAPP_CLIENT_ID": CLIENT_ID, "AB_CHATAPP_CLIENT_SECRET": CLIENT_SECRET,
                "AB_CHATAPP_SIGNING_SECRET": SIGNING_SECRET, "AB_CHATAPP_BASE_URL": self.url}

    def response_url(self, name):
        return f"{self.url}/respond/{name}"

    def take(self, path, headers, body):
        self.calls.append(path)
        if self.failures[path]:
            return self.failures[path].pop(0)
        if path.startswith("/respond/"):
            self.told[path.removeprefix("/respond/")].append(json.loads(body))
            return 200, b"ok"
        if path == "/api/oauth.v2.access":
            form = {name: values[-1] for name, values in parse_qs(body.decode()).items()}
            if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
                return 200, {"ok": False, "error": "bad_client_secret"}
            return 200, self.codes.pop(form.get("code"), {"ok": False, "error": "invalid_code"})
        if path == "/api/chat.postMessage":
            self.posted.append((headers.get("Authorization"), json.loads(body)))
            return 200, {"ok": True, "ts": "1.2"}
        return 404, {"ok": False, "error": "unknown_method"}

    @staticmethod
    def call(service, path, body, headers=None, client=None, **signing):
        """A signed call; `body` is a form or, as bytes, what it is. Each comes from an address of its own."""
        number = next(NUMBERS)
        client = client or f"198.18.{number // 250}.{number % 250}"
        kind = "application/json" if isinstance(body, bytes) else "application/x-www-form-urlencoded"
        data = body if isinstance(body, bytes) else urlencode(body).encode()
        proof = sign(data, **signing) if headers is None else headers
        return service.send("POST", path, data=data, headers={"Content-Type": kind, "X-Forwarded-For": client, **proof})

    def command(self, service, text, name=None, team="T1", **options):
        form = {"token": "ignored", "team_id": team, "user_id": "U42", "command": "/ab-test", "text": text,
                "trigger_id": str(time.monotonic_ns())}
        if name is not None:
            form["response_url"] = self.response_url(name)
        return self.call(service, "/chatapp/commands", form, **options)
