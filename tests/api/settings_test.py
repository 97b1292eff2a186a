"""Wrong settings keep the stack from starting, and the message names the setting."""

import pytest
import requests

from conftest import new_stack
from wait import wait_for
from stack import Stack

TOKEN = "a-production-token-of-thirty-two"
PRODUCTION = {"AB_ENV": "production", "AB_API_TOKEN": TOKEN}
POSITIVE = [
    "AB_RATE_LIMIT_REQUESTS", "AB_RATE_LIMIT_WINDOW_SECONDS", "AB_HEAVY_RATE_LIMIT_REQUESTS",
    "AB_HEAVY_RATE_LIMIT_WINDOW_SECONDS", "AB_AUTH_FAILURE_LIMIT", "AB_AUTH_FAILURE_WINDOW_SECONDS",
    "AB_CHATAPP_RATE_LIMIT_REQUESTS", "AB_COMPUTE_MAX_HEAVY_CONCURRENT", "AB_COMPUTE_MAX_CHEAP_CONCURRENT",
    "AB_COMPUTE_MAX_COST_UNITS_IN_FLIGHT", "AB_COMPUTE_RETRY_AFTER_SECONDS", "AB_DB_POOL_SIZE",
    "AB_SQLITE_BUSY_TIMEOUT_MS"]
BODIES = ["AB_MAX_REQUEST_BODY_BYTES", "AB_MAX_WORKSPACE_BODY_BYTES", "AB_MAX_CHATAPP_BODY_BYTES"]

