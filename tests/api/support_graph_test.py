"""The strategy `graph`: names are followed from one document to the next; RAG_GRAPH_RETRIEVAL: the verdict on it is logged
after an ingestion and shown by health."""

import pytest

from people import People
from service import ENGINES, Service
from support_admin_test import SECRET

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
ENV = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_EMBEDDING_BACKEND": "words", "LLM_PROVIDER_PROFILE": "embedded",
       "JWT_SECRET": SECRET}
BY_SIZE = {"RAG_GRAPH_RETRIEVAL": "auto", "RAG_GRAPH_MIN_CHUNKS": "1"}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    env = {**ENV, "RAG_RETRIEVAL_STRATEGY": "graph", "RAG_GRAPH_RETRIEVAL": "auto"}
    with Service("support", env, request.param) as service:
        file = {"file": ("depot.md", b"# Depot\n\nParcels leave the depot at noon.\n")}
        assert service.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
        yield service


@pytest.mark.parametrize("env, verdict, reason", [
    ({"RAG_GRAPH_RETRIEVAL": "on"}, "active", "RAG_GRAPH_RETRIEVAL is on"),
    ({"RAG_GRAPH_RETRIEVAL": "off"}, None, None),
    ({"RAG_GRAPH_RETRIEVAL": "sometimes"}, "inactive", "is none of off, on and auto"),
    ({"RAG_GRAPH_RETRIEVAL": "auto"}, "inactive", "chunks are fewer than RAG_GRAPH_MIN_CHUNKS (20000)"),
    (BY_SIZE, "inactive", "RAG_GRAPH_CROSSDOC_SHARE is not set"),
    ({**BY_SIZE, "RAG_GRAPH_CROSSDOC_SHARE": "0.149"}, "inactive", "0.149"),
    ({**BY_SIZE, "RAG_GRAPH_CROSSDOC_SHARE": "0.15"}, "active", "0.15"),
    ({**BY_SIZE, "RAG_GRAPH_CROSSDOC_SHARE": "0.15", "RAG_GRAPH_MIN_CROSSDOC_SHARE": "0.2"}, "inactive", "0.2"),
])
def test_an_ingestion_logs_the_verdict(support, env, verdict, reason):
    done = support.run("ingest", "--reindex", env=env)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "graph_retrieval" in line]
    assert bool(lines) == (verdict is not None), done.stderr
    assert all(reason in line and (f'"{verdict}"' in line or f"verdict={verdict}" in line) for line in lines), lines


def ask(service, question, headers=HEADERS):
    answer = service.post("/api/ask", {"question": question}, headers=headers).json()
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return answer["answer"], trace["steps"][-1]["state"]["retrieval_strategy"]


def test_health_shows_the_verdict(support):
    part = support.get("/api/health").json()["components"]["graph_retrieval"]
    assert part["status"] == "ok"
    assert "RAG_GRAPH_MIN_CHUNKS (20000); RAG_RETRIEVAL_STRATEGY is graph" in part["detail"]


def test_a_name_leads_to_the_document_that_answers(support):
    people = People(support.stack)
    reader = people.add("hanna", groups=["Sales"], support="viewer").bearer()
    other = people.add("otto", groups=["Personnel"], support="viewer").bearer()
    for name, text, groups in (
            ("drill.md", "# Drill\n\nThe drill TX-40 is supplied by Berger. It weighs two kilograms.\n", None),
            ("berger.md", "# Berger\n\nBerger grants a warranty of four years on everything.\n", "Sales"),
            ("castell.md", "# Castell\n\nCastell grants a warranty of 18 months on everything.\n", None)):
        parts = {"file": (name, text.encode()), **({"groups": (None, groups)} if groups else {})}
        assert support.send("POST", "/api/upload", headers=HEADERS, files=parts).status_code == 200
    question = "What warranty does the supplier of the drill TX-40 grant?"
    followed = ("The drill TX-40 is supplied by Berger [1].", "Berger grants a warranty of four years on everything [2].")
    for headers in (HEADERS, reader):
        answer, strategy = ask(support, question, headers)
        assert all(sentence in answer for sentence in followed) and "Castell" not in answer and strategy == "graph", answer
    answer, strategy = ask(support, question, other)  # who may not read that document
    assert followed[0] in answer and "four years" not in answer and "Castell" not in answer and strategy == "lexical"
    # one document that says it all is not left
    answer, strategy = ask(support, "How much does the drill TX-40 weigh?")
    assert "two kilograms" in answer and "warranty" not in answer and strategy == "lexical"
    # nothing is added where no document says it
    assert ask(support, "What discount does the supplier of the drill TX-40 grant?")[1] == "lexical"
