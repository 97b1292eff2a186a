"""What a language model may say: sentences that the documents do not support are left out or marked, in whole answers
and streams."""

import pytest

from people import People
from service import ENGINES, Service
from support_admin_test import SECRET
from support_models import HEADERS, KEPT, KEY, QUESTION, VERIFIER, WARRANTY, ask, falls_back, steps, stream

pytest_plugins = ["support_models_fixtures"]

LIES = [  # the model's answer, what is left of it, and what the trace says of the rest
    ("The warranty period is 24 months [1]. It also covers theft [1].", KEPT.replace("lasts", "is"),
     [("It also covers theft [1].", "words")]),
    ("Yes. The warranty period is 36 months [1].\n\nThe period is from the day of purchase [1].",
     "The period is from the day of purchase [1].", [("Yes.", "no statement"), ("The warranty period is 36 months [1].", "number")]),
    ("The warranty period is 24 months [1]. Ask Acme about the warranty period.", KEPT.replace("lasts", "is"),
     [("Ask Acme about the warranty period.", "name")]),
    ("The warranty period is not 24 months [1]. The warranty period is 24 months.", "The warranty period is 24 months [1].",
     [("The warranty period is not 24 months [1].", "words")]),
]


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("lie, left, dropped", LIES)
def test_a_sentence_that_the_documents_do_not_support_is_left_out(support, registry, lie, left, dropped, streamed):
    registry.write("openai", rule="text:" + lie)
    frames = stream(support) if streamed else None
    answer = frames[-1] if streamed else ask(support)
    assert answer["answer"] == left and answer["factuality_score"] == 100
    assert not streamed or not any(word in str(frames[:-1]) for word in ("theft", "36", "Acme", "not"))
    state = steps(support, answer)[0]["generate"]
    assert state["unsupported"] == {"action": "drop", "sentences": [{"text": text, "reason": reason}
                                                                    for text, reason in dropped]}


MIXED = "# Prices\n\nPlan Solo costs 5 euros a month and plan Large costs 9 euros a month. Setting up is free.\n"


def test_numbers_stand_with_what_they_are_of(support, registry):
    assert support.send("POST", "/api/upload", headers=HEADERS, files={"file": ("prices.md", MIXED.encode())}).status_code == 200
    registry.write("openai", rule="text:Plan Solo costs 9 euros a month [1]. Setting up is free [1].")
    answer = ask(support, "What does plan Solo cost a month?")
    assert answer["answer"] == "Setting up is free [1]."
    registry.write("openai", rule="text:Plan Solo costs 5 euros and plan Large costs 9 euros a month [1].")
    answer = ask(support, "What do plan Solo and plan Large cost a month?")
    assert answer["answer"] == "Plan Solo costs 5 euros and plan Large costs 9 euros a month [1]."


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_an_answer_of_which_nothing_is_left_is_the_embedded_one(support, registry, models, embedded, streamed):
    [name] = registry.write("openai", rule="text:The warranty lasts 36 months. Elephants are grey.")
    models.answers[VERIFIER] = "text:1. SUPPORTED: elephants are grey animals\n2. SUPPORTED: they are grey"
    answer = stream(support)[-1] if streamed else ask(support)
    falls_back(support, models, answer, embedded, name, "unsupported", 1)
    state = steps(support, answer)[0]["generate"]
    assert [sentence["reason"] for sentence in state["unsupported"]["sentences"]] == ["number", "words"]


def test_another_language_needs_a_quote_of_the_documents(support, registry, models, embedded):
    german = "Die Garantie gilt 24 Monate ab Kauf [1]."
    [name] = registry.write("openai", rule="text:" + german)
    models.answers[VERIFIER] = "text:1. SUPPORTED: The warranty period is 24 months from the day of purchase."
    answer = ask(support)
    assert answer["answer"] == german and "unsupported" not in steps(support, answer)[0]["generate"]
    for verdict in ("UNSUPPORTED", "SUPPORTED: the warranty lasts for ever and a day", "SUPPORTED"):
        models.answers[VERIFIER] = "text:1. " + verdict
        falls_back(support, models, ask(support), embedded, name, "unsupported", None)
    models.answers[name] = "text:Die Garantie gilt 36 Monate ab Kauf [1]."  # no quote makes up for a number
    models.answers[VERIFIER] = "text:1. SUPPORTED: The warranty period is 24 months from the day of purchase."
    falls_back(support, models, ask(support), embedded, name, "unsupported", None)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_not_supported_may_be_marked(registry, models, engine):
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "PROVIDER_REGISTRY_PATH": str(registry.path),
           "LLM_CHAT_API_KEY": "model-secret", "GENERATION_UNSUPPORTED": "mark", "RAG_SELF_RAG_MAX_ITER": "0",
           "FACT_VERIFY_CONTEXT_MAX_DOCS": "1", "FACT_VERIFY_CONTEXT_CHARS_PER_DOC": "100", "LLM_NODES": "generate,verify_facts"}
    with Service("support", env, engine) as service:
        for i in range(2):
            text = WARRANTY.replace("# Warranty", f"# Warranty of part {i}") + "\nIt is granted by the maker of the part. " * 9
            file = {"file": (f"warranty{i}.md", text.encode())}
            assert service.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
        registry.write("openai", rule="text:The warranty period is 24 months [1]. Elephants are grey.")
        answer = stream(service)[-1]
        assert answer["answer"] == ("The warranty period is 24 months [1]. "
                                    "Elephants are grey. (not confirmed by the documents)")
        state = steps(service, answer)[0]["generate"]
        assert state["unsupported"] == {"action": "mark", "sentences": [{"text": "Elephants are grey.", "reason": "words"}]}
        [asked] = [call["prompt"] for call in models.calls if "For each numbered" in str(call["body"])]
        assert asked.count("[Document") == 1 and "maker" not in asked  # the limits of FACT_VERIFY_CONTEXT


@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_said_from_a_withdrawn_document_is_not_given_to_a_model(registry, models, engine):
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "PROVIDER_REGISTRY_PATH": str(registry.path), "JWT_SECRET": SECRET,
           "LLM_CHAT_API_KEY": "model-secret", "LLM_NODES": "generate"}
    with Service("support", env, engine) as service:
        anna = People(service.stack).add("anna", groups=["Sales"], support="viewer").bearer()
        for name, text in (("warranty.md", WARRANTY), ("returns.md", "# Returns\n\nItems can be returned within 30 days.\n")):
            assert service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, text.encode())}).status_code == 200

        def restated(headers, method=None, path="", **body):
            """What the model gets of an answer before, after a change of the answer's document."""
            registry.write("openai", rule="text:The warranty period is 24 months [1].")
            first = service.post("/api/ask", {"question": QUESTION}, headers=headers).json()
            assert first["answer"] == "The warranty period is 24 months [1]."
            if method:
                assert service.send(method, "/api/documents/warranty.md" + path, json=body, headers=HEADERS).status_code == 200
            models.calls.clear()
            service.post("/api/ask", {"question": "Within how many days can items be returned?", "session_id": first["session_id"]},
                         headers=headers)
            [prompt] = [call["prompt"] for call in models.calls if "[Document" in call["prompt"]]
            assert f"user: {QUESTION}" in prompt
            return f"assistant: {first['answer']}" in prompt

        assert restated(anna)
        assert not restated(anna, "PUT", "/groups", groups=["Board"])
        assert restated(HEADERS)
        assert not restated(HEADERS, "DELETE")
