"""`nginx/stack doctor` and `nginx/stack logs`: each fault is made in an installation, found, and explained; and what is
sound is said to be sound."""

import datetime
import gzip
import json
import os
import socket
import sqlite3
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from postgres import PostgresServer
from stack import BUILD, SERVICES, Stack, free_ports
from wait import wait_for


def examine(stack, *check, **env):
    """By name the worst row."""
    done = stack.run("doctor", "--json", *check, env={name: str(value) for name, value in env.items()}, timeout=300)
    answer = json.loads(done.stdout)
    rows = {}
    for check in answer["checks"]:
        assert check["state"] in ("ok", "warn", "fail") and check["found"], check
        assert check["state"] == "ok" or check["todo"], f"{check} says nothing to do"
        if check["name"] not in rows or check["state"] != "ok":
            rows[check["name"]] = check
    worst = {check["state"] for check in answer["checks"]}
    assert answer["status"] == ("fail" if "fail" in worst else "warn" if "warn" in worst else "ok")
    assert done.returncode == ("fail" in worst), done.stderr
    return rows


def state_of(stack, name, check=None, **env):
    row = examine(stack, check or name, **env)[name]
    return row["state"], row["found"]


@pytest.fixture(scope="module")
def stack():
    """One that has run and is stopped, with a backup."""
    with Stack(services=SERVICES) as stack:
        stack.start({"ALLOW_ANONYMOUS_ADMIN": "true", "AB_RATE_LIMIT_ENABLED": "false"})
        done = stack.run("backup", timeout=120)
        assert done.returncode == 0, done.stderr
        yield stack


def test_a_sound_stack_that_runs_has_nothing_to_do(stack):
    rows = examine(stack, ASSAY_DOCTOR_DISK_MB=1)
    assert {name for name, row in rows.items() if row["state"] != "ok"} <= {"clock", "limits"}, rows
    assert {"programs", "folders", "secrets", "settings", "disk", "build", "backups", "processes",
            *(f"database-{service}" for service in SERVICES), *(f"ready-{service}" for service in SERVICES)} <= rows.keys()
    assert "schema" in rows["database-experiments"]["found"] and "SQLite 3." in rows["database-experiments"]["found"]
    told = stack.run("doctor", timeout=300).stdout
    assert "ok    programs" in told and "nginx 1." in told


def test_what_a_service_says_of_itself_is_a_row(stack):
    aside = stack.directory / "aside"
    database = stack.directory / "data/livedata.sqlite3"
    database.rename(aside)
    try:
        rows = examine(stack)
        assert rows["ready-livedata"]["state"] == rows["database-livedata"]["state"] == "fail"
        assert "database_unreachable" in rows["ready-livedata"]["found"]
        assert rows["ready-livedata"]["todo"] == "docs/operate/health.md#database_unreachable"
    finally:
        aside.rename(database)
    assert stack.run("reload").returncode == 0


def test_a_dead_daemon_is_named(stack):
    stack.stop_program("experiments-upkeep")
    state, found = state_of(stack, "processes")
    assert state == "fail" and "experiments-upkeep" in found
    assert stack.run("mend").returncode == 0
    assert state_of(stack, "processes")[0] == "ok"


def test_secrets_that_others_can_read_fail(stack):
    secret = stack.directory / "state/support-secret"
    secret.chmod(0o644)
    state, found = state_of(stack, "secrets")
    secret.chmod(0o600)
    assert state == "fail" and "support-secret" in found


@pytest.mark.parametrize("env, name", [
    ({"AB_LOG_LEVLE": "INFO"}, "settings"), ({"ASSAY_DOCTOR_DISK_MB": "much"}, "settings"),
    ({"AB_LOG_LEVEL": "loud"}, "settings-experiments"), ({"ASSAY_DOCTOR_DISK_MB": "1000000000"}, "disk"),
])
def test_wrong_settings_and_little_room_fail(stack, env, name):
    state, found = state_of(stack, name, "configuration" if name == "settings-experiments" else None, **env)
    assert state == "fail" and (name == "disk" or next(iter(env)) in found)


def test_a_program_of_another_version_fails(stack, tmp_path):
    for folder in ("fcgi-bin", "cron-bin"):
        (tmp_path / folder).mkdir()
        for file in (BUILD / folder).iterdir():
            (tmp_path / folder / file.name).symlink_to(file)
    other = tmp_path / "fcgi-bin/accounts-people"
    other.unlink()
    other.write_text(f'#!/bin/sh\n[ "$1" != --version ] || {{ echo "accounts-people 0.0.1"; exit; }}\nexec {BUILD}/{other.relative_to(tmp_path)} "$@"\n')
    other.chmod(0o755)
    state, found = state_of(stack, "build", ASSAY_BUILD_DIR=tmp_path)
    assert state == "fail" and "0.0.1" in found


def test_a_clock_that_was_set_back_shows_by_files_from_the_future(stack):
    file = stack.directory / "data/from-the-future"
    file.touch()
    os.utime(file, (file.stat().st_mtime + 86_400,) * 2)
    state, found = state_of(stack, "clock")
    file.unlink()
    assert state == "fail" and "from-the-future" in found


