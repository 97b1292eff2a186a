"""Documents for some groups, on both engines: what each reader gets at each place where a document or its words are read,
once it is granted and once it is withdrawn."""

import json

import pytest

from people import People
from service import ENGINES, Service, Servers
from support_admin_test import SECRET, token

pytestmark = pytest.mark.both_engines
KEY = "key-of-programs"
ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "HELP_VISITOR_TENANT": "default", "API_KEY": KEY,
       "LLM_CACHE_ENABLED": "true"}
BANDS = "bands.md"
TITLE = "Bands of salaries"
TEXT = "# Salary bands\n\nThe salary band of grade seven begins at 4711 euros.\n"
QUESTION = "Where does the salary band of grade seven begin?"
OPEN = "# Parking\n\nThe parking deck opens at six in the morning.\n"
MEMBERS, OTHERS = ("anna", "hanna", "rita"), ("ben", "otto", "rolf", "stranger", "visitor")
EVERYTHING = ("admin", "program")


class Readers:
    """Who asks: headers by name."""

    def __init__(self, service):
        people = People(service.stack)
        self.headers = {name: people.add(name, groups=groups, support=role).bearer() for name, role, groups in (
            ("anna", "viewer", ["Personnel", "Sales"]), ("ben", "viewer", ["Sales"]), ("hanna", "agent", ["Personnel"]),
            ("otto", "agent", []), ("rita", "reviewer", ["Personnel"]), ("rolf", "reviewer", ["Sales"]),
            ("admin", "admin", []), ("leaver", "viewer", ["Personnel"]))}
        self.headers |= {"stranger": token("agent", subject="stranger"), "program": {"X-API-Key": KEY}, "visitor": {}}

    def __getitem__(self, name):
        return self.headers[name]


@pytest.fixture(scope="module", params=ENGINES)
def service(request):
    with Service("support", ENV, request.param) as service:
        service.readers = Readers(service)
        upload(service, "parking.md", OPEN)
        yield service


@pytest.fixture
def support(service):
    """With the document, for its group."""
    upload(service, BANDS, TEXT, groups="Personnel")
    return service


def upload(service, name, text, who="admin", **parts):
    answer = service.send("POST", "/api/upload", headers=service.readers[who],
                          files={"file": (name, text.encode()), **{key: (None, value) for key, value in parts.items()}})
    return answer


def set_groups(service, groups, name=BANDS):
    answer = service.send("PUT", f"/api/documents/{name}/groups", json={"groups": groups}, headers=service.readers["admin"])
    assert answer.status_code == 200 and answer.json()["groups"] == sorted(groups)


def ask(service, who, question=QUESTION, session=None):
    body = {"question": question, **({"session_id": session} if session else {})}
    answer = service.post("/api/ask", body, headers=service.readers[who])
    assert answer.status_code == 200, answer.text
    return answer.json()


def knows(answer):
    """Whether any part of an answer of the API has the words or the name of the document."""
    text = json.dumps(answer)
    return "4711 euros" in text or BANDS in text or TITLE in text


def get(service, who, path):
    answer = service.get(path, headers=service.readers[who])
    assert answer.status_code in (200, 404), answer.text
    return answer.json()


def places(service, who, asked):
    """What this reader finds at each place that his role opens, after `asked` was answered to a member."""
    session, trace = asked["session_id"], asked["trace_id"]
    paths = {"conversation": f"/api/sessions/{session}/history"} if who in ("anna", "visitor") else {}
    if who in ("hanna", "otto", "rita", "rolf", "stranger", *EVERYTHING):
        paths |= {"conversation": f"/api/sessions/{session}/history", "documents": "/api/documents",
                  "document": f"/api/documents/{BANDS}", "trace": f"/api/admin/traces/{trace}",
                  "search of traces": "/api/admin/traces?q=4711",
                  "search of conversations": "/api/sessions?q=4711",
                  "tickets": "/api/agent/tickets?status=open", "questions": "/api/analytics/questions",
                  "audit": "/api/admin/audit?limit=500"}
        for ticket in get(service, who, "/api/agent/tickets?limit=100")["tickets"]:
            paths[f"ticket {ticket['id']}"] = f"/api/agent/tickets/{ticket['id']}"
    if who in ("rita", "rolf", *EVERYTHING):
        paths |= {"cases": "/api/admin/curated-dataset/cases", "changed": "/api/admin/citations/changed",
                  "recommendations": "/api/admin/recommendations/current"}
        for case in get(service, who, f"/api/admin/review-queue?status=*&trace_id={trace}")["items"]:
            paths["review"] = f"/api/admin/review-queue/{case['id']}"
    found = {place: get(service, who, path) for place, path in paths.items()}
    return {place: knows(answer) or (place.startswith("search") and count(answer) > 0) for place, answer in found.items()}


