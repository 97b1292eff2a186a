"""Redaction before dispatch: what models get, what callers get back, and what is stored."""

import json

import pytest

from gateway import ADMIN, CLOSED, events, say, serve
from service import ENGINES

pytest_plugins = ["gateway_fixtures"]
pytestmark = [pytest.mark.both_engines, pytest.mark.usefixtures("forget")]
MAIL, PHONE = "jane.doe@example.org", "+49 30 1234567"
TOOLS = [{"type": "function", "function": {"name": "send", "parameters": {"type": "object"}}}]


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models, tmp_path_factory):
    with serve(models, tmp_path_factory, request.param, ORCH_REDACT_PROMPTS="true", **CLOSED) as service:
        yield service


def new_key(live, **body):
    answer = live.post("/api/v1/keys", {"name": "a key", **body}, headers=ADMIN)
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['key']}"}


def chat(live, content, headers=ADMIN, protocol="openai", **body):
    return live.post("/v1/chat/completions", {"model": f"at-{protocol}", "messages": [{"role": "user", "content": content}], **body},
                     headers=headers)


def told(answer):
    """The text and the arguments of the tool call of an answer, whole or streamed."""
    if not answer.headers["Content-Type"].startswith("text/event-stream"):
        message = answer.json()["choices"][0]["message"]
        return message["content"] or "", "".join(c["function"]["arguments"] for c in message.get("tool_calls") or [])
    answer.encoding = "utf-8"
    deltas = [c["delta"] for _, chunk in events(answer) if chunk != "[DONE]" for c in chunk["choices"]]
    return ("".join(d.get("content") or "" for d in deltas),
            "".join(c["function"].get("arguments") or "" for d in deltas for c in d.get("tool_calls", [])))


def stored(live):
    rows = live.sql("SELECT t.prompt, t.prompt_folded, t.metadata, t.output_text, s.output_text, e.payload FROM orch_tasks t"
                    " JOIN orch_task_events e ON e.task_id = t.task_id LEFT JOIN orch_task_steps s ON s.task_id = t.task_id")
    return json.dumps(rows, default=str, ensure_ascii=False)


@pytest.mark.parametrize("streamed", (False, True), ids=("whole", "streamed"))
@pytest.mark.parametrize("protocol", ("openai", "anthropic"))
def test_values_leave_as_placeholders_and_come_back(live, models, protocol, streamed):
    # The pieces of a stream are seven bytes long: every placeholder is split.
    models.answers[protocol] = say(text="Wrote to [EMAIL_1] and [EMAIL_1], rang [PHONE_1], not [EMAIL_2]. [",
                                   tools=[["call_1", "send", {"to": "[EMAIL_1]", "tel": "[PHONE_1]"}]])
    answer = chat(live, f"Write to {MAIL}, ring {PHONE}. Again: {MAIL}", protocol=protocol, stream=streamed, tools=TOOLS, user=MAIL)
    assert answer.status_code == 200, answer.text
    text, arguments = told(answer)
    assert text == f"Wrote to {MAIL} and {MAIL}, rang {PHONE}, not [EMAIL_2]. ["
    assert json.loads(arguments) == {"to": MAIL, "tel": PHONE}
    sent = json.dumps(models.calls[0]["body"], ensure_ascii=False)
    assert "Write to [EMAIL_1], ring [PHONE_1]. Again: [EMAIL_1]" in sent and MAIL not in sent and "1234567" not in sent
    found = stored(live)
    assert "Wrote to [EMAIL_1]" in found and MAIL not in found and "1234567" not in found


