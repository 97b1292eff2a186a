"""Calls one tool after the other with the official client of Python, on one connection: each line that it reads is a call as
JSON ({"name": ..., "arguments": ...}), each line that it prints is what it was told. The first line that it prints has the
tools that are listed. It is started with the variables of use.py; tests/api/mcp_jobs_test.py decides what is called."""

import asyncio
import json
import sys

from use import call, connected, pages


async def main():
    async with connected() as client:
        tools = await pages(client.list_tools, "tools")
        print(json.dumps([tool.name for tool in tools]), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            step = json.loads(line)
            print(json.dumps(await call(client, step["name"], step["arguments"])), flush=True)


asyncio.run(main())
