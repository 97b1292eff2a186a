"""Answering with tools, through the real stack: words choose them without a model, a model chooses them where one can,
and nothing is done that the person has not confirmed."""

import json

import pytest

from model_server import ModelServer
from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
DELIVERY = "# Delivery\n\nDelivery within the city costs 500 roubles and takes two days.\n"
QUESTION = "How much does delivery within the city cost?"


class Models(ModelServer):
    """The model that may use tools says what its rules say; in the other nodes it is of no use."""

    def rule_for(self, body, prompt):
        return self.rule_of(body["model"], prompt) if body.get("tools") else "status:500"


@pytest.fixture(scope="module", params=ENGINES)
def support(request, tmp_path_factory):
    with Models() as models:
        path = tmp_path_factory.mktemp("registry") / "providers.yml"
        env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_AGENTIC_MODE": "true", "AGENT_MAX_TOOL_LOOPS": "2",
               "PROVIDER_REGISTRY_PATH": str(path), "LLM_CHAT_API_KEY": "secret", "CIRCUIT_BREAKER_ENABLED": "false",
               "OLLAMA_RETRY_MAX_ATTEMPTS": "1"}
        path.write_text('{"default_profile": "embedded", "providers": []}')
        with Service("support", env, request.param) as service:
            service.models, service.registry = models, path
            file = {"file": ("delivery.md", DELIVERY.encode())}
            assert service.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
            yield service


def embedded(service):
    service.registry.write_text('{"default_profile": "embedded", "providers": []}')


def with_model(service, *rules):
    service.models.reset()
    name = f"m{with_model.count}"
    with_model.count += 1
    service.models.answers[name] = list(rules)
    service.registry.write_text(json.dumps({"default_profile": "t", "providers": [
        {"id": name, "kind": "local", "protocol": "openai", "base_url": service.models.url + "/v1",
         "api_key_env": "LLM_CHAT_API_KEY", "default_models": {"fast": name, "strong": name},
         "capabilities": {"supports_tool_use": True}, "models": [{"name": name}]}],
        "routing_profiles": {"t": {"fast": {"provider": name, "model": name},
                                   "strong": {"provider": name, "model": name}}}}))


with_model.count = 0


