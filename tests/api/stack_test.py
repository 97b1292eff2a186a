"""The launcher nginx/stack: starting, stopping, settings, reloading under load, and damage."""

import json
import os
import random
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

from wait import wait_for
from echo import ANALYSIS, POOLS, SYSTEM, Load, assert_envelope, assert_nothing_left, start
from stack import CHECKOUT, ROWS, Stack, clean_environment, open_files

pytest_plugins = ("echo_fixtures",)


class TestLife:
    def test_answers_and_leaves_nothing_behind(self, own):
        start(own)
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

    def test_two_side_by_side(self, own, echo_build, tmp_path):
        start(own)
        with Stack(echo_build) as other:
            other.start(directory=tmp_path / "another")
            for stack in (own, other):
                shown = requests.get(stack.base_url + "/health?env=ASSAY_RUN_DIR").json()["value"]
                assert shown == str(stack.directory / "run")
            other.stop()
            assert other.processes() == []
            assert requests.get(own.base_url + "/health").status_code == 200

    def test_a_path_longer_than_a_socket_address(self, own, echo_build, tmp_path):
        deep = tmp_path / ("long name " * 12) / ("longer " * 10)
        with Stack(echo_build) as stack:
            stack.start(directory=deep)
            assert requests.get(stack.base_url + "/health").status_code == 200

    @pytest.mark.parametrize("name, message", [
        ("a$b", "nginx cannot take"), ("a[bc]", "find other files"), ("a*", "find other files"), ("a?", "find other files")])
    def test_a_directory_that_nginx_cannot_take(self, echo_build, tmp_path, name, message):
        with Stack(echo_build) as stack:
            done = stack.try_start(directory=tmp_path / name)
            assert done.returncode == 1 and message in done.stderr
            assert list(tmp_path.iterdir()) in ([], [tmp_path / name])
            stack.directory = None

    def test_interrupted_start_leaves_nothing(self, own, echo_build):
        own.env["AB_PORT"] = "1"  # not used: ASSAY_PORT_EXPERIMENTS wins
        slow = own.directory.parent / "slow"
        shutil.copytree(echo_build, slow)
        program = slow / "fcgi-bin" / SYSTEM
        program.rename(program.with_suffix(".real"))
        program.write_text(f'#!/bin/sh\ncase "$1" in --*) exec "{program}.real" "$1" ;; esac\nsleep 60\n')
        program.chmod(0o755)
        own.env["ASSAY_BUILD_DIR"] = str(slow)
        starting = subprocess.Popen(
            [str(CHECKOUT / "nginx" / "stack"), "start", "--dir", str(own.directory)],
            env={**clean_environment(), **own.env}, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: own.workers(ANALYSIS))
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

    def test_configuration_that_cannot_be_written(self, own):
        """A file may hold no more than 4 kB here, as if the disk were full after that."""
        done = own.run("render", under=["bash", "-c", 'trap "" XFSZ; ulimit -f 4; exec "$@"', "bash"])
        assert done.returncode == 1 and "cannot write" in done.stderr and str(own.directory / "conf.new") in done.stderr

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

    def test_a_responder_that_dies_at_once_is_reported_and_cleaned_up(self, own, echo_build):
        broken = own.directory.parent / "broken"
        shutil.copytree(echo_build, broken)
        program = broken / "fcgi-bin" / SYSTEM
        program.rename(program.with_suffix(".real"))
        program.write_text(f'#!/bin/sh\ncase "$1" in --*) exec "{program}.real" "$1" ;; esac\n'
                           'echo "no such disk" >&2\nexit 3\n')
        program.chmod(0o755)
        done = own.run("start", env={"ASSAY_BUILD_DIR": str(broken), "ASSAY_START_SECONDS": "1"})
        assert done.returncode == 1
        assert "no such disk" in done.stderr and f"log/{SYSTEM}.log" in done.stderr
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

    def test_api_description_is_put_together(self, echo):
        text = (echo.directory / "run" / "experiments-openapi.json").read_text()
        document = json.loads(text)
        assert set(document["paths"]) == {f"/api/{pool}" for pool in POOLS}
        assert set(document["components"]["schemas"]) == set(POOLS)
        assert document["tags"] == [{"name": "all"}]
        assert document["info"]["title"] == "echo"

    def test_files_with_settings_are_private(self, echo):
        for name in ("environment", "experiments-system.env"):
            assert stat.S_IMODE((echo.directory / "run" / name).stat().st_mode) == 0o600


