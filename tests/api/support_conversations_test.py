"""Conversations of customers, on both engines: their own are theirs, a reply of the support team reaches them, visitors
have what they know the id of; and the inbox in which the team works."""

import json
import threading
import time

import pytest
import requests

from people import People
from service import ENGINES, Service
from support_admin_test import DOCUMENT, SECRET, token

pytestmark = pytest.mark.both_engines
QUESTION = "How long can goods be returned?"
NOBODY_KNOWS = "Which colours of paint do you sell?"


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    env = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "HELP_VISITOR_TENANT": "default",
           "WIDGET_ALLOWED_ORIGINS": "https://shop.example"}
    with Service("support", env, request.param) as service:
        answer = service.send("POST", "/api/upload", headers=token("agent"), files={"file": ("returns.md", DOCUMENT.encode())})
        assert answer.status_code == 200, answer.text
        yield service


def history(service, session, who):
    answer = service.get(f"/api/sessions/{session}/history", headers=who)
    return answer.json() if answer.status_code == 200 else answer.status_code


def tickets(service, query="", who=None):
    return service.get(f"/api/agent/tickets?{query}", headers=who or token("agent")).json()


class Reader(threading.Thread):
    """An open page: collects the events of a stream."""

    def __init__(self, service, path, headers):
        super().__init__(daemon=True)
        self.stream = requests.get(service.url + path, headers=headers, stream=True, timeout=20)
        self.status, self.events, self.arrived = self.stream.status_code, [], threading.Event()
        self.start()

    def run(self):
        try:
            for line in self.stream.iter_lines(decode_unicode=True, chunk_size=1):
                if line.startswith("data: "):
                    self.events.append(json.loads(line[6:]))
                    self.arrived.set()
        except (requests.RequestException, AttributeError):  # closed meanwhile
            pass

    def close(self):
        self.stream.close()


def test_a_conversation_opened_again_has_sources_confidence_and_vote(support):
    anna = token("viewer", subject="anna")
    answer = support.post("/api/ask", {"question": QUESTION}, headers=anna).json()
    vote = {"trace_id": answer["trace_id"], "session_id": answer["session_id"], "rating": "up"}
    assert support.post("/api/feedback", vote, headers=anna).status_code == 204
    asked, shown = history(support, answer["session_id"], anna)["messages"]
    assert (asked["role"], asked["answer"], asked["vote"]) == ("user", None, None)
    assert shown["answer"] == answer and shown["vote"] == "up" and not shown["from_person"]
    assert shown["answer"]["sources"][0]["source"] == "returns.md"


def test_a_reply_arrives_on_the_open_page_and_is_unread_until_it_was_seen(support):
    anna, ben, carla = token("viewer", subject="anna"), token("viewer", subject="ben"), token("agent", subject="carla")
    session = support.post("/api/ask", {"question": NOBODY_KNOWS}, headers=anna).json()["session_id"]
    assert history(support, session, anna)["waits_for_person"] is True
    page, inbox = (Reader(support, path, who) for path, who in (
        (f"/api/sessions/{session}/events", anna), ("/api/agent/events", carla)))
    assert page.status == inbox.status == 200
    assert support.get(f"/api/sessions/{session}/events", headers=ben).status_code == 404
    assert support.get("/api/agent/events", headers=anna).status_code == 403
    ticket = next(row for row in tickets(support)["tickets"] if row["session_id"] == session)
    replied = time.monotonic()
    support.post(f"/api/agent/tickets/{ticket['id']}/respond", {"response": "Only white."}, headers=carla)
    assert page.arrived.wait(5) and inbox.arrived.wait(5)
    assert time.monotonic() - replied < 3
    assert page.events[0] == {"session_id": session, "ticket_id": ticket["id"], "kind": "reply"}
    page.close(), inbox.close()

    def unread():
        return [row["unread"] for row in support.get("/api/sessions", headers=anna).json() if row["session_id"] == session]

    assert unread() == [1]
    reply = history(support, session, anna)["messages"][-1]
    assert (reply["content"], reply["from_person"], reply["author"]) == ("Only white.", True, None)
    assert history(support, session, carla)["messages"][-1]["author"] == "carla"
    assert support.post(f"/api/sessions/{session}/read", {}, headers=carla).status_code == 204
    assert unread() == [1], "the customer has not read it"
    assert support.post(f"/api/sessions/{session}/read", {}, headers=ben).status_code == 404
    assert support.post(f"/api/sessions/{session}/read", {}, headers=anna).status_code == 204
    assert unread() == [0] and history(support, session, anna)["waits_for_person"] is False


