"""Ports for the servers that tests start. Between being chosen and being listened on a port is free to everybody. So
they are taken from below those that the system gives to outgoing connections, and whoever chooses one here holds it
against the others who do, in whichever process, for as long as he lives.

As a program, `ports.py COUNT` prints that many and holds them until it is stopped."""

import fcntl
import os
import random
import signal
import socket
import sys
import tempfile
from pathlib import Path

given = set()  # by this process, against which its own locks do not stand


class Claims:
    """A file of which each port is a byte that may be locked; nothing is ever in it."""

    file = None

    @classmethod
    def take(cls, port):
        """Whether nobody has it."""
        if cls.file is None:
            cls.file = Path(tempfile.gettempdir(), f"assay-test-ports-{os.getuid()}").open("a")
        try:
            fcntl.lockf(cls.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
        except OSError:
            return False
        return True


LOWEST = 12_000


def outgoing():
    """The first port of those that the system gives to outgoing connections."""
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    except OSError:
        return 32_768


def is_free(port):
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports(count):
    """Ports that nobody listens on now, and that nobody else is given here."""
    end, ports = outgoing(), []
    if end < LOWEST + 5_000:
        end = 65_536
    while len(ports) < count:
        port = random.randrange(LOWEST, end)
        if port not in given and is_free(port) and Claims.take(port):
            given.add(port)
            ports.append(port)
    return ports


if __name__ == "__main__":
    print(*free_ports(int(sys.argv[1])), sep="\n", flush=True)
    signal.pause()
