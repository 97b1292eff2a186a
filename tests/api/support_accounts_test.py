"""The front door of support: who gets in, with what, and for how long."""

import base64
import hashlib
import hmac
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from requests import Session

from accounts_client import Browser
from people import People
from service import ENGINES, Service

KEY = "key-of-programs-5e1f"
SECRET = "a-secret-of-the-tests-that-is-long-enough"
# "horse-battery" with bcrypt at cost 4, made by Python's crypt
HASH = "$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu"


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", {"API_KEY": KEY, "JWT_SECRET": SECRET, "ADMIN_PASSWORD_HASH": HASH,
                             "RATE_LIMIT_ENABLED": "false"}, request.param) as service:
        yield service


def sign_in(service, username="admin", password="horse-battery"):
    return service.post("/api/auth/login", {"username": username, "password": password})


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def forged(claims, secret=SECRET, algorithm="HS256"):
    def text(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    signed = f"{text({'alg': algorithm, 'typ': 'JWT'})}.{text(claims)}"
    digest = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def claims(**changes):
    return {"sub": "ann", "role": "viewer", "tenant": "acme", "exp": time.time() + 60, "type": "access", **changes}


class TestSignIn:
    def test_gives_tokens_and_cookies(self, support):
        answer = sign_in(support)
        assert answer.status_code == 200
        tokens = answer.json()
        assert set(tokens) == {"access_token", "refresh_token", "token_type"} and tokens["token_type"] == "bearer"
        cookies = answer.raw.headers.getlist("Set-Cookie")
        for name in ("access_token", "refresh_token"):
            [cookie] = [c for c in cookies if c.startswith(f"{name}={tokens[name]};")]
            assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; ")) and "Secure" not in cookie

    @pytest.mark.parametrize("username, password", [
        ("admin", "wrong"), ("nobody", "horse-battery"), ("admin", "admin"), ("", ""), ("admin'--", "x")])
    def test_refuses_all_others_alike(self, support, username, password):
        answer = sign_in(support, username, password)
        assert answer.status_code == 401
        assert (answer.json()["detail"], answer.json()["error_code"]) == ("Invalid credentials", "unauthorized")
        assert "Set-Cookie" not in answer.headers

    def test_locks_a_name_out_as_the_suite_does(self, support):
        """Also one that nobody has; from one address, here, and for as long as the settings say."""
        person = People(support.stack)
        person.add("locked-out", password_hash=HASH, support="viewer")
        for name in ("locked-out", "nobody-at-all"):
            answers = [sign_in(support, name, f"wrong {i}").status_code for i in range(11)]
            assert answers == [401] * 10 + [429], name
            late = sign_in(support, name)
            assert late.status_code == 429 and late.json()["error_code"] == "rate_limited"
            assert 800 < int(late.headers["Retry-After"]) <= 901
        assert sign_in(support).status_code == 200, "others go on"

    def test_names_what_is_wrong_with_the_body(self, support):
        answer = support.post("/api/auth/login", {"username": "x" * 101})
        assert answer.status_code == 422
        assert {tuple(e["loc"]) for e in answer.json()["detail"]} == {("body", "username"), ("body", "password")}

    def test_malformed_bodies(self, support):
        for body, status in ((b"{", 422), (b"[]", 422), (b"", 422), (b'{"username":"\xff"}', 400)):
            assert support.send("POST", "/api/auth/login", data=body).status_code == status


class TestRenewal:
    def test_a_refresh_token_gives_new_ones(self, support):
        old = sign_in(support).json()
        new = support.post("/api/auth/refresh", {"refresh_token": old["refresh_token"]})
        assert new.status_code == 200 and new.json()["access_token"] != old["access_token"]

    def test_a_refresh_token_is_good_once(self, support):
        """RFC 9700 section 4.14.2: its second use tells that it was stolen, and ends all tokens of its sign-in."""
        def renew(token):
            return support.post("/api/auth/refresh", {"refresh_token": token})

        def taken(token):
            return support.post("/api/auth/session", headers=bearer(token)).status_code == 200

        first, other = sign_in(support).json(), sign_in(support).json()
        second = renew(first["refresh_token"]).json()
        third = renew(second["refresh_token"]).json()
        assert taken(first["access_token"]) and taken(third["access_token"])
        stolen = renew(first["refresh_token"])
        assert (stolen.status_code, stolen.json()["detail"]) == (401, "Invalid or expired refresh token")
        assert "Set-Cookie" not in stolen.headers
        assert renew(third["refresh_token"]).status_code == 401
        assert not any(taken(tokens["access_token"]) for tokens in (first, second, third))
        assert taken(other["access_token"]) and renew(other["refresh_token"]).status_code == 200
        entries = support.sql("SELECT count(*) FROM audit_log WHERE action = 'session_ended' AND actor = 'admin'")
        assert [int(n) for [n] in entries] == [1]

    def test_one_of_two_renewals_at_the_same_time_is_taken(self, support):
        token = sign_in(support).json()["refresh_token"]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: Session().post(support.url + "/api/auth/refresh",
                                                             json={"refresh_token": token}, timeout=60).status_code, range(4)))
        assert sorted(answers) == [200, 401, 401, 401]

    def test_a_token_of_no_family_is_good_once_as_well(self, support):
        for changes in ({}, {"jti": "of-another-program"}):
            token = forged(claims(sub="admin", type="refresh", **changes))
            tokens = support.post("/api/auth/refresh", {"refresh_token": token}).json()
            assert support.post("/api/auth/refresh", {"refresh_token": token}).status_code == 401
            assert support.post("/api/auth/refresh", {"refresh_token": tokens["refresh_token"]}).status_code == 200

    def test_an_access_token_does_not(self, support):
        token = sign_in(support).json()["access_token"]
        answer = support.post("/api/auth/refresh", {"refresh_token": token})
        assert (answer.status_code, answer.json()["detail"]) == (401, "Invalid or expired refresh token")

    def test_nobody_stays_who_could_not_sign_in_any_more(self, support):
        def renew(subject):
            return support.post("/api/auth/refresh", {
                "refresh_token": forged(claims(sub=subject, type="refresh", exp=time.time() + 60))}).status_code

        people = People(support.stack)
        people.add("ruth", key="7c0e", password_hash=HASH, support="agent")
        people.add("rob", password_hash=HASH, models="admin")
        assert sign_in(support, "ruth").status_code == 200
        assert (renew("ruth"), renew("7c0e"), renew("admin"), renew("nobody")) == (200, 200, 200, 401)
        token = sign_in(support, "ruth").json()["refresh_token"]
        assert (sign_in(support, "rob").status_code, renew("rob")) == (401, 401), "without a role in support"
        people.switch_off("ruth")
        answer = support.post("/api/auth/refresh", {"refresh_token": token})
        assert (answer.status_code, answer.json()["detail"]) == (401, "Invalid or expired refresh token")
        assert "Set-Cookie" not in answer.headers and renew("7c0e") == 401
        assert sign_in(support, "ruth").status_code == 401

    def test_a_session_is_made_of_a_bearer(self, support):
        token = sign_in(support).json()["access_token"]
        answer = support.post("/api/auth/session", headers=bearer(token))
        assert answer.json() == {"status": "ok"} and f"access_token={token};" in answer.headers["Set-Cookie"]
        answer = support.post("/api/auth/session")
        assert (answer.status_code, answer.json()["detail"]) == (401, "Bearer access token required")


