"""What an assistant is told when the family of a tool does not answer as it should: away, without room, silent, broken off in
the middle, too long, without a head. The socket of one family is taken by a family of this file; everything else is as it runs."""

import json
import re
import shutil
import socket
import struct
import threading
from contextlib import contextmanager, suppress

import pytest
import requests

from mcp_test import call
from service import Service
from stack import CHECKOUT

POOL, SECONDS, LONGEST, PART = "livedata-events", 4, 200000, 1025
STDIN, STDOUT, END = 5, 6, 3
READING, WRITING = "list_alerts", "create_alert"
ALERT = {"name": "a", "metric": "revenue", "condition": "above", "threshold": 1, "confirm_call": True}
DOUBT = "It may have been done"


@pytest.fixture(scope="module")
def livedata(tmp_path_factory):
    """A stack that gives the family mcp little time."""
    root = tmp_path_factory.mktemp("hurried")
    shutil.copytree(CHECKOUT / "nginx", root / "nginx")
    for name in ("locales", "sql", "static"):
        (root / name).symlink_to(CHECKOUT / name)
    rows = (root / "nginx/services").read_text()
    (root / "nginx/services").write_text(re.sub(r"(?m)^(family livedata mcp +\S+ \S+) \d+", rf"\1 {SECONDS}", rows))
    settings = {"LIVE_AUTH_DISABLED": "true", "LIVE_RATE_LIMIT_RPM": "100000", "ASSAY_CONNECTIONS_PER_CLIENT": "0",
                "ASSAY_MCP_FETCH_BYTES": LONGEST, "ASSAY_MCP_ANSWER_BYTES": PART}
    service = Service("livedata", settings)
    service.stack.program = root / "nginx/stack"
    with service:
        yield service


def record(kind, content):
    return struct.pack(">BBHHBB", 1, kind, 1, len(content), 0, 0) + content


def whole(text, kind="application/json"):
    """An answer as a family gives it."""
    sent = f"Status: 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + text
    return b"".join(record(STDOUT, sent[i:i + 60000]) for i in range(0, len(sent), 60000)) + record(END, bytes(8))


def read_request(connection):
    """Until the end of the body."""
    stream = connection.makefile("rb")
    while True:
        _, kind, _, length, padding, _ = struct.unpack(">BBHHBB", stream.read(8))
        stream.read(length + padding)
        if kind == STDIN and length == 0:
            return


@contextmanager
def in_place_of_the_family(livedata, answer=None, room=True):
    """Answers with these bytes; without any it is silent until the other side goes. `left` is set then. None: nobody listens."""
    path = livedata.stack.directory / "run" / f"{POOL}.sock"
    aside, left, waiting = path.with_suffix(".aside"), threading.Event(), []
    path.rename(aside)
    server = socket.socket(socket.AF_UNIX)

    def serve():
        with suppress(OSError, struct.error):
            while True:
                connection, _ = server.accept()
                with connection:
                    read_request(connection)
                    connection.sendall(answer)
                    if not answer and connection.recv(1) == b"":
                        left.set()

    try:
        if answer is not None or not room:
            server.bind(str(path))
            server.listen(16 if room else 0)
        while not room:  # as many as it takes
            waiting.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK))
            try:
                waiting[-1].connect(str(path))
            except BlockingIOError:
                break
        if answer is not None:
            threading.Thread(target=serve, daemon=True).start()
        yield left
    finally:
        with suppress(OSError):  # of a socket that nobody listens at
            server.shutdown(socket.SHUT_RDWR)
        for one in (server, *waiting):
            one.close()
        aside.rename(path)


def told(livedata, name=READING, arguments=None):
    result = call(livedata.url + "/mcp", name, arguments).json()["result"]
    return result["isError"], result["content"][0].get("text"), result


HEAD = b"Status: 200 OK\r\nContent-Type: application/json\r\n\r\n"


@pytest.mark.parametrize(("answer", "room", "says", "doubt"), [
    (None, True, "does not run, or has no room", False),
    (None, False, "does not run, or has no room", False),
    (record(STDOUT, HEAD + b'{"alerts":[')[:-4], True, "broke its answer off", True),
    (record(STDOUT, HEAD + b"{}"), True, "broke its answer off", True),
    (record(END, bytes(8)), True, "gave no answer", True),
    (record(STDOUT, b"no head") + record(END, bytes(8)), True, "gave no answer", True),
    (whole(b'"' + b"x" * LONGEST + b'"'), True, f"longer than {LONGEST} bytes", True),
    (b"", True, "did not answer in time", True),
], ids=["away", "full", "in a record", "between records", "nothing", "no head", "too long", "silent"])
def test_the_assistant_learns_what_is_wrong(livedata, answer, room, says, doubt):
    """And of what changes something, that it may have been done, where that is so."""
    with in_place_of_the_family(livedata, answer, room):
        failed, text, _ = told(livedata)
        assert failed and says in text and DOUBT not in text, text
        failed, text, _ = told(livedata, WRITING, ALERT)
        assert failed and says in text and (DOUBT in text) == doubt, text
    assert not told(livedata)[0], "the family itself is well"


def test_a_client_that_leaves_ends_the_call(livedata):
    with in_place_of_the_family(livedata, b"") as left:
        with pytest.raises(requests.Timeout):
            requests.post(livedata.url + "/mcp", timeout=0.5, json={"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                                                    "params": {"name": READING, "arguments": {}}})
        assert left.wait(60), "the family still waits"


@pytest.mark.parametrize("letter", ["a", "é", "语", "𝄞"])
def test_a_cut_falls_between_two_characters(livedata, letter):
    text = json.dumps({"alerts": [], "note": "." + letter * 700}, ensure_ascii=False)
    with in_place_of_the_family(livedata, whole(text.encode())):
        pieces, at = [], 0
        while at is not None:
            failed, piece, result = told(livedata, READING, {"answer_from": at})
            assert not failed and len(piece.encode()) <= PART
            pieces.append(piece)
            at = result["structuredContent"].get("next_from")
        assert "".join(pieces) == text and (len(pieces) > 1) == (len(text.encode()) > PART)


def test_what_is_no_text_is_a_file_and_a_picture_a_picture(livedata):
    for kind, type_ in (("image/png", "image"), ("audio/wav", "audio"), ("application/zip", "resource")):
        with in_place_of_the_family(livedata, whole(b"\x89\0\xff", kind)):
            [content] = told(livedata)[2]["content"]
            assert content["type"] == type_ and (content.get("mimeType") or content["resource"]["mimeType"]) == kind
    with in_place_of_the_family(livedata, whole(b"\x89\0\xff" * PART, "image/png")):
        [content] = told(livedata)[2]["content"]
        assert content["type"] == "resource_link" and content["uri"].endswith("/v1/alerts")
