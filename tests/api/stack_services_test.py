"""The table nginx/services: several services, pools that refuse in time, streams, uploads, programs."""

import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import requests

from wait import wait_for
from echo import assert_nothing_left, start
from stack import BUILD, CHECKOUT, Stack, clean_environment

pytest_plugins = ("echo_fixtures",)

TABLE = """
service experiments 8008 /health host=AB_HOST port=AB_PORT
family experiments system 2 1048576 15 * /api/ /health
family experiments slow 2 AB_MAX_REQUEST_BODY_BYTES:1048576 20 waiting=4 =/api/slow
program experiments upkeep --every 60

service support 8009 /health ui=SUPPORT_UI hops=HOPS
family support system 2 65536 15 * /api/ /health
family support answer 4 65536 30 stream waiting=8 =/api/stream
family support answer 4 52428800 30 =/api/upload
error support 413 too_large Request body too large (limit @LIMIT@)
error support 405 method_not_allowed Method Not Allowed
error support 503 unavailable Server is busy

service orchestrator 8011 /health
family orchestrator system 2 1024 15 * /api/ /health
"""
SERVICES = ("experiments", "support", "orchestrator")
POOLS = ("experiments-system", "experiments-slow", "support-system", "support-answer", "orchestrator-system")
UPKEEP = """#!/bin/bash
trap 'trap "" TERM; echo left >>"$ASSAY_RUN_DIR/upkeep"; exit 0' TERM # told again until it has left
echo "began $* $UNPREFIXED" >>"$ASSAY_RUN_DIR/upkeep"
exec {nothing}<> <(:)
while :; do read -r -t 0.1 -u "$nothing"; done
"""


@pytest.fixture(scope="module")
def installation(echo_build, tmp_path_factory):
    """A checkout with a table of its own, and programs for all that is in it."""
    root = tmp_path_factory.mktemp("installation")
    shutil.copytree(CHECKOUT / "nginx", root / "nginx")
    (root / "nginx" / "services").write_text(TABLE)
    for name in ("locales", "sql"):
        (root / name).symlink_to(CHECKOUT / name)
    shutil.copytree(CHECKOUT / "static", root / "static", ignore=shutil.ignore_patterns("vendor", "node_modules"))
    pages = {service: [{"page": "home", "path": "/", "name": "Home"}] for service in ("portal", *SERVICES)}
    (root / "static" / "pages.json").write_text(json.dumps(pages))
    for service in SERVICES:
        (root / "static" / service).mkdir(exist_ok=True)
        (root / "static" / service / "index.html").write_text(f"<!doctype html><title>{service}</title>")
    (root / "build" / "fcgi-bin").mkdir(parents=True)
    (root / "build" / "cron-bin").mkdir()
    (root / "build" / "cron-bin" / "database").symlink_to((BUILD / "cron-bin" / "database").resolve())
    for pool in POOLS:
        shutil.copy(echo_build / "fcgi-bin" / "experiments-system", root / "build" / "fcgi-bin" / pool)
    program = root / "build" / "cron-bin" / "upkeep"
    program.write_text(UPKEEP)
    program.chmod(0o755)
    return root


def new_stack(installation, directory, services=SERVICES):
    return Stack(installation / "build", services, installation / "nginx" / "stack").prepare(directory=directory)


@pytest.fixture(scope="module")
def several(installation, tmp_path_factory):
    with new_stack(installation, tmp_path_factory.mktemp("several")) as stack:
        yield start(stack)


@pytest.fixture
def own_several(installation, tmp_path):
    with new_stack(installation, tmp_path / "own") as stack:
        yield stack


class TestSeveralServices:
    def test_each_has_its_port_and_the_portal_lists_all(self, several):
        for service in SERVICES:
            assert requests.get(several.url_of(service) + "/health").json()["pid"] in several.workers(f"{service}-system")
            assert requests.get(f"{several.portal_url}/health/{service}").status_code == 200
        listed = requests.get(several.portal_url + "/services.json").json()
        assert [(entry["name"], entry["url"]) for entry in listed] == [(name, several.url_of(name)) for name in SERVICES]

    def test_only_those_named(self, own_several):
        del own_several.env["ASSAY_SERVICES"]
        done = own_several.run("start", "support")
        assert done.returncode == 0, done.stderr
        def named():
            return [entry["name"] for entry in requests.get(own_several.portal_url + "/services.json").json()]
        assert named() == ["support"]
        status = own_several.run("status")
        assert status.returncode == 0 and "support-answer" in status.stdout and "orchestrator" not in status.stdout
        assert own_several.run("reload").returncode == 0 and named() == ["support"]
        assert own_several.run("restart").returncode == 0 and named() == ["support"]
        assert own_several.run("restart", "orchestrator", "experiments").returncode == 0
        assert named() == ["experiments", "orchestrator"]
        assert own_several.workers("support-answer") == []
        assert own_several.stop().returncode == 0
        assert_nothing_left(own_several)

    def test_reload_takes_services_in_and_out(self, own_several):
        del own_several.env["ASSAY_SERVICES"]
        own_several.directory.mkdir()
        (own_several.directory / "assay.env").write_text("ASSAY_SERVICES='support orchestrator'\n")
        start(own_several)
        (own_several.directory / "assay.env").write_text("ASSAY_SERVICES='experiments support'\n")
        done = own_several.run("reload")
        assert done.returncode == 0, done.stderr
        assert requests.get(own_several.url_of("experiments") + "/health").status_code == 200
        assert own_several.workers("orchestrator-system") == []
        status = own_several.run("status")
        assert status.returncode == 0 and "orchestrator" not in status.stdout

    def test_a_service_that_is_not_there(self, own_several):
        done = own_several.run("start", "suport")
        assert done.returncode == 1
        assert 'there is no service "suport"; there is: experiments support orchestrator' in done.stderr

    def test_settings_have_the_names_that_the_program_says(self, own_several):
        own_several.env |= {"UNPREFIXED": "taken", "UNKNOWN_NAME": "left"}
        start(own_several)
        url = own_several.url_of("support") + "/health?env="
        assert requests.get(url + "UNPREFIXED").json()["value"] == "taken"
        assert requests.get(url + "UNKNOWN_NAME").json()["value"] is None
        shown = requests.get(url + "ASSAY_OPENAPI_FILE").json()["value"]
        assert shown == str(own_several.directory / "run" / "support-openapi.json")


