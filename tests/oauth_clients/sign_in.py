"""Signs in by the MCP client of PyPI, as it comes: sign_in.py SERVER ASKED COOKIE. SERVER is the address of /mcp that the
client was given, ASKED the address that it calls, COOKIE the session of the person who lets it in. Prints JSON."""

import asyncio
import json
import sys
from urllib.parse import parse_qsl, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata

server, asked, cookie = sys.argv[1:]
back = {}


class Storage:
    """Keeps what the client wants kept."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def open_browser(address):
    """The page of consent, without a browser: what it asks and sends."""
    place = urlsplit(address)
    portal = f"{place.scheme}://{place.netloc}"
    assert place.path == "/oauth/authorize", address
    question = {name: value for name, value in parse_qsl(place.query)}
    async with httpx2.AsyncClient(headers={"Origin": portal, "Cookie": f"assay_session={cookie}"}, trust_env=False) as client:
        about = (await client.get(f"{portal}/accounts/api/oauth/authorization", params=question)).json()
        assert about["client_name"] == "A client of PyPI" and about["error"] is None, about
        decided = await client.post(f"{portal}/accounts/api/oauth/authorization", json={**question, "allow": True, "write": True})
        back.update(parse_qsl(urlsplit(decided.json()["redirect_to"]).query))


async def wait_for_browser():
    return AuthorizationCodeResult(code=back["code"], state=back["state"], iss=back["iss"])


async def main():
    storage = Storage()
    provider = OAuthClientProvider(
        server, OAuthClientMetadata(client_name="A client of PyPI", redirect_uris=["http://127.0.0.1:3030/callback"]),
        storage, open_browser, wait_for_browser)
    async with httpx2.AsyncClient(auth=provider, trust_env=False, timeout=60) as client:
        first = await client.get(asked)
        before = storage.tokens
        provider.context.token_expiry_time = 1  # as if an hour had passed
        second = await client.get(asked)
    print(json.dumps({"statuses": [first.status_code, second.status_code], "scope": before.scope,
                      "refreshed": storage.tokens.access_token != before.access_token,
                      "token": storage.tokens.access_token}))

asyncio.run(main())
