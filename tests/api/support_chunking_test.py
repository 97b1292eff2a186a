"""Documents without headings, cut where their subject changes: by words, and by the vectors of an endpoint."""

import pytest

from model_server import ModelServer
from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
ENV = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_EMBEDDING_BACKEND": "words", "LLM_PROVIDER_PROFILE": "embedded"}
SENTENCES = ("The warranty lasts two years.", "The warranty covers faults of the material.",
             "A fault must be reported under the warranty in writing.", "The warranty ends when the material was opened.",
             "Parcels leave our depot at noon.", "A parcel within the city arrives at noon of the next day.",
             "Parcels abroad leave the depot on Monday.", "Each parcel has a number from the depot.")
BY_SUBJECT = {"RAG_STRUCTURAL_CHUNKING": "false"}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", ENV, request.param) as service:
        file = {"file": ("terms.txt", " ".join(SENTENCES).encode())}
        assert service.send("POST", "/api/upload", headers=HEADERS, files=file).json()["chunks"] == 1
        yield service


def chunks(service, **env):
    done = service.run("ingest", "--reindex", env=env)
    assert done.returncode == 0, done.stderr
    answer = service.post("/api/ask", {"question": "When do parcels abroad leave the depot?"}, headers=HEADERS).json()
    assert "Parcels abroad leave the depot on Monday [1]." in answer["answer"], answer
    return [body for [body] in service.sql("SELECT body FROM kb_chunks ORDER BY chunk_index")]


def test_documents_are_cut_where_the_subject_changes(support):
    assert chunks(support) == [" ".join(SENTENCES)]
    assert chunks(support, **BY_SUBJECT) == [" ".join(SENTENCES[:4]), " ".join(SENTENCES[4:])]
    # what was cut in one way is answered from after the setting has changed
    answer = support.post("/api/ask", {"question": "How long does the warranty last?"}, headers=HEADERS).json()
    assert "two years [1]." in answer["answer"]
    assert chunks(support, RAG_SEMANTIC_CHUNKING="false", **BY_SUBJECT) == [" ".join(SENTENCES)]


def test_vectors_decide_where_an_endpoint_gives_some(support):
    with ModelServer() as models:
        models.vectors = {text: [1.0, 0.0] if i < 2 else [0.0, 1.0] for i, text in enumerate(SENTENCES)}
        remote = {"RAG_EMBEDDING_BACKEND": "remote", "RAG_EMBEDDING_REMOTE_URL": models.url + "/v1/embeddings",
                  "RAG_EMBEDDING_REMOTE_BATCH": "3", **BY_SUBJECT}
        assert chunks(support, **remote) == [" ".join(SENTENCES[:2]), " ".join(SENTENCES[2:])]
        assert [text for texts in models.embedded for text in texts][:len(SENTENCES)] == list(SENTENCES)
        models.embedding_status = 500  # words take its place
        assert chunks(support, **remote) == [" ".join(SENTENCES[:4]), " ".join(SENTENCES[4:])]


def test_sections_of_too_many_sentences_are_compared_by_words(support):
    """So that a long document does not keep the others waiting for the embedder."""
    with ModelServer() as models:
        remote = {"RAG_EMBEDDING_BACKEND": "remote", "RAG_EMBEDDING_REMOTE_URL": models.url + "/v1/embeddings", **BY_SUBJECT}
        for count, embedded in ((128, 128), (129, 0)):
            sentences = [f"Drawer {number} holds the screws of part {number}." for number in range(count)]
            file = {"file": ("drawers.txt", " ".join(sentences).encode())}
            assert support.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
            models.embedded.clear()
            done = support.run("ingest", "--reindex", env=remote)
            assert done.returncode == 0, done.stderr
            assert sum(text in sentences for texts in models.embedded for text in texts) == embedded
    assert support.send("DELETE", "/api/documents/drawers.txt", headers=HEADERS).status_code == 200
