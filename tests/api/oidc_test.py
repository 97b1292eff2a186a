"""Sign-in by an identity provider, against one that lies: whatever it does, nobody is signed in, the browser is sent back
to the page of sign-in with a word that the page explains, and the answer comes in time.

Against an honest one: oidc_people_test.py, oidc_provider_test.py.
"""

import json
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from identity_provider import Key, encode, encode_json, encode_number, sign_with_secret
from sign_in import Browser, problem_of, provider_settings, sign_in_stack, without

SLOW_SECONDS = 2.0
ATTACKER = Key(name="first")  # of the same name as the provider's own


@pytest.fixture(scope="module")
def provider_and_url():
    """The provider's documents are not kept, so that each case has its own."""
    with sign_in_stack({"ASSAY_OIDC_METADATA_SECONDS": "0", "ASSAY_OIDC_TIMEOUT_SECONDS": str(SLOW_SECONDS),
                        "ASSAY_OIDC_ANSWER_MAX_BYTES": "20000"}) as found:
        yield found


@pytest.fixture
def provider(provider_and_url):
    provider_and_url[0].reset()
    return provider_and_url[0]


@pytest.fixture
def browser(provider_and_url):
    return Browser(provider_and_url[1])


def test_an_honest_provider_signs_in(provider, browser):
    answer = browser.sign_in(provider, "/support/agent?x=1")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/support/agent?x=1")
    assert browser.person()["username"] == "ann@example.com"


def changed(**members):
    """Members of the claims, or of another object, replaced; ... = left out."""
    return lambda claims: {name: value for name, value in (claims | members).items() if value is not Ellipsis}


# What the ID token says.

