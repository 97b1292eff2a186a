"""The chat integration: installs, signed calls, what commands and buttons do, and what is told afterwards."""

import json
import re
import time
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from chat_platform import BOT_TOKEN, CLIENT_ID, CLIENT_SECRET, USER_TOKEN, ChatPlatform, sign
from wait import wait_for
from service import ENGINES, Service
from project_fixtures import PROJECTS, payload, unknown_id

COMMANDS = "/chatapp/commands"


@pytest.fixture(scope="module")
def platform():
    with ChatPlatform() as made:
        yield made


@pytest.fixture(scope="module", params=ENGINES)
def service(request, platform):
    """Open to everybody, so that projects can be made and looked at."""
    settings = {**platform.settings, "AB_LLM_BASE_URL": "", "AB_TRUSTED_PROXY_HOPS": "1", "AB_CHATAPP_TEAMS": "T1, T2",
                "AB_CHATAPP_INVALID_SIGNATURE_LIMIT": "2", "AB_RATE_LIMIT_REQUESTS": "10000", "AB_CHATAPP_REVIEW_CHANNEL": "C7",
                "AB_CHATAPP_MESSAGE_BYTES": "4096", "AB_CHATAPP_NAME_BYTES": "200", "AB_CHATAPP_ATTEMPTS": "2"}
    with Service("experiments", settings, request.param) as running:
        yield running


def make(service, name=None, **blocks):
    answer = service.post(PROJECTS, payload(name, **blocks))
    assert answer.status_code == 200, answer.text
    return answer.json()


def said(answer):
    """The text of a reply that only the one who asked sees."""
    assert answer.status_code == 200, answer.text
    reply = answer.json()
    assert reply["response_type"] == "ephemeral" and reply["replace_original"] is False
    return reply["text"]


def runs_of(service, project):
    return service.get(f"{PROJECTS}/{project['id']}/history").json()["analysis_runs"]


def refusal(answer):
    return answer.status_code, answer.json()["error_code"]


def begin(service):
    """The state and the cookie of an install that was begun."""
    answer = service.get("/chatapp/install")
    assert answer.status_code == 307
    return parse_qs(urlsplit(answer.headers["Location"]).query)["state"][0], answer.cookies["chatapp_install"]


def come_back(service, code, state, cookie):
    return service.get(f"/chatapp/oauth/callback?code={quote(code)}&state={quote(state)}",
                       cookies={"chatapp_install": cookie} if cookie else None)


def install(platform, service, team="T1", name="Team", **members):
    platform.codes[f"code-{team}"] = {"ok": True, "team": {"id": team, "name": name}, "access_token": BOT_TOKEN,
                                      "authed_user": {"access_token": USER_TOKEN}, **members}
    return come_back(service, f"code-{team}", *begin(service))


def status(service):
    return service.get("/api/v1/chatapp/status").json()


