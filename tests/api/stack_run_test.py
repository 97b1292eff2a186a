"""What `make run` does beyond nginx/stack: packages, and the demo in the foreground."""

import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from wait import wait_for
from echo import POOLS, Load, assert_nothing_left
from ports import free_ports
from stack import BUILD, CHECKOUT, Stack, clean_environment


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
    def test_shows_two_answers_and_stops_on_signals(self, tmp_path, sent, to_make):
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
            assert "146,642 visitors per variant, 293,284 in all" in output, output
            assert "3.5% against 4%" in output
            assert f"{stack.base_url}/api/v1/calculate" in output and stack.portal_url in output
            demo.send_signal(sent)
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
