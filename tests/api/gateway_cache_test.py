"""The answer cache: which requests are answered by an earlier answer, how, for whom, and what is never kept."""

import json
import time

import pytest

from gateway import ADMIN, CLOSED, TOOL, events, say, serve
from service import ENGINES

pytest_plugins = ["gateway_fixtures"]
pytestmark = [pytest.mark.both_engines, pytest.mark.usefixtures("forget")]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": TOOL}}]
ROWS = 40


def start(models, tmp_path_factory, engine="sqlite", **more):
    return serve(models, tmp_path_factory, engine, ORCH_ANSWER_CACHE_ROWS=str(ROWS), ORCH_ANSWER_CACHE_BYTES="100000", **CLOSED, **more)


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models, tmp_path_factory):
    with start(models, tmp_path_factory, request.param) as service:
        yield service


@pytest.fixture(autouse=True)
def content(request):
    """A prompt of this test alone."""
    return f"hello from {request.node.name}"


def new_key(live, **body):
    answer = live.post("/api/v1/keys", {"name": "a key", **body}, headers=ADMIN)
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['key']}"}


def chat(live, content, headers=ADMIN, control="max-age=600", **body):
    more = {"Cache-Control": control} if control else {}
    answer = live.post("/v1/chat/completions", {"model": "at-openai", "messages": [{"role": "user", "content": content}], **body},
                       headers={**headers, **more})
    assert answer.status_code == 200, answer.text
    return answer


def x_cache(*answers):
    return [a.headers.get("x-cache") for a in answers]


def text_of(streamed):
    return "".join(c["delta"].get("content") or "" for _, chunk in events(streamed) if chunk != "[DONE]" for c in chunk["choices"])


def test_a_hit_is_the_answer_without_a_call(live, models, content):
    headers = new_key(live)
    models.answers["openai"] = [say(text="first", tools=[["call_1", "weather", {"city": "Oslo"}]]), say(text="second")]
    one, two = (chat(live, content, headers, tools=TOOLS) for _ in range(2))
    assert x_cache(one, two) == ["miss", "hit"] and len(models.calls) == 1
    assert one.json()["choices"] == two.json()["choices"] and one.json()["usage"] == two.json()["usage"]
    assert one.json()["id"] != two.json()["id"]
    costs = [a.json()["orch"]["accounting"]["cost_usd"] for a in (one, two)]
    assert costs[0] > 0 and costs[1] == 0
    total = live.get("/v1/key/usage", headers=headers).json()["total"]
    assert (total["calls"], total["saved_calls"], total["cost_usd"]) == (1, 1, costs[0])
    assert total["saved_tokens"] == one.json()["usage"]["total_tokens"] and total["saved_usd"] == costs[0]
    task = live.get(f"/api/v1/tasks/{two.json()['orch']['task_id']}", headers=headers).json()
    assert task["status"] == "succeeded" and len(live.get("/api/v1/tasks", headers=headers).json()) == 2
    again = chat(live, content, headers, tools=TOOLS, user="somebody", metadata={"a": "b"})
    assert x_cache(again) == ["hit"]


def test_streams_and_whole_answers_share(live, models, content):
    models.answers["openai"] = say(text="a longer answer in pieces")
    first, whole, streamed = chat(live, content, stream=True), chat(live, content), chat(live, content, stream=True)
    assert x_cache(first, whole, streamed) == ["miss", "hit", "hit"] and len(models.calls) == 1
    assert text_of(first) == whole.json()["choices"][0]["message"]["content"] == text_of(streamed)
    assert events(streamed)[-1][1] == "[DONE]"