class TestInstall:
    def test_the_browser_is_sent_to_the_platform(self, platform, service):
        answer = service.get("/chatapp/install")
        url = urlsplit(answer.headers["Location"])
        assert f"{url.scheme}://{url.netloc}{url.path}" == f"{platform.url}/oauth/v2/authorize"
        assert {n: v for n, v in parse_qs(url.query).items() if n != "state"} == {
            "client_id": [CLIENT_ID], "scope": ["commands,chat:write,chat:write.public,users:read"]}
        assert re.fullmatch(r"chatapp_install=[\w-]{32}; Max-Age=600; Path=/; HttpOnly; SameSite=Lax",
                            answer.headers["Set-Cookie"])

    def test_the_code_is_exchanged_and_the_tokens_are_sealed(self, platform, service):
        assert status(service) == {"configured": True, "installed": False, "team_id": None, "team_name": None,
                                   "installed_at": None, "can_be_installed": True, "last_event_at": None}
        done = install(platform, service)
        assert (done.status_code, done.json()) == (200, {"ok": True, "team_id": "T1", "team_name": "Team"})
        assert "chatapp_install=; Max-Age=0" in done.headers["Set-Cookie"]
        first = status(service)
        assert (first["installed"], first["team_id"], first["team_name"]) == (True, "T1", "Team")
        assert install(platform, service, name="Renamed", authed_user={}).status_code == 200
        assert install(platform, service, team="T2").status_code == 200
        assert status(service)["team_id"] == "T2"
        assert install(platform, service, name="Renamed", authed_user={}).status_code == 200
        assert status(service) == {**first, "team_name": "Renamed"}
        rows = service.sql("SELECT team_id, bot_token, user_token FROM chatapp_installations ORDER BY team_id")
        assert [row[0] for row in rows] == ["T1", "T2"] and not rows[0][2] and rows[1][2]
        sealed = " ".join(row[1] + row[2] for row in rows)
        assert BOT_TOKEN not in sealed and rows[0][1] != rows[1][1] and len(rows[0][1]) > 60
        logged = "".join(file.read_text() for file in (service.stack.directory / "log").iterdir())
        assert not any(secret in logged for secret in (BOT_TOKEN, USER_TOKEN, CLIENT_SECRET, "code-T1"))
        entries = service.get("/api/v1/audit?action=chatapp.install").json()
        assert entries["total"] == 4

    def test_a_state_is_of_one_browser_and_of_one_use(self, platform, service):
        state, cookie = begin(service)
        other_state, other_cookie = begin(service)
        before = platform.calls.count("/api/oauth.v2.access")
        wrong = [(state, None), (state, other_cookie), (other_state, cookie), (state[:-1], cookie), ("", cookie),
                 (state.replace(".", ".1", 1), cookie), (state.rsplit(".", 1)[0], cookie), ("x", ""), ("%ff" * 3, cookie)]
        for shown, kept in wrong:
            assert refusal(come_back(service, "any", shown, kept)) == (400, "http_error"), (shown, kept)
        assert refusal(service.get(f"/chatapp/oauth/callback?state={quote(state)}&error=access_denied",
                                   cookies={"chatapp_install": cookie})) == (400, "http_error")
        assert platform.calls.count("/api/oauth.v2.access") == before
        platform.codes["once"] = {"ok": True, "team": {"id": "T1"}, "access_token": BOT_TOKEN}
        assert come_back(service, "once", state, cookie).json() == {"ok": True, "team_id": "T1", "team_name": ""}
        again = come_back(service, "twice", state, cookie)
        assert refusal(again) == (400, "http_error") and "used" in again.json()["detail"]

    def test_what_the_platform_refuses_is_said(self, platform, service):
        path = "/api/oauth.v2.access"
        right = {"ok": True, "team": {"id": "T1"}, "access_token": BOT_TOKEN}
        cases = [((200, {"ok": False, "error": "invalid_code"}), "invalid_code"),
                 ((200, {"ok": False, "error": "<b>\n" * 99}), "without a reason"), ((200, {"ok": False}), "without a reason"),
                 ((200, {**right, "team": {}}), "no workspace"), ((200, {**right, "access_token": ""}), "no token"),
                 ((200, {**right, "team": "T1"}), "no workspace"), ((200, [right]), "promises"), ((200, b"{"), "promises"),
                 ((500, b""), "HTTP 500"), ((302, b""), "HTTP 302"), ((200, b" " * 70000), "too_large")]
        for failure, words in cases:
            platform.failures[path] = [failure]
            answer = come_back(service, "any", *begin(service))
            assert refusal(answer) == (502, "chatapp_oauth_failed") and words in answer.json()["detail"], answer.text
        assert refusal(install(platform, service, team="T3")) == (403, "forbidden")
        assert "T3" not in str(service.sql("SELECT team_id FROM chatapp_installations"))


    def test_a_browser_is_led_back_to_the_settings_however_it_went(self, platform, service):
        page = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        def outcome(code, accept=page, state=None, cookie=None):
            platform.codes.update({f"code-{team}": {"ok": True, "team": {"id": team}, "access_token": BOT_TOKEN} for team in ("T1", "T3")})
            if state is None:
                state, cookie = begin(service)
            answer = service.get(f"/chatapp/oauth/callback?code={quote(code)}&state={quote(state)}",
                                 cookies={"chatapp_install": cookie}, headers={"Accept": accept})
            return (answer.status_code, answer.headers.get("Location"), answer.headers.get("Set-Cookie"))

        status_code, location, cookie = outcome("code-T1")
        assert (status_code, location) == (303, "/settings?tab=chat&install=done") and "chatapp_install=; Max-Age=0" in cookie
        for expected, arguments in (("cancelled", ("",)), ("state", ("any", page, "x", "y")), ("platform", ("unknown",))):
            assert outcome(*arguments) == (303, f"/settings?tab=chat&install={expected}", None)
        assert outcome("code-T3")[1].endswith("=team")
        for accept in ("*/*", "application/json, text/html;q=0.5", "text/html;q=0.2, application/json;q=0.2", "text/*;q=0, */*", "image/png"):
            assert outcome("code-T1", accept)[:2] == (200, None), accept
        for accept in ("text/html", "TEXT/HTML ; q=0.9 , */* ; q=0.1", "text/*;q=0.4,application/json;q=0.3"):
            assert outcome("code-T1", accept)[0] == 303, accept


