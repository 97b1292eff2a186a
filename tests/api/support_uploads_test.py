"""Files that are large, or would be: what is too large is refused while it comes, what is taken never stands in memory."""

import contextlib
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from wait import wait_for
from service import Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
LARGE = 50 << 20
GIGABYTE = 1 << 30
MEGABYTE = 1 << 20
PIECE = b"x" * MEGABYTE


@pytest.fixture(scope="module")
def support():
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "MAX_UPLOAD_BYTES": LARGE + MEGABYTE}
    with Service("support", env) as service:
        yield service


def memory_peaks(service, pool="support-documents"):
    """Bytes that each worker of the pool has ever had in memory at once."""
    peaks = {}
    for pid in service.stack.workers(pool):
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        peaks[pid] = int(lines["VmHWM"].split()[0]) * 1024
    return peaks


def nginx_memory(service):
    master = int((service.stack.directory / "run" / "nginx.pid").read_text())
    pids = [master, *map(int, Path(f"/proc/{master}/task/{master}/children").read_text().split())]
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids) * os.sysconf("SC_PAGE_SIZE")


def on_disk(service):
    """Bytes of files below the folder of the stack, those that are still open but have no name included."""
    named = sum(file.stat().st_blocks * 512 for file in service.stack.directory.rglob("*") if file.is_file())
    nameless = 0
    for pid in service.stack.processes():
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                if os.readlink(entry).startswith(str(service.stack.directory)) and os.stat(entry).st_nlink == 0:
                    nameless += os.stat(entry).st_blocks * 512
    return named + nameless


def begin_upload(service, *headers):
    url = urlsplit(service.url)
    connection = socket.create_connection((url.hostname, url.port), timeout=30)
    lines = ["POST /api/upload HTTP/1.1", "Host: x", f"X-API-Key: {KEY}", "Content-Type: multipart/form-data; boundary=xyz",
             *headers]
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    return connection


def answer_of(connection):
    with connection.makefile("rb") as file:
        status = int(file.readline().split()[1])
        fields = dict(line.decode().strip().lower().split(": ", 1) for line in iter(file.readline, b"\r\n"))
        return status, file.read(int(fields["content-length"])).decode()


def send_until_refused(connection, most):
    """Pieces without an announced length; how many bytes went before the answer came."""
    sent = 0
    connection.settimeout(0)
    while sent < most:
        connection.settimeout(None)
        try:
            connection.sendall(b"%x\r\n" % len(PIECE) + PIECE + b"\r\n")
        except OSError:
            return sent
        sent += len(PIECE)
        connection.setblocking(False)
        try:
            if connection.recv(1, socket.MSG_PEEK):
                return sent
        except BlockingIOError:
            continue
        finally:
            connection.setblocking(True)
    return sent


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "in pieces"])
def test_a_gigabyte_is_refused_and_leaves_nothing_behind(support, announced):
    support.get("/api/documents", headers=HEADERS)
    disk, memory, peaks = on_disk(support), nginx_memory(support), memory_peaks(support)
    headers = [f"Content-Length: {GIGABYTE}"] if announced else ["Transfer-Encoding: chunked"]
    with begin_upload(support, *headers) as connection:
        if not announced:
            connection.sendall(b"5\r\n--xyz\r\n")
            assert send_until_refused(connection, GIGABYTE) <= 2 * LARGE
        status, body = answer_of(connection)
        assert status == 413 and "too large" in body, body
    wait_for(lambda: on_disk(support) <= disk + MEGABYTE, told=lambda: f"{on_disk(support) - disk} bytes are left on disk")
    assert nginx_memory(support) < memory + 2 * MEGABYTE
    assert all(peak < peaks[pid] + 2 * MEGABYTE for pid, peak in memory_peaks(support).items())


def test_fifty_megabytes_are_stored_without_standing_in_memory(support):
    peaks = memory_peaks(support)
    for number in range(4):  # whichever worker takes it
        content = b"%PDF-1.4\n" + bytes([number]) * (LARGE - 9)
        answer = requests.post(support.url + "/api/upload", headers=HEADERS, timeout=60,
                               files={"file": (f"large{number}.pdf", content)})
        assert answer.status_code in (200, 202) and answer.json()["filename"] == f"large{number}.pdf", answer.text
    stored = [file for file in (support.stack.directory / "data").rglob("*") if file.is_file()
              and file.stat().st_size == LARGE]
    assert len(stored) == 4 and len({file.read_bytes()[100] for file in stored}) == 4
    grown = {pid: peak - peaks[pid] for pid, peak in memory_peaks(support).items()}
    assert len(grown) == len(peaks) and max(grown.values()) < 4 * MEGABYTE, grown