class TestAnswersOfNginx:
    @pytest.mark.parametrize("service, members, media_type", [
        ("experiments", {"detail", "error_code", "status_code", "request_id"}, "application/json"),
        ("support", {"detail", "error_code", "request_id"}, "application/json"),
        ("orchestrator", {"type", "title", "status", "detail", "request_id"}, "application/json")])
    def test_in_the_envelope_of_the_service(self, several, service, members, media_type):
        answer = requests.post(several.url_of(service) + "/", timeout=10)
        assert answer.status_code == 405 and set(answer.json()) == members
        assert answer.headers["Content-Type"].split(";")[0] == media_type
        assert answer.headers["X-Request-ID"] == answer.json()["request_id"]

    def test_in_the_words_of_the_service(self, several):
        url = several.url_of("support")
        assert requests.post(url + "/", timeout=10).json()["error_code"] == "method_not_allowed"
        large = requests.post(url + "/api/x", data=b"x" * 200_000, timeout=10)
        assert (large.status_code, large.json()["detail"]) == (413, "Request body too large (limit 65536)")

    def test_bodies_of_one_family_have_caps_of_their_own(self, several):
        upload = requests.post(several.url_of("support") + "/api/upload", data=b"x" * 3_000_000, timeout=30)
        assert upload.json()["length"] == 3_000_000
        refused = requests.post(several.url_of("support") + "/api/upload", data=b"x" * 53_000_000, timeout=30)
        assert (refused.status_code, refused.json()["detail"]) == (413, "Request body too large (limit 52428800)")
        assert [entry for entry in (several.directory / "tmp" / "body").rglob("*") if entry.is_file()] == []


class TestWaiting:
    def test_one_too_many_is_refused_at_once(self, own_several):
        """Two workers and four places to wait; on a busy machine these are full before a worker has come to take one."""
        own_several.env |= {"ASSAY_CLIENT_SHARE": "100", "ASSAY_CONNECTIONS_PER_CLIENT": "0"}
        start(own_several)
        url = own_several.url_of("experiments") + "/api/slow?slow=1500"
        begun = time.monotonic()

        def ask(_):
            answer = requests.get(url, timeout=20)
            return answer, time.monotonic() - begun

        with concurrent.futures.ThreadPoolExecutor(16) as crowd:
            answers = list(crowd.map(ask, range(16)))
        served = [answer for answer, _ in answers if answer.status_code == 200]
        refused = [(answer, seconds) for answer, seconds in answers if answer.status_code == 503]
        assert len(served) + len(refused) == 16 and 4 <= len(served) <= 2 + 4
        for answer, seconds in refused:
            assert seconds < 1.4 and answer.headers["Retry-After"] == "1"
            assert set(answer.json()) == {"detail", "error_code", "status_code", "request_id"}

    def test_one_client_cannot_take_all_places(self, own_several):
        """Half of six places; a client at another address is answered meanwhile."""
        start(own_several)
        url = own_several.url_of("experiments") + "/api/slow?slow=1500"
        with concurrent.futures.ThreadPoolExecutor(12) as crowd:
            flood = [crowd.submit(requests.get, url, timeout=20) for _ in range(12)]
            time.sleep(0.5)
            with requests.Session() as other:
                other.mount("http://", AnotherAddress())
                assert other.get(url.replace("1500", "1"), timeout=20).status_code == 200
            statuses = sorted(each.result().status_code for each in flood)
        assert statuses == [200] * 3 + [429] * 9, "half of six"


class AnotherAddress(requests.adapters.HTTPAdapter):
    def init_poolmanager(self, *arguments, **more):
        super().init_poolmanager(*arguments, source_address=("127.0.0.9", 0), **more)


