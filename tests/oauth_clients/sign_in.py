"""Signs in by the MCP client of PyPI: sign_in.py SERVER ASKED COOKIE. SERVER is the address of /mcp that the client was given,
ASKED the address that it calls, COOKIE the session of the person who lets it in. Prints JSON."""

import asyncio
import json
import sys

import httpx2
from pypi_client import sign_in_at

server, asked, cookie = sys.argv[1:]


async def main():
    provider, storage = sign_in_at(server, cookie)
    async with httpx2.AsyncClient(auth=provider, trust_env=False, timeout=60) as client:
        first = await client.get(asked)
        before = storage.tokens
        provider.context.token_expiry_time = 1  # as if an hour had passed
        second = await client.get(asked)
    print(json.dumps({"statuses": [first.status_code, second.status_code], "scope": before.scope,
                      "refreshed": storage.tokens.access_token != before.access_token,
                      "token": storage.tokens.access_token}))

asyncio.run(main())
