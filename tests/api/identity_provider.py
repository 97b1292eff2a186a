"""An identity provider (OpenID Connect) on the loopback interface that lies as a test wants it to.

    with IdentityProvider() as provider:
        provider.person |= {"groups": ["staff"]}
        back = provider.authorize(location)              # as a browser that was sent to `location`
        provider.claims = lambda claims: claims | {"aud": "other"}
        provider.answers["/token"] = (500, {}, b"")      # or a function of the handler
        provider.calls                                   # paths that were asked

Its keys are made with python3-cryptography, an implementation that has nothing to do with ours.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

CLIENT, SECRET = "assay-client", "a secret: of % the client"


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encode_number(number, size=None):
    return encode(number.to_bytes(size or (number.bit_length() + 7) // 8, "big"))


def encode_json(value):
    return encode(json.dumps(value, separators=(",", ":")).encode())


class Key:
    """A private key; `public` is what the provider publishes of it."""

    def __init__(self, algorithm="RS256", name=None):
        self.algorithm = algorithm
        self.name = name or secrets.token_hex(4)
        if algorithm == "ES256":
            self.private = ec.generate_private_key(ec.SECP256R1())
            numbers = self.private.public_key().public_numbers()
            self.public = {"kty": "EC", "crv": "P-256", "x": encode_number(numbers.x, 32), "y": encode_number(numbers.y, 32)}
        else:
            self.private = rsa.generate_private_key(65537, 2048)
            numbers = self.private.public_key().public_numbers()
            self.public = {"kty": "RSA", "n": encode_number(numbers.n), "e": encode_number(numbers.e)}
        self.public |= {"kid": self.name, "use": "sig"}

    def sign(self, claims, header=None):
        message = encode_json({"alg": self.algorithm, "kid": self.name} | (header or {})) + "." + encode_json(claims)
        return message + "." + encode(self._signature(message.encode()))

    def _signature(self, message):
        if self.algorithm == "RS256":
            return self.private.sign(message, padding.PKCS1v15(), hashes.SHA256())
        if self.algorithm == "PS256":
            return self.private.sign(message, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
        r, s = decode_dss_signature(self.private.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def sign_with_secret(claims, secret, name="k"):
    """A token with HS256, as somebody makes it who has read a public key."""
    message = encode_json({"alg": "HS256", "kid": name}) + "." + encode_json(claims)
    return message + "." + encode(hmac.new(secret, message.encode(), hashlib.sha256).digest())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.body = b""
        self.answer()

    def do_POST(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer()

    def answer(self):
        provider = self.server.provider
        path = urlsplit(self.path).path
        provider.calls.append(path)
        usual = {"/.well-known/openid-configuration": provider.discovery, "/keys": provider.key_set,
                 "/token": provider.token, "/me": provider.userinfo, "/auth": provider.authorization_page}
        answer = provider.answers.get(path, usual.get(path, (404, {}, b"")))
        if callable(answer):
            answer = answer(self)
        if answer is None:  # the handler has answered itself
            return
        status, headers, data = answer
        data = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:
            self.close_connection = True


class IdentityProvider:
    def __init__(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.provider = self
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self.first_key = Key(name="first")
        self.reset()

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def reset(self):
        """As an honest provider is. Its first key stays, because clients may have it."""
        self.keys = [self.first_key]
        self.person = {"sub": "ann", "email": "ann@example.com", "email_verified": True, "name": "Ann Lee", "groups": []}
        self.claims = lambda claims: claims
        self.sign = lambda claims: self.keys[0].sign(claims)
        self.metadata = lambda metadata: metadata
        self.tokens = lambda tokens: tokens
        self.back = lambda parameters: parameters
        self.answers, self.codes, self.calls = {}, {}, []

    # What a client asks for.

    def discovery(self, _):
        at = self.issuer
        return 200, {}, self.metadata({
            "issuer": at, "authorization_endpoint": at + "/auth", "token_endpoint": at + "/token", "jwks_uri": at + "/keys",
            "userinfo_endpoint": at + "/me", "end_session_endpoint": at + "/end", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True})

    def key_set(self, _):
        return 200, {}, {"keys": [key.public for key in self.keys]}

    def userinfo(self, handler):
        if handler.headers.get("Authorization") != "Bearer the-access-token":
            return 401, {}, {}
        return 200, {}, self.person

    def token(self, handler):
        form = {name: values[0] for name, values in parse_qs(handler.body.decode()).items()}
        asked = self.codes.pop(form.get("code"), None)
        wanted = base64.b64encode(f"{CLIENT}:{urlencode({'': SECRET})[1:].replace('+', '%20')}".encode()).decode()
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if handler.headers.get("Authorization") != "Basic " + wanted:
            return 401, {}, {"error": "invalid_client"}
        if not asked or asked["redirect_uri"] != form["redirect_uri"] or encode(verifier) != asked["code_challenge"]:
            return 400, {}, {"error": "invalid_grant"}
        now = int(time.time())
        claims = self.claims({"iss": self.issuer, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": asked["nonce"],
                              **self.person})
        return 200, {}, self.tokens({"access_token": "the-access-token", "token_type": "Bearer", "expires_in": 300,
                                     "id_token": self.sign(claims)})

    # What a browser does there.

    def authorize(self, location):
        """The person agrees: the address that the browser is sent back to."""
        assert location.startswith(self.issuer + "/auth?"), location
        asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        assert asked["response_type"] == "code" and asked["client_id"] == CLIENT, asked
        assert asked["code_challenge_method"] == "S256" and len(asked["state"]) == len(asked["nonce"]) == 43, asked
        code = secrets.token_urlsafe(12)
        self.codes[code] = asked
        back = self.back({"code": code, "state": asked["state"], "iss": self.issuer})
        return asked["redirect_uri"] + "?" + urlencode(back)

    def authorization_page(self, handler):
        return 302, {"Location": self.authorize(self.issuer + handler.path)}, b""