class TestTokensFollowThePerson:
    """Not what a token said when it was issued: what its person may do now."""

    def test_role_and_tenant_are_those_of_now(self, support):
        people = People(support.stack)
        people.add("mona", password_hash=HASH, support="admin")
        tokens = sign_in(support, "mona").json()
        people.sql("UPDATE people SET roles = '{\"support\":\"viewer\"}', tenant = 'north' WHERE username = 'mona'")
        assert support.get("/api/agent/tickets", headers=bearer(tokens["access_token"])).status_code == 403
        assert support.get("/api/sessions", headers=bearer(tokens["access_token"])).status_code == 200
        renewed = support.post("/api/auth/refresh", {"refresh_token": tokens["refresh_token"]}).json()["access_token"]
        said = json.loads(base64.urlsafe_b64decode(renewed.split(".")[1] + "=="))
        assert (said["sub"], said["role"], said["tenant"]) == ("mona", "viewer", "north")

    def test_of_people_without_access_count_for_nothing(self, support):
        people = People(support.stack)
        for name, change in (("olaf", "is_active = 0"), ("otto", "roles = '{\"models\":\"admin\"}'")):
            people.add(name, password_hash=HASH, support="agent")
            tokens = sign_in(support, name).json()
            people.sql(f"UPDATE people SET {change} WHERE username = '{name}'")
            assert support.get("/api/sessions", headers=bearer(tokens["access_token"])).status_code in (401, 403), name
            assert support.post("/api/auth/refresh", {"refresh_token": tokens["refresh_token"]}).status_code == 401, name

    @pytest.mark.parametrize("name, act", [
        ("paul", lambda page: page.send("DELETE", "/api/session?everywhere=true")),
        ("petra", lambda page: page.send("PUT", "/api/password", {"current": "horse-battery", "new": "another battery"}))])
    def test_end_with_the_sessions_of_the_person(self, support, name, act):
        People(support.stack).add(name, password_hash=HASH, support="agent")
        page = Browser(support.beside("accounts")).sign_in(name, "horse-battery")
        tokens = sign_in(support, name).json()
        assert support.get("/api/agent/tickets", headers=bearer(tokens["access_token"])).status_code == 200
        assert act(page).status_code in (200, 204)
        assert support.get("/api/agent/tickets", headers=bearer(tokens["access_token"])).status_code == 401
        assert support.post("/api/auth/session", headers=bearer(tokens["access_token"])).status_code == 401
        assert support.post("/api/auth/refresh", {"refresh_token": tokens["refresh_token"]}).status_code == 401
        new = sign_in(support, name, "another battery" if name == "petra" else "horse-battery").json()
        assert support.get("/api/agent/tickets", headers=bearer(new["access_token"])).status_code == 200
        assert support.post("/api/auth/refresh", {"refresh_token": new["refresh_token"]}).status_code == 200


