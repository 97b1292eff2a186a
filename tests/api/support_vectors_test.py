"""Searching by meaning: vectors of a loopback endpoint, made by the ingest program behind every upload, fused with
the search by words; a cross-encoder that orders what was found, and a made-up answer to search with; and searching
without each of them while it is away. A model that says what chunks are about before they are indexed."""

import json

import pytest

from model_server import ModelServer
from wait import wait_for
from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
PARKING = "# Cars\n\nVehicles are parked in lot B7 behind the hall.\n"
WARRANTY = "# Warranty\n\nThe warranty period is 24 months.\n"
MEANINGS = (("vehicle", "automobile", "parked"), ("warranty", "guarantee"), ("invoice", "bill"))


class Meanings(dict):
    """A direction for each thing that is talked about."""

    more = []

    def get(self, text, default=None):
        if text and "unspeakable" in text:
            raise ConnectionAbortedError("such a text has no vector")
        found = [float(any(word in text.lower() for word in words)) for words in MEANINGS]
        return [*found, 0.01, *self.more]


class Writer(ModelServer):
    """Writes answers, and `hypothesis` where it is asked for one; words to search for are the question's. Of a part of
    a document it says what `context` does."""
    hypothesis = None
    context = staticmethod(lambda prompt, model: "empty")

    def rule_for(self, body, prompt):
        told = body["messages"][0]["content"]
        if "a part of it" in told:
            return self.context(prompt, body["model"])
        if "need not be true" in told:
            return "text:" + (self.hypothesis or prompt)
        return "text:" + prompt.removeprefix("Question: ") if "search" in told else self.rule_of(body["model"], prompt)


@pytest.fixture(scope="module")
def models():
    with Writer() as server:
        server.vectors = Meanings()
        yield server


@pytest.fixture(autouse=True)
def no_opinion(models):
    """The cross-encoder finds all alike, and there is no hypothesis."""
    models.score, models.reranker_status, models.hypothesis = lambda text: 0.5, 200, None


@pytest.fixture(scope="module", params=ENGINES)
def support(request, models):
    models.answers["writer"] = "text:Behind the hall, in lot B7 [1]."
    models.embedding_status, models.context = 200, Writer.context
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_EMBEDDING_BACKEND": "remote",
           "RAG_EMBEDDING_REMOTE_URL": models.url + "/v1/embeddings", "RAG_EMBEDDING_REMOTE_BATCH": "2",
           "RAG_EMBEDDING_REMOTE_PAUSE_SEC": "0.5", "MISTRAL_API_KEY": "secret", "LLM_PROVIDER_PROFILE": "openai",
           "LLM_CHAT_URL": models.url + "/v1", "LLM_CHAT_MODEL": "writer", "LLM_NODES": "generate,transform_query",
           "RAG_HYDE": "true", "RAG_RERANKER_URL": models.url + "/v1/rerank", "RAG_RERANKER_API_KEY": "judge-secret",
           "CIRCUIT_BREAKER_ENABLED": "false", "INGESTION_BATCH_ENABLED": "true", "LLM_INPUT_PRICE_PER_1M_TOKENS": "1",
           "LLM_CHAT_API_KEY": "writer-secret"}
    with Service("support", env, request.param) as service:
        upload(service, "parking.md", PARKING)
        upload(service, "warranty.md", WARRANTY)
        wait_for_answers(service, "hybrid")
        yield service


def upload(service, name, text):
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, text.encode())})
    assert answer.status_code == 200, answer.text
    if task := answer.json()["task_id"]:
        wait_for(lambda: service.get(f"/api/tasks/{task}", headers=HEADERS).json()["status"] == "SUCCESS")


def ask(service, question):
    """The answer, and the state of the last step of its trace."""
    answer, states = ask_all(service, question)
    return answer, states[-1]


def ask_all(service, question):
    answer = service.post("/api/ask", {"question": question}, headers=HEADERS).json()
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return answer, [step["state"] for step in trace["steps"]]


def sources(state):
    """Of what was found; a model's sentence that it does not support is not answered, and cites nothing."""
    return [found["metadata"]["source"] for found in state["retrieved_docs"]]


def wait_for_answers(service, strategy, question="Where may an automobile stay?"):
    def found():
        answer, state = ask(service, question)
        return (answer, state) if state["retrieval_strategy"] == strategy else None
    return wait_for(found)


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
    answer, _ = wait_for_answers(support, "hybrid", "Which bill?")
    assert answer["sources"][0]["source"] == "billing.md"
    asked = [text for texts in models.embedded[before:] for text in texts]
    assert not any("parked" in text or "24 months" in text for text in asked)  # only what was new


def test_a_changed_document_is_embedded_again(support, models):
    before = len(models.embedded)
    upload(support, "parking.md", PARKING.replace("B7", "C9"))
    wait_for_answers(support, "hybrid")
    assert any("C9" in text for texts in models.embedded[before:] for text in texts)
    _, state = ask(support, "Where may an automobile stay?")
    texts = " ".join(found["page_content"] for found in state["retrieved_docs"])
    assert "C9" in texts and "B7" not in texts