def test_a_reply_that_came_while_the_page_was_away_is_sent_when_it_is_back(support):
    anna = token("viewer", subject="anna")
    session = support.post("/api/ask", {"question": NOBODY_KNOWS}, headers=anna).json()["session_id"]
    ticket = next(row for row in tickets(support)["tickets"] if row["session_id"] == session)
    last = support.sql("SELECT seq FROM conversation_event_counter")[0][0]
    for text in ("White.", "And black."):
        support.post(f"/api/agent/tickets/{ticket['id']}/respond", {"response": text}, headers=token("agent"))
    time.sleep(0.5)
    page = Reader(support, f"/api/sessions/{session}/events", {**anna, "Last-Event-ID": str(last)})
    assert page.arrived.wait(5)
    time.sleep(0.3)
    assert [event["kind"] for event in page.events] == ["reply", "reply"]
    page.close()


def test_who_asks_for_a_person_first_has_a_conversation_with_the_reply(support):
    anna = token("viewer", subject="anna")
    assert support.post("/api/escalate", {"session_id": "just-a-person", "question": "Call me back", "comment": "After six, please."},
                        headers=anna).status_code == 200
    ticket = next(row for row in tickets(support)["tickets"] if row["session_id"] == "just-a-person")
    support.post(f"/api/agent/tickets/{ticket['id']}/respond", {"response": "We will."}, headers=token("agent", subject="carla"))
    assert [message["content"] for message in history(support, "just-a-person", anna)["messages"]] == [
        "Call me back", "After six, please.", "We will."]
    assert history(support, "just-a-person", token("viewer", subject="ben")) == 404


def test_visitors_have_what_they_know_the_id_of(support):
    answer = support.post("/api/ask", {"question": QUESTION, "session_id": "guess-me"}).json()
    session = answer["session_id"]
    assert session != "guess-me" and len(session) == 32 and answer["route"] == "auto"
    assert len(history(support, session, {})["messages"]) == 2
    assert support.post("/api/ask", {"question": NOBODY_KNOWS, "session_id": session}).json()["session_id"] == session
    page = Reader(support, f"/api/sessions/{session}/events", {})
    ticket = next(row for row in tickets(support)["tickets"] if row["session_id"] == session)
    support.post(f"/api/agent/tickets/{ticket['id']}/respond", {"response": "Only white."}, headers=token("agent"))
    assert page.status == 200 and page.arrived.wait(5)
    page.close()
    assert support.post(f"/api/sessions/{session}/read", {}).status_code == 204
    vote = {"trace_id": answer["trace_id"], "session_id": session, "rating": "up"}
    assert support.post("/api/feedback", vote).status_code == 204
    assert history(support, session, token("viewer", subject="anna")) == 404
    assert support.sql(f"SELECT channel FROM traces WHERE session_id = '{session}' LIMIT 1") == [["widget"]]


@pytest.mark.parametrize("method, path", [
    ("GET", "/api/sessions"), ("DELETE", "/api/sessions/x"), ("GET", "/api/agent/tickets"), ("GET", "/api/documents"),
    ("GET", "/api/admin/traces"), ("GET", "/api/agent/events")])
def test_visitors_have_nothing_else(support, method, path):
    assert support.send(method, path).status_code == 401


