"""Programs sign in by OAuth (RFC 6749, 7591, 7636, 8414, 8707, 9728, 7009), and what must not work: on both engines."""

import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest

from accounts_client import HASH, Browser, add_person, signed_in
from oauth_client import REDIRECT, Program, ask, challenge_of, shown
from service import ENGINES, Service

pytestmark = pytest.mark.both_engines
VERIFIER = "v" * 43
CLIENTS, CLIENTS_MAX = 12, 20


@pytest.fixture(scope="module", params=ENGINES)
def accounts(request):
    env = {"ADMIN_PASSWORD_HASH": HASH, "ASSAY_CONNECTIONS_PER_CLIENT": "0", "ASSAY_SIGN_IN_RATE_PER_MINUTE": "100000",
           "ASSAY_OAUTH_RATE_PER_MINUTE": "100000", "AB_RATE_LIMIT_ENABLED": "false",
           "ASSAY_OAUTH_CLIENTS_PER_NETWORK": str(CLIENTS), "ASSAY_OAUTH_CLIENTS_MAX": str(CLIENTS_MAX)}
    with Service("accounts", env, request.param, services=("experiments", "livedata", "accounts")) as service:
        yield service


@pytest.fixture(scope="module")
def person(accounts):
    add_person(signed_in(accounts), "maria", experiments="analyst", data="viewer")
    return signed_in(accounts, "maria", "a first password")


@pytest.fixture
def program(accounts):
    accounts.sql("DELETE FROM oauth_grants")
    accounts.sql("DELETE FROM oauth_clients")
    return Program(accounts)


def projects(accounts, tokens, method="GET", **arguments):
    """The answer of the experiments service to a program, below the portal."""
    return ask(f"{accounts.stack.portal_url}/experiments/api/v1/projects", tokens, method, **arguments)


def is_refused(answer, error="invalid_grant"):
    assert answer.status_code == 400, answer.text
    said = answer.json()
    return (said["error"], said["error_code"]) == (error, error) and said["error_description"]


def test_a_program_learns_how_to_sign_in(accounts):
    portal = accounts.stack.portal_url
    ports = {portal: portal, portal.replace("127.0.0.1", "localhost"): portal.replace("127.0.0.1", "localhost"),
             accounts.stack.url_of("experiments"): portal}
    for origin, issuer in ports.items():
        found = ask(f"{origin}/.well-known/oauth-protected-resource/mcp").json()
        assert (found["resource"], found["authorization_servers"]) == (f"{origin}/mcp", [issuer])
        assert found["scopes_supported"] == ["read", "write"]
    below = ask(f"{portal}/.well-known/oauth-protected-resource/data/mcp").json()
    assert below["resource"] == f"{portal}/data/mcp"
    for path in ("", "/", "/other/mcp", "/mcp/more", "/experiments"):
        assert ask(f"{portal}/.well-known/oauth-protected-resource{path}").status_code == 404, path
    server = ask(f"{portal}/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == portal
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["authorization_endpoint"] == f"{portal}/oauth/authorize"
    assert server["token_endpoint"] == f"{accounts.url}/api/oauth/token"


def test_a_program_does_what_its_person_may(accounts, person, program):
    back = program.consent(person, VERIFIER)
    assert back["state"] == "s t&a=t/e" and back["iss"] == accounts.stack.portal_url
    tokens = program.exchange(back["code"], VERIFIER).json()
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 3600, "read write")
    made = projects(accounts, tokens, "POST", json={"project_name": "by a program", "hypothesis": {}, "setup": {}})
    assert made.status_code not in (401, 403), made.text  # an analyst may write
    assert ask(f"{accounts.stack.portal_url}/data/v1/catalog", tokens).status_code == 200
    # No role of hers: not the administration of people.
    assert Browser(accounts).get("/api/people", headers=shown(tokens)).status_code == 403
    assert Browser(accounts).get("/api/session", headers=shown(tokens)).json()["person"]["username"] == "maria"
    # It cannot let others in, nor make tokens of its own.
    for path in ("/api/tokens", "/api/oauth/grants", "/api/sessions"):
        assert Browser(accounts).get(path, headers=shown(tokens)).json()["error_code"] == "session_required"
    [listed] = person.get("/api/oauth/grants").json()["grants"]
    assert listed["client_name"] == "An editor" and listed["bound_to"] == "suite" and not listed["read_only"]
    assert person.send("DELETE", f"/api/oauth/grants/{listed['id']}").status_code == 204
    assert projects(accounts, tokens).status_code == 401  # at once, although the hosts remember callers
    assert is_refused(program.refresh(tokens["refresh_token"]))
    assert person.send("DELETE", f"/api/oauth/grants/{listed['id']}").json()["error_code"] == "grant_unknown"


