"""The main job of the support service through the real stack, on both engines: a document goes in, a
question comes out answered with sources, citations and a trace."""

import json

import pytest

from wait import wait_for
from pdf import simple_pdf
from service import ENGINES, Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
WARRANTY = ("# Warranty\n\nThe warranty period is 24 months from the day of purchase.\n\n"
            "The warranty does not cover:\n- mechanical damage;\n- liquids inside.\n\n"
            "# Errors\n\nE42 means that the lid is open. Close the lid.\n")


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false"}, request.param) as service:
        answer = upload(service, "warranty.md", WARRANTY)
        assert answer.status_code == 200, answer.text
        assert answer.json()["status"] == "ok"
        yield service


def upload(service, name, content, headers=HEADERS):
    if isinstance(content, str):
        content = content.encode()
    return service.send("POST", "/api/upload", headers=headers, files={"file": (name, content)})


def ask(service, question, headers=HEADERS, **members):
    return service.post("/api/ask", {"question": question, **members}, headers=headers)


def test_an_answer_has_sources_citations_and_a_trace(support):
    answer = ask(support, "How long is the warranty?").json()
    assert "24 months" in answer["answer"] and "[1]" in answer["answer"]
    assert answer["route"] == "auto" and answer["quality_score"] >= 80
    assert answer["sources"][0]["source"] == "warranty.md"
    assert "24 months" in answer["citations"][0]["excerpt"]
    assert answer["citations"][0]["index"] == 1 and answer["factuality_score"] == 100
    assert len(answer["session_id"]) == 32 and len(answer["trace_id"]) == 32
    assert answer["language"] == "en" and answer["cached"] is False


def test_what_no_document_knows_is_refused(support):
    answer = ask(support, "Can I pay with a gift card?").json()
    assert answer["sources"] == [] and answer["citations"] == []
    assert answer["route"] == "human" and answer["quality_score"] <= 40
    assert "cannot be answered" in answer["answer"] and "contact" in answer["answer"]
    missing = ask(support, "What does error E77 mean?").json()
    assert "e77" in missing["answer"].lower()


def test_wrapped_chinese_text_is_answered_at_once(support):
    text = "产品保\n修期为购买之日起二十四个月，超过保修期后需要付费维修。\n"
    assert upload(support, "保修.txt", text).json()["status"] == "ok"
    answer = ask(support, "产品保修期").json()
    assert "二十四个月" in answer["answer"] and answer["citations"][0]["excerpt"] == text.strip()


def test_a_code_is_found_exactly(support):
    answer = ask(support, "What does E42 mean?").json()
    assert "lid is open" in answer["answer"] and answer["route"] == "auto"


def test_a_question_that_follows_takes_over_the_one_before(support):
    first = ask(support, "What does the warranty not cover?").json()
    again = ask(support, "And how long is it?", session_id=first["session_id"]).json()
    assert again["session_id"] == first["session_id"]
    assert "24 months" in again["answer"]


def test_asking_twice_gives_the_same_answer_under_another_trace(support):
    headers = {**HEADERS, "X-Request-Id": "the-same"}
    one, two = (ask(support, "What does E42 mean?", headers) for _ in range(2))
    assert one.headers["X-Request-Id"] == two.headers["X-Request-Id"] == "the-same"
    one, two = one.json(), two.json()
    assert one["answer"] == two["answer"] and one["quality_score"] == two["quality_score"]
    assert one["trace_id"] != two["trace_id"]


def test_a_stream_says_what_the_plain_answer_says(support):
    question = {"question": "How long is the warranty?"}
    plain = support.post("/api/ask", question, headers=HEADERS).json()
    stream = support.post("/api/ask/stream", question, headers=HEADERS)
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    frames = [json.loads(line[6:]) for line in stream.text.splitlines() if line.startswith("data: ")]
    assert [frames[0]["type"], frames[1]["type"]] == ["status", "token_start"]
    tokens = "".join(frame["token"] for frame in frames if frame["type"] == "token")
    result = frames[-1]
    assert result["type"] == "result" and tokens == result["answer"]
    for member in ("answer", "route", "quality_score", "citations", "sources", "language"):
        assert result[member] == plain[member]