# Settings, and what the message must hold. The first name is the one it is about.
WRONG = [
    *[({name: "0"}, f"{name} must be") for name in POSITIVE],
    *[({name: "many"}, f"{name} must be") for name in POSITIVE[:3]],
    *[({name: "1023"}, f"{name} must be") for name in BODIES],
    ({"AB_RATE_LIMIT_REQUESTS": "1.5"}, "AB_RATE_LIMIT_REQUESTS must be"),
    ({"AB_RATE_LIMIT_REQUESTS": "-1"}, "AB_RATE_LIMIT_REQUESTS must be"),
    ({"AB_RATE_LIMIT_REQUESTS": "99999999999999999999"}, "AB_RATE_LIMIT_REQUESTS must be"),
    ({"AB_RATE_LIMIT_ENABLED": "maybe"}, "AB_RATE_LIMIT_ENABLED must be"),
    ({"AB_PUBLIC_DEMO": "2"}, "AB_PUBLIC_DEMO must be"),
    ({"AB_READONLY_COMPUTE": "enabled"}, "AB_READONLY_COMPUTE must be"),
    ({"AB_COMPUTE_ADMISSION_ENABLED": "-"}, "AB_COMPUTE_ADMISSION_ENABLED must be"),
    ({"AB_ALLOW_INSECURE_PRODUCTION": "y"}, "AB_ALLOW_INSECURE_PRODUCTION must be"),
    ({"AB_SERVE_FRONTEND_DIST": "perhaps"}, "AB_SERVE_FRONTEND_DIST must be"),
    ({"AB_COMPUTE_ACQUIRE_TIMEOUT_MS": "-1"}, "AB_COMPUTE_ACQUIRE_TIMEOUT_MS must be"),
    ({"AB_LOG_LEVEL": "LOUD"}, "AB_LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL"),
    ({"AB_LOG_FORMAT": "xml"}, "AB_LOG_FORMAT must be one of plain, json"),
    ({"AB_CONFINE": "maybe"}, "AB_CONFINE must be one of auto, on, off"),
    ({"AB_HOST": " "}, "AB_HOST must be"),
    ({"AB_DB_PATH": " "}, "AB_DB_PATH must be"),
    ({"AB_DB_PATH": "postgresql://u:p@host/x"}, "AB_DB_PATH must be the path of a file"),
    ({"AB_DB_PATH": "postgresql//u:p@host/x"}, "AB_DB_PATH must be usable"),
    ({"AB_DATABASE_URL": "mysql://localhost/x"}, "AB_DATABASE_URL must be"),
    ({"AB_DATABASE_REPLICA_URL": "postgresql://localhost/x"}, "AB_DATABASE_REPLICA_URL must be usable, but the database is no PostgreSQL"),
    ({"AB_DATABASE_REPLICA_MAX_AGE_SECONDS": "0"}, "AB_DATABASE_REPLICA_MAX_AGE_SECONDS must be"),
    ({"AB_SQLITE_JOURNAL_MODE": "FAST"}, "AB_SQLITE_JOURNAL_MODE must be"),
    ({"AB_SQLITE_SYNCHRONOUS": "SOMETIMES"}, "AB_SQLITE_SYNCHRONOUS must be"),
    ({"AB_API_TOKEN": "short12"}, "AB_API_TOKEN must be at least 8 characters when configured"),
    ({"AB_READONLY_API_TOKEN": "short12"}, "AB_READONLY_API_TOKEN must be at least 8 characters"),
    ({"AB_ADMIN_TOKEN": " short12 "}, "AB_ADMIN_TOKEN must be at least 8 characters"),
    ({"AB_MAX_WORKSPACE_BODY_BYTES": "2048"}, "AB_MAX_WORKSPACE_BODY_BYTES must be at least AB_MAX_REQUEST_BODY_BYTES"),
    ({"AB_TRUSTED_PROXY_HOPS": "-1"}, "AB_TRUSTED_PROXY_HOPS must be"),
    ({"AB_TRUSTED_PROXY_HOPS": "1", "AB_TRUSTED_PROXIES": "10.0.0.0/33"}, "AB_TRUSTED_PROXIES must be"),
    ({"AB_TRUSTED_PROXY_HOPS": "1", "AB_TRUSTED_PROXIES": "10.0.0.0/8,proxy.example"}, "AB_TRUSTED_PROXIES must be"),
    ({"AB_TRUSTED_PROXY_HOPS": "1", "AB_TRUSTED_PROXIES": "10.0.0.0/-1"}, "AB_TRUSTED_PROXIES must be"),
    ({"AB_TRUSTED_PROXY_HOPS": "1", "AB_TRUSTED_PROXIES": "2001:db8::/129"}, "AB_TRUSTED_PROXIES must be"),
    ({"AB_INTAKE": "kafka"}, "KAFKA_BOOTSTRAP_SERVERS"),
    ({"AB_TRUSTED_PROXIES": "10.0.0.0/8"}, "AB_TRUSTED_PROXY_HOPS must be"),
    ({"AB_RETENTION_AUDIT_DAYS": "-1"}, "AB_RETENTION_AUDIT_DAYS must be"),
    ({"AB_ENV": "production"}, "AB_API_TOKEN or AB_ADMIN_TOKEN must be set in production"),
    ({**PRODUCTION, "AB_DATABASE_URL": "postgresql://assay:geheim@127.0.0.1:9/x"}, "AB_DATABASE_URL must be a database that answers"),
    ({"AB_ENV": " PROD ", "AB_READONLY_API_TOKEN": TOKEN}, "AB_API_TOKEN or AB_ADMIN_TOKEN must be set"),
    ({**PRODUCTION, "AB_API_TOKEN": "only-16-characters"}, "AB_API_TOKEN must be at least 24 characters"),
    ({**PRODUCTION, "AB_READONLY_API_TOKEN": "only-16-characters"}, "AB_READONLY_API_TOKEN must be at least 24"),
    ({**PRODUCTION, "AB_ADMIN_TOKEN": "only-16-characters"}, "AB_ADMIN_TOKEN must be at least 24"),
    ({"ASSAY_PORT_EXPERIMENTS": "", "AB_PORT": "65536"}, "AB_PORT must be"),
    ({"ASSAY_PORT_EXPERIMENTS": "", "AB_PORT": "http"}, "AB_PORT must be"),
    ({"ASSAY_WORKER_REQUESTS": "-1"}, "ASSAY_WORKER_REQUESTS must be"),
    ({"ASSAY_RECEIVE_SECONDS": "0"}, "ASSAY_RECEIVE_SECONDS must be between 0.001 and 3600"),
    ({"ASSAY_SEND_SECONDS": "soon"}, "ASSAY_SEND_SECONDS must be"),
    ({"AB_CORS_ORIGINS": "foo"}, "AB_CORS_ORIGINS must list origins like https://host:port, not"),
    ({"AB_CORS_ORIGINS": "https://a.example,https://b.example/page"}, "AB_CORS_ORIGINS must list origins"),
    ({"AB_CORS_ORIGINS": "*"}, "AB_CORS_ORIGINS must name origins, and not *, while neither AB_API_TOKEN nor AB_ADMIN_TOKEN"),
    ({"ASSAY_BIND": "0.0.0.0"}, "AB_HOST must be a loopback address while neither AB_API_TOKEN nor AB_ADMIN_TOKEN"),
    ({"AB_HOST": "::"}, "AB_HOST must be a loopback address while neither AB_API_TOKEN nor AB_ADMIN_TOKEN"),
    ({"AB_API_TOKN": TOKEN}, "there is no setting AB_API_TOKN; did you mean AB_API_TOKEN?"),
    ({"LIVE_DB_PAHT": "x"}, "there is no setting LIVE_DB_PAHT; did you mean LIVE_DB_PATH?"),  # of a service not wanted
    ({"ASSAY_PORT_SUPORT": "8000"}, "there is no setting ASSAY_PORT_SUPORT; did you mean ASSAY_PORT_SUPPORT?"),
]