@pytest.mark.parametrize("path,body", (
    ("/v1/messages", {"max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]}),
    ("/v1/responses", {"input": "hello"}),
    ("/v1/completions", {"prompt": "hello"}),
))
def test_every_dialect(live, models, content, path, body):
    models.answers["openai"] = [say(text="one"), say(text="two")]
    body = json.loads(json.dumps(body).replace("hello", content))
    answers = [live.post(path, {"model": "at-openai", **body, "stream": streamed}, headers={**ADMIN, "Cache-Control": "max-age=60"})
               for streamed in (False, False, True)]
    assert [a.status_code for a in answers] == [200] * 3 and x_cache(*answers) == ["miss", "hit", "hit"]
    assert len(models.calls) == 1 and "one" in answers[1].text and "one" in answers[2].text
    assert answers[0].json()["id"] != answers[1].json()["id"]


def test_what_a_request_says(live, models, content):
    models.answers["openai"] = [say(text=str(n)) for n in range(9)]

    def said(**more):
        return chat(live, content, **more).json()["choices"][0]["message"]["content"]
    assert [said(control=None), said(control=None)] == ["0", "1"]  # not asked
    assert [said(), said()] == ["2", "2"]
    assert [said(control="max-age=600, no-cache"), said()] == ["3", "3"]  # not read, but kept
    assert [said(control="no-cache, no-store, max-age=600"), said(control="Max-Age=600,No-Store")] == ["4", "3"]
    assert [said(control="max-age=0"), said(temperature=0.5), said(temperature=0.5)] == ["5", "6", "6"]
    assert said(control="max-age=600", temperature=0.6) == "7"
    time.sleep(1.1)
    assert said(control="max-age=1") == "8" and said() == "8"


def test_an_answer_expires(live, models, content):
    models.answers["openai"] = [say(text="old"), say(text="new")]
    chat(live, content, control="max-age=1")
    time.sleep(1.1)
    assert x_cache(chat(live, content)) == ["miss"]


def test_never_across_callers(live, models, content):
    one, other, silent = new_key(live), new_key(live), new_key(live, stores_prompts=False)
    assert x_cache(*(chat(live, content, h) for h in (one, other, ADMIN, one))) == ["miss", "miss", "miss", "hit"]
    assert x_cache(chat(live, content, silent), chat(live, content, silent)) == [None, None]
    assert content not in json.dumps(live.sql("SELECT cache_key, answer FROM orch_answer_cache"))


def test_only_whole_answers_are_kept(live, models, content):
    for answer in (say(text="cut", finish="length"), say(text="no", finish="content_filter"), say(refusal="I will not")):
        models.answers["openai"] = answer
        assert x_cache(chat(live, content + answer), chat(live, content + answer)) == ["miss", "miss"]
    models.answers["openai"] = ["refuse:500:x", say(text="fine")]
    failed = live.post("/v1/chat/completions", {"model": "at-openai", "messages": [{"role": "user", "content": content}]},
                       headers={**ADMIN, "Cache-Control": "max-age=60"})
    assert failed.status_code >= 500
    assert x_cache(chat(live, content), chat(live, content)) == ["miss", "hit"]


def test_personal_data_is_not_kept_where_it_is_hidden(live, models, content):
    hiding = new_key(live, redacts_prompts=True)
    models.answers["openai"] = say(text="ok")
    assert x_cache(chat(live, content, hiding), chat(live, content, hiding)) == ["miss", "hit"]
    assert x_cache(*(chat(live, content + " a@b.co", hiding) for _ in range(2))) == [None, None]
    models.answers["openai"] = say(text="write to c@d.org")
    assert x_cache(*(chat(live, content + "!", hiding) for _ in range(2))) == ["miss", "miss"]


def test_the_oldest_make_room(live, models, content):
    models.answers["openai"] = say(text="x" * 1000)
    for n in range(ROWS + 5):
        chat(live, f"{content} {n}")
    [[rows, size]] = live.sql("SELECT count(*), sum(bytes) FROM orch_answer_cache")
    assert ROWS * 0.9 <= int(rows) <= ROWS and int(size) <= 100000
    assert x_cache(chat(live, f"{content} {ROWS + 4}"), chat(live, f"{content} 0")) == ["hit", "miss"]
    models.answers["openai"] = say(text="y" * 9000)
    for n in range(12):
        chat(live, f"{content} large {n}")
    [[rows, size]] = live.sql("SELECT count(*), sum(bytes) FROM orch_answer_cache")
    assert int(rows) < ROWS and int(size) <= 100000


@pytest.mark.parametrize("mode,expected", (("steady", [None, None, "miss", "hit"]), ("all", ["miss", "hit", "miss", "hit"])))
def test_modes(models, tmp_path_factory, content, mode, expected):
    with start(models, tmp_path_factory, ORCH_ANSWER_CACHE=mode) as service:
        answers = [chat(service, content, control=None, temperature=t) for t in (0.7, 0.7, 0, 0)]
        assert x_cache(*answers) == expected


def test_it_can_be_switched_off(models, tmp_path_factory, content):
    with start(models, tmp_path_factory, ORCH_ANSWER_CACHE_SECONDS="0") as service:
        assert x_cache(chat(service, content), chat(service, content)) == [None, None]
