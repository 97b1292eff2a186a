"""Calls tools by the MCP client of PyPI, which has an address and no token: call_tools.py SERVER COOKIE read|write CALLS. It
is refused, signs in, and goes on; COOKIE is the session of the person who lets it in, to read or to change things as well.
CALLS is a list of [tool, arguments]. Prints as JSON the first statuses of the server, the scope, and each result."""

import asyncio
import json
import sys

import httpx2
from pypi_client import sign_in_at
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

server, cookie, right, calls = sys.argv[1:]


async def main():
    provider, storage = sign_in_at(server, cookie, right == "write")
    statuses = []

    class Watched(httpx2.AsyncHTTPTransport):
        """As it is; what the address of MCP answers is noted."""

        async def handle_async_request(self, request):
            answer = await super().handle_async_request(request)
            if str(request.url) == server:
                statuses.append(answer.status_code)
            return answer

    async with httpx2.AsyncClient(auth=provider, transport=Watched(), timeout=60) as http, \
            Client(streamable_http_client(server, http_client=http)) as client:
        results = [await client.call_tool(name, arguments) for name, arguments in json.loads(calls)]
    print(json.dumps({"statuses": statuses, "scope": storage.tokens.scope, "results": [
        {"error": one.is_error, "structure": one.structured_content, "meta": one.meta} for one in results]}))

asyncio.run(main())