def count(answer):
    return len(answer) if isinstance(answer, list) else answer["total"]


@pytest.mark.parametrize("first", ["anna", "ben", "visitor", "admin"])
def test_each_reader_is_answered_from_his_documents(support, first):
    """Whoever asks first fills the cache of answers."""
    question = f"{QUESTION} {first}?"
    for who in (first, *MEMBERS, *OTHERS, *EVERYTHING):
        answer = ask(support, who, question)
        assert knows(answer) == (who in MEMBERS + EVERYTHING), (who, answer)
        assert "six in the morning" in ask(support, who, "When does the parking deck open?")["answer"]
    set_groups(support, ["Board"])
    for who in MEMBERS + OTHERS:
        assert not knows(ask(support, who, question)), who
    assert knows(ask(support, "admin", question))
    set_groups(support, [])
    for who in MEMBERS + OTHERS:
        assert knows(ask(support, who, question)), who


def test_every_place_after_grant_and_withdrawal(support):
    asked = ask(support, "anna")
    assert knows(asked)
    trace = asked["trace_id"]
    assert support.post("/api/admin/review-queue", {"trace_id": trace}, headers=support.readers["admin"]).status_code == 201
    [[draft]] = support.sql(f"SELECT answer FROM traces WHERE trace_id = '{trace}'")
    support.sql("INSERT INTO escalated_tickets (id, tenant_id, session_id, trace_id, user_question, ai_draft, status, created_at)"
                " SELECT '11111111-2222-4333-8444-555555555555', 'default', 's', '" + trace + "', 'q', '" + draft.replace("'", "''") +
                "', 'open', '2026-01-01T00:00:00.000000+00:00' WHERE NOT EXISTS (SELECT 1 FROM escalated_tickets WHERE"
                " id = '11111111-2222-4333-8444-555555555555')")
    support.sql("UPDATE escalated_tickets SET trace_id = '" + trace + "' WHERE session_id = 's'")
    case = {"case_id": "bands", "tenant_id": "default", "input": {"query": "q", "channel": "web"}, "human_verdict": "good",
            "expected": {"answer_contains": ["4711 euros"]}, "source_trace_id": trace}
    folder = support.stack.directory / "data" / "support" / "evaluation"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "curated_cases.jsonl").write_text(json.dumps(case) + "\n")
    support.sql("UPDATE kb_documents SET title = '" + TITLE + "', last_updated = '2020-01-01T00:00:00.000000+00:00'"
                " WHERE doc_id = '" + BANDS + "'")
    support.sql("UPDATE document_stats SET citation_count = 50 WHERE doc_id = '" + BANDS + "'")
    support.sql("UPDATE cited_spans SET changed_at = '2026-01-01T00:00:00.000000+00:00' WHERE trace_id = '" + trace + "'")
    for who in ("anna", "hanna", "rita", *EVERYTHING):
        seen = places(support, who, asked)
        assert seen and all(shown for place, shown in seen.items() if place not in ("questions",) and "ticket" not in place), (who, seen)
        assert who == "anna" or any(shown for place, shown in seen.items() if place.startswith("ticket")), (who, seen)
        if who in ("rita", *EVERYTHING):
            assert {"review", "cases", "changed", "recommendations"} <= set(seen), (who, seen)
    for who in ("otto", "rolf", "stranger"):
        seen = places(support, who, asked)
        assert seen and not any(seen.values()), (who, seen)
    set_groups(support, ["Board"])
    for who in ("anna", "hanna", "otto", "rita", "rolf", "stranger"):
        seen = places(support, who, asked)
        assert seen and not any(seen.values()), (who, seen)
    for who in EVERYTHING:
        assert all(places(support, who, asked)[place] for place in ("document", "trace", "review", "cases"))
    history = get(support, "anna", f"/api/sessions/{asked['session_id']}/history")["messages"]
    assert [one["withheld"] for one in history] == [False, True] and history[1]["content"] == "" and not history[1]["answer"]
    assert get(support, "otto", f"/api/admin/traces/{trace}")["withheld"] is True
    entries = get(support, "otto", "/api/admin/audit?limit=500")["entries"]
    assert {entry["action"] for entry in entries if entry["resource"] == "document:"} >= {"upload", "document_groups"}
    assert "Board" not in json.dumps(entries) and "document:parking.md" in json.dumps(entries)
    support.sql("UPDATE messages SET answer = '{\"citations\": []}' WHERE trace_id = '" + trace + "'")  # as of a refusal
    for who in ("anna", "otto", "rolf"):
        assert not places(support, who, asked)["conversation"]
    for statement in (f"DELETE FROM trace_docs WHERE trace_id = '{trace}'", f"DELETE FROM trace_steps WHERE trace_id = '{trace}'",
                      f"DELETE FROM trace_evaluations WHERE trace_id = '{trace}'", f"DELETE FROM traces WHERE trace_id = '{trace}'",
                      f"UPDATE messages SET answer = NULL WHERE trace_id = '{trace}'"):
        support.sql(statement)  # purged, and of a version that did not keep the citations
    for who in ("anna", "otto", "rolf"):
        seen = places(support, who, asked)
        assert seen and not any(seen.values()), (who, seen)