def test_a_text_that_cannot_be_embedded_does_not_keep_others_from_it(support, models):
    upload(support, "bad.md", "# Unspeakable\n\nAn unspeakable thing.\n")
    upload(support, "billing.md", "# Money\n\nThe invoice number stands at the top of every sheet.\n")
    _, state = wait_for_answers(support, "hybrid", "Which bill?")
    assert "billing.md" in sources(state)
    [[left]] = support.sql("SELECT count(*) FROM kb_documents WHERE vector_model = ''")
    assert int(left) == 0  # the other one is found by words
    _, state = ask(support, "What is an unspeakable thing?")
    assert "bad.md" in sources(state)
    assert support.send("DELETE", "/api/documents/bad.md", headers=HEADERS).status_code < 300


def test_a_model_that_changes_its_dimension_is_used_again(support, models):
    def lengths():
        return [int(length) for [length] in support.sql("SELECT DISTINCT length(vector) FROM kb_chunk_vectors")]
    assert lengths() == [4]
    try:
        models.vectors.more = [0.01, 0.01]
        _, state = ask(support, "Where may the automobile stay now?")  # notices it
        assert state["fallbacks"][0]["reason"] == "dimension" and state["retrieval_strategy"] == "lexical"
        wait_for_answers(support, "hybrid")
        assert lengths() == [6]
        models.vectors.more = []
        upload(support, "news.md", "# News\n\nThe guarantee is new.\n")  # ingest notices it
        wait_for(lambda: lengths() == [4])
        wait_for_answers(support, "hybrid")
    finally:
        models.vectors.more = []
    assert support.send("DELETE", "/api/documents/news.md", headers=HEADERS).status_code < 300


def test_a_question_line_has_a_vector_of_its_own(support, models):
    before = len(models.embedded)
    upload(support, "faq.md", "Where does the bill come from?\nFrom us.\n\nWhen is it free?\nOn Sundays.\n")
    wait_for_answers(support, "hybrid")
    asked = [text for texts in models.embedded[before:] for text in texts]
    assert "Where does the bill come from?" in asked and "When is it free?" in asked
    for segment in support.stack.directory.rglob("*.seg"):
        segment.unlink()
    before = len(models.embedded)
    assert support.run("ingest").returncode == 0  # from the database
    wait_for_answers(support, "hybrid")
    assert not {"Where does the bill come from?", "When is it free?"} & {
        text for texts in models.embedded[before:] for text in texts}
    assert support.send("DELETE", "/api/documents/faq.md", headers=HEADERS).status_code < 300


def test_each_child_of_a_parent_has_a_vector_of_its_own(support, models):
    padding = "It stands behind the hall, next to the gate, and is open on weekdays, holidays of the town excepted. " * 2
    upload(support, "lots.md", f"# Lots\n\nLot L1 is cheap. {padding}\n\nLot L2 is dear. {padding}\n\n"
                               f"Vehicles of guests are parked in lot L3. {padding}")
    wait_for_answers(support, "hybrid")
    before = len(models.embedded)
    assert support.run("ingest", "--reindex", env={"RAG_PARENT_CHILD": "true"}).returncode == 0
    answer, state = wait_for_answers(support, "hybrid", "Which automobile of guests goes where?")
    asked = [text for texts in models.embedded[before:] for text in texts if "lots.md" in text]
    assert len(asked) == 3 and all(lot in text for lot, text in zip(("L1", "L2", "L3"), asked))
    assert all(len(text) < 350 for text in asked)
    [found] = [doc["page_content"] for doc in state["retrieved_docs"] if doc["metadata"]["source"] == "lots.md"]
    assert all(lot in found for lot in ("L1", "L2", "L3"))
    assert support.send("DELETE", "/api/documents/lots.md", headers=HEADERS).status_code < 300
    assert support.run("ingest", "--reindex").returncode == 0
    wait_for_answers(support, "hybrid")


def test_a_cross_encoder_orders_what_was_found(support, models):
    question = "Vehicles parked for the warranty period?"
    models.score = lambda text: 0.97 if "24 months" in text else 0.3 if "parked" in text else 0.01
    before = len(models.reranked)
    _, state = ask(support, question)
    first, second = state["retrieved_docs"][:2]
    assert (first["metadata"]["source"], first["metadata"]["relevance_score"]) == ("warranty.md", 0.97)
    assert (second["metadata"]["source"], second["metadata"]["relevance_score"]) == ("parking.md", 0.3)
    asked = models.reranked[before]
    assert asked["query"] == question and asked["model"] == "BAAI/bge-reranker-v2-m3"
    assert asked["token"] == "Bearer judge-secret" and any("24 months" in text for text in asked["documents"])
    models.score = lambda text: -4.0 if "24 months" in text else 2.0  # logits
    _, state = ask(support, question)
    assert state["retrieved_docs"][0]["metadata"]["source"] == "parking.md"
    assert state["retrieved_docs"][0]["metadata"]["relevance_score"] == pytest.approx(0.881)