class TestPages:
    """What the pages share, which is kept beside the programs."""

    @pytest.fixture
    def build(self, echo_build, tmp_path):
        return shutil.copytree(echo_build, tmp_path / "build", symlinks=True, ignore=shutil.ignore_patterns("pages"))

    @staticmethod
    def rendered(build, directory, **env):
        stack = Stack(build).prepare(directory=directory)
        done = stack.run("render", env=env)
        shell = directory / "conf" / "shell"
        return done, {path.relative_to(shell): path.read_bytes() for path in shell.rglob("*") if path.is_file()}

    def test_are_the_same_where_nobody_can_write_there(self, build, tmp_path):
        done, kept = self.rendered(build, tmp_path / "kept")
        assert done.returncode == 0 and len(kept) > 10, done.stderr
        shutil.rmtree(build / "pages")
        (build / "pages").write_text("in the way")
        done, own = self.rendered(build, tmp_path / "own")
        assert done.returncode == 0 and "pages" not in done.stderr, done.stderr
        assert own == kept

    def test_load_their_modules_one_by_one_where_these_cannot_be_put_together(self, build, tmp_path):
        node = tmp_path / "bin" / "node"
        node.parent.mkdir()
        node.write_text("#!/bin/sh\nexit 1\n")
        node.chmod(0o755)
        done, shell = self.rendered(build, tmp_path / "stack", PATH=f"{node.parent}:{os.environ['PATH']}")
        assert done.returncode == 0 and "stay apart" in done.stderr, done.stderr
        head = shell[Path("experiments/projects-head")].decode()
        assert "/experiments/projects/page.js" in head and "/shared/ui/client.js" in head and "/made/" not in head

    def test_of_which_half_is_there_are_not_kept(self, build, tmp_path):
        program = tmp_path / "bin" / "jq"
        program.parent.mkdir()
        program.write_text(f'#!/bin/bash\n[[ "$*" != *pages.json* ]] || exit 1\nexec {shutil.which("jq")} "$@"\n')
        program.chmod(0o755)
        done, _ = self.rendered(build, tmp_path / "stack", PATH=f"{program.parent}:{os.environ['PATH']}")
        assert done.returncode == 1 and "cannot make the pages" in done.stderr, done.stderr
        assert not list((build / "pages").iterdir())


def workers_of(stack):
    """Once all are there. Of all processes of a stack that has just started some end by themselves."""
    def whole():
        found = {pool: set(stack.workers(pool)) for pool in POOLS}
        return found if all(len(found[pool]) == stack.size_of(pool) for pool in POOLS) else None
    return wait_for(whole)


class TestReload:
    def test_loses_no_request(self, own):
        start(own)
        before = set(own.workers(ANALYSIS))
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
        assert before.isdisjoint(own.workers(ANALYSIS))
        assert len(own.workers(ANALYSIS)) == 2

    def test_waits_for_the_longest_answer_of_the_table(self, own):
        """As long as any route may take, nginx and the workers that are replaced finish what they have."""
        start(own)
        seconds = {f"{row[1]}-{row[2]}": int(row[5]) for row in ROWS if row[:2] == ["family", own.services[0]]}
        conf = (own.directory / "conf" / "nginx.conf").read_text()
        assert f"worker_shutdown_timeout {max(seconds.values()) + 5}s;" in conf
        for pool, longest in seconds.items():
            assert f"\0ASSAY_POOL_SECONDS={longest}\0" in (own.directory / "run" / f"{pool}.env").read_text()

    def test_brings_back_a_socket_that_was_deleted(self, own):
        start(own)
        (own.directory / "run" / f"{ANALYSIS}.sock").unlink()
        assert requests.get(own.base_url + "/api/v1/calculate").status_code == 503
        assert own.run("reload").returncode == 0
        assert requests.get(own.base_url + "/api/v1/calculate").status_code == 200
        wait_for(lambda: own.run("status").returncode == 0 and len(own.workers(ANALYSIS)) == own.size_of(ANALYSIS))

    def test_of_what_was_started_to_outlive_a_terminal(self, own):
        """`nohup` ignores SIGHUP for all that it starts, and a shell cannot undo that."""
        assert own.run("start", under=["nohup"]).returncode == 0
        before = set(own.processes())
        done = own.run("reload")
        assert done.returncode == 0, done.stderr
        assert before.isdisjoint(own.workers(ANALYSIS))

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
        before = workers_of(own)
        done = own.run("reload", env={"AB_LOG_LEVEL": "LOUD"})
        assert done.returncode == 1 and "AB_LOG_LEVEL" in done.stderr
        assert workers_of(own) == before

    def test_workers_that_do_not_start_leave_the_old_ones_in_place(self, own, echo_build):
        programs = own.directory.parent / "changing"
        shutil.copytree(echo_build, programs)
        own.env["ASSAY_BUILD_DIR"] = str(programs)
        start(own)
        program = programs / "fcgi-bin" / ANALYSIS
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
        assert (log / "nginx.log").exists() and (log / f"{SYSTEM}.log").exists()

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
        # Only what a killed worker had taken may fail, and it does so in good form: 502, or 503 when nothing was
        # sent to it yet.
        assert set(load.failures) <= {502, 503}
        assert len(load.failures) <= 20
        wait_for(lambda: all(len(own.workers(pool)) == own.size_of(pool) for pool in POOLS))
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
            wait_for(lambda: own.run("status").returncode == 0)
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
        answers, front = [], own.nginx_workers()
        before = open_files(front)
        asking = threading.Thread(target=lambda: answers.append(
            requests.get(own.base_url + "/api/v1/calculate?slow=1500").status_code))
        asking.start()
        wait_for(lambda: open_files(front) >= before + 2)
        assert own.stop().returncode == 0
        asking.join()
        assert answers == [200]

    def test_dead_backend_gives_the_envelope(self, own):
        """What no responder has seen may be sent again; what one broke off may have been done."""
        start(own)
        broken = requests.post(own.base_url + "/api/v1/calculate?die", json={})
        assert_envelope(broken, 502, "http_error")
        (own.directory / "run" / f"{ANALYSIS}.sock").unlink()
        answer = requests.post(own.base_url + "/api/v1/calculate", json={})
        assert_envelope(answer, 503, "http_error")
        assert answer.headers["Retry-After"] == "1" and "Retry-After" not in broken.headers
