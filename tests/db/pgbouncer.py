"""A throw-away PgBouncer in transaction mode before a PostgresServer, from Debian's package.

Few sessions on the server for many clients, so that whatever is kept in a session goes astray.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from ports import free_ports
from postgres import PASSWORD, PASSWORD_IN_URL, USER, unprivileged

PROGRAM = Path("/usr/sbin/pgbouncer")
SETTINGS = """
[databases]
* = host=127.0.0.1 port={server}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {users}
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 500
logfile = {log}
"""


class PgBouncer:
    def __init__(self, server, sessions=3):
        self.directory = Path(tempfile.mkdtemp(prefix="assay-pgbouncer-"))
        self.account = unprivileged()
        self.port = free_ports(1)[0]
        users, settings = self.directory / "users.txt", self.directory / "pgbouncer.ini"
        users.write_text(f'"{USER}" "{PASSWORD}"\n')
        settings.write_text(SETTINGS.format(server=server.port, port=self.port, users=users, sessions=sessions,
                                            log=self.directory / "log"))
        options = {}
        if self.account:
            for path in (self.directory, users, settings):
                os.chown(path, *self.account)
            options = {"user": self.account[0], "group": self.account[1], "extra_groups": []}
        self.process = subprocess.Popen([PROGRAM, "-q", settings], cwd="/", stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, **options)
        end = time.monotonic() + 10
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < end, (self.directory / "log").read_text()
            time.sleep(0.02)

    def answers(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def url(self, database):
        return f"postgresql://{USER}:{PASSWORD_IN_URL}@127.0.0.1:{self.port}/{database}"

    def close(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(10)
        shutil.rmtree(self.directory)
