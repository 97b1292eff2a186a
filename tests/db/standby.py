"""A PostgreSQL that follows another by streaming replication, for tests: see postgres.py."""

import contextlib
import os
import signal
import time

from ports import free_ports
from postgres import USER, PostgresServer


class Standby(PostgresServer):
    """A copy of a running server; start() makes it follow."""

    def __init__(self, primary):
        super().__init__()
        if self.account:
            os.chown(self.directory, *self.account)
        self._run("pg_basebackup", "-h", primary.directory, "-p", primary.port, "-U", USER, "-D", self.data, "-R", "-X", "stream",
                  "-c", "fast", "--no-sync")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(f"port = {free_ports(1)[0]}\nunix_socket_directories = '{self.directory}'\n")

    def promote(self):
        """It waits for no standby of its own."""
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write("synchronous_standby_names = ''\n")
        self._run("pg_ctl", "promote", "-w", "-t", "60", "-D", self.data)
        self.sql("SELECT pg_reload_conf()", database="postgres")

    def catch_up(self, primary):
        """Returns when it has repeated what the primary has written until now."""
        position = primary.sql("SELECT pg_current_wal_flush_lsn()")
        end = time.monotonic() + 60
        while self.sql(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") != "t":
            assert time.monotonic() < end, self.log()
            time.sleep(0.05)

    def pause(self):
        """Receives what the primary writes and does not repeat it."""
        self.sql("SELECT pg_wal_replay_pause()")
        end = time.monotonic() + 60
        while self.sql("SELECT pg_get_wal_replay_pause_state()") != "paused":
            assert time.monotonic() < end, self.log()
            time.sleep(0.05)

    def resume(self):
        self.sql("SELECT pg_wal_replay_resume()")

    @contextlib.contextmanager
    def stopped(self):
        """All of its processes are held: connections stand and nobody answers."""
        processes = self._processes()
        try:
            self._signal(processes, signal.SIGSTOP)
            yield
        finally:
            self._signal(processes, signal.SIGCONT)

    @staticmethod
    def _signal(processes, number):
        """A connection may have ended since they were listed."""
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