@pytest.mark.parametrize("settings, message", WRONG, ids=lambda v: next(iter(v.items())) if isinstance(v, dict) else "")
def test_start_is_refused(settings, message, tmp_path):
    stack = new_stack()
    done = stack.try_start(settings, tmp_path / "stack")
    try:
        assert done.returncode != 0, "it started"
        assert message in done.stderr
        assert stack.processes() == []
        for name, value in settings.items():
            assert not name.endswith("_TOKEN") or value.strip() not in done.stderr, "a secret is shown"
    finally:
        stack.close()


# Services that are open, or closed with what everybody can read.
OPEN = {
    "support": ({"ALLOW_ANONYMOUS_ADMIN": "true"}, "SUPPORT_HOST must be a loopback address while ALLOW_ANONYMOUS_ADMIN"),
    "orchestrator": ({}, "ORCH_HOST must be a loopback address while ORCH_API_KEY is not set"),
    "livedata": ({"LIVE_AUTH_DISABLED": "true"}, "LIVE_HOST must be a loopback address while LIVE_AUTH_DISABLED is set"),
    "livedata demo": ({"LIVE_DEMO_MODE": "true"}, "LIVE_HOST must be a loopback address while LIVE_DEMO_MODE is set"),
}


@pytest.mark.parametrize("name", OPEN)
def test_an_open_service_is_not_started_on_a_network(name, tmp_path):
    settings, message = OPEN[name]
    service = name.split()[0]
    with Stack(services=(service,)) as stack:
        done = stack.try_start({**settings, "ASSAY_BIND": "0.0.0.0"}, tmp_path)
        assert done.returncode == 1 and message in done.stderr, done.stderr
        done = stack.try_start({**settings, "ASSAY_BIND": "0.0.0.0", "ASSAY_ALLOW_OPEN": "true"}, tmp_path)
        assert done.returncode == 0, done.stderr
        wait_for(lambda: '"open_on_network"' in stack.logs(service))