def test_a_program_that_only_reads(accounts, person, program):
    tokens = program.sign_in(person, write=False)
    assert tokens["scope"] == "read"
    assert projects(accounts, tokens).status_code == 200
    assert projects(accounts, tokens, "POST", json={}).status_code == 403
    assert is_refused(program.refresh(tokens["refresh_token"], scope="read write"), "invalid_scope")
    # The other way round: less for one access token.
    tokens = program.sign_in(person)
    less = program.refresh(tokens["refresh_token"], scope="read").json()
    assert less["scope"] == "read" and projects(accounts, less, "POST", json={}).status_code == 403
    assert program.refresh(less["refresh_token"]).json()["scope"] == "read write"
    # What a program did not ask for it is not given.
    asked = {**program.question(VERIFIER, scope="read"), "allow": True, "write": True}
    assert person.post("/api/oauth/authorization", asked).json()["error_code"] == "invalid_scope"


def test_roles_follow_the_person(accounts, program):
    administrator = signed_in(accounts)
    added = add_person(administrator, secrets.token_hex(4), experiments="analyst")
    own = signed_in(accounts, added["username"], "a first password")
    tokens = program.sign_in(own)
    assert projects(accounts, tokens, "POST", json={}).status_code == 422
    administrator.send("PATCH", f"/api/people/{added['id']}", {"roles": {"experiments": "viewer"}})
    assert projects(accounts, tokens, "POST", json={}).status_code == 403
    administrator.send("PATCH", f"/api/people/{added['id']}", {"is_active": False})
    assert projects(accounts, tokens).status_code == 401
    assert is_refused(program.refresh(tokens["refresh_token"]))


@pytest.mark.parametrize("way", ["everywhere", "password"])
def test_programs_end_with_the_sessions(accounts, program, way):
    added = add_person(signed_in(accounts), secrets.token_hex(4), experiments="viewer")
    own = signed_in(accounts, added["username"], "a first password")
    tokens = program.sign_in(own)
    assert projects(accounts, tokens).status_code == 200
    if way == "everywhere":
        assert own.send("DELETE", "/api/session?everywhere=true").status_code == 200
    else:
        changed = own.send("PUT", "/api/password", {"current": "a first password", "new": "a second password"})
        assert changed.status_code == 204
    assert projects(accounts, tokens).status_code == 401
    assert is_refused(program.refresh(tokens["refresh_token"]))


def test_a_token_is_for_its_resource(accounts, person, program):
    portal = accounts.stack.portal_url
    for resource in (f"{portal}/experiments/mcp", f"{accounts.stack.url_of('experiments')}/mcp"):
        tokens = program.sign_in(person, resource=resource)
        assert projects(accounts, tokens).status_code == 200
        assert ask(f"{accounts.stack.url_of('experiments')}/api/v1/projects", tokens).status_code == 200
        assert ask(f"{portal}/data/v1/catalog", tokens).status_code == 401
        assert Browser(accounts).get("/api/session", headers=shown(tokens)).status_code == 401
        assert is_refused(program.refresh(tokens["refresh_token"]), "invalid_target")
        assert projects(accounts, tokens).status_code == 401  # whoever shows it elsewhere must not have it
    for wrong in ("https://elsewhere.example/mcp", f"{portal}/mcp/../data/mcp", f"{portal}/other/mcp", f"{portal}x/mcp",
                  portal, None):
        asked = person.get("/api/oauth/authorization", params=program.question(VERIFIER, resource=wrong)).json()
        assert asked["error"] == "invalid_target" and asked["bound_to"] is None
    code = program.consent(person, VERIFIER)["code"]
    assert is_refused(program.exchange(code, VERIFIER, resource=f"{portal}/data/mcp"), "invalid_target")
    assert is_refused(program.exchange(code, VERIFIER))
    # Names of this computer are the same, and so is a slash.
    assert program.sign_in(person, resource=f"{portal.replace('127.0.0.1', 'localhost')}/mcp/")


def test_a_code_counts_once(accounts, person, program):
    code = program.consent(person, VERIFIER)["code"]
    tokens = program.exchange(code, VERIFIER).json()
    assert projects(accounts, tokens).status_code == 200
    assert is_refused(program.exchange(code, VERIFIER))
    assert projects(accounts, tokens).status_code == 401  # RFC 6749 section 10.5
    assert is_refused(program.refresh(tokens["refresh_token"]))
    entry = next(e for e in signed_in(accounts).get("/api/audit").json()["entries"] if e["action"] == "program_ended")
    assert (entry["actor"], entry["detail"]) == ("maria", "code used twice")