def test_visitors_do_not_reach_the_conversations_of_others(support):
    anna = token("viewer", subject="anna")
    session = support.post("/api/ask", {"question": QUESTION}, headers=anna).json()["session_id"]
    assert history(support, session, {}) == 404
    for path, body in (("/api/ask", {"question": QUESTION, "session_id": session}),
                       ("/api/escalate", {"session_id": session}), ("/api/escalate", {"session_id": "short"}),
                       ("/api/feedback", {"trace_id": "t", "session_id": session, "rating": "up"})):
        assert support.post(path, body).status_code == 404, path
    assert support.get(f"/api/sessions/{session}/events").status_code == 404
    assert support.post("/api/ask", {"question": QUESTION}, headers={"X-API-Key": "wrong"}).status_code in (401, 403)
    assert support.post("/api/ask", {"question": QUESTION}, headers={"Authorization": "Bearer x"}).status_code == 401


def test_a_ticket_is_assigned_found_and_counted(support):
    carla, dan = token("agent", "inbox", "carla"), token("agent", "inbox", "dan")
    for number in range(5):
        support.post("/api/escalate", {"session_id": f"s{number}", "question": f"Wish number {number} of ÄPFEL"},
                     headers=token("viewer", "inbox", f"customer{number}"))
    assert tickets(support, "", carla)["total"] == 5
    first, second = (row["id"] for row in tickets(support, "limit=2", carla)["tickets"])
    assert len(tickets(support, "limit=2&offset=4", carla)["tickets"]) == 1

    def assign(ticket, name, who=carla):
        return support.post(f"/api/agent/tickets/{ticket}/assign", {"assignee": name}, headers=who)

    people = People(support.stack)
    people.add("dan", "inbox", support="agent")
    people.add("vera", "inbox", support="viewer")
    people.add("dora", support="agent")
    people.add("otto", "inbox", support="agent")
    people.switch_off("otto")
    assert assign(first, "me").json()["ticket"]["assignee"] == "carla"
    for name in ("nobody-of-this-name", "vera", "dora", "otto", "(visitor)"):
        refused = assign(second, name)
        assert refused.status_code == 422 and refused.json()["detail"][0]["loc"] == ["body", "assignee"], refused.text
    assert assign(second, "carla", dan).json()["ticket"]["assignee"] == "carla", "has had a ticket"
    assert assign(second, "dan").json()["ticket"]["assignee"] == "dan"
    assert assign(second, "me", token("agent")).status_code == 404, "another tenant's"
    counts = support.get("/api/agent/tickets/counts", headers=carla).json()
    assert counts == {"waiting": 5, "unassigned": 3, "mine": 1, "caller": "carla"}
    people = support.get("/api/agent/people", headers=carla).json()["people"]
    assert [person["name"] for person in people] == ["carla", "dan"]
    assert [row["id"] for row in tickets(support, "assignee=me", dan)["tickets"]] == [second]
    assert tickets(support, "assignee=none", dan)["total"] == 3
    assert tickets(support, "q=wish+number+3", dan)["total"] == 1
    assert tickets(support, "q=%25", dan)["total"] == 0, "no wildcard"
    assert assign(second, None).json()["ticket"]["assignee"] is None
    done = support.post(f"/api/agent/tickets/{second}/respond", {"response": "Granted"}, headers=dan).json()["ticket"]
    assert (done["status"], done["assignee"]) == ("resolved", "dan")
    assert tickets(support, "status=resolved&q=Granted", dan)["total"] == 1
    counts = support.get("/api/agent/tickets/counts", headers=carla).json()
    assert (counts["waiting"], counts["unassigned"], counts["mine"]) == (4, 3, 1)


def test_one_own_conversations_are_listed_apart_for_agents_too(support):
    carla = token("agent", "own", "carla")
    for who, session in ((carla, "of-carla"), (token("viewer", "own", "anna"), "of-anna")):
        support.post("/api/escalate", {"session_id": session, "question": "Hello?"}, headers=who)
    assert len(support.get("/api/sessions", headers=carla).json()) == 2
    assert [row["session_id"] for row in support.get("/api/sessions?mine=true", headers=carla).json()] == ["of-carla"]


