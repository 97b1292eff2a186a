"""A real IMAP server (Dovecot) with one mailbox, in a folder of its own and on ports of its own.

    with ImapServer() as imap:
        imap.deliver(b"From: ...")   # one message
        imap.settings                # what email-channel has to know
        imap.unseen()                # how many messages nobody has seen
"""

import imaplib
import os
import pwd
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path

USER, PASSWORD = "support@shop.example", "mail-box pass\"word"

CONFIG = """
protocols = imap
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/dovecot.log
ssl = required
ssl_cert = <{folder}/imap.pem
ssl_key = <{folder}/imap.key
mail_location = maildir:{folder}/mail
auth_mechanisms = plain login
default_vsz_limit = 512M
{accounts}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/passwd
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/mail
}}
service imap-login {{
  {chroot}
  inet_listener imap {{
    address = 127.0.0.1
    port = {plain_port}
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {port}
    ssl = yes
  }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class ImapServer:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="assay-imap-"))
        self.folder.chmod(0o755)
        self.ca_file, self.port, self.tls_port, self.count = self.folder / "imap.pem", free_port(), free_port(), 0
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "imap.key", "-out", self.ca_file],
                       check=True, capture_output=True)
        # Dovecot lets nobody read mail as root; without root it runs as whoever starts it.
        is_root = os.geteuid() == 0
        self.owner = pwd.getpwnam("nobody") if is_root else pwd.getpwuid(os.geteuid())
        name = self.owner.pw_name
        accounts = "" if is_root else f"default_internal_user = {name}\ndefault_login_user = {name}\ndefault_internal_group = "
        (self.folder / "passwd").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n")
        (self.folder / "passwd").chmod(0o644)
        for part in ("", "new", "cur", "tmp"):
            self._own(self.folder / "mail" / part, make=True)
        (self.folder / "dovecot.conf").write_text(CONFIG.format(
            folder=self.folder, accounts=accounts, user=self.owner.pw_uid, group=self.owner.pw_gid, plain_port=self.port,
            port=self.tls_port, chroot="" if is_root else "chroot ="))
        self.settings = {"EMAIL_CHANNEL_MODE": "imap", "IMAP_HOST": "127.0.0.1", "IMAP_PORT": str(self.port),
                         "IMAP_USER": USER, "IMAP_PASSWORD": PASSWORD, "IMAP_CA_FILE": str(self.ca_file),
                         "IMAP_TIMEOUT_SEC": "10"}

    def _own(self, path, make=False):
        if make:
            path.mkdir()
        os.chown(path, self.owner.pw_uid, self.owner.pw_gid)

    def __enter__(self):
        self.process = subprocess.Popen(["/usr/sbin/dovecot", "-F", "-c", self.folder / "dovecot.conf"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise AssertionError((self.folder / "dovecot.log").read_text())

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        shutil.rmtree(self.folder)

    def deliver(self, message):
        """As a mail server does: written beside, then moved."""
        self.count += 1
        name = f"{int(time.time())}.{self.count:06d}.test"
        (self.folder / "mail/tmp" / name).write_bytes(message)
        self._own(self.folder / "mail/tmp" / name)
        (self.folder / "mail/tmp" / name).rename(self.folder / "mail/new" / name)

    def _mailbox(self):
        box = imaplib.IMAP4("127.0.0.1", self.port)
        box.starttls(ssl.create_default_context(cafile=str(self.ca_file)))
        box.login(USER, PASSWORD)
        box.select("INBOX")
        return box

    def unseen(self):
        box = self._mailbox()
        found = box.search(None, "UNSEEN")[1][0].split()
        box.logout()
        return len(found)

    def forget_seen(self):
        """As somebody who marks all messages as unread."""
        box = self._mailbox()
        box.store("1:*", "-FLAGS", r"(\Seen)")
        box.logout()


class Cut:
    """In front of a server: passes on `bytes` of its answers per connection, then both ends are closed."""

    def __init__(self, port, most):
        self.target, self.most, self.listener = port, most, socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self._pass_on, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self._pass_on, args=(server, client, self.most), daemon=True).start()

    def _pass_on(self, source, sink, most):
        try:
            while (most is None or most > 0) and (chunk := source.recv(4096)):
                sink.sendall(chunk if most is None else chunk[:most])
                most = None if most is None else most - len(chunk)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
