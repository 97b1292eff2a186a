"""The sign-in of the MCP client of PyPI, as it comes, with a person who lets it in without a browser."""

from urllib.parse import parse_qsl, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata


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


class Consent:
    """The page of consent, without a browser: what it asks and sends. `cookie` is the session of the person who lets the
    client in, to change things if `write`."""

    def __init__(self, cookie, write):
        self.cookie, self.write, self.back = cookie, write, {}

    async def open(self, address):
        place = urlsplit(address)
        portal = f"{place.scheme}://{place.netloc}"
        assert place.path == "/oauth/authorize", address
        question = {name: value for name, value in parse_qsl(place.query)}
        headers = {"Origin": portal, "Cookie": f"assay_session={self.cookie}"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as client:
            about = (await client.get(f"{portal}/accounts/api/oauth/authorization", params=question)).json()
            assert about["client_name"] == "A client of PyPI" and about["error"] is None, about
            decided = await client.post(f"{portal}/accounts/api/oauth/authorization",
                                        json={**question, "allow": True, "write": self.write})
            self.back = dict(parse_qsl(urlsplit(decided.json()["redirect_to"]).query))

    async def wait(self):
        return AuthorizationCodeResult(code=self.back["code"], state=self.back["state"], iss=self.back["iss"])


def sign_in_at(server, cookie, write=True):
    """What signs requests in to `server`, the address of /mcp that the client was given; and what it keeps."""
    storage, consent = Storage(), Consent(cookie, write)
    about = OAuthClientMetadata(client_name="A client of PyPI", redirect_uris=["http://127.0.0.1:3030/callback"])
    return OAuthClientProvider(server, about, storage, consent.open, consent.wait), storage
