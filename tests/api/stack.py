"""Starts a real stack for tests: nginx, responders and all, on free ports, in a directory of its own."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from wait import wait_for

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "db"))
from ports import free_ports  # noqa: E402  (found by the line above)

CHECKOUT = Path(__file__).resolve().parents[2]
PROGRAM = CHECKOUT / "nginx" / "stack"
ROWS = [line.split() for line in (PROGRAM.parent / "services").read_text().splitlines()]
SERVICES = tuple(row[1] for row in ROWS if row[:1] == ["service"])
WITH_PORT = tuple(row[1] for row in ROWS if row[:1] == ["service"] and row[2] != "-")
PREFIXES = {row[1]: next((word[7:] for word in row if word.startswith("prefix=")), f"/{row[1]}")
            for row in ROWS if row[:1] == ["service"]}
# The directory that holds fcgi-bin/, for `make BUILD=...` and sanitized builds.
BUILD = Path(CHECKOUT, os.environ.get("ASSAY_BUILD_DIR", "build"))
# Seconds that a stack may take to start and to stop, for programs that are much slower than usual.
TIMEOUT = os.environ.get("ASSAY_TEST_TIMEOUT")


def clean_environment():
    """The environment without settings that whoever runs the tests may have; their names are anybody's."""
    kept = ("PATH", "HOME", "USER", "LANG", "LC_", "TZ", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
            "LLVM_PROFILE_FILE", "GCOV_PREFIX", "LD_LIBRARY_PATH", "PYTHON")
    return {k: v for k, v in os.environ.items() if k.startswith(kept)}


def open_files(pids):
    """How many, of all of them; what nginx holds grows by two for each request that a worker has."""
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)


class Stack:
    """One stack of the services named. `build` is the directory that holds fcgi-bin/, if it is not BUILD."""

    def __init__(self, build=None, services=SERVICES[:1], program=PROGRAM):
        self.build = build or BUILD
        self.program = program
        self.services = services
        self.env = {}
        self.directory = None
        self._temporary = None

    def start(self, env=None, directory=None):
        """Starts it and returns itself; raises with the output of `start` when that fails."""
        done = self.try_start(env, directory)
        if done.returncode != 0:
            raise RuntimeError(f"stack start: {done.returncode}\n{done.stdout}{done.stderr}")
        return self

    def try_start(self, env=None, directory=None):
        self.prepare(env, directory)
        return self.run("start")

    def prepare(self, env=None, directory=None):
        """Chooses directory and ports without starting anything."""
        if directory is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="assay-")
            directory = self._temporary.name
        self.directory = Path(directory)
        with_port = [service for service in self.services if service in WITH_PORT]
        ports = free_ports(1 + len(with_port))
        self.env = {"ASSAY_PORT_PORTAL": str(ports[0]), "ASSAY_WORKERS": "2",
                    "ASSAY_BUILD_DIR": str(self.build), "SHUTDOWN_READY_DELAY_SEC": "0",
                    "RAG_EMBEDDER_DIR": "/nonexistent", # by words, unless a test asks for the model
                    "ASSAY_HOSTS": "x,crowd", "ASSAY_SERVICES": " ".join(self.services)}
        for service, port in zip(with_port, ports[1:]):
            self.env[f"ASSAY_PORT_{service.upper()}"] = str(port)
        if TIMEOUT is not None:
            self.env |= {"ASSAY_START_SECONDS": TIMEOUT, "ASSAY_STOP_SECONDS": TIMEOUT}
        self.env.update({k: str(v) for k, v in (env or {}).items()})
        return self

    def run(self, command, *arguments, env=None, timeout=60, under=()):
        """Runs one command of nginx/stack on this stack, `under` another one; returns the finished process."""
        return subprocess.run(
            [*under, str(self.program), command, "--dir", str(self.directory), *arguments],
            env={**clean_environment(), **self.env, **(env or {})},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=timeout + 2 * int(TIMEOUT or 0))

    def stop(self):
        """Stops it; what it has written stays until `close`."""
        return self.run("stop")

    def close(self):
        if self.directory is not None:
            self.stop()
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def url_of(self, service):
        return f"http://127.0.0.1:{self.env[f'ASSAY_PORT_{service.upper()}']}"

    def area_url(self, service):
        """Where the portal shows the service."""
        return self.portal_url + PREFIXES[service]

    @property
    def base_url(self):
        return self.url_of(self.services[0])

    @property
    def portal_url(self):
        return self.url_of("portal")

    def logs(self, name=""):
        """All that the pieces whose names begin with `name` have logged."""
        files = sorted((self.directory / "log").glob(f"{name}*.log"))
        return "".join(f.read_text(errors="replace") for f in files)

    def processes(self):
        """Ids of all live processes of this stack: each works in the stack's directory."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "cwd") == str(self.directory):
                    found.append(int(entry.name))
            except OSError:
                continue  # gone meanwhile, or a zombie
        return found

    def size_of(self, pool):
        """How many workers the pool is meant to have; the last pools begin when the stack has started."""
        state = self.directory / "run" / f"{pool}.state"
        wait_for(state.exists)
        lines = state.read_text().splitlines()
        return int(dict(line.split(None, 1) for line in lines)["workers"])

    def stop_program(self, name):
        """Ends a program that stays, until the next start: its work is then done only when a test asks for it."""
        supervisor = int((self.directory / "run" / f"{name}.pid").read_text().split()[0])
        os.kill(supervisor, signal.SIGTERM)
        wait_for(lambda: supervisor not in self.processes())

    def nginx_workers(self):
        master = int((self.directory / "run" / "nginx.pid").read_text())
        return [int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split()]

    def workers(self, pool):
        """Process ids of the responders of one pool."""
        found = []
        for pid in self.processes():
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
            except OSError:
                continue
            if command.endswith(f"/fcgi-bin/{pool}"):
                found.append(pid)
        return found
