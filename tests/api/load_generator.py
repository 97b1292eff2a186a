"""Hundreds of clients in one thread, each with a connection of its own that it keeps. Every answer is
held against what it has to be, to its last byte; what became of each request is counted."""

import asyncio
import random
import threading
import time
from collections import Counter

TIMEOUT = 40  # seconds after which a request counts as hung


def request_bytes(method, path, body=b"", headers=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: crowd", "Accept-Encoding: identity", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def read_answer(reader):
    """Status, headers in lower case, and body."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers["content-length"]))
    return int(first.split()[1]), headers, body


class LoadGenerator:
    """`questions` are pairs of request bytes and the body that answers them. `fates` counts: "ok", the
    status of answers that are errors, "cut" (the connection ended within an answer), "closed" (before
    it), "hung", "wrong" (another body)."""

    def __init__(self, url, questions, clients=200):
        host, port = url.removeprefix("http://").split(":")
        self.address, self.questions, self.clients = (host, int(port)), questions, clients
        self.fates, self.examples = Counter(), {}
        self.stopping = False
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()))

    async def run(self):
        await asyncio.gather(*(self.client(random.Random(number)) for number in range(self.clients)))

    async def client(self, chance):
        connection = None
        while not self.stopping:
            if connection is None:
                connection = await asyncio.open_connection(*self.address, limit=1 << 20)
            fate, keep = await self.ask(*connection, *chance.choice(self.questions))
            self.fates[fate] += 1
            if not keep:
                connection[1].close()
                connection = None
        if connection:
            connection[1].close()

    async def ask(self, reader, writer, question, expected):
        """What became of one request, and whether the connection is still of use."""
        try:
            writer.write(question)
            status, headers, body = await asyncio.wait_for(read_answer(reader), TIMEOUT)
        except asyncio.IncompleteReadError as end:
            return ("cut" if end.partial or end.expected else "closed"), False
        except ConnectionError:
            return "closed", False
        except asyncio.TimeoutError:
            return "hung", False
        keep = headers.get("connection") != "close"
        if status != 200:
            self.examples.setdefault(status, body)
            return status, keep
        if body == expected:
            return "ok", keep
        self.examples.setdefault("wrong", body)
        return "wrong", keep

    def __enter__(self):
        self.thread.start()
        self.await_answers(self.clients)
        return self

    def __exit__(self, *_):
        self.stopping = True
        self.thread.join()

    def await_answers(self, count, seconds=30):
        """Until so many more were answered as they should be."""
        goal, end = self.fates["ok"] + count, time.monotonic() + seconds
        while self.fates["ok"] < goal:
            assert time.monotonic() < end, f"{self.fates} after {seconds} s"
            time.sleep(0.01)

    @property
    def lost(self):
        """All that did not go well."""
        return {fate: count for fate, count in self.fates.items() if fate != "ok"}
