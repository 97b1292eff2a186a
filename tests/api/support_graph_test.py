"""RAG_GRAPH_RETRIEVAL: the verdict on a graph of the documents is logged after an ingestion and shown by health; questions
are searched as ever, and say so."""

import pytest

from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
ENV = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_EMBEDDING_BACKEND": "words", "LLM_PROVIDER_PROFILE": "embedded"}
BY_SIZE = {"RAG_GRAPH_RETRIEVAL": "auto", "RAG_GRAPH_MIN_CHUNKS": "1"}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    env = {**ENV, "RAG_RETRIEVAL_STRATEGY": "graph", "RAG_GRAPH_RETRIEVAL": "auto", "MODEL_ROUTING_ENABLED": "true"}
    with Service("support", env, request.param) as service:
        file = {"file": ("depot.md", b"# Depot\n\nParcels leave the depot at noon.\n")}
        assert service.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
        yield service


@pytest.mark.parametrize("env, verdict, reason", [
    ({"RAG_GRAPH_RETRIEVAL": "on"}, "active", "RAG_GRAPH_RETRIEVAL is on"),
    ({"RAG_GRAPH_RETRIEVAL": "off"}, None, None),
    ({"RAG_GRAPH_RETRIEVAL": "sometimes"}, "inactive", "is none of off, on and auto"),
    ({"RAG_GRAPH_RETRIEVAL": "auto"}, "inactive", "1 chunks are fewer than RAG_GRAPH_MIN_CHUNKS (20000)"),
    (BY_SIZE, "inactive", "RAG_GRAPH_CROSSDOC_SHARE is not set"),
    ({**BY_SIZE, "RAG_GRAPH_CROSSDOC_SHARE": "0.149"}, "inactive", "0.149"),
    ({**BY_SIZE, "RAG_GRAPH_CROSSDOC_SHARE": "0.15"}, "active", "0.15"),
    ({**BY_SIZE, "RAG_GRAPH_CROSSDOC_SHARE": "0.15", "RAG_GRAPH_MIN_CROSSDOC_SHARE": "0.2"}, "inactive", "0.2"),
])
def test_an_ingestion_logs_the_verdict(support, env, verdict, reason):
    done = support.run("ingest", "--reindex", env=env)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "graph_retrieval" in line]
    assert len(lines) == (verdict is not None), done.stderr
    assert all(reason in line and (f'"{verdict}"' in line or f"verdict={verdict}" in line) for line in lines), lines


def test_the_strategy_is_what_ran(support):
    answer = support.post("/api/ask", {"question": "When do all the parcels leave the depot?"}, headers=HEADERS).json()
    assert "noon [1]" in answer["answer"]
    trace = support.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    [state] = [step["state"] for step in trace["steps"] if step["node"] == "retrieve"]
    assert state["retrieval_strategy"] == "lexical"
    part = support.get("/api/health").json()["components"]["graph_retrieval"]
    assert part["status"] == "unavailable"
    assert part["detail"] == ("inactive: 1 chunks are fewer than RAG_GRAPH_MIN_CHUNKS (20000); "
                              "questions are searched as hybrid")
