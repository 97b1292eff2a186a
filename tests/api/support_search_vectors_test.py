"""Searching by meaning with SEARCH_URL: the engine has the vectors that the database has, finds what the embedded index
finds, and gets them again after it lost them or the model changed. An engine without its k-NN plugin is searched by
words. tests/scale has the same with OpenSearch itself."""

import json

import pytest

from fake_opensearch import FakeOpenSearch
from model_server import ModelServer
from people import People
from service import ENGINES, Service
from support_search_engine_test import HEADERS, KEY, ask, finish, health, is_refused, upload
from support_vectors_test import Meanings
from wait import wait_for

DOCUMENTS = {"parking.md": "# Cars\n\nVehicles are parked in lot B7 behind the hall.\n",
             "warranty.md": "# Warranty\n\nThe warranty period is 24 months.\n",
             "billing.md": "# Money\n\nEvery invoice has a number at the top.\n",
             "zh.md": "# 退货\n\n商品可以在十四天内退货。\n",
             "ar.md": "# الشحن\n\nيستغرق التوصيل من ثلاثة إلى خمسة أيام عمل.\n"}
BY_MEANING = "Where may an automobile stay?"  # shares no word with the passage
QUESTIONS = [BY_MEANING, "Which bill?", "Is there a guarantee?", "How long is the warranty period?",
             "商品可以在几天内退货？", "كم يستغرق التوصيل؟"]


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        server.vectors = Meanings()
        yield server


def settings(models, **more):
    return {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "LLM_PROVIDER_PROFILE": "embedded", "SEARCH_TIMEOUT_SEC": "2",
            "CIRCUIT_BREAKER_ENABLED": "false", "LLM_CACHE_ENABLED": "false", "RAG_EMBEDDING_BACKEND": "remote",
            "RAG_EMBEDDING_REMOTE_URL": models.url + "/v1/embeddings", "RAG_EMBEDDING_REMOTE_PAUSE_SEC": "0.5",
            "MISTRAL_API_KEY": "secret", **more}


def last_state(service, question, headers=None):
    answer = service.post("/api/ask", {"question": question}, headers=headers or HEADERS).json()
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return trace["steps"][-1]["state"]


def retrieved(service, question, headers=None):
    """How it was searched, and the sources that were found, best first."""
    state = last_state(service, question, headers)
    return state["retrieval_strategy"], [found["metadata"]["source"] for found in state["retrieved_docs"]]


def by_meaning(service):
    wait_for(lambda: retrieved(service, BY_MEANING)[0] == "hybrid")


def vector_rows(engine):
    return [row for alias in list(engine.indexes) if "-vectors-" in alias for row in engine.rows(alias)]


@pytest.fixture(scope="module", params=ENGINES)
def running(request, models):
    with FakeOpenSearch() as engine, \
            Service("support", settings(models, SEARCH_URL=engine.url), request.param) as service:
        for name, text in DOCUMENTS.items():
            finish(service, upload(service, name, text))
        by_meaning(service)
        yield engine, service


def test_it_finds_what_the_embedded_index_finds(running, models):
    engine, service = running
    with Service("support", settings(models)) as embedded:
        for name, text in DOCUMENTS.items():
            finish(embedded, upload(embedded, name, text))
        by_meaning(embedded)
        for question in QUESTIONS:
            assert retrieved(service, question) == retrieved(embedded, question), question
    strategy, sources = retrieved(service, BY_MEANING)
    assert (strategy, sources[0]) == ("hybrid", "parking.md")
    assert len(vector_rows(engine)) == len(DOCUMENTS)
    assert "by meaning" in health(service)["components"]["search_engine"]["detail"]


def test_a_version_replaces_the_one_before_and_a_deleted_document_is_gone(running):
    engine, service = running
    finish(service, upload(service, "parking.md", DOCUMENTS["parking.md"].replace("B7", "C9")))
    by_meaning(service)
    found = last_state(service, BY_MEANING)["retrieved_docs"][0]
    assert found["metadata"]["source"] == "parking.md" and "C9" in json.dumps(found)
    finish(service, upload(service, "gone.md", "# Autos\n\nEvery automobile of the firm is blue.\n"))
    by_meaning(service)
    assert "gone.md" in retrieved(service, "Which colour have vehicles?")[1]
    assert service.send("DELETE", "/api/documents/gone.md", headers=HEADERS).status_code == 200
    assert "gone.md" not in retrieved(service, "Which colour have vehicles?")[1]
    assert len({row["document"] for row in vector_rows(engine)}) >= len(DOCUMENTS)