def test_conversations_are_searched(support):
    anna = token("viewer", "search", "anna")
    support.post("/api/escalate", {"session_id": "one", "question": "Where is my Parcel?"}, headers=anna)
    support.post("/api/escalate", {"session_id": "two", "question": "A refund, please"}, headers=anna)
    found = support.get("/api/sessions?q=parcel", headers=anna).json()
    assert [row["session_id"] for row in found] == ["one"]
    assert support.get("/api/sessions?q=parcel", headers=token("viewer", "search", "ben")).json() == []
    assert [row["started_by"] for row in support.get("/api/sessions", headers=token("agent", "search")).json()] == ["anna", "anna"]


def test_an_answer_that_is_voted_down_is_in_review_at_once(support):
    anna, reviewer = token("viewer", "voting", "anna"), token("reviewer", "voting", "rita")
    support.send("POST", "/api/upload", headers=token("agent", "voting"), files={"file": ("returns.md", DOCUMENT.encode())})

    def cases():
        return [(row["trace_id"], row["reason"], row["status"]) for row in
                support.get("/api/admin/review-queue?status=*", headers=reviewer).json()["items"]]

    answer = support.post("/api/ask", {"question": QUESTION}, headers=anna).json()
    vote = {"trace_id": answer["trace_id"], "session_id": answer["session_id"]}
    support.post("/api/feedback", {**vote, "rating": "up"}, headers=anna)
    support.post("/api/feedback", {"trace_id": "unknown", "session_id": "s", "rating": "down"}, headers=anna)
    assert cases() == []
    for _ in range(2):
        assert support.post("/api/feedback", {**vote, "rating": "down"}, headers=anna).status_code == 204
    assert cases() == [(answer["trace_id"], "thumbs_down", "pending")]
    case = support.get("/api/admin/review-queue", headers=reviewer).json()["items"][0]["id"]
    support.post(f"/api/admin/review-queue/{case}", {"status": "dismissed"}, headers=reviewer)
    support.post("/api/feedback", {**vote, "rating": "down", "reason": "again"}, headers=anna)
    assert cases() == [(answer["trace_id"], "thumbs_down", "dismissed")], "a verdict stays"
    assert support.post("/api/admin/review-queue", {"trace_id": answer["trace_id"]}, headers=reviewer).status_code == 409


def test_only_who_asked_votes_on_an_answer(support):
    anna, ben, agent = token("viewer", subject="anna"), token("viewer", subject="ben"), token("agent", subject="gil")
    answer = support.post("/api/ask", {"question": QUESTION}, headers=anna).json()
    down = {"trace_id": answer["trace_id"], "session_id": "of-ben", "rating": "down"}

    def votes():
        return [row["rating"] for row in
                support.get(f"/api/admin/traces/{answer['trace_id']}", headers=agent).json()["feedback"]]

    refused = support.post("/api/feedback", down, headers=ben)
    assert (refused.status_code, refused.json()["detail"]) == (404, "trace not found")
    visitor = support.post("/api/ask", {"question": QUESTION}).json()
    other = support.post("/api/ask", {"question": QUESTION}).json()
    for vote in ({**down, "session_id": visitor["session_id"]},
                 {**down, "trace_id": other["trace_id"], "session_id": visitor["session_id"]}):
        assert support.post("/api/feedback", vote).status_code == 404
    assert support.post("/api/feedback", {**down, "trace_id": visitor["trace_id"]}, headers=anna).status_code == 404
    assert votes() == []
    assert all(row["trace_id"] != answer["trace_id"] for row in
               support.get("/api/admin/review-queue?status=*&limit=100", headers=token("reviewer")).json()["items"])
    assert support.post("/api/feedback", {**down, "trace_id": "nobody-knows"}, headers=ben).status_code == 204
    assert support.post("/api/feedback", {**down, "session_id": answer["session_id"], "rating": "up"},
                        headers=anna).status_code == 204
    assert votes() == ["up"]
    assert support.post("/api/feedback", down, headers=agent).status_code == 204
    assert sorted(votes()) == ["down", "up"]