def test_a_code_counts_once_side_by_side(accounts, person, program):
    code = program.consent(person, VERIFIER)["code"]
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: ask(f"{accounts.url}/api/oauth/token", method="POST", data={
            "grant_type": "authorization_code", "client_id": program.client_id, "code": code, "code_verifier": VERIFIER,
            "redirect_uri": REDIRECT}).status_code, range(4)))
    assert sorted(statuses) == [200, 400, 400, 400]
    assert accounts.sql("SELECT count(*) FROM oauth_grants")[0][0] in (0, "0")


@pytest.mark.parametrize("change", [
    {"code_verifier": "w" * 43}, {"code_verifier": "v" * 42}, {"code_verifier": challenge_of(VERIFIER)},
    {"redirect_uri": REDIRECT + "/"}, {"redirect_uri": "http://127.0.0.1:10/callback"}])
def test_a_stolen_code_is_worth_nothing(accounts, person, program, change):
    code = program.consent(person, VERIFIER)["code"]
    assert is_refused(program.exchange(code, VERIFIER, **change))
    assert is_refused(program.exchange(code, VERIFIER))  # and nobody may try again


def test_a_program_of_oauth_2_1_sends_no_address_again(accounts, person, program):
    code = program.consent(person, VERIFIER)["code"]
    assert projects(accounts, program.exchange(code, VERIFIER, redirect_uri=None).json()).status_code == 200


def test_a_program_of_an_administrator_changes_no_accounts(accounts, program):
    """Else it would outlive the end of its consent, as another person."""
    administrator = signed_in(accounts)
    added = add_person(administrator, secrets.token_hex(4))
    tokens, stranger = program.sign_in(administrator), Browser(accounts)
    assert stranger.get("/api/people", headers=shown(tokens)).status_code == 200
    for method, path, body in (("POST", "/api/people", {"username": "second", "password": "a first password", "roles": {"suite": "admin"}}),
                               ("PATCH", f"/api/people/{added['id']}", {"roles": {"suite": "admin"}}),
                               ("POST", f"/api/people/{added['id']}/password", {"password": "a second password"}),
                               ("POST", "/api/invitations", {"roles": {"suite": "admin"}}), ("DELETE", "/api/invitations/x", None)):
        answer = stranger.send(method, path, body, headers=shown(tokens))
        assert (answer.status_code, answer.json()["error_code"]) == (403, "session_required"), path


def test_programs_cannot_take_each_others_codes_and_tokens(accounts, person, program):
    other = Program(accounts, name="Another")
    code = program.consent(person, VERIFIER)["code"]
    assert is_refused(other.exchange(code, VERIFIER))
    assert is_refused(program.exchange(code, VERIFIER))
    tokens = program.sign_in(person)
    # Revoking needs the own client_id (RFC 7009 section 2.1).
    assert other.revoke(tokens["access_token"]).status_code == 200
    assert projects(accounts, tokens).status_code == 200
    assert is_refused(other.refresh(tokens["refresh_token"]))
    assert projects(accounts, tokens).status_code == 401


def test_a_refresh_token_counts_once(accounts, person, program):
    first = program.sign_in(person)
    second = program.refresh(first["refresh_token"]).json()
    assert projects(accounts, first).status_code == 401 and projects(accounts, second).status_code == 200
    assert second["refresh_token"] != first["refresh_token"]
    third = program.refresh(second["refresh_token"]).json()
    assert is_refused(program.refresh(first["refresh_token"]))  # somebody has a copy: all of them end
    assert projects(accounts, third).status_code == 401
    assert is_refused(program.refresh(third["refresh_token"]))


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_a_program_revokes_its_tokens(accounts, person, program, which):
    tokens = program.sign_in(person)
    assert program.revoke(tokens[which], token_type_hint="refresh_token").json() == {"active": False}
    assert projects(accounts, tokens).status_code == 401
    assert is_refused(program.refresh(tokens["refresh_token"]))
    assert program.revoke(tokens[which]).status_code == 200  # again, and what never was
    assert program.revoke("x").status_code == 200
    assert is_refused(program.revoke(tokens[which], client_id="x"), "invalid_client")