class TestStreams:
    def test_events_arrive_as_they_are_sent(self, several):
        """Kept back, they would come together."""
        with requests.get(several.url_of("support") + "/api/stream?events=400", stream=True, timeout=10) as answer:
            assert "Content-Encoding" not in answer.headers
            arrived = [time.monotonic() for line in answer.iter_lines(chunk_size=1) if line]
        assert len(arrived) == 3 and arrived[2] - arrived[0] > 0.4


class TestPrograms:
    def told(self, stack):
        file = stack.directory / "run" / "upkeep"
        return file.read_text().splitlines() if file.exists() else []

    def test_stay_and_come_back(self, own_several):
        own_several.env["UNPREFIXED"] = "word"
        start(own_several)

        def tells(*lines):
            wait_for(lambda: self.told(own_several) == list(lines),
                       told=lambda: f"{self.told(own_several)}\n{own_several.logs('experiments-upkeep')}")

        began = "began --every 60 word"
        tells(began)
        status = own_several.run("status")
        assert status.returncode == 0 and "experiments-upkeep" in status.stdout
        state = own_several.directory / "run" / "experiments-upkeep.state"
        wait_for(state.exists)
        kept = dict(line.split() for line in state.read_text().splitlines())
        os.kill(int(kept["child"]), signal.SIGKILL)
        tells(began, began)
        (line,) = (line for line in own_several.run("status").stdout.splitlines() if "upkeep" in line)
        assert line.split()[2] == "1/1" and line.split()[-1] == "1"
        assert own_several.run("reload").returncode == 0
        tells(began, began, "left", began)
        assert own_several.stop().returncode == 0
        assert_nothing_left(own_several)
        assert '{"fields":{"detail":"ended with status 137; starts again in 1 s"},"level":"WARNING"' in own_several.logs("experiments-upkeep")

    def test_mending_leaves_alone_what_runs(self, own_several):
        start(own_several)
        before = set(own_several.processes())
        assert own_several.run("mend").returncode == 0
        assert set(own_several.processes()) == before
        for pid in own_several.processes():
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: own_several.run("status").returncode == 3)
        assert own_several.run("mend").returncode == 0
        assert own_several.run("status").returncode == 0, "as after a boot"

    def test_mending_leaves_alone_what_was_stopped(self, own_several):
        start(own_several)
        assert own_several.stop().returncode == 0
        assert own_several.run("mend").returncode == 0 and own_several.run("status").returncode == 3
        start(own_several)
        assert own_several.stop().returncode == 0
        assert own_several.run("restart").returncode == 0
        assert own_several.run("mend").returncode == 0 and own_several.run("status").returncode == 0

    @pytest.mark.parametrize("command", ["mend", "reload"])
    def test_a_killed_supervisor_leaves_no_second_one(self, own_several, command):
        start(own_several)
        supervisor = int((own_several.directory / "run" / "experiments-upkeep.pid").read_text().split()[0])
        wait_for(lambda: len(self.told(own_several)) == 1)
        os.kill(supervisor, signal.SIGKILL)
        assert own_several.run("status").returncode == 1
        assert own_several.run(command).returncode == 0
        wait_for(lambda: len(self.told(own_several)) == 3)
        running = [pid for pid in own_several.processes() if b"/cron-bin/upkeep" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        assert len(running) == 2  # it and its new supervisor

    def test_something_else_may_run_it(self, own_several):
        own_several.directory.mkdir()
        (own_several.directory / "run").mkdir()
        with subprocess.Popen([own_several.program, "stay", "--dir", own_several.directory, "experiments-upkeep"],
                              env={**clean_environment(), **own_several.env, "UNPREFIXED": "word"}) as staying:
            wait_for(lambda: self.told(own_several) == ["began --every 60 word"])
            staying.terminate()
            assert staying.wait(10) == 0
        assert self.told(own_several)[1:] == ["left"]

    def test_not_built(self, own_several, installation, tmp_path):
        shutil.copytree(installation / "build", tmp_path / "build", symlinks=True)
        (tmp_path / "build" / "cron-bin" / "upkeep").unlink()
        done = own_several.run("start", env={"ASSAY_BUILD_DIR": str(tmp_path / "build")})
        assert done.returncode == 1 and "cron-bin/upkeep is not built" in done.stderr


def test_the_table_of_the_suite_is_read(tmp_path):
    """Every row, whether or not the programs are built."""
    done = subprocess.run([CHECKOUT / "nginx" / "stack", "pools"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in (CHECKOUT / "nginx" / "services").read_text().splitlines() if line and line[0] != "#"]
    assert done.stdout.split() == list(dict.fromkeys(f"{row[1]}-{row[2]}" for row in rows if row[0] == "family"))
    for row in rows:
        if row[0] == "family":
            assert (CHECKOUT / "fcgi-bin" / f"{row[1]}-{row[2]}" / "main.c").exists()
        if row[0] == "program":
            assert (CHECKOUT / "cron-bin" / row[2]).is_dir()