@pytest.mark.parametrize("body, status", [
    ({"question": "  \n "}, 400), ({"question": ""}, 422), ({}, 422), ({"question": "x" * 2001}, 422),
    ({"question": "x", "session_id": "y" * 101}, 422), ({"question": "x", "tenant_id": "a b"}, 422)])
def test_what_is_no_question_is_told(support, body, status):
    answer = support.post("/api/ask", body, headers=HEADERS)
    assert answer.status_code == status, answer.text
    assert answer.json()["request_id"]


def test_credentials_come_before_the_body(support):
    assert support.post("/api/ask", {}).status_code == 401
    assert support.post("/api/ask", {}, headers={"X-API-Key": "wrong"}).status_code == 403


@pytest.mark.parametrize("name, content, detail", [
    (".hidden.txt", b"text", "Invalid filename"),
    ("a.exe", b"MZ", "Unsupported file type: .exe. Allowed: .csv, .docx, .eml, .epub, .htm, .html, .jpeg,"
     " .jpg, .json, .md, .odp, .ods, .odt, .pdf, .png, .pptx, .tif, .tiff, .txt, .webp, .xlsx"),
    ("a.pdf", b"no pdf", "Unsupported file content"),
    ("a.txt", b"a\0b", "Unsupported file content"),
    ("a.docx", b"PK\x03\x04 nothing of the kind", "Unsupported file content")])
def test_files_of_another_kind_are_refused(support, name, content, detail):
    answer = upload(support, name, content)
    assert answer.status_code == 400 and answer.json()["detail"] == detail


def test_names_lose_what_is_dangerous(support):
    assert upload(support, "../../escape.txt", "Escaping text.").json()["filename"] == "escape.txt"
    assert upload(support, "my file (1).txt", "Another.").json()["filename"] == "my_file__1_.txt"


def test_two_names_stay_two_documents(support):
    names = ["lot a.md", "lot_a.md", "lot?a.md", "dir/lot a.md"]
    texts = [f"# Lot\n\nThe guard of this lot is number 77{number}.\n" for number in range(4)]
    answers = [upload(support, name, text).json() for name, text in zip(names, texts)]
    assert [answer["doc_id"] for answer in answers] == ["lot_a.md", "lot_a-2.md", "lot_a-3.md", "lot_a.md"]
    assert [(answer["version"], answer["replaced"]) for answer in answers] == [(1, False)] * 3 + [(2, True)]
    again = upload(support, "lot_a.md", texts[1]).json()
    assert (again["doc_id"], again["filename"], again["deduplicated"], again["replaced"]) == \
        ("lot_a-2.md", "lot_a-2.md", True, False)
    found = {ask(support, f"Which guard is number 77{number}?").json()["sources"][0]["source"] for number in (1, 2, 3)}
    assert found == {"lot_a-2.md", "lot_a-3.md", "lot_a.md"}
    assert support.send("DELETE", "/api/documents/lot_a.md", headers=HEADERS).status_code == 200
    assert upload(support, "lot:a.md", texts[0]).json()["doc_id"] == "lot_a.md"  # the name is free
    long = "n" * 200 + "\u8a9e" * 17
    ids = {upload(support, f"{long}{end}.md", "# L\n\nLong.\n").json()["doc_id"] for end in "?:"}
    assert len(ids) == 2 and all(len(one.encode()) <= 255 and one.endswith(".md") for one in ids)


def test_a_task_says_that_it_replaced(support):
    pages = [f"<p>The night guard is number {number}." for number in (881, 882, 882)]
    finish(support, upload(support, "guards.html", pages[0]).json())
    replaced, same = [upload(support, "guards.html", page).json() for page in pages[1:]]
    for answer, expected in ((replaced, (False, True)), (same, (True, False))):
        if answer["task_id"]:
            assert answer["replaced"]
            answer = finish(support, answer)["result"]
        assert (answer["deduplicated"], answer["replaced"]) == expected


