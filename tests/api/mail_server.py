"""A loopback server that takes mail as its kind do (RFC 5321): EHLO, STARTTLS with a certificate of its own, AUTH PLAIN
and LOGIN, letters. `refuse` is a receiver that it does not know.

    with MailServer(folder, user="house", password="secret") as server:
        ...
        server.letters   # email.message.EmailMessage, and who it was handed over for: letter["X-Receivers"]
        server.ca_file   # what a client has to trust
"""

import base64
import email
import email.policy
import socketserver
import ssl
import subprocess
import threading


class Handler(socketserver.StreamRequestHandler):
    timeout = 30

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())

    def hear(self):
        return self.rfile.readline().decode().rstrip("\r\n")

    def handle(self):
        self.owner, self.secret, self.signed_in, self.receivers = self.server.owner, False, False, []
        self.say("220 loopback")
        while line := self.hear():
            verb = line.split(" ", 1)[0].upper()
            getattr(self, f"on_{verb.lower()}", self.on_other)(line)
            if verb == "QUIT":
                return

    def on_ehlo(self, _):
        offers = ["SIZE 1000000"]
        if self.owner.user:
            offers.append("AUTH PLAIN LOGIN" if self.secret else "STARTTLS")
        for offer in offers:
            self.say(f"250-{offer}")
        self.say("250 8BITMIME")

    def on_starttls(self, _):
        self.say("220 go on")
        self.connection = self.owner.tls.wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.secret = True

    def on_auth(self, line):
        words = line.split()
        if words[1] == "PLAIN":
            if len(words) == 2:
                self.say("334 ")
                words.append(self.hear())
            _, user, password = base64.b64decode(words[2]).decode().split("\0")
        else:
            self.say("334 VXNlcm5hbWU6")
            user = base64.b64decode(self.hear()).decode()
            self.say("334 UGFzc3dvcmQ6")
            password = base64.b64decode(self.hear()).decode()
        self.signed_in = self.secret and (user, password) == (self.owner.user, self.owner.password)
        self.say("235 welcome" if self.signed_in else "535 no")

    def on_mail(self, _):
        self.say("250 fine" if self.signed_in or not self.owner.user else "530 sign in")

    def on_rcpt(self, line):
        receiver = line.split("<")[1].split(">")[0]
        self.receivers.append(receiver)
        self.say("550 unknown" if receiver == self.owner.refuse else "250 fine")

    def on_data(self, _):
        self.say("354 go on")
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            assert line.endswith(b"\r\n") and len(line) <= 1000
            lines.append(line[1:] if line.startswith(b".") else line)
        letter = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        letter["X-Receivers"] = " ".join(self.receivers)
        self.owner.letters.append(letter)
        self.say("250 taken")

    def on_quit(self, _):
        self.say("221 bye")

    def on_other(self, _):
        self.say("250 fine")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True

    def handle_error(self, *_):
        pass  # clients that go away in the middle are a part of the tests


class MailServer:
    def __init__(self, folder, user=None, password=None):
        self.user, self.password, self.refuse, self.letters = user, password, None, []
        self.ca_file = folder / "mail.pem"
        key = folder / "mail.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.ca_file],
                       check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.ca_file, key)

    def __enter__(self):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.owner = self
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
