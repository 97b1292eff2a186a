"""A machine to install packages on: this one's files below an overlay in memory, in namespaces that
tests/package/run has made; or this very one, where it has never heard of the package. A part of systemd
is played here: the order of the units' commands."""

import fcntl
import os
import shlex
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

USER = "assay"


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def raise_loopback():
    """The network of a new namespace is down."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", 0x49))  # SIOCSIFFLAGS: up, loopback, running


# The places of the package on a machine.
PLACES = ("/usr/lib/assay", "/usr/sbin/assay", "/etc/assay", "/etc/cron.d/assay", "/etc/logrotate.d/assay", "/var/lib/assay", "/run/assay",
          "/usr/share/doc/assay", "/usr/lib/tmpfiles.d/assay.conf")


class Machine:
    def __init__(self, own):
        self.pieces, self.own, self.root = [], own, Path("/")
        if own:
            self.make_root()
        else:
            known = [place for place in PLACES if os.path.exists(place)]
            if known or USER in self.users():
                pytest.skip(f"no namespaces here, and this machine has a suite already: {known}")

    def make_root(self):
        raise_loopback()
        work = Path(tempfile.mkdtemp())
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", work)
        self.changes, self.root = work / "changes", work / "root"
        for folder in (self.changes, work / "work", self.root):
            folder.mkdir()
        mount("-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={self.changes},workdir={work}/work", self.root)
        mount("-t", "proc", "proc", self.root / "proc")
        mount("--rbind", "/dev", self.root / "dev")
        for folder in ("run", "tmp"):
            mount("-t", "tmpfs", "-o", "mode=1777" if folder == "tmp" else "mode=755", "tmpfs", self.root / folder)

    def close(self):
        """Nothing stays, were a test to fail in the middle."""
        for process, _, _ in self.pieces:
            process.kill()
        if not self.own:
            subprocess.run(["dpkg", "--purge", "assay"], check=False)
            for place in PLACES:
                subprocess.run(["rm", "-rf", place], check=True)
            if USER in self.users():
                subprocess.run(["deluser", "--quiet", "--system", USER], check=True)

    def path(self, name):
        return self.root / name.lstrip("/")

    def run(self, *command, user="root", expect=0):
        """A command inside; its output."""
        done = subprocess.run(["chroot", f"--userspec={user}:{user}", self.root, "env", "-i", "HOME=/root", "LC_ALL=C.UTF-8",
                               "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *map(str, command)],
                              capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == expect, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def dpkg(self, *arguments):
        return self.run("dpkg", "--force-unsafe-io", *arguments)

    def install(self, package):
        self.path("/tmp/assay.deb").write_bytes(Path(package).read_bytes())
        return self.dpkg("-i", "/tmp/assay.deb")

    def users(self):
        return {line.split(":")[0]: line.split(":") for line in self.path("/etc/passwd").read_text().splitlines()}

    def processes(self):
        """Command lines of what the user of the suite runs, whether with our help or not."""
        uid = int(self.users()[USER][2]) if USER in self.users() else -1
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if folder.stat().st_uid == uid and (folder / "cmdline").read_bytes():
                    found[folder.name] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except FileNotFoundError:
                pass
        return found

    def changed(self):
        """Paths that are not as they were before; without an overlay, those in the places of the package."""
        if not self.own:
            return {str(path) for place in PLACES for path in (Path(place), *Path(place).rglob("*"))
                    if path.is_symlink() or path.is_file()}
        return {"/" + str(path.relative_to(self.changes)) for path in self.changes.rglob("*")
                if not path.is_dir() or path.is_symlink()}

    # What systemd would do.

    def unit(self, name):
        """The lines of a unit, key → values, its instance put in."""
        template, at, instance = name.rpartition("@")
        file = f"{template}@.{instance.rsplit('.', 1)[1]}" if at else name
        lines = {}
        for line in self.path(f"/lib/systemd/system/{file}").read_text().splitlines():
            if line and line[0] not in "#[":
                key, value = line.split("=", 1)
                lines.setdefault(key, []).append(value.replace("%i", instance.rsplit(".", 1)[0]))
        return lines

    def start(self, name, wait=False, stdin=subprocess.DEVNULL):
        """The ExecStart lines of a service; those of one shot are waited for."""
        unit = self.unit(name)
        assert unit["User"] == unit["Group"] == [USER]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        for file in unit.get("EnvironmentFile", []):
            for entry in shlex.split(self.path(file).read_text()):
                key, value = entry.split("=", 1)
                environment[key] = value
        for command in unit["ExecStart"]:
            words = shlex.split(command.lstrip("-"))
            for key, value in environment.items():
                words = [word.replace("${" + key + "}", value) for word in words]
            where = unit.get("WorkingDirectory", ["/"])[0]
            process = subprocess.Popen(
                ["chroot", f"--userspec={USER}:{USER}", self.root, "env", f"--chdir={where}", *words], env=environment,
                stdin=stdin, umask=int(unit["UMask"][0], 8), stderr=subprocess.STDOUT, stdout=open(self.root / "tmp" / f"{name}.log", "ab"))
            if wait:
                status = process.wait(timeout=60)
                assert status == 0 or command.startswith("-"), f"{command}: {status}\n" + self.log(name)
            else:
                self.pieces.append((process, name, unit))

    def log(self, name):
        return (self.root / "tmp" / f"{name}.log").read_text()

    def start_pool(self, name):
        """The socket, and its service with it as standard input."""
        unit = self.unit(f"assay-pool@{name}.socket")
        path, account = self.path(unit["ListenStream"][0]), self.users()[unit["SocketUser"][0]]
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            os.chown(path, int(account[2]), int(account[3]))
            path.chmod(int(unit["SocketMode"][0], 8))
            listener.listen(int(unit["Backlog"][0]))
            self.start(f"assay-pool@{name}.service", stdin=listener)

    def stop_all(self):
        for process, _, unit in self.pieces:
            process.send_signal(getattr(signal, unit.get("KillSignal", ["SIGTERM"])[0]))
        for process, name, _ in self.pieces:
            assert process.wait(timeout=30) is not None, name
        self.pieces.clear()
        deadline = time.monotonic() + 10
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.processes() == {}