@pytest.mark.parametrize("status, score, reason", [(503, 0.5, "http_503"), (200, "high", "malformed")])
def test_the_order_stays_while_the_cross_encoder_is_away(support, models, status, score, reason):
    models.reranker_status, models.score = status, lambda text: score
    answer, state = ask(support, "How long is the warranty period?")
    assert answer["sources"][0]["source"] == "warranty.md"
    assert {"node": "retrieve", "from_provider": "reranker", "to_provider": "fusion",
            "reason": reason} in state["fallbacks"]


def test_a_made_up_answer_is_searched_with(support, models):
    models.hypothesis = "It may be parked in the lot for vehicles."
    _, states = ask_all(support, "Where do I leave mine overnight?")
    assert models.hypothesis in [state["hyde_query"] for state in states] and [models.hypothesis] in models.embedded
    assert "parking.md" in sources(states[-1])
    models.hypothesis = "No idea."
    _, states = ask_all(support, "Where do I leave mine overnight?")
    assert not any(state["hyde_query"] for state in states) and states[-1]["fallbacks"][0]["reason"] == "too_short"


PARTS = "\n\n".join(f"# Part {n}\n\nIts number is {n * 111} and nothing else." for n in range(1, 7))


def headers_of(support, name):
    rows = support.sql("SELECT c.header FROM kb_chunks c JOIN kb_documents d ON d.tenant_id = c.tenant_id"
                       f" AND d.document_key = c.document_key WHERE d.doc_id = '{name}' ORDER BY c.chunk_index")
    return [header for [header] in rows]


def spent(support, table):
    [[dollars]] = support.sql(f"SELECT coalesce(sum(cost_usd), 0) FROM {table}")
    return float(dollars)


def test_a_model_says_what_chunks_are_about(support, models, tmp_path):
    by_rule = [f"parts.md \u203a Part {n}" for n in range(1, 7)]
    models.context = lambda prompt, model: ("wait:0.3: " if "333" in prompt.partition("Part:")[2] else
                                     "wait:0.3:\"Gearbox of the lorry, " + prompt.rpartition("# ")[2][:6] + "\"\n\nMore.")
    models.most, before = 0, len(models.calls)
    upload(support, "parts.md", PARTS)
    written = [f"Gearbox of the lorry, Part {n}" if n != 3 else by_rule[2] for n in range(1, 7)]
    assert headers_of(support, "parts.md") == written
    asked = [call["prompt"] for call in models.calls[before:]]
    assert models.most == 4 and len(asked) == 6 and all(prompt.startswith("Document: parts.md\n") for prompt in asked)
    assert "Its number is 111" in asked[5]  # the beginning of the document, with a part that is not
    _, state = ask(support, "What is in a lorry's gearbox?")
    assert state["retrieved_docs"][0]["metadata"]["context_header"] in written
    assert support.sql("SELECT contexts FROM kb_ingest_log WHERE doc_id = 'parts.md'") == [["5"]]

    assert spent(support, "model_spend") == pytest.approx(spent(support, "kb_ingest_log")) and spent(support, "model_spend") > 0
    limit = spent(support, "trace_steps") + spent(support, "model_spend") / 2
    before = len(models.calls)
    assert support.run("ingest", "--reindex", env={"DAILY_COST_LIMIT_USD": f"{limit:.9f}"}).returncode == 0
    assert len(models.calls) == before and headers_of(support, "parts.md") == by_rule

    models.context = lambda prompt, model: "status:400"
    upload(support, "more.md", PARTS)
    assert headers_of(support, "more.md") == [header.replace("parts", "more") for header in by_rule]
    assert len(models.calls) == before + 4  # nobody is asked for the rest

    registry, target = tmp_path / "registry.yml", [{"provider": "house", "model": name} for name in ("small", "large")]
    registry.write_text(json.dumps({"default_profile": "mine", "providers": [
        {"id": "house", "kind": "local", "protocol": "openai", "base_url": models.url + "/v1",
         "default_models": {"fast": "small", "strong": "large"}, "models": [{"name": "small"}, {"name": "large"}]}],
        "routing_profiles": {"mine": {"fast": target[0], "strong": target[1], "nodes": {"transform_query": target}}}}))
    models.context = lambda prompt, model: "text:About lorries" if (model == "small") == ("222" in prompt[-40:]) else "status:400"
    env = {"PROVIDER_REGISTRY_PATH": str(registry), "LLM_PROVIDER_PROFILE": "mine"}
    assert support.run("ingest", "--reindex", env=env).returncode == 0
    assert headers_of(support, "parts.md") == ["About lorries"] * 6  # the next one is asked for what the first left out
    assert models.calls[-1]["model"] == "large"
    models.context = Writer.context
