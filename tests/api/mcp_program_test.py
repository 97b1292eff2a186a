"""assay-mcp: MCP over standard input and output, with the official client, with a server that ends, and with lines that are no
messages."""

import json
import os
import socket
import subprocess
from contextlib import contextmanager

import pytest

from authorisation_services_test import KEY
from mcp_test import install, list_tools, use
from service import Service
from stack import BUILD
from wait import SECONDS

PROGRAM = BUILD / "cron-bin/assay-mcp"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def livedata():
    with Service("livedata", {"LIVE_API_KEYS": f"{KEY}:agent", "LIVE_RATE_LIMIT_RPM": "100000",
                              "ASSAY_CONNECTIONS_PER_CLIENT": "0"}) as service:
        yield service


class Talk:
    """What a client says and hears."""

    def __init__(self, process):
        self.process = process

    def say(self, *messages):
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self):
        line = self.process.stdout.readline()
        assert line, self.process.wait(SECONDS)
        return json.loads(line)

    def ask(self, method, params=None, number=1):
        self.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        answer = self.hear()
        assert answer["id"] == number and answer["jsonrpc"] == "2.0"
        return answer


@contextmanager
def talk(url, *options, token=None):
    """Ends as clients end it: by the end of its input."""
    env = {**os.environ, **({"ASSAY_MCP_TOKEN": token} if token else {})}
    process = subprocess.Popen([PROGRAM, *options, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env=env)
    try:
        yield Talk(process)
        process.stdin.close()
        assert process.stdout.read() == b"", "an answer that nobody waited for"
        assert process.wait(SECONDS) == 0
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def silent():
    """A server that takes connections, and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SECONDS)
        yield server


def address(server):
    return f"http://127.0.0.1:{server.getsockname()[1]}/mcp"


def take(server):
    """The connection of a call, whose message has come."""
    connection, _ = server.accept()
    connection.settimeout(SECONDS)
    heard = b""
    while b"jsonrpc" not in heard:
        heard += connection.recv(65536)
    return connection, heard


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_official_client(livedata, mode, version):
    url = f"{livedata.url}/mcp"
    told = use(install(), url, KEY, MCP_MODE=mode, MCP_PROGRAM=str(PROGRAM))
    assert told["version"] == version
    assert told["tools"] == [tool["name"] for tool in list_tools(url)] and told["prompts"]
    assert not {name: one["raised"] for name, one in told["results"].items() if "raised" in one}
    assert len([name for name, one in told["results"].items() if not one["error"]]) > len(told["results"]) / 2


def test_it_outlives_the_server(livedata):
    """Each call without an answer is an error of its own, and the next one may succeed."""
    with talk(f"{livedata.url}/mcp", token=KEY) as client:
        begun = client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                          "clientInfo": {"name": "test", "version": "1"}})
        assert begun["result"]["protocolVersion"] == "2025-06-18"
        client.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert client.ask("tools/call", {"name": "get_catalog", "arguments": {}})["result"]["isError"] is False
        livedata.stack.stop()
        for number in (2, "three"):
            assert client.ask("tools/list", number=number)["error"]["code"] == -32000
        assert livedata.stack.run("start").returncode == 0
        assert client.ask("tools/call", {"name": "get_catalog", "arguments": {}})["result"]["isError"] is False


def test_the_token_comes_from_a_file(livedata, tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{KEY}\nanother line\n")
    with talk(f"{livedata.url}/mcp", "--token-file", file) as client:
        assert client.ask("tools/call", {"name": "get_catalog", "arguments": {}})["result"]["isError"] is False
        shown = subprocess.run(["ps", "-o", "args=", "-p", str(client.process.pid)], capture_output=True, text=True, check=True)
        assert KEY not in shown.stdout
    for token in (None, "wrong"):
        with talk(f"{livedata.url}/mcp", token=token) as client:
            assert "401" in client.ask("tools/call", {"name": "get_catalog", "arguments": {}})["error"]["message"]
    for content in ("", "a b\n", "ключ\n"):
        file.write_text(content)
        done = subprocess.run([PROGRAM, "--token-file", file, f"{livedata.url}/mcp"], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, check=False)
        assert done.returncode == 2 and b"assay-mcp: " in done.stderr and not done.stdout


def test_what_is_no_message_is_answered(livedata):
    """And no line is lost with it; what nobody asked for, or what is too long, is never sent."""
    with talk(f"{livedata.url}/mcp", "--max-bytes", "2000", token=KEY) as client:
        for line, code in ((b"{", -32700), (b"\xff", -32700), (b"[]", -32600), (b"3", -32600), (b'{"id":{}}', -32600),
                           (json.dumps({**PING, "id": "x" * 300}).encode(), -32600), (b"x" * 5000, -32600)):
            client.say(line)
            heard = client.hear()
            assert heard["id"] is None and heard["error"]["code"] == code, (line[:50], heard)
        client.say(b"", b"  \r", {"jsonrpc": "2.0", "id": 4, "result": {}}, {"jsonrpc": "2.0", "method": "notifications/x"},
                   {"jsonrpc": "2.0", "method": "notifications/cancelled"})
        assert client.ask("ping")["result"] == {}
        assert "--max-bytes" in client.ask("tools/list")["error"]["message"]
        assert client.ask("nonsense")["error"]["code"] == -32601
        for where in ("/none", "/docs"):
            with talk(livedata.url + where, token=KEY) as other:
                assert other.ask("ping")["error"]["code"] == -32000
    done = subprocess.run([PROGRAM, f"{livedata.url}/mcp"], input=json.dumps(PING), capture_output=True, text=True,
                          timeout=SECONDS, check=True)
    assert json.loads(done.stdout)["result"] == {}, "a last line without its end"


def test_calls_run_side_by_side_and_can_be_cancelled(silent):
    with talk(address(silent)) as client:
        client.say({**PING, "id": "slow"})
        slow, _ = take(silent)
        client.say({**PING, "id": 2, "method": "tools/call", "params": {"name": "имя", "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28"}}})
        quick, heard = take(silent)
        assert b"Mcp-Method: tools/call\r\n" in heard and b"Mcp-Name: =?base64?0LjQvNGP?=\r\n" in heard
        quick.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + b'{"jsonrpc":"2.0",\r\n "id":2,"result":{}}\n'.ljust(40))
        assert client.hear() == {"jsonrpc": "2.0", "id": 2, "result": {}}
        client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        assert slow.recv(1) == b"", "the server sees that nobody waits"


def test_more_calls_wait_in_line(silent):
    """Sixteen run; each answer lets the next one in."""
    with talk(address(silent)) as client:
        client.say(*({**PING, "id": number} for number in range(40)))
        running = [take(silent) for _ in range(16)]
        silent.setblocking(False)
        with pytest.raises(BlockingIOError):
            silent.accept()
        silent.settimeout(SECONDS)
        answered = set()
        while running:
            connection, heard = running.pop(0)
            number = json.loads(heard[heard.index(b"{"):])["id"]
            body = json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode()
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            answered.add(client.hear()["id"])
            if len(answered) + len(running) < 40:
                running.append(take(silent))
        assert answered == set(range(40))


@pytest.mark.parametrize("answer", [
    b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{", b"HTTP/1.1 502 Bad\r\nContent-Length: 3\r\n\r\n<p>",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", b'HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n{"jsonrpc":"2.0","id":9,"result":{}}',
    b'HTTP/1.1 400 Bad\r\nContent-Length: 28\r\n\r\n{"jsonrpc":"2.0","error":{}}',
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
])
def test_an_answer_that_is_none(silent, answer):
    with talk(address(silent)) as client:
        client.say(PING)
        connection, _ = take(silent)
        connection.sendall(answer)
        connection.close()
        heard = client.hear()
        assert heard["id"] == 1 and heard["error"]["code"] == -32000 and heard["error"]["message"]
        client.say({**PING, "id": 2})  # and it goes on
        connection, _ = take(silent)
        connection.close()
        assert client.hear()["id"] == 2


@pytest.mark.parametrize("arguments", [
    [], ["--timeout"], ["--timeout", "0", "http://x"], ["--max-bytes", "many", "http://x"], ["--token", "secret", "http://x"],
    ["file:///etc/passwd"], ["http://x", "http://y"],
])
def test_a_wrong_command_line(arguments):
    done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 2 and done.stderr.startswith("usage: assay-mcp") and not done.stdout