def test_csv_and_json_are_read(support):
    table = "plan,monthly fee\nSilver,11 EUR\nPlatinum,47 EUR\n"
    assert upload(support, "fees.csv", table).json()["status"] == "ok"
    assert upload(support, "hours.json", json.dumps(["The archive opens at 10:45.", {"desk": "closed on Sundays"}])).json()["status"] == "ok"
    answer = ask(support, "What is the monthly fee of the plan Platinum?").json()
    assert "47 EUR" in answer["answer"] and answer["sources"][0]["source"] == "fees.csv"
    answer = ask(support, "When does the archive open?").json()
    assert "10:45" in answer["answer"] and answer["sources"][0]["source"] == "hours.json"


def test_versions(support):
    first = upload(support, "versions.md", "# V\n\nThe hotline opens at 9.\n").json()
    assert first["version"] == 1 and not first["deduplicated"]
    assert upload(support, "versions.md", "# V\n\nThe hotline opens at 9.\n").json()["deduplicated"]
    second = upload(support, "versions.md", "# V\n\nThe hotline opens at 11.\n").json()
    assert second["version"] == 2
    answer = ask(support, "When does the hotline open?").json()["answer"]
    assert "11" in answer and "opens at 9" not in answer


def finish(service, answer):
    """The status of an upload's task when it is over."""
    if not answer["task_id"]:
        return answer["status"]

    def ended():
        task = service.get(f"/api/tasks/{answer['task_id']}", headers=HEADERS).json()
        return task if task["status"] in ("SUCCESS", "FAILURE", "REVOKED") else None
    return wait_for(ended)


def test_html_is_read_in_a_process_of_its_own(support):
    page = ("<html><head><script>var secret='zebra'</script></head><body><h1>Parking</h1>"
            "<p>Visitors park in lot <b>B7</b>, behind the hall.</p></body></html>")
    finish(support, upload(support, "parking.html", page).json())
    answer = ask(support, "Where do visitors park?").json()
    assert "B7" in answer["answer"] and answer["sources"][0]["source"] == "parking.html"
    assert "zebra" not in answer["sources"][0]["page_content"]


def test_a_pdf_is_read_page_by_page(support, tmp_path):
    finish(support, upload(support, "manual.pdf", simple_pdf("The filter is changed every 90 days.")).json())
    answer = ask(support, "How often is the filter changed?").json()
    assert "90 days" in answer["answer"] and answer["sources"][0]["source"] == "manual.pdf"


def test_a_damaged_pdf_is_told(support):
    answer = upload(support, "broken.pdf", b"%PDF-1.4 and then nothing").json()
    task = finish(support, answer)
    assert task == "partial" or task["status"] == "FAILURE"


def test_every_worker_sees_an_upload_at_once(support):
    upload(support, "fresh.md", "# Fresh\n\nThe canary is called Pollux.\n")
    answers = [ask(support, "What is the canary called?").json()["answer"] for _ in range(24)]
    assert all("Pollux" in answer for answer in answers)


def test_a_vote_is_taken_for_any_trace(support):
    trace = ask(support, "What does E42 mean?").json()
    vote = {"trace_id": trace["trace_id"], "session_id": trace["session_id"], "rating": "up"}
    assert support.post("/api/feedback", vote, headers=HEADERS).status_code == 204
    assert support.post("/api/feedback", {**vote, "trace_id": ""}, headers=HEADERS).status_code == 204
    assert support.post("/api/feedback", {**vote, "rating": "meh"}, headers=HEADERS).status_code == 422


def test_a_person_can_be_asked_for(support):
    answer = support.post("/api/escalate", {"session_id": "s1", "question": "Help?"}, headers=HEADERS)
    assert answer.status_code == 200 and answer.json()["status"] == "ok"


def test_unknown_tasks_are_not_found(support):
    assert support.get("/api/tasks/none", headers=HEADERS).status_code == 404