def test_keys_that_were_issued_close_experiments_on_a_network(tmp_path):
    with Stack() as stack:
        stack.start({"AB_ADMIN_TOKEN": TOKEN}, tmp_path)
        made = requests.post(stack.base_url + "/api/v1/keys", json={"name": "k", "scope": "write"},
                             headers={"Authorization": f"Bearer {TOKEN}"}, timeout=20)
        assert made.status_code == 200
        stack.stop()
        done = stack.try_start({"ASSAY_BIND": "0.0.0.0"}, tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("service, settings, message", [
    ("support", {"DATA_DIR": "/proc/x"}, "no folder can be made for /proc/x"),
    ("experiments", {"AB_DB_PATH": "/proc/x/y.sqlite3"}, "no folder can be made for /proc/x/y.sqlite3"),
    ("livedata", {"LIVE_DATABASE_REPLICA_URL": "postgresql://localhost/x"},
     "LIVE_DATABASE_REPLICA_URL must be usable, but the database is no PostgreSQL"),
    ("livedata", {"LIVE_ADMIN_KEY": "x"}, "LIVE_ADMIN_KEY must be at least 8 characters"),
    ("livedata", {"LIVE_RATE_LIMIT_RPM": "1000000"}, "LIVE_RATE_LIMIT_RPM must be between 1 and 100000"),
    ("support", {"CORS_ORIGINS": "*", "ALLOW_ANONYMOUS_ADMIN": "true"}, "CORS_ORIGINS must name origins, and not *"),
    ("support", {"CORS_ORIGINS": "foo"}, "CORS_ORIGINS must list origins"),
    ("livedata", {"LIVE_CORS_ORIGINS": "*", "LIVE_PROFILE": "demo", "LIVE_AUTH_DISABLED": "true"}, "LIVE_CORS_ORIGINS must name origins"),
    ("livedata", {"LIVE_CORS_ORIGINS": "localhost:3000"}, "LIVE_CORS_ORIGINS must list origins")])
def test_a_service_is_not_started_with_what_cannot_hold(service, settings, message, tmp_path):
    with Stack(services=(service,)) as stack:
        done = stack.try_start(settings, tmp_path)
        assert done.returncode == 1 and message in done.stderr, done.stderr


def test_a_file_holds_settings_of_any_service_and_keys_that_other_files_name(tmp_path):
    """Of names that nobody reads the start says which one and what was meant."""
    stack = new_stack().prepare(directory=tmp_path)
    models = tmp_path / "models.yaml"
    models.write_text("models:\n  - api_key_env: KEY_OF_THE_FILE\n")
    known = f"LIVE_DB_PATH=x\nORCH_MODELS_FILE={models}\nKEY_OF_THE_FILE=k\nLLM_CHAT_API_KEY_ENV=KEY_OF_CHAT\nKEY_OF_CHAT=k\nTZ=UTC\n"
    (tmp_path / "assay.env").write_text(known)
    done = stack.run("render")
    assert done.returncode == 0, done.stderr
    (tmp_path / "assay.env").write_text(known + "MAX_UPLOAD_BITES=1\nXYZZY=1\n")
    for command in ("render", "start"):
        done = stack.run(command)
        assert done.returncode == 1
        assert "there is no setting MAX_UPLOAD_BITES; did you mean MAX_UPLOAD_BYTES?" in done.stderr
    (tmp_path / "assay.env").write_text("XYZZY=1\n")
    assert "there is no setting XYZZY (" in stack.run("render").stderr, "nothing is near"


# Values that are unusual and right, and what diagnostics shows of them.
RIGHT = {
    "AB_RATE_LIMIT_ENABLED": " Off ", "AB_LOG_LEVEL": "debug", "AB_API_TOKEN": "  ", "AB_CORS_ORIGINS": " , ",
    "AB_TRUSTED_PROXY_HOPS": "2", "AB_TRUSTED_PROXIES": " 10.0.0.0/8 ,, ::1 ", "AB_RATE_LIMIT_REQUESTS": " 7 ",
    "AB_MAX_REQUEST_BODY_BYTES": "1024", "AB_MAX_WORKSPACE_BODY_BYTES": "1024", "AB_AUTH_FAILURE_LIMIT": ""}


def test_unusual_values_are_read_as_meant(stacks):
    reply = stacks.get(RIGHT).get("/api/v1/diagnostics").json()
    assert reply["guards"]["rate_limit_enabled"] is False and reply["guards"]["rate_limit_requests"] == 7
    assert reply["guards"]["auth_failure_limit"] == 20, "blank means the default"
    assert reply["guards"]["max_request_body_bytes"] == reply["guards"]["max_workspace_body_bytes"] == 1024
    assert reply["logging"]["level"] == "DEBUG"
    assert reply["auth"]["enabled"] is False, "a blank token is none"
    assert reply["network"]["trusted_proxies"] == ["10.0.0.0/8", "::1"]
    preflight = stacks.get(RIGHT).send("OPTIONS", "/api/v1/calculate", headers={
        "Origin": "http://localhost:5173", "Access-Control-Request-Method": "GET"})
    assert preflight.status == 200, "an empty list means the default"


class TestProduction:
    """It starts with the write token, the admin token or a key that may write; else only when told to."""

    ALONE = {"AB_ENV": "production", "AB_RATE_LIMIT_ENABLED": "false"}

    def start(self, stack, directory, **settings):
        done = stack.try_start({**self.ALONE, **settings}, directory)
        assert done.returncode == 0, done.stderr

    @pytest.mark.parametrize("name", ["AB_API_TOKEN", "AB_ADMIN_TOKEN"])
    def test_a_token_is_enough(self, tmp_path, name):
        stack = new_stack()
        try:
            self.start(stack, tmp_path / "stack", **{name: TOKEN})
            assert "insecure_production" not in stack.logs()
        finally:
            stack.close()

    def test_told_to_it_starts_and_says_so(self, tmp_path):
        stack = new_stack()
        try:
            self.start(stack, tmp_path / "stack", AB_ALLOW_INSECURE_PRODUCTION="true")
            assert '"level":"WARNING"' in stack.logs() and "insecure_production" in stack.logs()
        finally:
            stack.close()

    def test_a_key_that_may_write_is_enough(self, tmp_path):
        """The key is issued while an admin token is set; afterwards the service needs no token."""
        stack = new_stack()
        try:
            self.start(stack, tmp_path / "stack", AB_ADMIN_TOKEN=TOKEN)
            admin = {"Authorization": f"Bearer {TOKEN}"}
            for scope, starts in (("read", False), ("write", True)):
                made = requests.post(f"{stack.base_url}/api/v1/keys", json={"name": "x", "scope": scope}, headers=admin, timeout=10)
                assert made.status_code == 200, made.text
                checked = stack.run("render", env={"AB_ADMIN_TOKEN": ""})
                assert (checked.returncode == 0) == starts, checked.stderr
            stack.stop()
            stack.env["AB_ADMIN_TOKEN"] = ""
            done = stack.run("start")
            assert done.returncode == 0, done.stderr
            assert "insecure_production" not in stack.logs()
        finally:
            stack.close()