def test_a_conversation_with_calls_keeps_its_placeholders(live, models):
    calls = [{"id": "c", "type": "function", "function": {"name": "send", "arguments": json.dumps({"to": MAIL, "n": 4111111111111111})}}]
    models.answers["openai"] = "text:ok"
    answer = live.post("/v1/chat/completions", {"model": "at-openai", "messages": [
        {"role": "system", "content": f"You serve {MAIL}."}, {"role": "user", "content": [{"type": "text", "text": f"I am {MAIL}"}]},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": f"sent to {MAIL}"}]}, headers=ADMIN)
    assert answer.status_code == 200, answer.text
    messages = models.calls[0]["body"]["messages"]
    assert json.loads(messages[2]["tool_calls"][0]["function"]["arguments"]) == {"to": "[EMAIL_1]", "n": "[CARD_1]"}
    assert [m["content"] for m in messages if m["role"] != "assistant"] == ["You serve [EMAIL_1].", "I am [EMAIL_1]", "sent to [EMAIL_1]"]


@pytest.mark.parametrize("text,hidden", (
    ("Пишите на иван.петров@почта.рф или 8 999 123 45 67", "Пишите на [EMAIL_1] или [PHONE_1]"),
    ("我的邮箱是foo@example.com，电话13800138000谢谢", "我的邮箱是[EMAIL_1]，电话[NUMBER_1]谢谢"),
    ("راسلني على sara@example.com", "راسلني على [EMAIL_1]"),
    ("What does [EMAIL_1] mean? I am a@b.co", "What does [EMAIL_1] mean? I am [EMAIL_2]"),
), ids=("cyrillic", "han", "arabic", "typed"))
def test_scripts_and_typed_placeholders(live, models, text, hidden):
    models.answers["openai"] = say(text="Echo: " + hidden)
    assert told(chat(live, text))[0] == "Echo: " + text
    assert models.calls[0]["body"]["messages"][0]["content"] == hidden
    assert told(chat(live, text, stream=True))[0] == "Echo: " + text


def test_every_route_redacts(live, models):
    models.answers["openai"] = "text:about [EMAIL_1]"
    prompt = f"Who is {MAIL}?"
    one = live.post("/api/v1/orchestrate", {"prompt": prompt, "model": "at-openai", "metadata": {"of": MAIL}}, headers=ADMIN).json()
    assert one["output_text"] == f"about {MAIL}" and one["results"][0]["output_text"] == f"about {MAIL}"
    two = live.post("/api/v1/compare", {"prompt": prompt, "models": ["at-openai", "at-azure"]}, headers=ADMIN)
    assert two.status_code == 200 and MAIL in two.text
    live.post("/v1/messages", {"model": "at-openai", "max_tokens": 9, "messages": [{"role": "user", "content": prompt}]}, headers=ADMIN)
    live.post("/v1/responses", {"model": "at-openai", "input": prompt, "store": False}, headers=ADMIN)
    live.post("/v1/embeddings", {"model": "vectors-openai", "input": [prompt]}, headers=ADMIN)
    live.post("/api/v1/orchestrate/stream", {"prompt": prompt, "model": "at-openai"}, headers=ADMIN)
    assert len(models.calls) == 7 and MAIL not in json.dumps([c["body"] for c in models.calls])
    assert MAIL not in stored(live)
    found = live.get(f"/api/v1/tasks/{one['task_id']}", headers=ADMIN).text
    assert "[EMAIL_1]" in found and MAIL not in found


def test_keys_have_a_switch_of_their_own(live, models):
    models.answers["openai"] = say(text="to [EMAIL_1]")
    plain, hiding = new_key(live), new_key(live, redacts_prompts=True)
    assert told(chat(live, f"Mail {MAIL}", plain))[0] == "to [EMAIL_1]"
    assert told(chat(live, f"Mail {MAIL}", hiding))[0] == f"to {MAIL}"
    assert [c["body"]["messages"][0]["content"] for c in models.calls] == [f"Mail {MAIL}", "Mail [EMAIL_1]"]
    mine = [k for k in live.get("/api/v1/keys", headers=ADMIN).json()["keys"]]
    assert sorted(k["redacts_prompts"] for k in mine) == [False, True]