def test_backups_have_an_age_and_are_whole(stack):
    [backup] = (stack.directory / "backups").glob("assay-*.tar.gz")
    whole, age = backup.read_bytes(), 80 * 3600
    backup.write_bytes(whole[:len(whole) // 2])
    assert state_of(stack, "backups")[0] == "fail"
    backup.write_bytes(whole)
    os.utime(backup, (backup.stat().st_mtime - age,) * 2)
    assert state_of(stack, "backups") == ("warn", "the newest is 80 hours old")
    assert state_of(stack, "backups", ASSAY_DOCTOR_BACKUP_HOURS=100)[0] == "ok"
    assert gzip.decompress(whole)
    backup.unlink()
    assert state_of(stack, "backups", ASSAY_BACKUP_DIR=stack.directory / "nowhere")[0] in ("warn", "ok")  # by the note of the last


def certificate(folder, days):
    """A key and a certificate of this host that ends in so many days."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days, hours=1)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(7)
    made = made.not_valid_before(end - datetime.timedelta(days=400)).not_valid_after(end).sign(key, hashes.SHA256())
    file = folder / f"{days}.pem"
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
                     + made.public_bytes(serialization.Encoding.PEM))
    return file


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("days, state", [(-2, "fail"), (5, "warn"), (90, "ok")])
def test_certificates_end(stack, tmp_path, days, state):
    server = HTTPServer(("127.0.0.1", 0), Answers)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path, days))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert state_of(stack, "certificates", ASSAY_ORIGIN_PORTAL=f"https://127.0.0.1:{server.server_port}")[0] == state
    finally:
        server.shutdown()
        server.server_close()


def test_an_address_that_nobody_serves_fails(stack):
    assert state_of(stack, "certificates", ASSAY_ORIGIN_PORTAL=f"https://127.0.0.1:{free_ports(1)[0]}")[0] == "fail"


def test_logs_are_found_by_level_and_by_request(stack):
    for number in (1, 2):
        requests.get(stack.url_of("experiments") + "/api/v1/projects", headers={"X-Request-ID": f"looked-for-{number}"}, timeout=30)
    found = [json.loads(line) for line in wait_for(lambda: stack.run("logs", "--request", "looked-for-1").stdout.splitlines())]
    assert [line["fields"]["request_id"] for line in found] == ["looked-for-1"]
    assert "looked-for-2" in stack.run("logs", "--level", "info", "--service", "experiments").stdout
    assert "looked-for" not in stack.run("logs", "--level", "error", "--service", "experiments").stdout
    assert stack.run("logs", "--request", "looked-for-1", "--service", "support").stdout == ""
    refused = stack.run("logs", "--level", "loud")
    assert refused.returncode == 1 and "--level must be one of DEBUG INFO" in refused.stderr


def test_a_log_that_is_rotated_is_followed_and_loses_no_line(stack):
    """As elsewhere than in the package (docs/operate/operations.md): the file is moved away, and `reload` opens a new one."""
    log = stack.directory / "log/experiments-projects.log"

    def ask(name):
        requests.get(stack.url_of("experiments") + "/api/v1/projects", headers={"X-Request-ID": name}, timeout=30)

    ask("before-the-rotation")
    wait_for(lambda: "before-the-rotation" in log.read_text())
    old = log.rename(log.with_suffix(".log.1"))
    ask("between")
    assert stack.run("reload").returncode == 0
    ask("after-the-rotation")
    wait_for(lambda: "after-the-rotation" in log.read_text())
    assert "between" in old.read_text() + log.read_text()
    assert "after-the-rotation" not in old.read_text()


def test_what_a_stopped_stack_needs_is_checked(stack):
    assert stack.stop().returncode == 0
    assert state_of(stack, "processes")[0] == "warn"
    with socket.create_server(("127.0.0.1", int(stack.env["ASSAY_PORT_SUPPORT"]))):
        state, found = state_of(stack, "ports", "processes")
        assert state == "fail" and stack.env["ASSAY_PORT_SUPPORT"] in found
    assert state_of(stack, "ports", "processes")[0] == "ok"


def test_a_schema_that_is_behind_has_pending_migrations(stack):
    with sqlite3.connect(stack.directory / "data/projects.sqlite3") as connection:
        last = connection.execute("SELECT * FROM schema_migrations ORDER BY version DESC LIMIT 1").fetchone()
        connection.execute("DELETE FROM schema_migrations WHERE version = ?", (last[0],))
    state, found = state_of(stack, "database-experiments", "databases")
    with sqlite3.connect(stack.directory / "data/projects.sqlite3") as connection:
        connection.execute(f"INSERT INTO schema_migrations VALUES ({', '.join('?' * len(last))})", last)
    assert state == "warn" and "1 migrations are pending" in found


def test_a_database_that_is_damaged_or_lost_fails(stack):
    database = stack.directory / "data/orch.sqlite3"
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert state_of(stack, "database-orchestrator", "databases")[0] == "fail"
    database.unlink()
    assert state_of(stack, "database-orchestrator", "databases")[0] == "fail"
    database.write_bytes(whole)


def test_a_server_that_may_lose_what_was_acknowledged_fails():
    """The server of the tests has fsync off, which no installation should have."""
    server = PostgresServer().start()
    try:
        with Stack(services=SERVICES[:1]) as stack:
            stack.start({"AB_DATABASE_URL": server.create_database("examined")})
            state, found = state_of(stack, "database-experiments", "databases")
            assert state == "fail" and found.startswith("PostgreSQL 15") and "fsync is off" in found
    finally:
        server.stop()