def test_a_follow_up_question_does_not_bring_it_back(support):
    asked = ask(support, "anna")
    set_groups(support, ["Board"])
    assert not knows(ask(support, "anna", "And where does it begin?", asked["session_id"]))


def test_a_trace_says_nothing_of_earlier_answers(support):
    session = ask(support, "anna")["session_id"]
    for question in ("When does the parking deck open?", "Thanks!"):
        asked = ask(support, "anna", question, session)
        trace = {who: get(support, who, f"/api/admin/traces/{asked['trace_id']}") for who in ("otto", "hanna", "admin")}
        assert trace["otto"]["withheld"] is False and trace["otto"]["steps"] and trace["otto"]["answer"]
        assert not knows(trace["otto"]) and knows(trace["hanna"]) and knows(trace["admin"])


def test_a_document_that_was_found_but_is_not_cited(support):
    """Others fill the list of what a trace shows and what an answer cites."""
    names = [f"kiln-{number}.md" for number in range(6)]
    for number, name in enumerate(names):
        upload(support, name, f"# Kilns\n\nKiln {number} of the workshop is heated to {900 + number} degrees before noon.\n")
    upload(support, "annex.md", "# The kiln of the secret annex\n\nA kiln of the workshop is kept in the annex.\n", groups="Personnel")
    asked = ask(support, "anna", "To how many degrees is a kiln of the workshop heated before noon?")
    trace = asked["trace_id"]
    used = {doc_id for [doc_id] in support.sql(f"SELECT doc_id FROM trace_used_docs WHERE trace_id = '{trace}'")}
    shown = {doc_id for [doc_id] in support.sql(f"SELECT doc_id FROM trace_docs WHERE trace_id = '{trace}'")}
    assert "annex.md" in used and shown < used and "annex.md" not in shown, (used, shown)
    assert "annex.md" not in {citation["doc_id"] for citation in asked["citations"]}
    assert not any("secret annex" in question for question in asked["suggested_questions"])
    again = ask(support, "anna", "To how many degrees is a kiln of the workshop heated before noon?")
    for one in (asked, again):  # from the documents, and from the cache
        read = {who: get(support, who, f"/api/admin/traces/{one['trace_id']}") for who in ("otto", "hanna", "admin")}
        assert {who: trace["withheld"] for who, trace in read.items()} == {"otto": True, "hanna": False, "admin": False}
        assert not read["otto"]["steps"] and read["hanna"]["steps"]
    for name in (*names, "annex.md"):
        assert support.send("DELETE", f"/api/documents/{name}", headers=support.readers["admin"]).status_code == 200


