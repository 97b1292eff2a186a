"""Prompt templates: versions, the one in production, variables, and their use in chat completions."""

import pytest

from gateway import ADMIN, CLOSED, say, serve
from service import ENGINES

pytest_plugins = ["gateway_fixtures"]
pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models, tmp_path_factory):
    with serve(models, tmp_path_factory, request.param, **CLOSED) as service:
        yield service


@pytest.fixture(autouse=True)
def answers(forget, models):
    models.answers["openai"] = say(text="ok")


def add(live, name, *texts, **more):
    body = {"name": name, "messages": [{"role": role, "content": text} for role, text in zip(("system", "user"), texts)], **more}
    answer = live.post("/api/v1/templates", body, headers=ADMIN)
    assert answer.status_code == 201, answer.text
    return answer.json()


def use(live, headers=ADMIN, messages=None, **template):
    return live.post("/v1/chat/completions", {"model": "at-openai", "template": template, **({"messages": messages} if messages else {})},
                     headers=headers)


def sent(models):
    return [(m["role"], m["content"]) for m in models.calls[-1]["body"]["messages"]]


def versions(live, name):
    rows = live.get("/api/v1/templates", headers=ADMIN).json()["templates"]
    return [(r["version"], r["production"]) for r in rows if r["name"] == name]


def test_versions_and_production(live, models):
    first = add(live, "greet", "Be kind.", "Greet {{name}}.")
    assert (first["version"], first["production"]) == (1, True) and first["messages"][1]["content"] == "Greet {{name}}."
    assert add(live, "greet", "Be brief.", "Say hi to {{ name }}.")["production"] is False
    assert versions(live, "greet") == [(2, False), (1, True)]
    assert use(live, name="greet", variables={"name": "Ann"}).status_code == 200
    assert sent(models) == [("system", "Be kind."), ("user", "Greet Ann.")]
    assert use(live, name="greet", version=2, variables={"name": "Ann"}).status_code == 200
    assert sent(models) == [("system", "Be brief."), ("user", "Say hi to Ann.")]
    moved = live.send("PUT", "/api/v1/templates/greet/production", json={"version": 2}, headers=ADMIN)
    assert moved.status_code == 200 and versions(live, "greet") == [(2, True), (1, False)]
    use(live, name="greet", variables={"name": "Ann"})
    assert sent(models)[0] == ("system", "Be brief.")
    assert add(live, "greet", "Third.", production=True)["version"] == 3 and versions(live, "greet")[0] == (3, True)
    assert live.send("PUT", "/api/v1/templates/greet/production", json={"version": 9}, headers=ADMIN).status_code == 404
    assert versions(live, "greet")[0] == (3, True)
    assert live.send("DELETE", "/api/v1/templates/greet", headers=ADMIN).status_code == 204
    assert live.send("DELETE", "/api/v1/templates/greet", headers=ADMIN).status_code == 404
    assert use(live, name="greet").status_code == 400


def test_variables(live, models):
    add(live, "sums", "{{a}} + {{b.c}} = {{sure}}? {{ not one }} {{", "{{a}}")
    asked = [{"role": "user", "content": "and {{a}}?"}]
    assert use(live, messages=asked, name="sums", variables={"a": "{{b.c}}", "b.c": 2, "sure": True}).status_code == 200
    assert sent(models) == [("system", "{{b.c}} + 2 = true? {{ not one }} {{"), ("user", "{{b.c}}"), ("user", "and {{a}}?")]
    for variables in ({"a": "1", "b.c": 2}, {"a": "1", "b.c": 2, "sure": None}, {"a": "1", "b.c": 2, "sure": ["x"]}):
        answer = use(live, name="sums", variables=variables)
        assert answer.status_code == 400 and "'sure'" in answer.text, answer.text
        assert answer.json()["error"]["param"] == "template.variables.sure"


def test_what_is_refused(live, models):
    add(live, "plain", "Hello")
    for body in ({"name": "a b", "messages": [{"role": "user", "content": "x"}]}, {"name": "x", "messages": []},
                 {"name": "x", "messages": [{"role": "tool", "content": "x"}]}, {"name": "x", "messages": [{"role": "user"}]},
                 {"name": "x", "messages": "text"}):
        assert live.post("/api/v1/templates", body, headers=ADMIN).status_code == 422, body
    for template in ({}, {"name": "plain", "version": 0}, {"name": "plain", "version": "x"}, {"name": "plain", "variables": []},
                     {"name": "plain", "label": "x"}, {"name": "nobody"}, {"name": "plain", "version": 7}):
        assert use(live, **template).status_code == 400, template
    nothing = live.post("/v1/chat/completions", {"model": "at-openai"}, headers=ADMIN)
    assert nothing.status_code == 400 and nothing.json()["error"]["param"] == "messages"
    assert models.calls == []