def test_time_ends_codes_and_tokens(accounts, person, program):
    code = program.consent(person, VERIFIER)["code"]
    accounts.sql("UPDATE oauth_grants SET code_ends_at = 1")
    assert is_refused(program.exchange(code, VERIFIER))
    for column, refreshes in (("access_ends_at", True), ("refresh_ends_at", False), ("ends_at", False)):
        tokens = program.sign_in(person)
        accounts.sql(f"UPDATE oauth_grants SET {column} = 1")
        assert (program.refresh(tokens["refresh_token"]).status_code == 200) == refreshes, column
    tokens = program.sign_in(person)
    accounts.sql("UPDATE oauth_grants SET access_ends_at = 1")
    assert projects(accounts, tokens).status_code == 401


def test_consent_is_asked_of_the_own_page_only(accounts, person, program):
    """Cross-site request forgery, framing, strangers."""
    wanted = {**program.question(VERIFIER), "allow": True, "write": True}
    for origin in ("https://elsewhere.example", "null", accounts.stack.portal_url + "0"):
        assert person.post("/api/oauth/authorization", wanted, headers={"Origin": origin}).status_code == 401
    assert Browser(accounts).post("/api/oauth/authorization", wanted).status_code == 401
    assert Browser(accounts).get("/api/oauth/authorization", params=program.question(VERIFIER)).status_code == 401
    assert accounts.sql("SELECT count(*) FROM oauth_grants")[0][0] in (0, "0")
    page = ask(f"{accounts.stack.portal_url}/oauth/authorize?client_id=x")
    assert page.status_code == 200
    assert page.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_the_browser_is_sent_to_registered_addresses_only(accounts, person, program):
    for wrong in ("https://elsewhere.example/", REDIRECT + "?x=1", REDIRECT + "/..", "http://127.0.0.1:9/callback2",
                  "http://127.0.0.2:9/callback", "http://localhost:9/callback", "https://127.0.0.1:9/callback",
                  "http://127.0.0.1:9@elsewhere.example/callback", "http://127.0.0.1:9/callback#x",
                  "http://127.0.0.1.elsewhere.example/callback", "javascript:alert(1)", "//127.0.0.1:9/callback"):
        asked = program.question(VERIFIER, redirect_uri=wrong)
        answer = person.get("/api/oauth/authorization", params=asked)
        assert answer.json()["error_code"] == "oauth_redirect_unknown" and "redirect_to" not in answer.json(), wrong
        assert person.post("/api/oauth/authorization", {**asked, "allow": False}).status_code == 422, wrong
    # Of an address of this computer the port may be another (RFC 8252 section 7.3).
    assert program.consent(person, VERIFIER, redirect_uri="http://127.0.0.1:4711/callback")["code"]
    unknown = person.get("/api/oauth/authorization", params=program.question(VERIFIER, client_id="x"))
    assert (unknown.status_code, unknown.json()["error_code"]) == (404, "oauth_client_unknown")