class TestCookies:
    """A cookie speaks for a page of this site only; a key or a token in a header needs no Origin."""

    def test_count_for_pages_of_this_site(self, support):
        cookie = {"access_token": sign_in(support).json()["access_token"]}
        own, vote = support.url, {"trace_id": "t", "session_id": "s", "rating": "up"}
        host = own.split("//")[1]
        for origin, status in ((None, 204), (own, 204), ("https://evil.example", 401), ("null", 401), ("", 401),
                               (own + ".evil.example", 401), (f"http://evil.example/{host}", 401),
                               (own.rsplit(":", 1)[0] + ":1", 401), (f"http://x@{host}", 401)):
            headers = {} if origin is None else {"Origin": origin}
            answer = support.post("/api/feedback", vote, cookies=cookie, headers=headers)
            assert answer.status_code == status, f"Origin {origin}: {answer.text}"
            assert support.get("/api/sessions", cookies=cookie, headers=headers).status_code == 200, origin
        assert support.post("/api/feedback", vote, cookies=cookie,
                            headers={"Origin": "https://evil.example", "X-API-Key": KEY}).status_code == 204

    def test_of_another_kind_or_forged_count_for_nothing(self, support):
        refresh = sign_in(support).json()["refresh_token"]
        for token in (refresh, forged(claims(), "another-secret"), "x"):
            assert support.get("/api/sessions", cookies={"access_token": token}).status_code == 401


class TestSignOut:
    @pytest.mark.parametrize("shown", ["access", "refresh"])
    def test_ends_all_tokens_of_the_sign_in(self, support, shown):
        old = sign_in(support).json()
        new = support.post("/api/auth/refresh", {"refresh_token": old["refresh_token"]}).json()
        if shown == "access":
            support.post("/api/auth/logout", headers=bearer(old["access_token"]))
        else:
            support.post("/api/auth/logout", cookies={"refresh_token": new["refresh_token"]})
        for tokens in (old, new):
            assert support.post("/api/auth/session", headers=bearer(tokens["access_token"])).status_code == 401
        assert support.post("/api/auth/refresh", {"refresh_token": new["refresh_token"]}).status_code == 401

    def test_takes_cookies_away_and_tokens_back(self, support):
        tokens = sign_in(support).json()
        answer = support.post("/api/auth/logout", cookies={"refresh_token": tokens["refresh_token"]},
                              headers=bearer(tokens["access_token"]))
        assert answer.json() == {"status": "ok"}
        assert all("Max-Age=0" in c for c in answer.raw.headers.getlist("Set-Cookie"))
        assert support.post("/api/auth/session", headers=bearer(tokens["access_token"])).status_code == 401
        assert support.post("/api/auth/refresh", {"refresh_token": tokens["refresh_token"]}).status_code == 401