def test_keys_use_templates_but_do_not_see_them(live, models):
    add(live, "shared", "Hello")
    key = live.post("/api/v1/keys", {"name": "a key"}, headers=ADMIN).json()["key"]
    headers = {"Authorization": f"Bearer {key}"}
    assert use(live, headers, name="shared").status_code == 200 and sent(models) == [("system", "Hello")]
    assert live.get("/api/v1/templates", headers=headers).status_code == 403
    assert live.post("/api/v1/templates", {"name": "x", "messages": []}, headers=headers).status_code == 403


def test_a_new_version_is_not_answered_from_the_cache(live, models):
    def cached():
        return live.post("/v1/chat/completions", {"model": "at-openai", "template": {"name": "kept"}},
                         headers={**ADMIN, "Cache-Control": "max-age=60"}).headers["x-cache"]
    add(live, "kept", "one")
    assert [cached(), cached()] == ["miss", "hit"]
    add(live, "kept", "two", production=True)
    assert [cached(), cached()] == ["miss", "hit"]


def respond(live, **body):
    return live.post("/v1/responses", {"model": "at-openai", **body}, headers=ADMIN)


def test_the_prompt_of_a_response(live, models):
    """OpenAI's `prompt` names a template: its messages come before the input, and the answer repeats it."""
    add(live, "reply", "Be {{tone}}.", "About {{topic}}:")
    prompt = {"id": "reply", "version": "1", "variables": {"tone": "kind", "topic": {"type": "input_text", "text": "tea"}}}
    answer = respond(live, prompt=prompt, input="Is it hot?")
    assert answer.status_code == 200 and answer.json()["prompt"] == prompt, answer.text
    assert sent(models) == [("system", "Be kind."), ("user", "About tea:"), ("user", "Is it hot?")]
    later = respond(live, input="And now?", previous_response_id=answer.json()["id"])
    assert later.status_code == 200 and later.json()["prompt"] is None
    assert sent(models) == [("user", "Is it hot?"), ("assistant", "ok"), ("user", "And now?")]
    alone = respond(live, prompt={"id": "reply", "variables": {"tone": "brief", "topic": 7}})
    assert alone.status_code == 200 and sent(models) == [("system", "Be brief."), ("user", "About 7:")]
    streamed = respond(live, prompt=prompt, stream=True)
    assert streamed.status_code == 200 and '"response.completed"' in streamed.text and '"id":"reply"' in streamed.text
    chat = live.post("/v1/chat/completions", {"model": "at-openai", "prompt": prompt}, headers=ADMIN)
    assert chat.status_code == 200 and sent(models) == [("system", "Be kind."), ("user", "About tea:")]


@pytest.mark.parametrize("prompt, param", [
    ({"id": "nobody"}, "prompt"), ({"id": "asked", "version": "9"}, "prompt"), ({"id": "asked", "version": "x"}, "prompt.version"),
    ({"id": "asked", "version": "0"}, "prompt.version"), ({"id": "asked", "version": "9" * 30}, "prompt.version"),
    ({"variables": {}}, "prompt.id"), ({"id": "asked", "variables": []}, "prompt.variables"), ({"id": "asked", "name": "x"}, "prompt.name"),
    ({"id": "asked"}, "prompt.variables.who"),
    ({"id": "asked", "variables": {"who": {"type": "input_image", "image_url": "x"}}}, "prompt.variables.who")])
def test_a_prompt_that_is_refused(live, models, prompt, param):
    add(live, "asked", "{{who}}")
    for answer in (respond(live, prompt=prompt, input="hi"),
                   live.post("/v1/chat/completions", {"model": "at-openai", "prompt": prompt}, headers=ADMIN)):
        assert answer.status_code == 400 and answer.json()["error"]["param"] == param, answer.text
    assert models.calls == []


def test_a_prompt_and_a_template_or_neither(live, models):
    add(live, "both", "Hello")
    answer = live.post("/v1/chat/completions", {"model": "at-openai", "prompt": {"id": "both"}, "template": {"name": "both"}}, headers=ADMIN)
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "prompt"
    assert respond(live).status_code == 400 and respond(live).json()["error"]["param"] == "input"
    assert models.calls == []
