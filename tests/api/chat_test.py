"""The chat integration: signed calls, what commands do, and what is told afterwards."""

import time

import pytest

from chat_platform import ChatPlatform, sign
from service import ENGINES, Service
from stored import PROJECTS, payload, unknown_id

COMMANDS = "/chatapp/commands"


@pytest.fixture(scope="module")
def platform():
    with ChatPlatform() as made:
        yield made


@pytest.fixture(scope="module", params=ENGINES)
def service(request, platform):
    """Open to everybody, so that projects can be made and looked at."""
    settings = {**platform.settings, "AB_LLM_BASE_URL": "", "AB_TRUSTED_PROXY_HOPS": "1", "AB_CHATAPP_TEAMS": "T1, T2",
                "AB_CHATAPP_INVALID_SIGNATURE_LIMIT": "2", "AB_RATE_LIMIT_REQUESTS": "10000"}
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

    def test_other_workspaces_are_not_admitted(self, platform, service):
        assert refusal(platform.command(service, "projects", team="T3")) == (403, "forbidden")
        said(platform.command(service, "projects", team="T2"))


class TestCommands:
    def test_projects(self, platform, service):
        made = [make(service, name) for name in ("Plain", "<!channel> & `co`", "Line\nend", "x" * 1000)]
        lines = said(platform.command(service, " \t ")).split("\n")
        assert len(lines) <= 10
        assert lines[:4] == [f"*{'x' * 240}…* `{made[3]['id']}`", f"*Line end* `{made[2]['id']}`",
                             f"*&lt;!channel&gt; &amp; `co`* `{made[1]['id']}`", f"*Plain* `{made[0]['id']}`"]
        for _ in range(10):
            make(service, "More")
        assert said(platform.command(service, "PROJECTS and more")).count("*More*") == 10

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
        [told] = platform.wait_for(lambda: platform.told[name])
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
        [facts] = status["blocks"]
        assert [field["text"] for field in facts["fields"]] == [
            "*Project*\nA &amp; B", f"*ID*\n`{project['id']}`", f"*Last analysis*\n{run['created_at']}",
            f"*Sample size*\n{results['total_sample_size']}", f"*Duration*\n{results['estimated_duration_days']} days"]
        bare = platform.command(service, f"status {make(service)['id']}").json()
        assert len(bare["blocks"][0]["fields"]) == 2

    def test_the_same_call_again_runs_nothing_twice(self, platform, service):
        project, name = make(service), f"again-{service.engine}"
        body = f"team_id=T1&text=run+{project['id']}&response_url={platform.response_url(name)}".encode()
        headers = {**sign(body), "Content-Type": "application/x-www-form-urlencoded"}
        for _ in range(3):
            assert "queued" in said(platform.call(service, COMMANDS, body, headers=headers))
        platform.wait_for(lambda: platform.told[name])
        last = f"last-{service.engine}"
        platform.command(service, f"run {make(service)['id']}", last)
        platform.wait_for(lambda: platform.told[last])
        assert len(platform.told[name]) == 1 and len(runs_of(service, project)) == 1

    def test_an_analysis_that_comes_to_nothing_is_told(self, platform, service):
        project, name = make(service, metric_type="ratio", metrics={"std_dev": None}), f"nothing-{service.engine}"
        platform.command(service, f"run {project['id']}", name)
        [told] = platform.wait_for(lambda: platform.told[name])
        assert told["text"].startswith(f"The analysis of `{project['id']}` came to nothing: ") and "std_dev" in told["text"]
        assert not runs_of(service, project)

    def test_messages_are_tried_again_and_go_to_the_platform_only(self, platform, service):
        project, name = make(service), f"later-{service.engine}"
        platform.failures[f"/respond/{name}"] = [(503, b"not now"), (200, b"ok")]
        platform.command(service, f"run {project['id']}", name)
        platform.wait_for(lambda: platform.calls.count(f"/respond/{name}") == 2)
        for elsewhere in ("https://chat.example/x", "http://127.0.0.1.example/x", "http://user@127.0.0.1/x",
                          "ftp://127.0.0.1/x", "http://localhost/x", "nonsense", platform.url.replace("127.0.0.1", "[::1]")):
            answer = platform.call(service, COMMANDS, {"team_id": "T1", "text": f"run {project['id']}", "response_url": elsewhere})
            assert refusal(answer) == (400, "bad_request"), elsewhere
        assert len(runs_of(service, project)) == 1