def test_who_leaves_a_group_reads_it_no_more(support):
    asked = ask(support, "leaver")
    assert knows(asked)
    done = support.stack.run("run", "account", "groups", "leaver", "none")
    assert done.returncode == 0, done.stderr
    assert not knows(ask(support, "leaver"))
    assert not knows(get(support, "leaver", f"/api/sessions/{asked['session_id']}/history"))


def test_a_deleted_document_stays_withheld_and_so_does_its_successor(support):
    asked = ask(support, "anna")
    assert support.send("DELETE", f"/api/documents/{BANDS}", headers=support.readers["admin"]).status_code == 200
    assert not any(places(support, "otto", asked).values())
    upload(support, BANDS, TEXT)
    assert not knows(ask(support, "ben")) and knows(ask(support, "anna"))


def test_uploads_for_groups(support):
    refused = upload(support, BANDS, "# Mine now", "otto")
    assert refused.status_code == 409 and not knows(ask(support, "otto"))
    made = upload(support, "plans.md", "# Plans\n\nThe secret plan is called Kestrel.\n", "hanna", groups="Personnel, Board")
    assert made.status_code == 200, made.text
    question = "What is the secret plan called?"
    assert "Kestrel" in ask(support, "anna", question)["answer"] and "Kestrel" not in json.dumps(ask(support, "ben", question))
    assert upload(support, "plans.md", "# Plans\n\nIt is called Heron.\n", "hanna", groups="none").status_code == 403
    entry = get(support, "hanna", "/api/documents/plans.md")["document"]
    assert entry["groups"] == ["Board", "Personnel"] and entry["version"] == 1
    choice = get(support, "admin", "/api/documents/plans.md/groups")
    names = choice["known"]
    assert choice["groups"] == entry["groups"]
    assert names == sorted(set(names)) and {"Board", "Personnel", "Sales"} <= set(names)
    for wrong in (["a,b"], [" "], ["x" * 65]):
        answer = support.send("PUT", f"/api/documents/{BANDS}/groups", json={"groups": wrong}, headers=support.readers["admin"])
        assert answer.status_code == 400, answer.text
    for who in ("hanna", "rita"):
        answer = support.send("PUT", f"/api/documents/{BANDS}/groups", json={"groups": []}, headers=support.readers[who])
        assert answer.status_code == 403


def test_a_merged_or_rebuilt_index_keeps_what_one_reader_may_not_read(support):
    """The index of such a reader is a view: it must not be written back without the document."""
    ask(support, "ben")
    segments = [*(support.stack.directory / "data").rglob("index/default/*.seg")]
    assert segments
    for file in segments:
        file.unlink()
    upload(support, "lamp.md", "# Lamp\n\nThe lamp in the hall is green.\n")
    for who in ("ben", "anna", "ben", "otto", "anna"):
        assert knows(ask(support, who, f"{QUESTION} again?")) == (who == "anna"), who


def test_a_withdrawal_on_one_host_holds_on_the_other():
    env = {**ENV, "DATABASE_URL": Servers.new_database()}
    with Service("support", env) as near, Service("support", env) as far:
        near.env = far.env = env
        near.readers, far.readers = Readers(near), Readers(far)
        upload(near, BANDS, TEXT, groups="Personnel")
        asked = ask(far, "anna")
        assert knows(asked) and not knows(ask(far, "ben"))
        set_groups(near, ["Board"])
        assert not knows(ask(far, "anna"))
        assert not knows(get(far, "anna", f"/api/sessions/{asked['session_id']}/history"))
        assert get(far, "hanna", f"/api/admin/traces/{asked['trace_id']}")["withheld"] is True
