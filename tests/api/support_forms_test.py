"""The form of answers through the real stack, on both engines: tables, figures, versions, ids and follow-ups, with
citations that exist and every sentence supported."""

import pytest

from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
FILES = {
    "plans.md": "# Mobile plans\n\nAll plans can be cancelled with one month's notice.\n\n"
                "| Plan | Price per month | Data |\n|---|---|---|\n| Plan S | 9.90 EUR | 5 GB |\n"
                "| Plan M | 19.90 EUR | 20 GB |\n| Plan L | 29.90 EUR | 60 GB |\n",
    "tools.md": "# Cordless drills\n\n| Model | Voltage | Weight | Price |\n|---|---|---|---|\n"
                "| XR-300 | 12V | 1.1kg | 89.00 EUR |\n| XR-500 | 18V | 1.6kg | 1,299.00 EUR |\n",
    "travel-2022.md": "# Travel policy 2022\n\nHotels are refunded up to 90 EUR a night.\n",
    "travel-2024.md": "# Travel policy 2024\n\nHotels are refunded up to 120 EUR a night.\n",
    "garantie.md": "# Garantie\n\nDie Garantiezeit beträgt 24 Monate ab Kaufdatum.\n",
    "museum.md": "# Museum tickets\n\nAdults pay 12 EUR for a day ticket. Children from 6 to 14 years pay 5 EUR.\n",
}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false"}, request.param) as service:
        for name, text in FILES.items():
            answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, text.encode())})
            assert answer.json()["status"] == "ok", answer.text
        yield service


def ask(service, question, **members):
    answer = service.post("/api/ask", {"question": question, **members}, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("question, holds, lacks", [
    ("How much does plan M cost?", ["|---|---|---|\n| Plan M | 19.90 EUR | 20 GB [1] |"], ["Plan S", "Plan L"]),
    ("Compare plan S and plan L", ["Plan S", "Plan L"], ["Plan M"]),
    ("Which plans are there and what do they cost?", ["9.90", "19.90", "29.90"], []),
    ("What does the drill with 18 V cost?", ["1,299.00"], ["89.00"]),
    ("Does the XR500 weigh less than 2 kg?", ["Yes [1].", "1.6kg"], ["1.1kg"]),
    ("Ist die Garantie länger als ein Jahr?", ["Ja: Die Garantiezeit beträgt 24 Monate"], []),
    ("Up to which amount are hotels refunded a night?", ["120 EUR", "travel-2022.md [2]"], ["90 EUR"])])
def test_forms(support, question, holds, lacks):
    answer = ask(support, question)
    assert all(part in answer["answer"] for part in holds), answer["answer"]
    assert not any(part in answer["answer"] for part in lacks), answer["answer"]
    assert answer["citations"] and answer["factuality_score"] == 100
    trace = support.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    coverage = next(row for row in trace["evaluations"] if row["evaluator_name"] == "citation_coverage")
    assert coverage["score"] == 1, (coverage, answer["answer"])


def test_an_unknown_model_is_refused_by_its_name(support):
    answer = ask(support, "What does the XR-900 cost?")
    assert "XR-900" in answer["answer"] and answer["citations"] == [] and answer["route"] == "human"


def test_a_chain_of_questions_keeps_its_subject(support):
    first = ask(support, "What does a day ticket cost for adults?")
    assert "12 EUR" in first["answer"]
    for question in ("And for children?", "Thank you!", "And for adults?"):
        answer = ask(support, question, session_id=first["session_id"])
    assert "12 EUR" in answer["answer"]
