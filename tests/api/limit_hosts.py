"""Two hosts that hold their limits together in one Redis, and calls that go to both of them at once."""

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import requests

from service import Service
from stack import SERVICES
from wait import wait_for

# A limit of a minute is exact for a minute; calls come no longer than this.
CALLING_SECONDS = 40
KEYS = [f"key-of-shop-{i}" for i in range(8)]
LIVE_LIMIT = 100
SETTINGS = {
    # A loaded machine may let Redis wait: only its death makes a host count alone.
    "ASSAY_LIMITS_TIMEOUT_SECONDS": "10", "ASSAY_LIMITS_RETRY_SECONDS": "0.2",
    "AB_RATE_LIMIT_REQUESTS": "100", "AB_RATE_LIMIT_WINDOW_SECONDS": "3600", "AB_API_TOKEN": "token-of-experiments",
    "LIVE_API_KEYS": ",".join(f"{key}:{key}" for key in KEYS), "LIVE_RATE_LIMIT_RPM": str(LIVE_LIMIT),
    "LIVE_KEY_LOOKUP_PEPPER": "the-same-on-all-hosts-of-a-service", "LIVE_SSE_MAX_STREAMS_PER_TENANT": "3",
    "ORCH_RATE_LIMIT_RPM": "1", "ORCH_RATE_LIMIT_BURST": "99",
    "RATE_LIMIT_ENABLED": "true", "ASSAY_SIGN_IN_RATE_PER_MINUTE": "30",
    "ASSAY_CONNECTIONS_PER_CLIENT": "0",
}


class Caller(requests.adapters.HTTPAdapter):
    """Calls from an address that nothing else here has, so that nothing else counts."""

    def init_poolmanager(self, *arguments, **more):
        super().init_poolmanager(*arguments, source_address=("127.0.0.9", 0), **more)


@dataclass
class Limit:
    """A limit of a service: how many of many calls are let in, and the call."""

    service: str
    most: int
    method: str
    path: str
    arguments: dict

    def call(self, host):
        with requests.Session() as session:
            session.trust_env = False
            session.mount("http://", Caller())
            answer = session.request(self.method, host.beside(self.service).url + self.path, timeout=60,
                                     allow_redirects=False, **self.arguments)
        assert answer.status_code < 500, answer.text
        return answer.status_code != 429


def live_limit(key):
    return Limit("livedata", LIVE_LIMIT, "GET", "/v1/catalog", {"headers": {"X-API-Key": key}})


LIMITS = [
    Limit("experiments", 100, "GET", "/api/v1/projects", {"headers": {"Authorization": "Bearer token-of-experiments"}}),
    Limit("support", 5, "POST", "/api/auth/login", {"json": {"username": "nobody", "password": "a wrong one"}}),
    live_limit(KEYS[0]),
    Limit("orchestrator", 100, "GET", "/api/v1/models", {}),
    Limit("accounts", 30, "GET", "/api/invitations/accept?token=nobody-has-it", {}),
]


@contextlib.contextmanager
def two_hosts(redis, settings=None, other=None, services=SERVICES):
    """`other`: further settings of the second one."""
    settings = {**SETTINGS, "ASSAY_LIMITS_URL": redis.url, **(settings or {})}
    with Service(services[0], settings, services=services) as one, \
            Service(services[0], {**settings, **(other or {})}, services=services) as two:
        hosts = [one, two]
        wait_for(lambda: all(said_by(host, service)[1] == SHARED for host in hosts for service in services))
        yield hosts


SHARED, ALONE = "The limits hold over 2 hosts together.", "this host counts alone, with 1/2 of each limit"
READINESS = {"experiments": "/readyz", "support": "/api/health", "livedata": "/health/ready",
             "orchestrator": "/api/v1/readiness", "accounts": "/api/health"}


def said_by(host, service):
    """What the service says about its limits, as its status and its sentence."""
    headers = {"Authorization": "Bearer token-of-experiments"} if service == "experiments" else {}
    answer = host.beside(service).get(READINESS[service], headers=headers)
    told = answer.json()
    if service == "accounts":
        return "ok", told.get("limits", "")
    if service == "support":
        part = told["components"].get("limits", {"status": None, "detail": ""})
        return part["status"], part["detail"]
    if service == "orchestrator":
        [part] = [part for part in told["components"] if part["name"] == "limits"]
        return part["status"], part["details"]["message"]
    [part] = [part for part in told["checks"] if part["name"] == "limits"]
    return part.get("status"), part["detail"]


def admitted(hosts, limit, count):
    """How many of `count` calls to the hosts in turn are let in."""
    end = time.monotonic() + CALLING_SECONDS

    def call(number):
        return None if time.monotonic() > end else limit.call(hosts[number % len(hosts)])

    with ThreadPoolExecutor(4) as pool:
        answers = [answer for answer in pool.map(call, range(count)) if answer is not None]
    assert len(answers) > 1.5 * limit.most, f"only {len(answers)} calls in {CALLING_SECONDS} s"
    return sum(answers)
