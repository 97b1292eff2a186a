#!/usr/bin/python3
"""A throw-away PostgreSQL 15 for tests.

Started from Debian's package in a temporary directory, as an ordinary user (as `postgres` or
`nobody` when the tests run as root), on a loopback port and a unix socket of its own. Import
`PostgresServer`, or run:

    postgres.py start DIR      make (if need be) and start a server there; prints its URL
    postgres.py stop DIR       stop it in good order
    postgres.py kill DIR       SIGKILL to every one of its processes
    postgres.py url DIR        print the URL
    postgres.py run -- CMD     start one, run CMD with ASSAY_TEST_POSTGRES_* set, throw it away

The default collation is not bytewise, so that a forgotten collation shows in tests.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ports import free_ports

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
USER = "assay"
PASSWORD = "p@ss"
PASSWORD_IN_URL = "p%40ss"
DATABASE = "assay"
SMALL_BYTES = 6 * 1024 * 1024

SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{directory}'
max_connections = 80
shared_buffers = 32MB
fsync = off                # only the processes are killed here, never the machine
full_page_writes = off
logging_collector = off
log_min_messages = warning
lc_messages = 'C'
"""


def unprivileged():
    """(uid, gid) to run the server as when we are root, else None."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return entry.pw_uid, entry.pw_gid
    raise RuntimeError("no unprivileged user to run PostgreSQL as")


class PostgresServer:
    def __init__(self, directory=None):
        self.own_directory = directory is None
        self.directory = Path(directory or tempfile.mkdtemp(prefix="assay-postgres-"))
        self.data = self.directory / "data"
        self.small = self.directory / "small"
        self.account = unprivileged()

    def _run(self, program, *arguments, **options):
        if self.account:
            options.update(user=self.account[0], group=self.account[1], extra_groups=[])
        result = subprocess.run([PROGRAMS / program, *map(str, arguments)], cwd="/",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, **options)
        if result.returncode != 0:
            raise RuntimeError(f"{program}: {result.stdout}\n{self.log()}")
        return result.stdout

    def log(self):
        path = self.directory / "log"
        return path.read_text(errors="replace")[-4000:] if path.exists() else ""

    def _create(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        if self.account:
            os.chown(self.directory, *self.account)
        password = self.directory / "password"
        password.write_text(PASSWORD)
        if self.account:
            os.chown(password, *self.account)
        self._run("initdb", "-D", self.data, "-U", USER, "--pwfile", password, "--no-sync",
                  "--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu",
                  "--icu-locale=en-US", "--auth-local=trust", "--auth-host=scram-sha-256")
        settings = SETTINGS.format(port=free_ports(1)[0], directory=self.directory)
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(settings)

    @property
    def port(self):
        for line in reversed((self.data / "postgresql.conf").read_text().splitlines()):
            if line.startswith("port = "):
                return int(line.split("=")[1])
        raise RuntimeError("the server has no port")

    def url(self, database=DATABASE):
        return f"postgresql://{USER}:{PASSWORD_IN_URL}@127.0.0.1:{self.port}/{database}"

    def start(self):
        fresh = not (self.data / "PG_VERSION").exists()
        if fresh:
            self._create()
        self._forget_the_dead()
        self._run("pg_ctl", "start", "-w", "-t", "60", "-D", self.data, "-l",
                  self.directory / "log")
        if fresh:
            self.sql(f"CREATE DATABASE {DATABASE}", database="postgres")
        return self

    def sql(self, statement, database=DATABASE):
        return self._run("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h",
                         self.directory, "-p", self.port, "-U", USER, "-d", database, "-c",
                         statement).strip()

    def create_database(self, name):
        """An empty database; its URL."""
        self.sql(f"CREATE DATABASE {name}", database="postgres")
        return self.url(name)

    def small_tablespace(self):
        """A tablespace `small` of a few megabytes, or None where mounting is not permitted."""
        self.small.mkdir(exist_ok=True)
        owner = f",uid={self.account[0]},gid={self.account[1]}" if self.account else ""
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL_BYTES},mode=0700"
                                  + owner, "tmpfs", self.small], capture_output=True, check=False)
        if mounted.returncode != 0:
            return None
        self.sql(f"CREATE TABLESPACE small LOCATION '{self.small}'")
        return "small"

    def _processes(self):
        """The postmaster and its children, the postmaster first."""
        try:
            postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        except (FileNotFoundError, IndexError, ValueError):
            return []
        found = [postmaster]
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, IndexError, ValueError):
                if int(status.read_text().rsplit(")", 1)[1].split()[1]) == postmaster:
                    found.append(int(status.parent.name))
        return found

    def kill(self):
        """As when the machine's out-of-memory killer strikes: nothing is written any more."""
        processes = self._processes()
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while any(_running(process) for process in processes):
            if time.monotonic() > deadline:
                raise RuntimeError("the server does not die")
            time.sleep(0.01)

    def _forget_the_dead(self):
        """A killed postmaster that nobody has reaped looks alive to the next one."""
        processes = self._processes()
        if processes and not _running(processes[0]):
            (self.data / "postmaster.pid").unlink()
            for lock in self.directory.glob(".s.PGSQL.*.lock"):
                lock.unlink()

    def stop(self):
        if self._processes() and _running(self._processes()[0]):
            self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self.data)

    def remove(self):
        self.stop()
        if os.path.ismount(self.small):
            subprocess.run(["umount", self.small], check=False)
        shutil.rmtree(self.directory, ignore_errors=True)

    def environment(self):
        """What the unit tests of common/db look for."""
        variables = {
            "ASSAY_TEST_POSTGRES_URL": self.url(),
            "ASSAY_TEST_POSTGRES_DIRECTORY": str(self.directory),
            "ASSAY_TEST_POSTGRES_CONTROL": str(Path(__file__).resolve()),
        }
        if os.path.ismount(self.small):
            variables["ASSAY_TEST_POSTGRES_TABLESPACE"] = "small"
        return variables

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()


def _running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def run(command):
    with PostgresServer() as server:
        server.small_tablespace()
        return subprocess.run(command, env={**os.environ, **server.environment()},
                              check=False).returncode


def main(arguments):
    if arguments[:2] == ["run", "--"] and len(arguments) > 2:
        return run(arguments[2:])
    if len(arguments) != 2 or arguments[0] not in ("start", "stop", "kill", "url"):
        print(__doc__, file=sys.stderr)
        return 2
    server = PostgresServer(arguments[1])
    if arguments[0] == "url":
        print(server.url())
        return 0
    getattr(server, arguments[0])()
    if arguments[0] == "start":
        print(server.url())
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