CLAIMS = {
    "for another client": changed(aud="another"),
    "for a list of other clients": changed(aud=["another", "third"]),
    "for nobody": changed(aud=...),
    "for several, issued to none": changed(aud=["assay-client", "another"]),
    "issued to another client": changed(aud=["assay-client", "another"], azp="another"),
    "of another issuer": changed(iss="https://accounts.example.com"),
    "of an issuer with a slash": lambda claims: claims | {"iss": claims["iss"] + "/"},
    "of no issuer": changed(iss=...),
    "about nobody": changed(sub=...),
    "about an empty subject": changed(sub=""),
    "about a number": changed(sub=7),
    "about an endless subject": changed(sub="x" * 256),
    "expired": changed(exp=int(time.time()) - 3600),
    "without an end": changed(exp=...),
    "with an end that is text": changed(exp=str(int(time.time()) + 3600)),
    "issued in the future": changed(iat=int(time.time()) + 3600),
    "without the time of issue": changed(iat=...),
    "not valid yet": changed(nbf=int(time.time()) + 3600),
    "without a nonce": changed(nonce=...),
    "with another nonce": changed(nonce="A" * 43),
    "with the hash of another access token": changed(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
}


@pytest.mark.parametrize("case", CLAIMS)
def test_claims_of_another_sign_in(provider, browser, case):
    provider.claims = CLAIMS[case]
    assert problem_of(browser.sign_in(provider)) == "oidc_refused"


# How the ID token is signed.

def unsigned(provider, claims):
    return encode_json({"alg": "none"}) + "." + encode_json(claims) + "."


def unsigned_with_a_signature(provider, claims):
    return encode_json({"alg": "none", "kid": "first"}) + "." + provider.keys[0].sign(claims).split(".", 1)[1]


def tampered(provider, claims):
    head, _, signature = provider.keys[0].sign(claims).split(".")
    return ".".join((head, encode_json(claims | {"sub": "eve"}), signature))


def own_key(**header):
    """Signed by the attacker's key, which the header brings along."""
    def sign(_, claims):
        return ATTACKER.sign(claims, {name: ATTACKER.public if value == "key" else value for name, value in header.items()})
    return sign


SIGNATURES = {
    "without a signature": unsigned,
    "none, with a signature": unsigned_with_a_signature,
    "HS256 with the public key": lambda provider, claims: sign_with_secret(
        claims, json.dumps(provider.keys[0].public).encode(), "first"),
    "HS256 with the modulus": lambda provider, claims: sign_with_secret(claims, provider.keys[0].public["n"].encode(), "first"),
    "HS256 with the client's secret": lambda _, claims: sign_with_secret(claims, b"a secret: of % the client", "first"),
    "by another key of the same name": own_key(),
    "by a key in its own header": own_key(jwk="key"),
    "by a key elsewhere": own_key(jku="http://127.0.0.1:9/keys"),
    "by a key that nobody has published": lambda _, claims: ATTACKER.sign(claims, {"kid": "unknown"}),
    "of other claims": tampered,
    "as an access token": lambda provider, claims: provider.keys[0].sign(claims, {"typ": "at+jwt"}),
    "as a token to sign out": lambda provider, claims: provider.keys[0].sign(claims, {"typ": "logout+jwt"}),
    "with an unknown extension": lambda provider, claims: provider.keys[0].sign(claims, {"crit": ["b64"], "b64": False}),
    "with RS512": lambda provider, claims: provider.keys[0].sign(claims, {"alg": "RS512"}),
    "cut off": lambda provider, claims: provider.keys[0].sign(claims)[:-8],
    "without claims": lambda provider, _: provider.keys[0].sign([]),
    "not a token": lambda *_: "not a token",
    "not text": lambda *_: {"alg": "RS256"},
}


@pytest.mark.parametrize("case", SIGNATURES)
def test_signatures_that_do_not_count(provider, browser, case):
    provider.sign = lambda claims: SIGNATURES[case](provider, claims)
    assert problem_of(browser.sign_in(provider)) == "oidc_refused"


# What the endpoints answer.

def slow(_):
    time.sleep(SLOW_SECONDS + 1)
    return 200, {}, {}


def trickle(handler):
    """A byte at a time, for longer than anybody waits."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        time.sleep(0.1)
    handler.close_connection = True


def cut_off(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"access_tok')
    handler.close_connection = True


ANSWERS = {
    "is not JSON": ((200, {}, b"<html>sign in</html>"), "oidc_refused"),
    "is a list": ((200, {}, []), "oidc_refused"),
    "has a member twice": ((200, {}, b'{"id_token":"a","id_token":"b","keys":[],"keys":[]}'), "oidc_refused"),
    "is not UTF-8": ((200, {}, b'{"id_token":"\xff"}'), "oidc_refused"),
    "is deep": ((200, {}, b'{"keys":' + b"[" * 5000 + b"]" * 5000 + b"}"), "oidc_refused"),
    "is empty": ((200, {}, b""), "oidc_refused"),
    "is huge": ((200, {}, b'{"x":"' + b"x" * 30000 + b'"}'), "oidc_refused"),
    "is elsewhere": ((302, {"Location": "http://127.0.0.1:9/"}, b""), "oidc_refused"),
    "is a refusal": ((400, {}, {"error": "invalid_grant"}), "oidc_refused"),
    "is a failure": ((500, {}, b""), "oidc_unavailable"),
    "ends early": (cut_off, "oidc_unavailable"),
    "does not come": (slow, "oidc_unavailable"),
    "trickles": (trickle, "oidc_unavailable"),
}


@pytest.mark.parametrize("path", ("/.well-known/openid-configuration", "/token", "/keys"))
@pytest.mark.parametrize("case", ANSWERS)
def test_answers_that_are_none(provider, browser, path, case):
    answer, word = ANSWERS[case]
    provider.answers[path] = answer
    began = time.monotonic()
    assert problem_of(browser.sign_in(provider)) == word
    assert time.monotonic() - began < SLOW_SECONDS + 1
    assert not any(place in provider.calls for place in ("/", "/end"))


@pytest.mark.parametrize("tokens", (without("id_token"), changed(id_token=None), changed(id_token=["x"])))
def test_answers_without_an_id_token(provider, browser, tokens):
    provider.tokens = tokens
    assert problem_of(browser.sign_in(provider)) == "oidc_refused"


DISCOVERY = {
    "of another issuer": changed(issuer="https://accounts.example.com"),
    "of an issuer with a slash": lambda metadata: metadata | {"issuer": metadata["issuer"] + "/"},
    "without a token endpoint": changed(token_endpoint=...),
    "with a number for an endpoint": changed(jwks_uri=7),
    "with http in the network": changed(token_endpoint="http://192.0.2.1/token"),
    "with http in a private network": changed(token_endpoint="http://10.0.0.1/token"),
    "with the metadata of a cloud": changed(jwks_uri="http://169.254.169.254/latest"),
    "with a file": changed(jwks_uri="file:///etc/passwd"),
    "with a script": changed(authorization_endpoint="javascript:alert(1)"),
    "with a password": changed(token_endpoint="https://user:password@example.com/"),
    "without S256": changed(code_challenge_methods_supported=["plain"]),
}


@pytest.mark.parametrize("case", DISCOVERY)
def test_discovery_documents_that_are_refused(provider, browser, case):
    provider.metadata = DISCOVERY[case]
    assert problem_of(browser.start()) == "oidc_refused"


def weak_key():
    from cryptography.hazmat.primitives.asymmetric import rsa
    key = Key(name="weak")
    key.private = rsa.generate_private_key(65537, 1024)
    key.public["n"] = encode_number(key.private.public_key().public_numbers().n)
    return key


def key_off_the_curve():
    key = Key("ES256", "off")
    key.public["y"] = encode(bytes(31) + b"\x01")
    return key


def key_for_encryption():
    key = Key(name="enc")
    key.public["use"] = "enc"
    return key


@pytest.mark.parametrize("make", (weak_key, key_off_the_curve, key_for_encryption))
def test_keys_that_are_none(provider, browser, make):
    provider.keys = [make()]
    assert problem_of(browser.sign_in(provider)) == "oidc_refused"


def test_userinfo_of_somebody_else(provider, browser):
    """The token leaves the address out, so that the provider is asked for it."""
    provider.claims = without("email", "name")
    provider.answers["/me"] = (200, {}, provider.person | {"sub": "eve"})
    assert problem_of(browser.sign_in(provider)) == "oidc_refused"
    provider.answers["/me"] = (200, {}, {"email": "ann@example.com", "email_verified": True})
    assert problem_of(browser.sign_in(provider)) == "oidc_refused"


# What the browser brings back.

BACK = {
    "from another provider": (changed(iss="https://accounts.example.com"), "oidc_refused"),
    "from no provider, which promised to say": (changed(iss=...), "oidc_refused"),
    "a refusal": (changed(code=..., error="access_denied"), "oidc_denied"),
    "a refusal with markup": (changed(code=..., error="<script>alert(1)</script>"), "oidc_denied"),
    "a refusal of another provider": (changed(code=..., error="access_denied", iss="https://e.example"), "oidc_refused"),
    "no code": (changed(code=...), "oidc_refused"),
    "an empty code": (changed(code=""), "oidc_refused"),
    "an unknown code": (changed(code="guessed"), "oidc_refused"),
    "an unknown state": (changed(state="A" * 43), "oidc_expired"),
    "an empty state": (changed(state=""), "oidc_expired"),
    "no state": (changed(state=...), "oidc_expired"),
}


@pytest.mark.parametrize("case", BACK)
def test_what_comes_back(provider, browser, case):
    provider.back, word = BACK[case]
    assert problem_of(browser.sign_in(provider)) == word


def test_a_sign_in_is_over_once(provider, browser):
    back = provider.authorize(browser.start().headers["Location"])
    assert browser.come_back(back).headers["Location"] == "/"
    provider.calls.clear()
    assert problem_of(browser.come_back(back)) == "oidc_expired"
    assert "/token" not in provider.calls


def test_a_failed_sign_in_is_over_as_well(provider, browser):
    back = provider.authorize(browser.start().headers["Location"])
    assert problem_of(browser.come_back(back.replace("code=", "code=x"))) == "oidc_refused"
    assert problem_of(browser.come_back(back)) == "oidc_expired"


def test_a_code_of_another_sign_in_is_refused(provider, browser):
    """Injected into the sign-in of a victim: the verifier of PKCE is another one."""
    stolen = parse_qs(urlsplit(provider.authorize(browser.start().headers["Location"])).query)["code"][0]
    provider.back = changed(code=stolen)
    assert problem_of(browser.sign_in(provider)) == "oidc_refused"


def test_a_sign_in_ends_in_the_browser_in_which_it_began(provider, provider_and_url, browser):
    """Else an attacker signs a victim in as himself, by a link."""
    other = Browser(provider_and_url[1])
    back = provider.authorize(browser.start().headers["Location"])
    assert problem_of(other.come_back(back)) == "oidc_expired"
    back = provider.authorize(browser.start().headers["Location"])
    other.start()
    assert problem_of(other.come_back(back)) == "oidc_expired"


def test_two_tabs_of_a_browser(provider, browser):
    first = provider.authorize(browser.start("/one").headers["Location"])
    second = provider.authorize(browser.start("/two").headers["Location"])
    assert browser.come_back(first).headers["Location"] == "/one"
    assert browser.come_back(second).headers["Location"] == "/two"


@pytest.mark.parametrize("path", (
    "https://evil.example/", "//evil.example/", "/\\evil.example/", "\\\\evil.example", "/\t/evil.example/", "javascript:alert(1)",
    "evil", "", "/x\r\nSet-Cookie: a=b", "/\x00", "/" + "x" * 3000, "/%0d%0ax" * 200))
def test_no_address_of_another_site_comes_after_sign_in(provider, browser, path):
    answer = browser.start(path)
    if answer.status_code == 422:  # refused at once
        return
    answer = browser.come_back(provider.authorize(answer.headers["Location"]))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert "evil" not in str(answer.headers)


def test_the_cookie_of_a_sign_in(provider, browser):
    answer = browser.start()
    [cookie] = [value for name, value in answer.raw.headers.items() if name == "Set-Cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    place = answer.headers["Location"]
    assert cookie.split("=")[1].split(";")[0] not in place
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_secret_is_nowhere(provider, browser, provider_and_url):
    provider.answers["/token"] = (401, {}, {"error": "invalid_client"})
    problem_of(browser.sign_in(provider))
    log = provider_and_url[2].logs()
    assert "oidc" in log and "a secret" not in log and "the-access-token" not in log
    assert provider_settings(provider)["ASSAY_OIDC_CLIENT_SECRET"] not in log
