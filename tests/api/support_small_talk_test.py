"""Messages that are no questions, through the real stack on both engines: answered, and in no figure, list,
evaluation or cache; only a wish for a person opens a ticket."""

import pytest

from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
WARRANTY = "# Warranty\n\nThe warranty period is 24 months from the day of purchase.\n"
GREETINGS = ["Hello!", "Guten Tag", "Bonjour", "¡Hola!", "Здравствуйте", "مرحبًا", "你好"]
PEOPLE = ["I want to talk to a human", "Ich möchte mit einem Menschen sprechen", "Je veux parler à un conseiller",
          "Quiero hablar con una persona", "Хочу поговорить с оператором", "أريد التحدث إلى موظف", "我要人工客服"]


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "LLM_CACHE_ENABLED": "true", "LLM_CACHE_TTL_SECONDS": "600"}
    with Service("support", env, request.param) as service:
        answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": ("warranty.md", WARRANTY.encode())})
        assert answer.json()["status"] == "ok"
        yield service


def ask(service, question, **members):
    answer = service.post("/api/ask", {"question": question, **members}, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def tickets(service):
    return service.get("/api/agent/tickets", headers=HEADERS).json()["tickets"]


def figure(service, name):
    """The value of a metric without labels, summed over its rows."""
    lines = service.get("/metrics").text.splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.split("{")[0].split(" ")[0] == name)


def traces(service):
    return service.get("/api/admin/traces?limit=100", headers=HEADERS).json()


@pytest.mark.parametrize("message", [*GREETINGS, "Thank you very much!", "Who are you?", "Goodbye"])
def test_small_talk_is_answered_and_counted_nowhere(support, message):
    names = ["rag_quality_score_count", "rag_factuality_score_count", "rag_escalation_total",
             "rag_quality_score_source_total", "llm_cache_misses_total", "llm_cache_hits_total"]
    before, listed, open_tickets = [figure(support, name) for name in names], traces(support), tickets(support)
    for _ in range(2):
        answer = ask(support, message)
        assert (answer["route"], answer["quality_source"], answer["cached"]) == ("auto", "fixed", False)
        assert answer["citations"] == [] and answer["sources"] == [] and "[" not in answer["answer"]
        assert answer["trace_id"] and answer["suggested_questions"] == []
    assert [figure(support, name) for name in names] == before
    assert traces(support) == listed and tickets(support) == open_tickets
    trace = support.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    assert [step["node"] for step in trace["steps"]] == ["small_talk", "log"], trace
    assert trace["evaluations"] == []


@pytest.mark.parametrize("message", PEOPLE)
def test_a_wish_for_a_person_opens_one_ticket(support, message):
    before = len(tickets(support))
    answer = ask(support, message)
    assert answer["route"] == "auto" and answer["citations"] == []
    ask(support, message, session_id=answer["session_id"])
    new = tickets(support)
    assert len(new) == before + 1
    assert new[0]["session_id"] == answer["session_id"] and message in str(new[0])


def test_a_greeting_before_a_question_is_part_of_it(support):
    answer = ask(support, "Hello, how long is the warranty?")
    assert "24 months" in answer["answer"] and answer["citations"]


def test_thanks_between_two_questions_keep_the_subject(support):
    first = ask(support, "Is there a warranty?")
    ask(support, "Thanks!", session_id=first["session_id"])
    assert "24 months" in ask(support, "And how long?", session_id=first["session_id"])["answer"]


def test_a_stream_says_the_same(support):
    stream = support.post("/api/ask/stream", {"question": "Hello!"}, headers=HEADERS)
    assert ask(support, "Hello!")["answer"] in stream.text and '"result"' in stream.text