def ask(service, question, **members):
    answer = service.post("/api/ask", {"question": question, **members}, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def steps(service, answer):
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return [step["node"] for step in trace["steps"]], trace


def scores(answer):
    return answer["route"], answer["quality_score"], answer["quality_source"]


def tickets(service, session):
    return [one for one in service.get("/api/agent/tickets", headers=HEADERS).json()["tickets"]
            if one["session_id"] == session]


def test_a_ticket_is_made_when_it_is_confirmed(support):
    embedded(support)
    first = ask(support, "Позовите оператора, посылка пропала")
    session = first["session_id"]
    assert scores(first) == ("agentic", 80, "fixed") and first["requires_confirmation"]
    assert first["action_summary"] == "create a ticket for: Позовите оператора, посылка пропала"
    assert not tickets(support, session)
    nodes, trace = steps(support, first)
    assert nodes == ["confirmation_gate", "log"] and trace["final_route"] == "agentic"
    again = ask(support, "What?", session_id=session)
    assert scores(again) == ("agentic", 80, "fixed") and again["requires_confirmation"]
    assert steps(support, again)[0] == ["await_confirmation", "log"]
    other = ask(support, QUESTION, confirm=True)  # another conversation has nothing to confirm
    assert not other["requires_confirmation"] and "500" in other["answer"] and other["citations"]
    refused = support.post("/api/ask", {"question": "Yes", "session_id": session, "confirm": "perhaps"}, headers=HEADERS)
    assert refused.status_code == 422 and refused.json()["detail"][0]["loc"] == ["body", "confirm"]
    done = ask(support, "Yes", session_id=session, confirm="yes")
    assert scores(done) == ("auto", 90, "fixed") and not done["requires_confirmation"]
    assert steps(support, done)[0] == ["confirmation_gate", "create_ticket", "log"]
    [ticket] = tickets(support, session)
    assert support.sql("SELECT trace_id FROM escalated_tickets WHERE trace_id IS NOT NULL") == [[done["trace_id"]]]
    assert (ticket["user_question"], ticket["status"]) == ("Позовите оператора, посылка пропала", "open")
    assert not ask(support, QUESTION, session_id=session, confirm=True)["requires_confirmation"]  # nothing is left
    assert len(tickets(support, session)) == 1


def test_a_ticket_that_is_declined_is_not_made(support):
    embedded(support)
    session = ask(support, "I want an operator, please")["session_id"]
    done = ask(support, "No", session_id=session, confirm=0)
    assert scores(done) == ("auto", 80, "fixed") and not tickets(support, session)
    assert steps(support, done)[0] == ["confirmation_cancelled", "log"]
    assert ask(support, QUESTION, session_id=session)["citations"]


def test_orders_are_looked_up_by_their_number(support):
    embedded(support)
    for question, words in (("Where is order #42?", "on its way"), ("Status of order 7", "picked"),
                            ("Где заказ 1001?", "обрабатывается")):
        answer = ask(support, question)
        assert scores(answer) == ("agentic", 85, "fixed") and words in answer["answer"], answer
        assert steps(support, answer)[0] == ["check_order_status", "agentic_answer", "log"]
    answer = ask(support, "Order 42: how much does delivery within the city cost?")
    assert "42" in answer["answer"] and "500" in answer["answer"] and "[1]" in answer["answer"]
    assert [one["doc_id"] for one in answer["citations"]] == ["delivery.md"]
    assert steps(support, answer)[0] == ["check_order_status", "search_kb", "agentic_answer", "log"]
    assert ask(support, "Order 12345678901?")["route"] != "agentic"  # too long for a number of an order


def test_a_model_chooses_tools(support):
    with_model(support, 'tool:search_kb:{"query": "delivery city cost"}', "text:It costs 500 roubles [1] [9].")
    answer = ask(support, "What would I pay?")
    assert answer["answer"] == "It costs 500 roubles [1]." and scores(answer) == ("agentic", 85, "fixed")
    assert [one["doc_id"] for one in answer["citations"]] == ["delivery.md"]
    nodes, trace = steps(support, answer)
    assert nodes == ["search_kb", "agentic_answer", "log"]
    told = support.models.calls[1]["body"]["messages"][-1]
    assert told["role"] == "tool" and told["content"].startswith("[1] ") and "500 roubles" in told["content"]
    assert trace["steps"][0]["state"]["provider_name"].startswith("m")
    with_model(support, 'tool:check_order_status:{"order_id": "42; DROP"}',
               'tool:check_order_status:{"order_id": "42"}')
    answer = ask(support, "My parcel, please")  # it goes on calling tools until its turns are over
    assert "42" in answer["answer"] and scores(answer) == ("agentic", 80, "fixed")
    assert steps(support, answer)[0] == ["check_order_status", "agentic_fallback", "log"]
    assert "1 to 10 digits" in support.models.calls[1]["body"]["messages"][-1]["content"]
    assert len(support.models.calls) == 2


def test_what_a_model_would_change_is_confirmed_first(support):
    with_model(support, 'tool:create_ticket:{"summary": "Parcel lost", "priority": "high"}')
    first = ask(support, "My parcel is lost")
    assert first["requires_confirmation"] and first["action_summary"] == "create a ticket for: Parcel lost"
    assert not tickets(support, first["session_id"])
    assert ask(support, "ok", session_id=first["session_id"], confirm=1)["quality_score"] == 90
    assert [one["user_question"] for one in tickets(support, first["session_id"])] == ["Parcel lost"]


def test_documents_answer_what_a_model_looks_nothing_up_for(support):
    with_model(support, "text:It is free, I think.")
    answer = ask(support, QUESTION)
    assert "500" in answer["answer"] and answer["citations"] and answer["quality_source"] == "embedded"
    for rule in ("status:500", "nonsense:"):  # words choose where the model fails
        with_model(support, rule)
        answer = ask(support, "Where is order 42?")
        assert scores(answer) == ("agentic", 85, "fixed") and "on its way" in answer["answer"]
        assert steps(support, answer)[1]["steps"][-1]["state"]["fallbacks"]


def test_customers_see_no_tool_results(support):
    """A model that never comes to an end, or learns nothing, leaves the question to the documents, and those that
    documents cannot answer to a person."""
    unending = ('tool:search_kb:{"query": "delivery city cost"}',) * 2
    failing = ("tool:search_kb:not json", "tool:no_such_tool:{}")
    for rules in (unending, failing, (failing[0], "text:The tool said: the arguments are not JSON."),
                  (unending[0], "text:I cannot answer that.")):
        with_model(support, *rules)
        answer = ask(support, QUESTION)
        assert "500" in answer["answer"] and answer["citations"] and answer["route"] != "agentic", (rules, answer)
        assert answer["answer"].endswith(".") and "JSON" not in answer["answer"]
        with_model(support, *rules)
        answer = ask(support, "Who painted the ceiling of the chapel?")
        assert answer["route"] == "human" and not answer["citations"], (rules, answer)
        assert len(tickets(support, answer["session_id"])) == 1