class TestSignatures:
    FORM = {"team_id": "T1", "text": "projects"}

    def test_only_what_is_signed_now_is_taken(self, platform, service):
        now, body = time.time(), b"team_id=T1&text=projects"
        right = sign(body)
        wrong = [
            {},
            {"X-Chatapp-Signature": right["X-Chatapp-Signature"]},
            {**right, "X-Chatapp-Signature": right["X-Chatapp-Signature"].upper()},
            {**right, "X-Chatapp-Signature": right["X-Chatapp-Signature"][3:]},
            {**right, "X-Chatapp-Signature": "v0="},
            {**right, "X-Chatapp-Request-Timestamp": str(int(right["X-Chatapp-Request-Timestamp"]) + 1)},
            {**right, "X-Chatapp-Request-Timestamp": right["X-Chatapp-Request-Timestamp"] + ".0"},
            {**right, "X-Chatapp-Request-Timestamp": "soon"},
            sign(body, secret="another"),
            sign(body, moment=now - 310),
            sign(body, moment=now + 310),
            sign(body + b" "),
            sign(b""),
        ]
        for number, headers in enumerate(wrong):
            answer = platform.call(service, COMMANDS, body, headers=headers, client=f"192.0.2.{10 + number}")
            assert refusal(answer) == (401, "unauthorized"), headers
        for moment in (now - 290, now, now + 290):
            said(platform.call(service, COMMANDS, self.FORM, moment=moment, client="192.0.2.9"))

    def test_wrong_ones_have_a_limit_that_right_ones_never_touch(self, platform, service):
        client = "198.51.100.1"
        answers = [platform.call(service, COMMANDS, self.FORM, secret="another", client=client) for _ in range(3)]
        assert [refusal(answer) for answer in answers] == \
            [(401, "unauthorized")] * 2 + [(429, "chatapp_invalid_signature_rate_limited")]
        assert 1 <= int(answers[2].headers["Retry-After"]) <= 60
        said(platform.call(service, COMMANDS, self.FORM, client=client))

    def test_the_body_has_a_cap_and_the_caller_a_limit(self, platform, service):
        answer = platform.command(service, "x" * 65536)
        assert refusal(answer) == (413, "request_body_too_large")
        client = "198.51.100.2"
        answers = [platform.call(service, COMMANDS, self.FORM, client=client) for _ in range(61)]
        assert [answer.status_code for answer in answers] == [200] * 60 + [429]
        assert answers[60].json()["error_code"] == "rate_limited"
        said(platform.call(service, COMMANDS, self.FORM, client="198.51.100.3"))

    def test_the_last_call_of_the_workspace_is_told(self, platform, service):
        assert install(platform, service).status_code == 200
        service.sql("UPDATE chatapp_installations SET last_event_at = NULL WHERE team_id = 'T1'")
        said(platform.command(service, "projects", team="T2"))
        assert status(service)["last_event_at"] is None and status(service)["can_be_installed"] is True
        said(platform.command(service, "projects"))
        noted = status(service)["last_event_at"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", noted)
        said(platform.command(service, "projects"))
        assert status(service)["last_event_at"] == noted, "once a minute"
        service.sql("UPDATE chatapp_installations SET last_event_at = '2026-01-01T00:00:00.000000+00:00'")
        platform.call(service, "/chatapp/events", json.dumps({"type": "event_callback", "team_id": "T1"}).encode())
        assert status(service)["last_event_at"] > "2026-01-02"

    def test_other_workspaces_are_not_admitted(self, platform, service):
        assert refusal(platform.command(service, "projects", team="T3")) == (403, "forbidden")
        said(platform.command(service, "projects", team="T2"))


class TestCommands:
    def test_projects(self, platform, service):
        made = [make(service, name) for name in ("Plain", "<!channel> & `co`", "Line\nend", "x" * 1000)]
        lines = said(platform.command(service, " \t ")).split("\n")
        assert len(lines) <= 10
        assert lines[:4] == [f"*{'x' * 200}…* `{made[3]['id']}`", f"*Line end* `{made[2]['id']}`",
                             f"*&lt;!channel&gt; &amp; `co`* `{made[1]['id']}`", f"*Plain* `{made[0]['id']}`"]
        for _ in range(10):
            make(service, "More")
        assert said(platform.command(service, "PROJECTS and more")).count("*More*") == 10
        long = [make(service, "&" * 1000) for _ in range(10)]
        lines = said(platform.command(service, "projects")).split("\n")
        assert lines == [f"*{'&amp;' * 200}…* `{project['id']}`" for project in long[:6:-1]], "whole lines up to 4096 bytes"

    def test_what_is_not_understood_is_answered_by_the_usage(self, platform, service):
        for text in ("help", "status", "run", "delete all", "é", "%00", "status" * 100):
            usage = said(platform.command(service, text))
            assert all(words in usage for words in ("/ab-test projects", "status <project_id>", "run <project_id>"))

    def test_unknown_and_archived_projects(self, platform, service):
        archived = make(service)
        service.post(f"{PROJECTS}/{archived['id']}/archive")
        for word in ("status", "run"):
            for text in (unknown_id(), archived["id"]):
                assert said(platform.command(service, f"{word} {text}", "lost")) == f"There is no active project `{text}`."
            assert "`&lt;b&gt;`" in said(platform.command(service, f"{word} <b>"))
        assert not runs_of(service, archived) and not platform.told["lost"]

    def test_run_analyses_and_keeps_and_tells(self, platform, service):
        project = make(service, "A & B")
        asked = platform.command(service, f"run {project['id']}", name := f"run-{service.engine}")
        assert said(asked) == f"The analysis of `{project['id']}` is queued."
        [told] = wait_for(lambda: platform.told[name])
        [run] = runs_of(service, project)
        results = run["analysis"]["calculations"]["results"]
        design = service.post("/api/v1/design", payload("A & B")).json()
        assert run["analysis"]["report"] == design
        assert results["sample_size_per_variant"] == 146642 and results["total_sample_size"] == 293284
        assert run["analysis"]["advice"]["available"] is False
        assert told["response_type"] == "ephemeral"
        assert told["text"] == (f"Analysis of *A &amp; B* (`{project['id']}`): {results['total_sample_size']} users in all,"
                                f" {results['estimated_duration_days']} days. It is kept with the project.")
        [entry] = [e for e in service.get(f"/api/v1/audit?project_id={project['id']}").json()["entries"]
                   if e["action"] == "analysis_run_created"]
        assert entry["actor"] == "U42" and entry["request_id"] == asked.headers["X-Request-ID"]

        status = platform.command(service, f"STATUS  {project['id']} please").json()
        facts, buttons = status["blocks"]
        assert [field["text"] for field in facts["fields"]] == [
            "*Project*\nA &amp; B", f"*ID*\n`{project['id']}`", f"*Last analysis*\n{run['created_at']}",
            f"*Sample size*\n{results['total_sample_size']}", f"*Duration*\n{results['estimated_duration_days']} days"]
        assert [(b["text"]["text"], b["action_id"], b["value"], b.get("style")) for b in buttons["elements"]] == [
            ("Approve analysis", "approve_analysis", project["id"], "primary"),
            ("Request review", "request_review", project["id"], None)]
        bare = platform.command(service, f"status {make(service)['id']}").json()
        assert len(bare["blocks"][0]["fields"]) == 2

    def test_of_a_field_given_many_times_the_last_counts(self, platform, service):
        body = ("team_id=T1&" + "text=nonsense&" * 3000 + f"%74ext=status+{make(service)['id']}").encode()
        headers = {**sign(body), "Content-Type": "application/x-www-form-urlencoded"}
        assert "blocks" in platform.call(service, COMMANDS, body, headers=headers).json()

    def test_the_same_call_again_runs_nothing_twice(self, platform, service):
        project, name = make(service), f"again-{service.engine}"
        body = f"team_id=T1&text=run+{project['id']}&response_url={platform.response_url(name)}".encode()
        headers = {**sign(body), "Content-Type": "application/x-www-form-urlencoded"}
        for _ in range(3):
            assert "queued" in said(platform.call(service, COMMANDS, body, headers=headers))
        wait_for(lambda: platform.told[name])
        last = f"last-{service.engine}"
        platform.command(service, f"run {make(service)['id']}", last)
        wait_for(lambda: platform.told[last])
        assert len(platform.told[name]) == 1 and len(runs_of(service, project)) == 1

    def test_an_analysis_that_comes_to_nothing_is_told(self, platform, service):
        project, name = make(service, metric_type="ratio", metrics={"std_dev": None}), f"nothing-{service.engine}"
        platform.command(service, f"run {project['id']}", name)
        [told] = wait_for(lambda: platform.told[name])
        assert told["text"].startswith(f"The analysis of `{project['id']}` came to nothing: ") and "std_dev" in told["text"]
        assert not runs_of(service, project)

    def test_messages_are_given_up_after_the_attempts_of_the_settings(self, platform, service):
        name = f"never-{service.engine}"
        platform.failures[f"/respond/{name}"] = [(503, b"not now")] * 9
        platform.command(service, f"run {make(service)['id']}", name)
        dead = ("SELECT failures FROM jobs WHERE kind = 'experiments.chat_message' AND state = 'dead'"
                f" AND payload LIKE '%/respond/{name}%'")
        assert wait_for(lambda: service.sql(dead)) == [["2"]]
        assert platform.calls.count(f"/respond/{name}") == 2

    def test_messages_are_tried_again_and_go_to_the_platform_only(self, platform, service):
        project, name = make(service), f"later-{service.engine}"
        platform.failures[f"/respond/{name}"] = [(503, b"not now"), (200, b"ok")]
        platform.command(service, f"run {project['id']}", name)
        wait_for(lambda: platform.calls.count(f"/respond/{name}") == 2)
        for elsewhere in ("https://chat.example/x", "http://127.0.0.1.example/x", "http://user@127.0.0.1/x",
                          "ftp://127.0.0.1/x", "http://localhost/x", "nonsense", platform.url.replace("127.0.0.1", "[::1]")):
            answer = platform.call(service, COMMANDS, {"team_id": "T1", "text": f"run {project['id']}", "response_url": elsewhere})
            assert refusal(answer) == (400, "bad_request"), elsewhere
        assert len(runs_of(service, project)) == 1


class TestButtons:
    @staticmethod
    def press(platform, service, action, value, name=None, **members):
        payload_ = {"type": "block_actions", "team": {"id": "T1"}, "user": {"id": "U7"},
                    "actions": [{"action_id": action, "value": value}, {"action_id": "approve_analysis", "value": "x"}], **members}
        if name:
            payload_["response_url"] = platform.response_url(name)
        return platform.call(service, "/chatapp/interactive", {"payload": json.dumps(payload_)})

    def test_an_approval_is_audited_once(self, platform, service):
        project, name = make(service), f"approved-{service.engine}"
        body = {"payload": json.dumps({"team": {"id": "T1"}, "user": {"id": "U7"}, "response_url": platform.response_url(name),
                                       "actions": [{"action_id": "approve_analysis", "value": project["id"]}]})}
        moment = time.time()
        answers = [platform.call(service, "/chatapp/interactive", body, moment=moment) for _ in range(3)]
        assert [said(answer) for answer in answers] == [f"The analysis of `{project['id']}` is approved.", "Noted.", "Noted."]
        wait_for(lambda: platform.told[name])
        [entry] = service.get(f"/api/v1/audit?project_id={project['id']}&action=analysis.approve").json()["entries"]
        assert (entry["actor"], entry["project_name"]) == ("U7", project["project_name"])
        assert [told["text"] for told in platform.told[name]] == [said(answers[0])]
        for user in ({}, {"id": "no <plain> name"}):
            self.press(platform, service, "approve_analysis", project["id"], user=user)
        entries = service.get(f"/api/v1/audit?project_id={project['id']}&action=analysis.approve").json()["entries"]
        assert [entry["actor"] for entry in entries] == ["chatapp", "chatapp", "U7"]

    def test_unknown_projects_and_buttons(self, platform, service):
        lost = unknown_id()
        for action in ("approve_analysis", "request_review"):
            assert said(self.press(platform, service, action, lost)) == f"There is no active project `{lost}`."
        assert service.get(f"/api/v1/audit?project_id={lost}").json()["total"] == 0
        project = make(service)
        assert said(self.press(platform, service, "another", project["id"])) == "Noted."
        assert said(self.press(platform, service, "approve_analysis", "", actions=[])) == "Noted."
        assert service.get(f"/api/v1/audit?project_id={project['id']}").json()["total"] == 1

    def test_a_review_is_asked_for_in_the_channel(self, platform, service):
        install(platform, service)
        project, name = make(service, "A <&> B"), f"review-{service.engine}"
        answer = self.press(platform, service, "request_review", project["id"], name)
        assert said(answer) == f"A review of `{project['id']}` is requested."
        token, post = wait_for(lambda: [p for p in platform.posted if project["id"] in p[1]["text"]])[0]
        assert token == f"Bearer {BOT_TOKEN}"
        assert post == {"channel": "C7", "text": f"<@U7> asks for a review of *A &lt;&amp;&gt; B* (`{project['id']}`)."}
        wait_for(lambda: platform.told[name])
        platform.failures["/api/chat.postMessage"] = [(200, {"ok": False, "error": "channel_not_found"})]
        self.press(platform, service, "request_review", project["id"], f"failed-{service.engine}")
        told = wait_for(lambda: len(platform.told[f"failed-{service.engine}"]) == 2 and platform.told[f"failed-{service.engine}"])
        assert "The request for a review could not be posted: channel_not_found" in [each["text"] for each in told]

    def test_what_is_no_object_is_refused(self, platform, service):
        for payload_ in ("", "[]", "1", "{", "null", '{"a":1,"a":2}', "[" * 5000):
            assert refusal(platform.call(service, "/chatapp/interactive", {"payload": payload_})) == (400, "bad_request")
            assert refusal(platform.call(service, "/chatapp/events", payload_.encode())) == (400, "bad_request")
        assert refusal(platform.call(service, "/chatapp/interactive", {"no": "payload"})) == (400, "bad_request")
        assert refusal(self.press(platform, service, "another", "x", team={"id": "T3"})) == (403, "forbidden")
        for odd in ({"actions": {}}, {"actions": [1]}, {"actions": [{"action_id": 1, "value": []}]}, {"user": 5}):
            assert said(self.press(platform, service, "x", "y", **odd)) == "Noted."


class TestEvents:
    def test_the_address_is_verified(self, platform, service):
        body = json.dumps({"type": "url_verification", "challenge": "3eZb ü"}).encode()
        assert platform.call(service, "/chatapp/events", body).json() == {"challenge": "3eZb ü"}
        assert refusal(platform.call(service, "/chatapp/events", body, secret="another", client="192.0.2.99")) == (401, "unauthorized")
        assert refusal(platform.call(service, "/chatapp/events", b'{"type":"url_verification"}')) == (400, "bad_request")

    def test_an_install_that_has_ended_is_forgotten_once(self, platform, service):
        def event(kind, number, **members):
            body = {"type": "event_callback", "team_id": "T2", "event_id": f"Ev{number}", "event": {"type": kind, **members}}
            answer = platform.call(service, "/chatapp/events", json.dumps(body).encode())
            assert (answer.status_code, answer.json()) == (200, {"ok": True})

        def is_installed():
            return ["T2"] in service.sql("SELECT team_id FROM chatapp_installations")
        install(platform, service, team="T2")
        for kind, members in (("message", {}), ("tokens_revoked", {"tokens": {"oauth": ["U1"]}})):
            event(kind, 1, **members)
            assert is_installed()
        event("app_uninstalled", 2)
        assert not is_installed()
        install(platform, service, team="T2")
        event("app_uninstalled", 2)  # the platform has not heard the first answer
        assert is_installed()
        event("tokens_revoked", 3, tokens={"bot": ["B1"]})
        assert not is_installed()
        event("app_uninstalled", 4)
        assert service.get("/api/v1/audit?action=chatapp.remove").json()["total"] == 2