@pytest.mark.parametrize("change, error", [
    ({"response_type": "token"}, "unsupported_response_type"), ({"response_type": None}, "unsupported_response_type"),
    ({"code_challenge": None}, "invalid_request"), ({"code_challenge": "short"}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"), ({"code_challenge_method": None}, "invalid_request"),
    ({"scope": "everything"}, "invalid_scope")])
def test_what_cannot_be_granted(person, program, change, error):
    asked = person.get("/api/oauth/authorization", params=program.question(VERIFIER, **change)).json()
    assert asked["error"] == error and f"error={error}" in asked["return_to"]
    answer = person.post("/api/oauth/authorization", {**program.question(VERIFIER, **change), "allow": True})
    assert answer.status_code == 400 and answer.json()["error_code"] == error


def test_a_person_says_no(accounts, person, program):
    back = program.consent(person, VERIFIER, allow=False)
    assert (back["error"], back["state"]) == ("access_denied", "s t&a=t/e") and "code" not in back
    assert person.get("/api/oauth/grants").json()["grants"] == []


@pytest.mark.parametrize("uris, good", [
    (["https://editor.example/back?x=1"], True), (["http://localhost/"], True), (["http://[::1]:7/x"], True),
    (["com.example.editor:/back", "cursor://anysphere.cursor/back"], True),
    (["http://editor.example/"], False), (["https://user@editor.example/"], False), (["https://editor.example/#x"], False),
    (["javascript:alert(1)"], False), (["JavaScript://%0aalert(1)"], False), (["data:text/html,x"], False),
    (["https://"], False), (["https://a b/"], False), (["file:///etc/passwd"], False), (["/back"], False), ([""], False),
    (["https://ed\u0131tor.example/"], False), (["https://x/" + "y" * 500], False), ([], False),
    (["https://x/"] * 11, False), (["ms-msdt:/id"], False), (["search-ms:query=x"], False), (["SSH://x"], False)])
def test_addresses_that_may_be_registered(program, uris, good):
    answer = program.register(redirect_uris=uris)
    assert answer.status_code == (201 if good else 400), answer.text
    if not good:
        assert answer.json()["error"] in ("invalid_redirect_uri", "invalid_client_metadata")


def test_what_a_program_registers(program):
    made = program.register(redirect_uris=[REDIRECT], client_name="编辑器 เครื่องมือ محرر", token_endpoint_auth_method="client_secret_post",
                            grant_types=["authorization_code"], software_id="x", client_uri="https://x/").json()
    assert made["client_name"] == "编辑器 เครื่องมือ محرر" and made["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in made
    for name in ("", "x" * 101, "an\u202eeditor", "an\neditor"):
        assert program.register(redirect_uris=[REDIRECT], client_name=name).json()["error"] == "invalid_client_metadata", name
    assert program.register(redirect_uris=[REDIRECT]).json()["client_name"] == "http://127.0.0.1:9"
    for data in ("{", "[]", '{"redirect_uris": 1}'):
        answer = program.accounts.send("POST", "/api/oauth/register", data=data, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400 and answer.json()["error"] == "invalid_client_metadata", answer.text


def test_registrations_are_bounded_and_end(accounts, person, program):
    tokens = program.sign_in(person)
    for _ in range(CLIENTS):
        assert program.register(redirect_uris=[REDIRECT]).status_code == 201
    full = program.register(redirect_uris=[REDIRECT])
    assert full.status_code == 429 and full.json()["error_code"] == "too_many_clients"
    accounts.sql("UPDATE oauth_clients SET created_at = 1")
    assert program.register(redirect_uris=[REDIRECT]).status_code == 201
    assert accounts.sql("SELECT count(*) FROM oauth_clients")[0][0] in (2, "2")
    assert projects(accounts, tokens).status_code == 200  # that of a program in use stays
    # With its last consent it ends, too, but not at once.
    accounts.sql("UPDATE oauth_clients SET used_at = 1 WHERE used_at IS NOT NULL")
    program.revoke(tokens["access_token"])
    assert program.register(redirect_uris=[REDIRECT]).status_code == 201
    assert is_refused(program.refresh(tokens["refresh_token"]), "invalid_client")


def test_used_programs_without_consent_make_room(accounts, person, program):
    """Nobody keeps all others out with programs of which no consent is left."""
    tokens = program.sign_in(person)
    for i in range(1, CLIENTS_MAX):
        accounts.sql("INSERT INTO oauth_clients (id, name, redirect_uris, network, created_at, used_at)"
                     f" SELECT 'used{i}', name, redirect_uris, network, created_at, used_at + {i} FROM oauth_clients"
                     f" WHERE id = '{program.client_id}'")
    assert program.register(redirect_uris=[REDIRECT]).status_code == 201
    left = {row[0] for row in accounts.sql("SELECT id FROM oauth_clients")}
    assert len(left) == CLIENTS_MAX and "used1" not in left and "used2" in left
    assert projects(accounts, tokens).status_code == 200


@pytest.mark.parametrize("form, error", [
    ({}, "invalid_request"), ({"grant_type": "password"}, "unsupported_grant_type"),
    ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
    ({"grant_type": "authorization_code"}, "invalid_request"), ({"grant_type": "refresh_token"}, "invalid_request"),
    ({"grant_type": "authorization_code", "client_id": "x"}, "invalid_client")])
def test_calls_for_tokens_that_say_too_little(program, form, error):
    assert is_refused(program.post("/api/oauth/token", form), error)


def test_codes_that_nobody_exchanges_do_not_pile_up(accounts, person, program):
    for _ in range(3):
        accounts.sql("UPDATE oauth_grants SET code_ends_at = 1")
        program.consent(person, VERIFIER)
    assert accounts.sql("SELECT count(*) FROM oauth_grants")[0][0] in (1, "1")


def test_a_person_lets_in_so_many(accounts, person, program):
    tokens = program.sign_in(person)
    columns = ("client_id, person_id, resource, bound_to, read_only, redirect_uri, code_challenge, code_ends_at, created_at, "
               "ends_at, exchanged_at, access_read_only, access_ends_at, refresh_digest, refresh_ends_at")
    for i in range(49):
        accounts.sql(f"INSERT INTO oauth_grants (id, code_digest, {columns}) SELECT 'g{i}', 'g{i}', {columns} FROM oauth_grants"
                     " WHERE access_digest IS NOT NULL")
    full = person.post("/api/oauth/authorization", {**program.question(VERIFIER), "allow": True})
    assert (full.status_code, full.json()["error_code"]) == (409, "too_many_grants")
    assert projects(accounts, tokens).status_code == 200
