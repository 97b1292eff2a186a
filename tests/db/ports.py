"""Ports for the servers that tests start. Between being chosen and being listened on a port is free to everybody; so
whoever chooses one here holds it against the others who do, in whichever process, for as long as he lives."""

import fcntl
import os
import socket
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


def free_ports(count):
    """Ports that nobody listens on now, and that nobody else is given here."""
    ports = []
    while len(ports) < count:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
            if port not in given and Claims.take(port):
                given.add(port)
                ports.append(port)
    return ports
