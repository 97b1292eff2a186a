"""What `make run` does beyond nginx/stack: packages, and the demo in the foreground."""

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from wait import wait_for
from echo import POOLS, Load, assert_nothing_left
from ports import free_ports
from stack import BUILD, CHECKOUT, WITH_PORT, Stack, clean_environment


class TestPackages:
    PROGRAM = CHECKOUT / "tools" / "install-packages"

    def listed(self, which):
        text = self.PROGRAM.read_text()
        return re.search(rf"^readonly {which}_packages='([^']*)'", text, re.M).group(1).split()

    def test_every_library_that_is_linked_is_installed(self):
        names = re.search(r"^LIBS = (.*)$", (CHECKOUT / "Makefile").read_text(), re.M).group(1).split()
        assert names
        for name in names:
            file = subprocess.run(["gcc", f"-print-file-name=lib{name.removeprefix('-l')}.so"],
                                  capture_output=True, text=True, check=True).stdout.strip()
            if not file.startswith("/"):  # libpthread is part of libc
                file = file.replace(".so", ".a")
                file = subprocess.run(["gcc", f"-print-file-name={file}"],
                                      capture_output=True, text=True, check=True).stdout.strip()
            path = os.path.normpath(file)
            owner = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True, check=True)
            assert owner.stdout.split(":")[0] in self.listed("run"), name

    @pytest.fixture
    def programs(self):
        """A directory that other users may read, as pytest's own are not."""
        with tempfile.TemporaryDirectory() as directory:
            yield Path(directory)

    def with_fake_system(self, programs, missing):
        """Programs that say what they were asked, in front of the real ones."""
        cases = "|".join(missing)
        for name, text in {
            "dpkg-query": f'case "$4" in {cases}) exit 1 ;; esac; printf installed',
            "apt-get": 'echo "apt-get $*"',
            "sudo": "exit 1",
        }.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}\n")
            (programs / name).chmod(0o755)
        programs.chmod(0o755)
        return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}

    def test_without_root_it_prints_the_command(self, programs):
        env = self.with_fake_system(programs, ["nginx", "jq"])
        program = [str(self.PROGRAM), "run"]
        if os.geteuid() == 0:
            program = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-s", "--", "run"]
        done = subprocess.run(program, env=env, input=self.PROGRAM.read_text(),
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "apt-get update && apt-get install --no-install-recommends nginx jq\n" in done.stderr
        assert done.stdout == ""

    def test_nothing_missing_does_nothing(self, programs):
        env = self.with_fake_system(programs, ["none"])
        done = subprocess.run([str(self.PROGRAM), "test"], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
    def test_says_where_it_is_and_stops_on_signals(self, tmp_path, sent, to_make):
        stack = Stack().prepare({"ORCH_DEMO_PORT": free_ports(1)[0]}, tmp_path / "demo")
        makefile = tmp_path / "Makefile"
        makefile.write_text(f"run:\n\t@exec '{CHECKOUT}/tools/run-demo' --dir '{stack.directory}'\n")
        command = ["make", "-C", str(tmp_path), "-s", "run"] if to_make else [
            str(CHECKOUT / "tools" / "run-demo"), "--dir", str(stack.directory)]
        # Where a shell has us run in the background, SIGINT is ignored, and so it would be in there.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        demo = subprocess.Popen(command, env={**clean_environment(), **stack.env}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            output = wait_for_text(demo.stdout, "Ctrl-C", 60)
            assert f"Assay is running: {stack.portal_url}/" in output, output
            assert f"{stack.portal_url}/experiments/projects" in output and "/support/" not in output
            demo.send_signal(sent)
            demo.communicate(timeout=60)
            assert_nothing_left(stack)
        finally:
            demo.kill()
            stack.close()

    def test_a_taken_port_of_the_simulated_models_is_said_in_one_line(self, tmp_path):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            stack = Stack(services=["orchestrator"]).prepare({"ORCH_DEMO_PORT": port}, tmp_path / "demo")
            try:
                done = subprocess.run([str(CHECKOUT / "tools" / "run-demo"), "--dir", str(stack.directory)],
                                      env={**clean_environment(), **stack.env}, capture_output=True, text=True, timeout=60, check=False)
                said = [line for line in done.stdout.splitlines() if f"port {port} is taken" in line]
                assert done.returncode == 1 and len(said) == 1, done.stdout
                assert f"process {os.getpid()} " in said[0] and said[0].endswith("choose another with ORCH_DEMO_PORT")
                assert_nothing_left(stack)
            finally:
                stack.close()

    def test_a_signal_during_the_start_leaves_nothing(self, tmp_path):
        stack = Stack().prepare({"ORCH_DEMO_PORT": free_ports(1)[0]}, tmp_path / "demo")
        demo = subprocess.Popen([str(CHECKOUT / "tools" / "run-demo"), "--dir", str(stack.directory)],
                                env={**clean_environment(), **stack.env}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            wait_for((stack.directory / "run").exists)
            demo.send_signal(signal.SIGTERM)
            demo.communicate(timeout=60)
            assert_nothing_left(stack)
        finally:
            demo.kill()
            stack.close()

    def test_prints_little_and_its_commands_work(self, tmp_path):
        stack = Stack(services=WITH_PORT).prepare({"ORCH_DEMO_PORT": free_ports(1)[0]}, tmp_path / "demo")
        demo = subprocess.Popen([str(CHECKOUT / "tools" / "run-demo"), "--dir", str(stack.directory)],
                                env={**clean_environment(), **stack.env, "LANG": "en_US.UTF-8"}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            output = wait_for_text(demo.stdout, "Ctrl-C", 120)
            lines = output.splitlines()
            assert len(lines) <= 60, output
            password = (stack.directory / "state/support-first-password").read_text()
            assert f"Sign in as admin with the password {password}" in output
            assert not re.search(r"127\.0\.0\.1:(?!%s/)" % stack.env["ASSAY_PORT_PORTAL"], output), output
            token = next(line for line in lines if "TOKEN=" in line).strip()
            commands = [line.strip() for line in lines if "curl" in line]
            assert len(commands) == len(WITH_PORT)
            for command in commands:
                done = subprocess.run(["bash", "-c", f"{token}\n{command} --fail-with-body"], capture_output=True, text=True, check=False)
                assert done.returncode == 0 and json.loads(done.stdout), (command, done.stdout, done.stderr)
            assert (stack.directory / "state/demo-language").read_text() == "en\n"
            demo.send_signal(signal.SIGINT)
            demo.communicate(timeout=60)
            assert_nothing_left(stack)
        finally:
            demo.kill()
            stack.close()

    def test_what_was_killed_comes_back_and_a_stack_stopped_elsewhere_ends_it(self, tmp_path):
        stack = Stack().prepare({"ORCH_DEMO_PORT": free_ports(1)[0]}, tmp_path / "demo")
        demo = subprocess.Popen([str(CHECKOUT / "tools" / "run-demo"), "--dir", str(stack.directory)],
                                env={**clean_environment(), **stack.env, "WATCH_SECONDS": "1"}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            wait_for_text(demo.stdout, "Ctrl-C", 60)
            file = stack.directory / "run" / "experiments-upkeep.pid"
            supervisor = int(file.read_text().split()[0])
            os.kill(supervisor, signal.SIGKILL)
            wait_for(lambda: stack.run("status").returncode == 0 and int(file.read_text().split()[0]) != supervisor)
            assert stack.run("stop").returncode == 0
            output, _ = demo.communicate(timeout=60)
            assert demo.returncode == 0 and "stopped elsewhere" in output
            assert_nothing_left(stack)
        finally:
            demo.kill()
            stack.close()

    @pytest.mark.soak  # chaos_test.py reloads under load in every run
    def test_real_responders_survive_a_reload_under_load(self, tmp_path):
        with Stack() as stack:
            stack.start({"AB_RATE_LIMIT_ENABLED": "false"}, tmp_path / "real")
            with Load(stack.base_url + "/health", 20) as load:
                for _ in range(3):
                    assert stack.run("reload").returncode == 0
            assert load.failures == [] and load.answers > 200