FAQ = """# Orders and delivery

## How long does delivery take?

Delivery takes three working days.

## Can I cancel an order?

An order can be cancelled until delivery starts, which takes one working day.

Delivery costs nothing if:
- the order is above 60 dollars;
- the address is in town.
"""


def test_related_questions_are_whole_questions(support):
    anna = token("viewer", "faq", "anna")
    support.send("POST", "/api/upload", headers=token("agent", "faq"), files={"file": ("faq.md", FAQ.encode())})
    answer = support.post("/api/ask", {"question": "How many working days does delivery take?"}, headers=anna).json()
    assert "three working days" in answer["answer"]
    assert "Can I cancel an order?" in answer["suggested_questions"]
    assert all(question.endswith("?") and "Delivery costs nothing" not in question
               for question in answer["suggested_questions"])


def test_questions_are_counted_by_what_became_of_them(support):
    anna, agent = token("viewer", "counted", "anna"), token("agent", "counted", "gil")
    support.send("POST", "/api/upload", headers=agent, files={"file": ("returns.md", DOCUMENT.encode())})
    answers = [support.post("/api/ask", {"question": text}, headers=anna).json()
               for text in (QUESTION, QUESTION.upper(), NOBODY_KNOWS)]
    support.post("/api/feedback", {"trace_id": answers[0]["trace_id"], "session_id": answers[0]["session_id"],
                                   "rating": "down"}, headers=anna)

    def counted(kind, query=""):
        reply = support.get(f"/api/analytics/questions{query}", headers=agent).json()
        return [(row["question"].lower(), row["count"], row["trace_id"]) for row in reply[kind]]

    assert counted("asked")[0] == (QUESTION.lower(), 2, answers[1]["trace_id"]), "case does not count, the newest is shown"
    assert counted("unanswered") == [(NOBODY_KNOWS.lower(), 1, answers[2]["trace_id"])]
    assert counted("disliked") == [(QUESTION.lower(), 1, answers[0]["trace_id"])]
    assert len(counted("asked", "?limit=1")) == 1
    assert support.get("/api/analytics/questions?limit=0", headers=agent).status_code == 422
    assert support.get("/api/analytics/questions", headers=anna).status_code == 403
    reviewer = token("reviewer", "counted", "rita")
    for query, found in ((f"trace_id={answers[0]['trace_id']}", 1), (f"trace_id={answers[2]['trace_id']}", 0),
                         (f"q={QUESTION[:12].upper()}", 1), ("q=100%25", 0)):
        items = support.get(f"/api/admin/review-queue?status=*&{query}", headers=reviewer).json()["items"]
        assert len(items) == found, query
    # what was answered later is no longer among the unanswered ones
    support.sql(f"UPDATE traces SET started_at = '2999-01-01T00:00:00.000000Z', question = '{NOBODY_KNOWS.upper()}'"
                f" WHERE trace_id = '{answers[1]['trace_id']}'")
    assert counted("unanswered") == []


def test_settings_of_an_experiment_are_described_with_their_ranges(support):
    settings = {row["name"]: row for row in support.get("/api/admin/experiments/settings", headers=token("admin")).json()["settings"]}
    top = settings["rerank_top_k"]
    assert top["type"] == "integer" and top["minimum"] >= 1 and top["maximum"] >= top["value"] and top["reach"] == "at_once"
    assert settings["hyde"]["type"] == "boolean" and settings["hyde"]["value"] is False
    assert settings["fact_verify_reliability_level"]["choices"] == ["quick", "standard", "high", "maximum"]
    assert "retrieval_strategy" not in settings, "no experiment changes it"
