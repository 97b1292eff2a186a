"""Searching by meaning: vectors of a loopback endpoint, made by the ingest program behind every upload, fused with
the search by words; and searching by words alone while the endpoint is away."""

import time

import pytest

from model_server import ModelServer
from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
PARKING = "# Cars\n\nVehicles are parked in lot B7 behind the hall.\n"
WARRANTY = "# Warranty\n\nThe warranty period is 24 months.\n"
MEANINGS = (("vehicle", "automobile", "parked"), ("warranty", "guarantee"), ("invoice", "bill"))


class Meanings(dict):
    """A direction for each thing that is talked about."""

    def get(self, text, default=None):
        found = [float(any(word in text.lower() for word in words)) for words in MEANINGS]
        return [*found, 0.01]


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        server.vectors = Meanings()
        yield server


@pytest.fixture(scope="module", params=ENGINES)
def support(request, models):
    models.answers["writer"] = "text:Behind the hall, in lot B7 [1]."
    models.embedding_status = 200
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_EMBEDDING_BACKEND": "remote",
           "RAG_EMBEDDING_REMOTE_URL": models.url + "/v1/embeddings", "RAG_EMBEDDING_REMOTE_BATCH": "2",
           "RAG_EMBEDDING_REMOTE_PAUSE_SEC": "0.5", "MISTRAL_API_KEY": "secret", "LLM_PROVIDER_PROFILE": "openai",
           "LLM_CHAT_URL": models.url + "/v1", "LLM_CHAT_MODEL": "writer", "LLM_NODES": "generate",
           "CIRCUIT_BREAKER_ENABLED": "false"}
    with Service("support", env, request.param) as service:
        upload(service, "parking.md", PARKING)
        upload(service, "warranty.md", WARRANTY)
        wait_for(service, "hybrid")
        yield service


def upload(service, name, text):
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, text.encode())})
    assert answer.status_code == 200, answer.text


def ask(service, question):
    """The answer, and the state of the last step of its trace."""
    answer = service.post("/api/ask", {"question": question}, headers=HEADERS).json()
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return answer, trace["steps"][-1]["state"]


def wait_for(service, strategy, question="Where may an automobile stay?"):
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        answer, state = ask(service, question)
        if state["retrieval_strategy"] == strategy:
            return answer, state
        time.sleep(0.2)
    raise AssertionError(state)


def test_what_shares_no_word_is_found_by_meaning(support):
    answer, state = ask(support, "Where may an automobile stay?")
    assert state["retrieval_strategy"] == "hybrid" and state["fallbacks"] == []
    assert answer["answer"] == "Behind the hall, in lot B7 [1]." and answer["sources"][0]["source"] == "parking.md"


def test_words_alone_serve_while_the_endpoint_is_away(support, models):
    models.embedding_status = 503
    try:
        answer, state = ask(support, "How long is the warranty period?")
        assert state["retrieval_strategy"] == "lexical" and answer["sources"][0]["source"] == "warranty.md"
        assert state["fallbacks"][0] == {"node": "retrieve", "from_provider": "embeddings", "to_provider": "lexical",
                                         "reason": "http_503"}
        upload(support, "billing.md", "# Money\n\nThe invoice number stands at the top of every page.\n")
        answer, state = ask(support, "Where does the invoice number stand?")
        assert answer["sources"][0]["source"] == "billing.md" and state["retrieval_strategy"] == "lexical"
    finally:
        models.embedding_status = 200
    before = len(models.embedded)
    answer, _ = wait_for(support, "hybrid", "Which bill?")
    assert answer["sources"][0]["source"] == "billing.md"
    asked = [text for texts in models.embedded[before:] for text in texts]
    assert not any("parked" in text or "24 months" in text for text in asked)  # only what was new


def test_a_changed_document_is_embedded_again(support, models):
    before = len(models.embedded)
    upload(support, "parking.md", PARKING.replace("B7", "C9"))
    wait_for(support, "hybrid")
    assert any("C9" in text for texts in models.embedded[before:] for text in texts)
    answer, _ = ask(support, "Where may an automobile stay?")
    texts = " ".join(source["page_content"] for source in answer["sources"])
    assert "C9" in texts and "B7" not in texts