class TestTokens:
    """POST /api/auth/session tells whether a token is taken."""

    @pytest.mark.parametrize("token", [
        forged(claims(), "another-secret"), forged(claims(), algorithm="none"), forged(claims(exp=time.time() - 1)),
        forged(claims(type="refresh")), forged(claims(tenant="a b")), forged(claims(sub=7)), "x.y.z", ""])
    def test_what_is_refused(self, support, token):
        answer = support.post("/api/auth/session", headers=bearer(token))
        assert answer.status_code == 401, answer.text

    @pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer ", "bEaReR"])
    def test_the_scheme_has_no_case(self, support, scheme):
        headers = {"Authorization": f"{scheme} {forged(claims())}"}
        assert support.post("/api/auth/session", headers=headers).status_code == 200

    def test_what_is_taken(self, support):
        assert support.post("/api/auth/session", headers=bearer(forged(claims()))).status_code == 200


class TestFrame:
    def test_health(self, support, request):
        answer = support.get("/api/health")
        body = answer.json()
        assert answer.status_code == 200 and body["status"] == "ok" and body["features"] == {"streaming_enabled": True}
        unavailable = {name for name, part in body["components"].items() if part["status"] == "unavailable"}
        assert unavailable == {"redis", "embedder", "sqlite" if support.engine == "postgres" else "postgres"}
        assert (body["vector_store_loaded"], body["sessions_count"], body["pipeline_available"]) == (False, 0, True)
        assert support.get("/api/health/live").json() == {"status": "alive", "service": "support-answering"}

    def test_slashes_lead_to_the_bare_path(self, support):
        answer = support.get("/api/health/?x=1")
        assert (answer.status_code, answer.headers["Location"]) == (307, "/api/health?x=1")

    def test_errors_have_the_envelope_of_the_service(self, support):
        for method, path, status, code in (("GET", "/nothing", 404, "not_found"),
                                           ("DELETE", "/api/health", 405, "method_not_allowed")):
            answer = support.send(method, path, headers={"X-Request-Id": "of-the-test"})
            assert answer.status_code == status and answer.headers["X-Request-Id"] == "of-the-test"
            body = answer.json()
            assert set(body) == {"detail", "error_code", "request_id"}
            assert (body["error_code"], body["request_id"]) == (code, "of-the-test")

    def test_new_request_ids_are_hexadecimal(self, support):
        assert len(bytes.fromhex(support.get("/api/health/live").headers["X-Request-Id"])) == 16

    def test_pages_of_anybody_get_no_credentials(self, support):
        answer = support.get("/api/health", headers={"Origin": "https://evil.example"})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_sign_in_is_limited_to_five_a_minute():
    with Service("support") as service:
        statuses = [sign_in(service, "admin", "admin").status_code for _ in range(6)]
        assert statuses == [200] * 5 + [429]
        last = sign_in(service)
        assert last.json()["detail"] == last.json()["error"] == "Rate limit exceeded: 5 per 1 minute"
        assert int(last.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("env, named", [
    ({}, "CORS_ORIGINS"), ({"CORS_ORIGINS": "https://a.example"}, "JWT_SECRET"),
    ({"CORS_ORIGINS": "https://a.example", "JWT_SECRET": SECRET}, "ADMIN_PASSWORD_HASH")])
def test_production_refuses_what_is_open(env, named):
    service = Service("support")
    done = service.stack.try_start({"RAG_ENV": "production", **env})
    service.stack.close()
    assert done.returncode != 0 and named in done.stderr
