"""Debian's redis-server on a port of its own, in memory only; it may be killed, stopped and started again."""

import signal
import subprocess
import tempfile

from stack import free_ports
from wait import wait_for

PASSWORD = "a-planted-cache-secret"


class RedisServer:
    """`url` is what settings take."""

    def __init__(self):
        self.port = free_ports(1)[0]
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{self.port}/3"
        self.directory = tempfile.TemporaryDirectory(prefix="assay-redis-")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
             "--requirepass", PASSWORD, "--dir", self.directory.name], stdout=subprocess.DEVNULL)
        wait_for(lambda: self.ask("PING") == "PONG")
        return self

    def ask(self, *words):
        """What redis-cli prints."""
        return subprocess.run(["redis-cli", "-p", str(self.port), "-a", PASSWORD, "--no-auth-warning", "-n", "3",
                               *map(str, words)], capture_output=True, text=True, check=False).stdout.strip()

    def kill(self):
        """What it held is gone."""
        self.process.kill()
        self.process.wait()

    def stall(self):
        """It keeps its connections, takes new ones, and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()
        self.directory.cleanup()
