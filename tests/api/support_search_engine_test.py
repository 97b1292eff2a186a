"""Support with SEARCH_URL, against a small engine in memory that may misbehave: the answers of the embedded index,
versions that change at once, what a reader may not read, and no wrong answer while the engine is in trouble.
tests/scale has the same with OpenSearch itself."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fake_opensearch import FakeOpenSearch
from people import People
from service import ENGINES, Service
from wait import wait_for

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
ENV = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "LLM_PROVIDER_PROFILE": "embedded", "SEARCH_TIMEOUT_SEC": "2",
       "CIRCUIT_BREAKER_ENABLED": "false", "LLM_CACHE_ENABLED": "false"}
RETURNS = "# Returns\n\nGoods can be returned within {} days.\n\nA receipt is needed.\n"
QUESTION = "Within how many days can goods be returned?"
OTHERS = {"th.md": "# การจัดส่ง\n\nการจัดส่งใช้เวลา 3 ถึง 5 วันทำการ\n",
          "zh.md": "# 退货\n\n商品可以在十四天内退货。\n",
          "ar.md": "# الشحن\n\nيستغرق التوصيل من ثلاثة إلى خمسة أيام عمل.\n"}


def upload(service, name, text):
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, text.encode())})
    assert answer.status_code == 200, answer.text
    return answer.json()["task_id"]


def finish(service, task):
    if task:
        wait_for(lambda: service.get(f"/api/tasks/{task}", headers=HEADERS).json()["status"] == "SUCCESS")


def ask(service, question=QUESTION):
    answer = service.post("/api/ask", {"question": question}, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def start_again(service, env):
    """With other settings, over the same data."""
    service.stack.stop()
    service.stack.start(env, service.stack.directory)
    service.url = service.stack.area_url("support")


def is_refused(service, answer):
    if answer["route"] != "error_escalation":
        return False
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return "retrieval_unavailable" in json.dumps(trace)


def health(service):
    return service.send("GET", "/api/health", checked=False).json()


@pytest.fixture(scope="module", params=ENGINES)
def running(request):
    with FakeOpenSearch() as engine, Service("support", {**ENV, "SEARCH_URL": engine.url}, request.param) as service:
        finish(service, upload(service, "returns.md", RETURNS.format(30)))
        for name, text in OTHERS.items():
            finish(service, upload(service, name, text))
        yield engine, service


def test_it_answers_from_the_engine(running):
    engine, service = running
    assert "30 days" in ask(service)["answer"]
    assert "3 ถึง 5" in ask(service, "การจัดส่งใช้เวลากี่วัน")["answer"]
    assert "十四天" in ask(service, "商品可以在几天内退货？")["answer"]
    assert "ثلاثة" in ask(service, "كم يستغرق التوصيل؟")["answer"]
    assert {row["tenant"] for row in engine.rows()} == {"default"}
    assert not list(service.stack.directory.rglob("*.seg"))
    component = health(service)["components"]["search_engine"]
    assert component["status"] == "ok" and "no vectors" in component["detail"]


def test_a_version_replaces_the_one_before(running):
    _, service = running
    for days in (31, 32):
        finish(service, upload(service, "returns.md", RETURNS.format(days)))
        answer = ask(service)["answer"]
        assert f"{days} days" in answer and "30 days" not in answer
    finish(service, upload(service, "returns.md", RETURNS.format(30)))


def test_a_question_during_a_replacement_is_answered(running):
    _, service = running
    answers, leave = [], threading.Event()

    def read():
        while not leave.is_set():
            answers.append(ask(service))

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        try:
            for days in range(41, 49):
                finish(service, upload(service, "returns.md", RETURNS.format(days)))
        finally:
            leave.set()
        reader.result()
    finish(service, upload(service, "returns.md", RETURNS.format(30)))
    assert answers
    for answer in answers:
        assert " days" in answer["answer"] or is_refused(service, answer), answer


def test_a_deleted_document_is_not_found(running):
    _, service = running
    finish(service, upload(service, "gone.md", "# Piano\n\nThe piano was tuned by Ilse Brandt.\n"))
    assert "Brandt" in ask(service, "Who tuned the piano?")["answer"]
    assert service.send("DELETE", "/api/documents/gone.md", headers=HEADERS).status_code == 200
    assert "Brandt" not in json.dumps(ask(service, "Who tuned the piano?"))


def test_a_reader_finds_what_he_may_read(running):
    _, service = running
    people = People(service.stack)
    member, other = (people.add(name, groups=groups, support="viewer").bearer()
                     for name, groups in (("anna", ["Personnel"]), ("ben", ["Sales"])))
    question = {"question": "Where does the salary band of grade seven begin?"}
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={
        "file": ("bands.md", b"# Bands\n\nThe salary band of grade seven begins at 4711 euros.\n"),
        "groups": (None, "Personnel")})
    assert answer.status_code == 200, answer.text
    finish(service, answer.json()["task_id"])
    assert "4711" in service.post("/api/ask", question, headers=member).text
    assert "4711" not in service.post("/api/ask", question, headers=other).text
    assert service.send("PUT", "/api/documents/bands.md/groups", headers=HEADERS,
                        json={"groups": ["Sales"]}).status_code == 200
    assert "4711" not in service.post("/api/ask", question, headers=member).text
    assert "4711" in service.post("/api/ask", question, headers=other).text


@pytest.mark.parametrize("mode", ["error", "partial", "late", "empty", "hang"])
def test_trouble_is_a_refusal_and_no_wrong_answer(running, mode):
    engine, service = running
    right = ask(service)["answer"]
    engine.mode = mode
    try:
        assert is_refused(service, ask(service))
        assert health(service)["components"]["search_engine"]["status"] == "error"
        assert health(service)["status"] == "degraded"
    finally:
        engine.mode = None
    assert ask(service)["answer"] == right


def test_uploads_wait_until_it_is_back(running):
    engine, service = running
    engine.mode = "error"
    try:
        task = upload(service, "late.md", "# Locker\n\nThe locker opens with token 7351.\n")
        assert task, "it is queued"
        wait_for(lambda: service.get(f"/api/tasks/{task}", headers=HEADERS).json()["status"] == "RETRY")
    finally:
        engine.mode = None
    finish(service, task)
    assert "7351" in ask(service, "Which token opens the locker?")["answer"]


def test_a_lost_index_is_made_and_filled_again(running):
    engine, service = running
    right = ask(service)["answer"]
    engine.lose()

    def is_back():
        answer = ask(service)
        assert answer["answer"] == right or answer["route"] == "error_escalation", answer
        return answer["answer"] == right

    wait_for(is_back)
    assert "rag_search_engine_lag_documents 0" in service.get("/metrics", headers=HEADERS).text


@pytest.mark.parametrize("known", [False, True], ids=["of an unknown document", "of a current document"])
def test_what_is_too_much_is_deleted(running, known):
    """As after a restore of the database alone."""
    engine, service = running
    right = ask(service)["answer"]
    row = max((row for row in engine.rows() if "chunk" in row), key=lambda row: row["document"])  # a current one
    surplus = {**row, "chunk": 10 ** 12, "document": row["document"] if known else row["chunk"]}  # no document's key
    engine.add(f"default:{10 ** 12}:0", surplus)
    assert service.run("ingest").returncode == 0  # which compares at once
    wait_for(lambda: surplus not in engine.rows())
    wait_for(lambda: "rag_search_engine_lag_documents 0" in service.get("/metrics", headers=HEADERS).text)
    wait_for(lambda: ask(service)["answer"] == right)
    assert row in engine.rows()


def test_uploads_while_an_installation_moves_there_are_found():
    with FakeOpenSearch() as engine, Service("support", ENV) as service:
        for name, text in (("returns.md", RETURNS.format(30)), ("piano.md", "# Piano\n\nIlse Brandt tuned it.\n")):
            finish(service, upload(service, name, text))
        right = ask(service)["answer"]
        engine.refused = "piano"  # cannot move yet
        start_again(service, {**ENV, "SEARCH_URL": engine.url + "/"})
        finish(service, upload(service, "late.md", "# Locker\n\nThe locker opens with token 7351.\n"))
        assert ask(service)["answer"] == right
        assert "7351" in ask(service, "Which token opens the locker?")["answer"]
        engine.refused = None
        wait_for(lambda: "no vectors" in health(service)["components"]["search_engine"]["detail"])
        assert ask(service)["answer"] == right
        assert "7351" in ask(service, "Which token opens the locker?")["answer"]
        assert not any("//" in path for _, path in engine.calls)


def test_an_installation_moves_there_and_back():
    with FakeOpenSearch() as engine, Service("support", ENV) as service:
        finish(service, upload(service, "returns.md", RETURNS.format(30)))
        right = ask(service)["answer"]
        start_again(service, {**ENV, "SEARCH_URL": engine.url})
        wait_for(lambda: ask(service)["answer"] == right and engine.rows())  # the embedded index answers until then
        wait_for(lambda: "no vectors" in health(service)["components"]["search_engine"]["detail"])
        assert ask(service)["answer"] == right
        finish(service, upload(service, "piano.md", "# Piano\n\nThe piano was tuned by Ilse Brandt.\n"))
        assert "Brandt" in ask(service, "Who tuned the piano?")["answer"]
        start_again(service, ENV)
        assert ask(service)["answer"] == right
        assert "Brandt" in ask(service, "Who tuned the piano?")["answer"]