def test_a_reader_finds_what_he_may_read(running):
    _, service = running
    people = People(service.stack)
    member, other = (people.add(name, groups=groups, support="viewer").bearer()
                     for name, groups in (("anna", ["Personnel"]), ("ben", ["Sales"])))
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={
        "file": ("fleet.md", b"# Fleet\n\nA vehicle of the directors stands in garage 4711.\n"), "groups": (None, "Personnel")})
    finish(service, answer.json()["task_id"])
    by_meaning(service)
    question = "Which automobile is there?"
    assert "fleet.md" in retrieved(service, question, member)[1]
    assert "fleet.md" not in retrieved(service, question, other)[1]
    assert "parking.md" in retrieved(service, question, other)[1]


def test_an_index_that_was_lost_is_made_again(running):
    engine, service = running
    for alias in [alias for alias in engine.indexes if "-vectors-" in alias]:
        with engine.lock:
            del engine.indexes[alias]

    def is_back():
        answer = ask(service, BY_MEANING)
        return not is_refused(service, answer) and retrieved(service, BY_MEANING)[0] == "hybrid"

    wait_for(is_back)
    assert retrieved(service, BY_MEANING)[1][0] in ("parking.md", "fleet.md")


def test_rows_that_were_lost_are_written_again(running):
    """As after restoring an old copy of the index alone."""
    engine, service = running
    (alias,) = [alias for alias in engine.indexes if "-vectors-" in alias]
    with engine.lock:
        index = engine.indexes[alias]
        name = max(index.rows, key=lambda name: index.rows[name]["document"])
        del index.rows[name], index.found[name]
    assert service.run("ingest").returncode == 0  # which compares at once
    wait_for(lambda: alias in engine.indexes and name in engine.indexes[alias].found)
    by_meaning(service)


def test_words_are_repaired_while_the_vectors_fail(running):
    """As after a restore of the database alone."""
    engine, service = running
    row = max((row for row in engine.rows() if "chunk" in row), key=lambda row: row["document"])
    surplus = {**row, "chunk": 10 ** 12, "document": row["chunk"]}  # no document's key
    engine.broken_vectors = True
    try:
        engine.add(f"default:{10 ** 12}:0", surplus)
        assert service.run("ingest").returncode != 0  # which compares at once
        wait_for(lambda: surplus not in engine.rows())
    finally:
        engine.broken_vectors = False
    assert row in engine.rows()
    by_meaning(service)


def test_another_dimension_is_written_anew(running, models):
    engine, service = running
    try:
        models.vectors.more = [0.02]
        finish(service, upload(service, "late.md", "# Cars\n\nA vehicle needs a permit.\n"))

        def is_new():
            strategy, sources = retrieved(service, BY_MEANING)
            return strategy == "hybrid" and "late.md" in sources

        wait_for(is_new)
        assert any(alias.endswith("-5") for alias in engine.indexes)
    finally:
        models.vectors.more = []


def test_an_engine_without_the_plugin_is_searched_by_words(models):
    with FakeOpenSearch() as engine:
        engine.without_vectors = True
        with Service("support", settings(models, SEARCH_URL=engine.url)) as service:
            for name, text in DOCUMENTS.items():
                finish(service, upload(service, name, text))
            wait_for(lambda: "search_engine_without_vectors" in service.stack.logs())
            strategy, sources = retrieved(service, "How long is the warranty period?")
            assert (strategy, sources[0]) == ("lexical", "warranty.md")
            assert "no vectors" in health(service)["components"]["search_engine"]["detail"]
            before = sum(map(len, models.embedded))
            finish(service, upload(service, "more.md", "# More\n\nThe gate closes at nine.\n"))
            assert "nine" in ask(service, "When does the gate close?")["answer"]
            assert service.run("ingest").returncode == 0
            assert sum(map(len, models.embedded)) == before, "vectors that nobody keeps are not made"
            assert not vector_rows(engine) and "-vectors-" not in json.dumps(list(engine.indexes))
