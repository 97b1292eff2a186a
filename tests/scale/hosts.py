"""Two hosts: two stacks of all services on one PostgreSQL, and a balancer before them that takes turns, nginx or HAProxy
with the configuration of docs/operate/hosts.md."""

import shutil
import subprocess
import time
import urllib.error
import urllib.request

import pytest
import requests

from engine import Engine
from ports import free_ports
from service import DATABASE_SETTINGS, Servers
from stack import PREFIXES, SERVICES, Stack

EXPERIMENTS_TOKEN, EXPERIMENTS_ADMIN, SUPPORT_KEY, ORCHESTRATOR_KEY, LIVE_KEY = (
    f"key-of-two-hosts-{name}" for name in ("ab", "ab-admin", "support", "orch", "live"))
PASSWORD, HASH = "horse-battery", "$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu"
HEADERS = {"experiments": {"Authorization": f"Bearer {EXPERIMENTS_TOKEN}"}, "support": {"X-API-Key": SUPPORT_KEY},
           "orchestrator": {"Authorization": f"Bearer {ORCHESTRATOR_KEY}"}, "livedata": {"X-API-Key": LIVE_KEY}}
DRAIN_SECONDS = 4
READY = "/support/api/health/ready"

SETTINGS = {
    "AB_API_TOKEN": EXPERIMENTS_TOKEN, "AB_ADMIN_TOKEN": EXPERIMENTS_ADMIN, "AB_RATE_LIMIT_ENABLED": "false",
    "API_KEY": SUPPORT_KEY, "JWT_SECRET": "a secret of two hosts, of more than 32 characters", "RATE_LIMIT_ENABLED": "false",
    "RAG_EMBEDDING_BACKEND": "words", "ADMIN_PASSWORD_HASH": HASH,
    "ORCH_API_KEY": ORCHESTRATOR_KEY, "ORCH_RATE_LIMIT_RPM": "100000", "ORCH_STORAGE_BACKEND": "postgres",
    "ORCH_SECRETS_KEY": "another secret of two hosts, of more than 32 characters",
    "LIVE_API_KEYS": f"{LIVE_KEY}:shop", "LIVE_RATE_LIMIT_RPM": "100000",
    "LIVE_KEY_LOOKUP_PEPPER": "a pepper of two hosts, of more than 32 characters",
    "ASSAY_CONNECTIONS_PER_CLIENT": "0", "ASSAY_SIGN_IN_RATE_PER_MINUTE": "100000", "LOG_LEVEL": "WARNING",
    "SHUTDOWN_READY_DELAY_SEC": str(DRAIN_SECONDS),
    "ASSAY_WORKERS_ORCHESTRATOR_SYNC": "2", "ASSAY_WORKERS_ORCHESTRATOR_STREAMS": "2",
    "ASSAY_WORKERS_ORCHESTRATOR_UPLOAD": "2", "ASSAY_WORKERS_ORCHESTRATOR_TASKS": "2", "ASSAY_WORKERS_SUPPORT_ASK": "4"}

NGINX = """
daemon off;
master_process off;                # killed, it leaves no worker behind
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ }}
http {{
    access_log off;
    client_max_body_size 100m;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    upstream suite {{
        {servers}
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://suite;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_connect_timeout 2s;
            proxy_next_upstream error timeout;
        }}
    }}
}}
"""

HAPROXY = """
global
    maxconn 2000
defaults
    mode http
    timeout connect 2s
    timeout client 200s
    timeout server 200s
    timeout check 5s
    option redispatch 1
    retries 3
    retry-on conn-failure
frontend suite
    bind 127.0.0.1:{port}
    default_backend hosts
backend hosts
    balance roundrobin
    option forwardfor
    option httpchk GET """ + READY + """
    http-check expect status 200
    default-server check inter 500ms fall 2 rise 2
    {servers}
"""


class Balancer(Engine):
    """Its configuration names the hosts; derived classes say how."""

    def __init__(self, hosts):
        super().__init__()
        [self.port] = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        self.configuration = self.directory / "configuration"
        self.configuration.write_text(self.text.format(
            directory=self.directory, port=self.port,
            servers="\n    ".join(self.line.format(number=number, address=host.portal_url.removeprefix("http://"))
                                  for number, host in enumerate(hosts))))

    def is_ready(self):
        try:
            with urllib.request.urlopen(self.url + READY, timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False


class Nginx(Balancer):
    name, text, line = "nginx", NGINX, "server {address} max_fails=1 fail_timeout=1s;"

    def command(self):
        return ["nginx", "-e", str(self.directory / "error.log"), "-p", str(self.directory), "-c", str(self.configuration)]


class Haproxy(Balancer):
    name, text, line = "haproxy", HAPROXY, "server host{number} {address}"

    def __init__(self, hosts):
        if shutil.which("haproxy") is None:
            pytest.skip("haproxy is not installed (tools/install-packages scale)")
        super().__init__(hosts)

    def command(self):
        return ["haproxy", "-db", "-f", str(self.configuration)]


class Host:
    """One of them. kill() and start() are a machine that loses power and comes back."""

    def __init__(self, name, env):
        self.name = name
        self.stack = Stack(services=SERVICES)
        self.stack.start(env)

    @property
    def portal_url(self):
        return self.stack.portal_url

    def restart(self):
        done = self.stack.run("restart", timeout=180)
        assert done.returncode == 0, done.stdout + done.stderr

    def kill(self):
        """All of its processes at once."""
        pids = self.stack.processes()
        if pids:
            subprocess.run(["kill", "-KILL", *map(str, pids)], check=False, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while self.stack.processes() and time.monotonic() < end:
            time.sleep(0.05)

    def start(self):
        done = self.stack.run("start", timeout=180)
        assert done.returncode == 0, done.stdout + done.stderr

    def close(self):
        self.stack.close()


class Hosts:
    """Both hosts and the balancer that is asked."""

    def __init__(self, env=None, count=2):
        databases = {setting: Servers.new_database() for setting in DATABASE_SETTINGS.values()}
        self.env = {**SETTINGS, **databases, **(env or {})}
        self.hosts = []
        self.balancer = None
        try:
            for number in range(count):
                self.hosts.append(Host(f"host {number}", self.env))
        except BaseException:
            self.close()
            raise

    def behind(self, kind):
        """Starts a balancer in place of the one before."""
        if self.balancer is not None:
            self.balancer.close()
        self.balancer = kind(self.hosts)
        self.balancer.start()
        return self

    def client(self, service, **headers):
        return Client(self, service, headers or HEADERS.get(service, {}))

    def close(self):
        if self.balancer is not None:
            self.balancer.close()
        for host in self.hosts:
            host.close()


class Client:
    """Asks one service through the balancer, each request over a connection of its own, so that hosts take turns."""

    def __init__(self, hosts, service, headers):
        self.hosts, self.service, self.headers = hosts, service, headers

    def send(self, method, path, expected=None, headers=None, **arguments):
        answer = requests.request(method, self.hosts.balancer.url + PREFIXES[self.service] + path, timeout=120, allow_redirects=False,
                                  headers={**self.headers, **(headers or {}), "Connection": "close"}, **arguments)
        if expected is not None:
            assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return answer

    def get(self, path, **arguments):
        return self.send("GET", path, **arguments)

    def post(self, path, body=None, **arguments):
        return self.send("POST", path, json=body, **arguments)
