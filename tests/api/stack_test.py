"""The launcher nginx/stack and the nginx configuration it writes.

Most tests put peek_responder.c behind the sockets: it shows what nginx passes, can be slow, and can
die while it answers. The rest, marked `real`, need the built responders.
"""

import os
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time
from pathlib import Path

import pytest
import requests

from stack import BUILD, CHECKOUT, Stack, clean_environment

POOLS = ("experiments-system", "experiments-analysis")
ENVELOPE = {"detail", "error_code", "status_code", "request_id"}
PAGE_HEADERS = {
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
UUID4 = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")


@pytest.fixture(scope="session")
def peek_build(tmp_path_factory):
    programs = tmp_path_factory.mktemp("peek") / "fcgi-bin"
    programs.mkdir()
    source = Path(__file__).with_name("peek_responder.c")
    first = programs / POOLS[0]
    subprocess.run(["gcc", "-O1", str(source), "-o", str(first), "-lfcgi"], check=True)
    for other in POOLS[1:]:
        shutil.copy(first, programs / other)
    return programs.parent


@pytest.fixture(scope="module")
def peek(peek_build, tmp_path_factory):
    """One stack for all tests that do not stop or break it."""
    with Stack(peek_build) as stack:
        yield stack.start(directory=tmp_path_factory.mktemp("shared stack"))


@pytest.fixture(scope="module", autouse=True)
def slow_clients(peek):
    """Clients that send half a header, and half a body, and then nothing."""
    host, port = peek.base_url.removeprefix("http://").split(":")
    clients = [socket.create_connection((host, int(port))) for _ in range(2)]
    clients[0].sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Half")
    clients[1].sendall(b"POST /api/v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
    yield clients
    for client in clients:
        client.close()


@pytest.fixture
def own(peek_build, tmp_path):
    """A stack that the test may break; not started yet."""
    with Stack(peek_build) as stack:
        yield stack.prepare(directory=tmp_path / "a stack")


def start(stack):
    done = stack.run("start")
    assert done.returncode == 0, done.stdout + done.stderr
    return stack


def send_raw(url, data):
    """Sends bytes that no client library would send; returns the whole answer."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(data)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer.decode()


def assert_envelope(answer, status, code):
    assert answer.status_code == status
    body = answer.json()
    assert set(body) == ENVELOPE
    assert (body["status_code"], body["error_code"]) == (status, code)
    assert answer.headers["X-Error-Code"] == code
    assert answer.headers["X-Request-ID"] == body["request_id"]
    for name, value in PAGE_HEADERS.items():
        assert answer.headers[name] == value
    assert "Content-Security-Policy" in answer.headers
    return body


def assert_nothing_left(stack):
    assert stack.processes() == []
    assert list((stack.directory / "run").iterdir()) == []


class TestLife:
    def test_starts_quickly_answers_and_leaves_nothing_behind(self, own):
        begun = time.monotonic()
        start(own)
        assert time.monotonic() - begun < 2
        assert requests.get(own.base_url + "/health").status_code == 200
        assert own.run("status").returncode == 0
        (own.directory / "run" / "experiments.shm").write_bytes(b"shared")
        (own.directory / "data" / "kept").write_bytes(b"data")
        done = own.stop()
        assert done.returncode == 0, done.stderr
        assert_nothing_left(own)
        assert own.run("status").returncode == 3
        assert (own.directory / "data" / "kept").exists()
        assert (own.directory / "log" / "nginx.log").exists()

    def test_prints_addresses(self, own):
        output = own.run("start").stdout
        assert own.base_url in output and own.portal_url in output

    def test_stop_twice_and_without_a_stack(self, own):
        assert own.stop().returncode == 0
        start(own)
        assert own.stop().returncode == 0
        assert own.stop().returncode == 0

    def test_refuses_a_second_start(self, own):
        start(own)
        again = own.run("start")
        assert again.returncode == 1 and "already running" in again.stderr
        assert requests.get(own.base_url + "/health").status_code == 200

    def test_restart_takes_new_processes(self, own):
        start(own)
        before = set(own.processes())
        assert own.run("restart").returncode == 0
        assert before.isdisjoint(own.processes())
        assert requests.get(own.base_url + "/health").status_code == 200

    def test_two_side_by_side(self, own, peek_build, tmp_path):
        start(own)
        with Stack(peek_build) as other:
            other.start(directory=tmp_path / "another")
            for stack in (own, other):
                shown = requests.get(stack.base_url + "/health?env=ASSAY_RUN_DIR").json()["value"]
                assert shown == str(stack.directory / "run")
            other.stop()
            assert other.processes() == []
            assert requests.get(own.base_url + "/health").status_code == 200

    def test_a_path_longer_than_a_socket_address(self, own, peek_build, tmp_path):
        deep = tmp_path / ("long name " * 12) / ("longer " * 10)
        with Stack(peek_build) as stack:
            stack.start(directory=deep)
            assert requests.get(stack.base_url + "/health").status_code == 200

    def test_a_directory_that_nginx_cannot_take(self, peek_build, tmp_path):
        with Stack(peek_build) as stack:
            done = stack.try_start(directory=tmp_path / "a$b")
            assert done.returncode == 1 and "nginx cannot take" in done.stderr
            stack.directory = None

    def test_interrupted_start_leaves_nothing(self, own, peek_build):
        own.env["AB_PORT"] = "1"  # not used: ASSAY_PORT_EXPERIMENTS wins
        slow = own.directory.parent / "slow"
        shutil.copytree(peek_build, slow)
        program = slow / "fcgi-bin" / POOLS[0]
        program.rename(program.with_suffix(".real"))
        program.write_text(f'#!/bin/sh\ncase "$1" in --*) exec "{program}.real" "$1" ;; esac\nsleep 60\n')
        program.chmod(0o755)
        own.env["ASSAY_BUILD_DIR"] = str(slow)
        starting = subprocess.Popen(
            [str(CHECKOUT / "nginx" / "stack"), "start", "--dir", str(own.directory)],
            env={**clean_environment(), **own.env}, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 10
        while not (own.directory / "run" / "nginx.pid").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        starting.send_signal(signal.SIGTERM)
        assert "interrupted" in starting.communicate(timeout=20)[1]
        assert starting.returncode == 1
        assert_nothing_left(own)


class TestRefusals:
    def test_port_taken(self, own):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", int(own.env["ASSAY_PORT_EXPERIMENTS"])))
            taken.listen()
            done = own.run("start")
        assert done.returncode == 1
        assert f"port {own.env['ASSAY_PORT_EXPERIMENTS']} is taken" in done.stderr
        assert f"process {os.getpid()} " in done.stderr
        assert_nothing_left(own)

    def test_responder_not_built(self, own, tmp_path):
        own.env["ASSAY_BUILD_DIR"] = str(tmp_path / "nothing")
        done = own.run("start")
        assert done.returncode == 1 and "is not built" in done.stderr

    @pytest.mark.parametrize("name, value, message", [
        ("AB_LOG_LEVEL", "LOUD", "AB_LOG_LEVEL must be one of"),
        ("ASSAY_PORT_PORTAL", "80800", "ASSAY_PORT_PORTAL must be a whole number between 1 and 65535"),
        ("ASSAY_WORKERS", "many", "ASSAY_WORKERS must be a whole number"),
        ("ASSAY_BIND", "127.0.0.1; return 200", "ASSAY_BIND must be an address"),
        ("ASSAY_ORIGIN_EXPERIMENTS", "example.org", "ASSAY_ORIGIN_EXPERIMENTS must be like https://host"),
        ("ASSAY_CONNECTIONS_PER_CLIENT", "-1", "ASSAY_CONNECTIONS_PER_CLIENT must be a whole number"),
        ("AB_SERVE_FRONTEND_DIST", "perhaps", "AB_SERVE_FRONTEND_DIST must be true or false"),
        ("AB_MAX_REQUEST_BODY_BYTES", "1m", "AB_MAX_REQUEST_BODY_BYTES must be a whole number"),
    ])
    def test_wrong_setting(self, own, name, value, message):
        own.env[name] = value
        done = own.run("start")
        assert done.returncode == 1 and message in done.stderr
        assert own.processes() == []

    @pytest.mark.parametrize("line", ["NOT A SETTING", "AB_ENV='demo", "1AB=2"])
    def test_wrong_line_in_the_settings_file(self, own, line):
        own.directory.mkdir()
        (own.directory / "assay.env").write_text(f"# fine\n{line}\n")
        done = own.run("start")
        assert done.returncode == 1 and "assay.env:2" in done.stderr

    def test_restart_with_a_wrong_setting_leaves_the_running_stack_alone(self, own):
        start(own)
        assert own.run("restart", env={"AB_LOG_LEVEL": "LOUD"}).returncode == 1
        assert requests.get(own.base_url + "/health").status_code == 200

    def test_a_responder_that_dies_at_once_is_reported_and_cleaned_up(self, own, peek_build):
        broken = own.directory.parent / "broken"
        shutil.copytree(peek_build, broken)
        program = broken / "fcgi-bin" / POOLS[0]
        program.rename(program.with_suffix(".real"))
        program.write_text(f'#!/bin/sh\ncase "$1" in --*) exec "{program}.real" "$1" ;; esac\n'
                           'echo "no such disk" >&2\nexit 3\n')
        program.chmod(0o755)
        done = own.run("start", env={"ASSAY_BUILD_DIR": str(broken), "ASSAY_START_SECONDS": "1"})
        assert done.returncode == 1
        assert "no such disk" in done.stderr and f"log/{POOLS[0]}.log" in done.stderr
        assert_nothing_left(own)


class TestSettings:
    def test_file_quotes_comments_and_precedence(self, own):
        own.directory.mkdir()
        (own.directory / "assay.env").write_text(
            "# a comment\n\nAB_ONE=one $HOME `id`  \nexport AB_TWO=\"two words\"\r\nAB_THREE='3 # not a comment'\n"
            "AB_FOUR=file\nOTHER_NAME=passed\n")
        own.env["AB_FOUR"] = "environment"
        start(own)
        expected = {"AB_ONE": "one $HOME `id`", "AB_TWO": "two words", "AB_THREE": "3 # not a comment",
                    "AB_FOUR": "environment", "OTHER_NAME": "passed",
                    "ASSAY_RUN_DIR": str(own.directory / "run"),
                    "ASSAY_OPENAPI_FILE": str(own.directory / "run" / "experiments-openapi.json"),
                    "ASSAY_LOCALES_DIR": str(CHECKOUT / "locales")}
        for name, value in expected.items():
            assert requests.get(own.base_url + f"/health?env={name}").json()["value"] == value

    def test_nothing_else_of_the_environment_reaches_responders(self, own):
        own.env["SOMEBODYS_SECRET"] = "secret"
        start(own)
        assert requests.get(own.base_url + "/health?env=SOMEBODYS_SECRET").json()["value"] is None

    def test_host_and_port_of_the_service_are_accepted(self, own):
        port = own.env.pop("ASSAY_PORT_EXPERIMENTS")
        own.env.update(AB_HOST="127.0.0.2", AB_PORT=port)
        start(own)
        assert requests.get(f"http://127.0.0.2:{port}/health").status_code == 200
        own.env["ASSAY_PORT_EXPERIMENTS"] = port

    def test_api_description_is_put_together(self, peek):
        import json
        text = (peek.directory / "run" / "experiments-openapi.json").read_text()
        document = json.loads(text)
        assert set(document["paths"]) == {f"/api/{pool}" for pool in POOLS}
        assert set(document["components"]["schemas"]) == set(POOLS)
        assert document["tags"] == [{"name": "all"}]
        assert document["info"]["title"] == "peek"

    def test_files_with_settings_are_private(self, peek):
        for name in ("environment", "experiments-system.env"):
            assert stat.S_IMODE((peek.directory / "run" / name).stat().st_mode) == 0o600


class Load:
    """Keeps asking from many threads; collects everything that is not a 200."""

    def __init__(self, url, threads):
        self.url, self.failures, self.answers, self.running = url, [], 0, True
        self.threads = [threading.Thread(target=self.ask) for _ in range(threads)]

    def ask(self):
        while self.running:
            try:
                status = requests.get(self.url, timeout=20).status_code
            except requests.RequestException as error:
                status = repr(error)
            self.answers += 1
            if status != 200:
                self.failures.append(status)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.running = False
        for thread in self.threads:
            thread.join()


class TestReload:
    def test_loses_no_request(self, own):
        start(own)
        before = set(own.workers(POOLS[1]))
        with Load(own.base_url + "/api/v1/calculate?slow=20", 20) as load:
            time.sleep(0.5)
            for _ in range(3):
                done = own.run("reload")
                assert done.returncode == 0, done.stderr
            own.env["AB_MAX_REQUEST_BODY_BYTES"] = "2048"  # changes nginx's configuration as well
            assert own.run("reload").returncode == 0
            time.sleep(0.5)
        assert load.failures == []
        assert load.answers > 200
        assert before.isdisjoint(own.workers(POOLS[1]))
        assert len(own.workers(POOLS[1])) == 2

    def test_takes_new_settings_and_keeps_those_of_the_start(self, own):
        own.env["AB_API_TOKEN"] = "given-at-start"
        start(own)
        (own.directory / "assay.env").write_text("AB_ENV=demo\nASSAY_WORKERS=3\n")
        (own.directory / "assay.env").chmod(0o600)
        del own.env["AB_API_TOKEN"], own.env["ASSAY_WORKERS"]
        done = own.run("reload")
        assert done.returncode == 0 and done.stderr == ""
        url = own.base_url + "/health?env="
        assert requests.get(url + "AB_ENV").json()["value"] == "demo"
        assert requests.get(url + "AB_API_TOKEN").json()["value"] == "given-at-start"

    def test_a_wrong_setting_changes_nothing(self, own):
        start(own)
        before = set(own.processes())
        done = own.run("reload", env={"AB_LOG_LEVEL": "LOUD"})
        assert done.returncode == 1 and "AB_LOG_LEVEL" in done.stderr
        assert set(own.processes()) == before

    def test_workers_that_do_not_start_leave_the_old_ones_in_place(self, own, peek_build):
        programs = own.directory.parent / "changing"
        shutil.copytree(peek_build, programs)
        own.env["ASSAY_BUILD_DIR"] = str(programs)
        start(own)
        program = programs / "fcgi-bin" / POOLS[1]
        program.rename(program.with_suffix(".real"))
        program.write_text(f'#!/bin/sh\ncase "$1" in --*) exec "{program}.real" "$1" ;; esac\nexit 3\n')
        program.chmod(0o755)
        done = own.run("reload")
        assert done.returncode == 1 and "old ones go on" in done.stderr
        assert requests.get(own.base_url + "/api/v1/calculate").status_code == 200

    def test_reopens_logs(self, own):
        start(own)
        log = own.directory / "log"
        for file in list(log.iterdir()):
            file.rename(file.with_suffix(".old"))
        assert own.run("reload").returncode == 0
        assert (log / "nginx.log").exists() and (log / f"{POOLS[0]}.log").exists()

    def test_nothing_to_reload(self, own):
        done = own.run("reload")
        assert done.returncode == 1 and "nothing runs" in done.stderr


class TestDamage:
    def test_killed_workers_are_replaced(self, own):
        start(own)
        chance = random.Random(1)
        with Load(own.base_url + "/health", 4) as load:
            for _ in range(20):
                victim = chance.choice(own.workers(chance.choice(POOLS)) or [0])
                if victim:
                    os.kill(victim, signal.SIGKILL)
                time.sleep(0.5)
        # Only a request that was inside a killed worker may fail, and it does so in good form.
        assert set(load.failures) <= {502}
        assert len(load.failures) <= 20
        for pool in POOLS:
            assert len(own.workers(pool)) == 2
        status = own.run("status")
        assert status.returncode == 0

    def test_requests_that_kill_their_worker(self, own):
        start(own)
        for _ in range(60):
            assert requests.get(own.base_url + "/api/v1/calculate?die").status_code == 502
        assert requests.get(own.base_url + "/api/v1/calculate", timeout=20).status_code == 200

    @pytest.mark.parametrize("part", ["multiwatch", "/nginx/pool"])
    def test_killed_supervisor(self, own, part):
        """Without multiwatch the pool starts another; without the pool `reload` does."""
        start(own)
        for pid in own.processes():
            if part in Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " "):
                os.kill(pid, signal.SIGKILL)
        if part == "multiwatch":
            deadline = time.monotonic() + 10
            while own.run("status").returncode != 0 and time.monotonic() < deadline:
                time.sleep(0.2)
        else:
            assert own.run("status").returncode == 1
            assert own.run("start").returncode == 1
            assert own.run("reload").returncode == 0
        assert own.run("status").returncode == 0
        assert requests.get(own.base_url + "/health").status_code == 200
        assert own.stop().returncode == 0
        assert_nothing_left(own)

    def test_stop_ends_what_is_left_of_a_killed_stack(self, own):
        start(own)
        for pid in own.processes():
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            if "/nginx/pool" in command or "nginx: master" in command:
                os.kill(pid, signal.SIGKILL)
        assert len(own.processes()) > 0
        assert own.run("status").returncode == 1
        assert own.stop().returncode == 0
        assert_nothing_left(own)
        start(own)

    def test_stale_pid_files_harm_nobody(self, own):
        start(own)
        own.stop()
        bystander = subprocess.Popen(["sleep", "60"])
        try:
            for pool in POOLS:
                (own.directory / "run" / f"{pool}.pid").write_text(f"{bystander.pid} 12345\n")
            (own.directory / "run" / "nginx.pid").write_text(f"{bystander.pid}\n")
            assert own.run("status").returncode == 3
            assert own.stop().returncode == 0
            start(own)
            assert own.stop().returncode == 0
            assert bystander.poll() is None
        finally:
            bystander.kill()
            bystander.wait()

    def test_stop_waits_for_requests(self, own):
        start(own)
        answers = []
        asking = threading.Thread(target=lambda: answers.append(
            requests.get(own.base_url + "/api/v1/calculate?slow=1500").status_code))
        asking.start()
        time.sleep(0.4)
        assert own.stop().returncode == 0
        asking.join()
        assert answers == [200]

    def test_dead_backend_gives_the_envelope(self, own):
        start(own)
        (own.directory / "run" / f"{POOLS[1]}.sock").unlink()
        answer = requests.post(own.base_url + "/api/v1/calculate", json={})
        assert_envelope(answer, 502, "http_error")


class TestNginx:
    def test_sockets_are_for_owner_and_group(self, peek):
        for pool in POOLS:
            mode = (peek.directory / "run" / f"{pool}.sock").stat().st_mode
            assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660

    @pytest.mark.parametrize("path", ["/", "/nothing.js", "/api/v1/none"])
    def test_no_version_banner(self, peek, path):
        for url in (peek.base_url, peek.portal_url):
            answer = requests.get(url + path)
            assert answer.headers["Server"] == "nginx"
            assert "1.22" not in answer.text

    def test_families_answer_their_own_paths(self, peek):
        system, analysis = (set(peek.workers(pool)) for pool in POOLS)
        for path in ("/health", "/api/v1/results/other", "/api/v1/diagnostics", "/readyz"):
            assert requests.get(peek.base_url + path).json()["pid"] in system
        for path in ("/api/v1/calculate", "/api/v1/results", "/api/v1/srm-check"):
            assert requests.post(peek.base_url + path).json()["pid"] in analysis

    def test_proxy_header_is_not_passed(self, peek):
        answer = requests.get(peek.base_url + "/health?param=HTTP_PROXY", headers={"Proxy": "http://evil"})
        assert answer.json()["value"] in (None, "")

    def test_names_with_underscores_cannot_pose_as_headers(self, peek):
        answer = requests.get(peek.base_url + "/health?param=HTTP_X_API_KEY", headers={"X_API_Key": "forged"})
        assert answer.json()["value"] is None

    @pytest.mark.parametrize("given, kept", [
        ("abc.DEF:1_2-3", True), ("x" * 128, True), ("x" * 129, False), ("a b", False), ('"', False)])
    def test_request_id_is_one_for_all(self, peek, given, kept):
        answer = requests.get(peek.base_url + "/health?param=HTTP_X_REQUEST_ID", headers={"X-Request-ID": given})
        passed = answer.json()["value"]
        assert (passed == given) if kept else UUID4.match(passed)
        own_answer = requests.post(peek.base_url + "/", headers={"X-Request-ID": given})
        body = assert_envelope(own_answer, 405, "http_error")
        assert (body["request_id"] == given) if kept else UUID4.match(body["request_id"])

    def test_repeated_forwarded_headers_are_joined(self, peek):
        answer = send_raw(peek.base_url, b"GET /health?param=HTTP_X_FORWARDED_FOR HTTP/1.1\r\nHost: x\r\n"
                          b"X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\nConnection: close\r\n\r\n")
        assert '"value":"1.1.1.1, 2.2.2.2"' in answer

    def test_responders_send_their_own_headers_once(self, peek):
        answer = requests.get(peek.base_url + "/health")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "X-Frame-Options" not in answer.headers

    def test_head(self, peek):
        for path in ("/", "/health"):
            answer = requests.head(peek.base_url + path)
            assert answer.status_code == 200 and answer.content == b""


class TestErrorsOfNginx:
    def test_oversized_headers(self, peek):
        answer = requests.get(peek.base_url + "/api/v1/x", headers={"X-Big": "x" * 40000})
        assert_envelope(answer, 431, "http_error")

    def test_oversized_address(self, peek):
        assert_envelope(requests.get(peek.base_url + "/api/" + "x" * 40000), 414, "http_error")

    def test_malformed_request(self, peek):
        answer = send_raw(peek.base_url, b"GET / HTTP/1.1\r\n\r\n")
        assert answer.startswith("HTTP/1.1 400") and '"error_code":"bad_request"' in answer
        assert "X-Error-Code: bad_request" in answer and "X-Frame-Options: DENY" in answer

    def test_body_far_over_the_cap_is_refused_by_nginx(self, peek):
        answer = requests.post(peek.base_url + "/api/v1/calculate", data=b"x" * 2_000_000)
        body = assert_envelope(answer, 413, "request_body_too_large")
        assert body["detail"] == "Request body exceeds limit of 1048576 bytes"

    def test_body_just_over_the_cap_reaches_the_responder(self, peek):
        answer = requests.post(peek.base_url + "/api/v1/calculate", data=b"x" * 1_048_577)
        assert answer.status_code == 413 and answer.json()["length"] == 1_048_577

    def test_method_that_files_do_not_know(self, peek):
        answer = requests.post(peek.base_url + "/", data=b"x" * 4000)
        assert_envelope(answer, 405, "http_error")
        assert answer.headers["Allow"] == "GET, HEAD"

    def test_path_above_the_root(self, peek):
        answer = send_raw(peek.base_url, b"GET /%2e%2e/secret.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert answer.startswith("HTTP/1.1 404") and '"error_code":"not_found"' in answer

    def test_error_locations_are_internal(self, peek):
        assert requests.get(peek.base_url + "/_nginx/502").status_code != 502

    def test_connections_of_one_client_are_limited(self, own):
        own.env["ASSAY_CONNECTIONS_PER_CLIENT"] = "2"
        start(own)
        with Load(own.base_url + "/api/v1/calculate?slow=300", 2):
            time.sleep(0.2)
            answers = [requests.get(own.base_url + "/health") for _ in range(10)]
        limited = [a for a in answers if a.status_code == 429]
        assert limited
        assert_envelope(limited[0], 429, "rate_limited")
        assert limited[0].headers["Retry-After"] == "1"

    def test_slow_clients_are_cut_off(self, slow_clients):
        """Begun with the first test that uses the shared stack, so most of the 10 s are over."""
        for client in slow_clients:
            client.settimeout(15)  # a connection that is left open ends the test with TimeoutError
            answer = b""
            try:
                while chunk := client.recv(65536):
                    answer += chunk
            except ConnectionResetError:
                pass
            assert b" 200" not in answer


@pytest.fixture
def pages(own):
    """A stack with a UI of its own, so that the tests know what is in it."""
    ui = own.directory.parent / "my ui"
    (ui / "sub").mkdir(parents=True)
    (ui / "index.html").write_text("<!doctype html><title>index</title>" + "x" * 2000)
    (ui / "app.js").write_text("export const one = 1;\n" * 100)
    (ui / "results.html").write_text("<!doctype html><title>results</title>")
    (ui / ".secret").write_text("secret")
    (ui / "sub" / "plain").write_text("a file without an extension")
    (ui.parent / "outside.txt").write_text("outside")
    (ui / "link.txt").symlink_to(ui.parent / "outside.txt")
    own.env["AB_FRONTEND_DIST_PATH"] = str(ui)
    return own


class TestPages:
    def test_files(self, pages):
        start(pages)
        for path in ("/", "/index.html", "/projects/some-id"):
            answer = requests.get(pages.base_url + path)
            assert answer.status_code == 200 and "<title>index" in answer.text
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            assert answer.headers["Cache-Control"] == "no-cache"
            assert answer.headers["Content-Encoding"] == "gzip"
            policy = answer.headers["Content-Security-Policy"]
            for part in ("default-src 'self'", "script-src 'self'", "style-src 'self'", "object-src 'none'",
                         "frame-ancestors 'none'", "base-uri 'self'", "form-action 'self'"):
                assert part in policy.split("; ")
            assert "unsafe" not in policy
            for name, value in PAGE_HEADERS.items():
                assert answer.headers[name] == value
        script = requests.get(pages.base_url + "/app.js")
        assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
        again = requests.get(pages.base_url + "/app.js", headers={"If-None-Match": script.headers["ETag"]})
        assert again.status_code == 304
        assert "<title>results" in requests.get(pages.base_url + "/results").text
        viewer = requests.get(pages.base_url + "/docs")
        assert viewer.content == (CHECKOUT / "static" / "experiments" / "docs.html").read_bytes()
        policy = viewer.headers["Content-Security-Policy"].split("; ")
        assert "style-src 'self' 'unsafe-inline'" in policy and "worker-src blob:" in policy
        assert "script-src 'self'" in policy
        assert requests.get(pages.base_url + "/sub/plain").text == "a file without an extension"

    def test_what_is_not_served(self, pages):
        start(pages)
        for path in ("/missing.js", "/.secret", "/link.txt", "/docs/x", "/healthz", "/shared/", "/vendor/",
                     "/shared/missing.css", "/locales/missing.json"):
            assert requests.get(pages.base_url + path).status_code == 404, path
        climbing = send_raw(pages.base_url, b"GET /locales/..%2fnginx/services HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert "<title>index" in climbing  # the path is /nginx/services, a view of the UI

    def test_shared_files_and_catalogues(self, pages):
        start(pages)
        for folder, path in (("static", "shared"), ("", "locales")):
            for file in list((CHECKOUT / folder / path).glob("*.*"))[:3]:
                answer = requests.get(f"{pages.base_url}/{path}/{file.name}")
                assert answer.status_code == 200 and answer.content == file.read_bytes()
                assert answer.headers["Cache-Control"] == "no-cache"
        for file in list((CHECKOUT / "static" / "vendor").glob("*-*/*.js"))[:2]:
            answer = requests.get(f"{pages.base_url}/vendor/{file.parent.name}/{file.name}")
            assert answer.status_code == 200 and "immutable" in answer.headers["Cache-Control"]

    def test_switched_off(self, pages):
        pages.env["AB_SERVE_FRONTEND_DIST"] = "false"
        start(pages)
        for path in ("/", "/index.html", "/app.js", "/projects/x"):
            answer = requests.get(pages.base_url + path)
            assert answer.status_code == 404 and answer.json()["status_code"] == 404
        assert requests.get(pages.base_url + "/health").status_code == 200
        assert requests.get(pages.base_url + "/docs").status_code == 200

    def test_portal_lists_the_services(self, own):
        own.env["ASSAY_ORIGIN_EXPERIMENTS"] = "https://experiments.example"
        start(own)
        assert requests.get(own.portal_url + "/services.json").json() == [
            {"name": "experiments", "url": "https://experiments.example"}]
        shown = requests.get(own.base_url + "/health?param=SITE_ORIGIN").json()["value"]
        assert shown == "https://experiments.example"

    def test_portal_has_the_shared_files(self, peek):
        for path in ("/", "/portal.js", "/shared/tokens.css"):
            assert requests.get(peek.portal_url + path).status_code == 200
        for path in ("/nothing", "/shared/", "/vendor/", "/.git/config", "/shared/.hidden"):
            assert_envelope(requests.get(peek.portal_url + path), 404, "not_found")

    def test_portal_shows_health_of_the_services(self, peek):
        answer = requests.get(peek.portal_url + "/health/experiments")
        assert answer.status_code == 200 and answer.json()["path"] == "/health"
        missing = requests.get(peek.portal_url + "/health/other")
        assert_envelope(missing, 404, "not_found")


real = pytest.mark.skipif(
    not all((BUILD / "fcgi-bin" / pool).exists() for pool in POOLS),
    reason="the responders are not built; run make")


def wait_for_text(stream, text, seconds):
    """Reads lines until one contains `text`; returns all of them."""
    lines, deadline = [], time.monotonic() + seconds
    while time.monotonic() < deadline:
        line = stream.readline()
        if not line:
            break
        lines.append(line)
        if text in line:
            break
    return "".join(lines)


@real
class TestDemo:
    @pytest.mark.parametrize("sent, to_make", [(signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGINT, False)])
    def test_shows_two_answers_and_stops_on_signals(self, tmp_path, sent, to_make):
        stack = Stack().prepare(directory=tmp_path / "demo")
        makefile = tmp_path / "Makefile"
        makefile.write_text(f"run:\n\t@exec '{CHECKOUT}/tools/run-demo' --dir '{stack.directory}'\n")
        command = ["make", "-C", str(tmp_path), "-s", "run"] if to_make else [
            str(CHECKOUT / "tools" / "run-demo"), "--dir", str(stack.directory)]
        demo = subprocess.Popen(command, env={**clean_environment(), **stack.env}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            output = wait_for_text(demo.stdout, "Ctrl-C", 20)
            assert "146,642 visitors per variant, 293,284 in all" in output, output
            assert "3.5% against 4%" in output
            assert f"{stack.base_url}/api/v1/calculate" in output and stack.portal_url in output
            demo.send_signal(sent)
            demo.communicate(timeout=20)
            assert_nothing_left(stack)
        finally:
            demo.kill()
            stack.close()

    def test_real_responders_survive_a_reload_under_load(self, tmp_path):
        with Stack() as stack:
            stack.start({"AB_RATE_LIMIT_ENABLED": "false"}, tmp_path / "real")
            with Load(stack.base_url + "/health", 20) as load:
                for _ in range(3):
                    assert stack.run("reload").returncode == 0
            assert load.failures == [] and load.answers > 200
