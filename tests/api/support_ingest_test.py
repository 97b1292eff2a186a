"""Many uploads at a time, on both engines: the index stays in few segments, and every document is found."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from conftest import SOAK
from wait import wait_for
from service import ENGINES, Servers, Service
from support_admin_test import SECRET, token
from support_hostile_test import docx, packed, page_tree, pdf, text_of

pytestmark = pytest.mark.both_engines

KEY = "support-test-key-3"
HEADERS = {"X-API-Key": KEY}
SEGMENTS_MOST = 16
READER_SECONDS = 20 if SOAK else 3
ENV = {"API_KEY": KEY, "JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "READER_SECONDS": READER_SECONDS,
       "READER_TEXT_BYTES": 9 << 20, "LOG_LEVEL": "ERROR"}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", ENV, request.param) as service:
        yield service


def upload(service, name, content, headers=HEADERS):
    """Of any thread: without the session, which is one thread's."""
    content = content if isinstance(content, bytes) else content.encode()
    return requests.post(service.url + "/api/upload", headers=headers, files={"file": (name, content)}, timeout=120)


def ask(service, question, headers=HEADERS):
    return requests.post(service.url + "/api/ask", json={"question": question}, headers=headers, timeout=60).json()


def segments(service):
    return service.get("/api/health").json()["index_segments"]


def upload_side_by_side(service, uploaders, count):
    """Small files `lot-<uploaders>-<number>.md`, by so many clients at a time."""
    def send(number):
        text = f"# Lot {uploaders}x{number}\n\nThe key of lot{uploaders}x{number} hangs on hook hook{uploaders}x{number}.\n"
        answer = upload(service, f"lot-{uploaders}-{number}.md", text)
        assert answer.status_code == 200 and answer.json()["status"] == "ok", answer.text
    with ThreadPoolExecutor(uploaders) as pool:
        list(pool.map(send, range(count)))


def check_answers(service, uploaders, numbers):
    def asked(number):
        answer = ask(service, f"On which hook hangs the key of lot{uploaders}x{number}?")
        assert f"hook{uploaders}x{number}" in answer["answer"], answer
        assert answer["sources"][0]["source"] == f"lot-{uploaders}-{number}.md"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(asked, numbers))


@pytest.mark.parametrize("uploaders, count", [
    (4, 60), *(pytest.param(uploaders, 1000, marks=pytest.mark.soak) for uploaders in (2, 4, 8))])
def test_parallel_uploads_leave_few_segments(support, uploaders, count):
    upload_side_by_side(support, uploaders, count)
    check_answers(support, uploaders, range(0, count, 1 if SOAK else 4))
    wait_for(lambda: segments(support) <= SEGMENTS_MOST, told=lambda: f"{segments(support)} segments are left")
    check_answers(support, uploaders, range(1, count, 10))


def hostile_pdf():
    """Takes all the time that a reader has."""
    tree = page_tree(count=400)
    tree[2] = packed(b"q 1 0 0 1 0 0 cm " * 300_000)
    return pdf(tree)


def state_of(service, task, headers):
    return service.get(f"/api/tasks/{task}", headers=headers).json()["status"]


def wait_for_answers(service, answers, headers):
    """Until all of these tasks have succeeded."""
    left = [answer["task_id"] for answer in answers if answer["task_id"]]

    def ended():
        left[:] = [task for task in left if state_of(service, task, headers) != "SUCCESS"]
        return not left
    wait_for(ended, told=lambda: f"{len(left)} are not read", seconds=90)


def test_hostile_documents_hold_up_nobody(support):
    """Three that take all the time there is, beside twenty small ones of the same tenant and of others."""
    same, other = token("agent", "hostile"), token("agent", "other")
    wide = docx(text_of("x").replace("<w:p>", "<w:p " + " ".join(f"a{i}='x'" for i in range(300_000)) + ">"))
    deep = b"<a><b><i><font>" * 50_000 + b"Zanzibar"
    upload(support, "wide.docx", wide, same)
    upload(support, "deep.html", deep, same)
    content, started = hostile_pdf(), time.monotonic()
    with ThreadPoolExecutor(3) as pool:
        slow = list(pool.map(lambda number: upload(support, f"slow-{number}.pdf", content, same), range(3)))
    assert all(answer.status_code == 200 for answer in slow), [answer.text for answer in slow]

    def state(answer):
        return state_of(support, answer.json()["task_id"], same)

    def small(number, headers):
        page = f"<h1>Lot {number}</h1><p>Lot {number} is behind gate {number}.</p>"
        answer = upload(support, f"lot-{number}.html", page, headers)
        assert answer.status_code == 200, answer.text
        return answer.json()
    with ThreadPoolExecutor(8) as pool:
        of_same = [pool.submit(small, number, same) for number in range(20)]
        of_other = [pool.submit(small, number, other) for number in range(20)]
        wait_for_answers(support, [answer.result() for answer in of_other], other)
        assert time.monotonic() - started < 10, "small documents of another tenant waited"
        assert not set(map(state, slow)) <= {"SUCCESS", "FAILURE"}, "the hostile ones are not slow"
        wait_for_answers(support, [answer.result() for answer in of_same], same)
        assert time.monotonic() - started < 60, "small documents of the same tenant waited"
    wait_for(lambda: set(map(state, slow)) == {"FAILURE"}, seconds=10 * READER_SECONDS + 60)


def ingest_processes(service):
    """The program's own processes; not those that read a document for it."""
    found = []
    for pid in service.stack.processes():
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
        if command.endswith(b"/cron-bin/ingest"):
            found.append(pid)
    return found


@contextmanager
def without_ingest(service):
    """While the program hangs, and has not been heard of for longer than it may be."""
    held = ingest_processes(service)
    for pid in held:
        os.kill(pid, signal.SIGSTOP)
    try:
        service.sql("UPDATE heartbeats SET beat_at = beat_at - 11000000 WHERE name LIKE 'ingest@%'")
        yield
    finally:
        for pid in held:
            os.kill(pid, signal.SIGCONT)


def test_without_the_program_small_files_are_read_and_large_ones_wait(support):
    """Nothing large is ever read in a worker."""
    large = b"The hall is open on Mondays.\n" * (8_500_000 // 29)
    with without_ingest(support):
        small = upload(support, "small.md", "# Gates\n\nGate nine is opened by Mrs Adler.\n").json()
        assert small["status"] == "ok" and small["chunks"] == 1
        assert "Adler" in ask(support, "Who opens gate nine?")["answer"]
        answers = [upload(support, name, content) for name, content in (
            ("large.txt", large), ("middle.txt", large[:300_000]), ("page.html", b"<p>Gate ten is locked."))]
        for answer in answers:
            body = answer.json()
            assert answer.status_code == 200 and body["status"] == "accepted", answer.text
            assert "it does not run now" in body["message"] and body["message"].endswith("task_id=" + body["task_id"])
            assert state_of(support, body["task_id"], HEADERS) == "PENDING"
    wait_for_answers(support, [answer.json() for answer in answers], HEADERS)


def test_a_file_that_unpacks_too_large_is_too_large(support):
    """Told at once where the file itself says it, else by the reader."""
    first = upload(support, "long.txt", "# Hall\n\nThe tall hall is painted green.\n").json()
    for name, content, at_once in (("bomb.docx", docx(text_of("word " * 12_000_000)), True),
                                   ("long.txt", b"word " * 2_000_000, True),
                                   ("long.html", b"<p>" + b"word " * 2_000_000, False)):
        answer = upload(support, name, content)
        if answer.status_code == 200 and not at_once:
            task = answer.json()["task_id"]
            wait_for(lambda: state_of(support, task, HEADERS) == "FAILURE")
            assert support.get(f"/api/tasks/{task}", headers=HEADERS).json()["result"]["reason"] == "text_too_large"
        else:
            assert answer.status_code == 413 and answer.json()["error_code"] == "too_large", answer.text
            assert answer.json()["detail"] == "the document holds more text than is allowed"
    assert first["status"] == "ok" and "green" in ask(support, "How is the tall hall painted?")["answer"]
    if support.engine == "sqlite":  # else the original is in the database (support_blobs_test)
        [stored] = (support.stack.directory / "data").rglob("uploads/long.txt")
        assert "green" in stored.read_text()  # what was refused did not take its place


def test_only_the_host_that_has_a_file_reads_it():
    """Two hosts, each with files of its own, on one database."""
    env = {**ENV, "DATABASE_URL": Servers.new_database(), "SUPPORT_BLOB_URL": "files"}
    with Service("support", env) as near, Service("support", env) as far:
        near.env = far.env = env
        answers = [upload(host, f"gate-{number}.html", f"<p>Gate {number} is locked.").json()
                   for number in range(12) for host in (near, far)[number % 2:][:1]]
        wait_for_answers(near, answers, HEADERS)
        upload(near, "plan.md", "# Plan\n\nThe old hall is open.\n")
        upload(far, "plan.md", "# Plan\n\nThe new hall is open on Mondays.\n")
        done = near.run("ingest", "--reindex", env={"LOG_LEVEL": "WARNING"})
        assert done.returncode == 0 and "file_of_another_version" in done.stderr, done.stderr
        assert done.stdout == "6 documents indexed\n"
        [[found]] = near.sql("SELECT count(*) FROM kb_chunks WHERE body LIKE '%The new hall is open on Mondays.%'")
        assert found == "1"


def test_a_host_takes_over_what_a_silent_one_left(support):
    """As after a backup was restored elsewhere: the very file is there, its host is not."""
    with Service("support", {**ENV, "SUPPORT_BLOB_URL": "files"}, support.engine) as host:
        wait_for(lambda: ingest_processes(host))
        with without_ingest(host):
            answer = upload(host, "left.html", "<p>Gate eleven is locked.").json()
            assert answer["status"] == "accepted"
            host.sql("UPDATE tasks SET host = 'gone' WHERE finished_at IS NULL")
            host.sql("UPDATE jobs SET kind = 'support.ingest@gone' WHERE state = 'waiting' AND kind LIKE 'support.ingest@%'")
        assert host.run("ingest").returncode == 0  # takes it over when it tidies; whoever is next reads it
        wait_for_answers(host, [answer], HEADERS)


RUSSIAN = ("Товар можно вернуть в течение четырнадцати дней со дня покупки, если сохранился чек и упаковка не повреждена. "
           "Гарантийный срок составляет двадцать четыре месяца.")
CHINESE = "产品保修期为购买之日起二十四个月，超过保修期后需要付费维修。如需退货，请在十四天内联系客服并提供购买凭证。"
JAPANESE = "返品は購入日から十四日以内に承ります。レシートと元の包装が必要です。保証期間は二十四か月です。"
ARABIC = "يمكن إرجاع البضائع خلال أربعة عشر يوما من تاريخ الشراء مع الإيصال الأصلي. مدة الضمان سنتان من يوم الشراء."
KOREAN = "상품은 구매일로부터 십사일 이내에 반품할 수 있습니다. 영수증이 필요합니다. 보증 기간은 이년입니다."
GERMAN = ("Die Rückgabe ist innerhalb von vierzehn Tagen möglich. Für größere Geräte gilt eine Gewährleistung von zwei Jahren; "
          "Schäden durch Flüssigkeit sind ausgeschlossen. Der Preis beträgt „20 €“.")
FRENCH = ("Les marchandises peuvent être retournées dans un délai de quatorze jours après l’achat. La garantie est de deux "
          "années et ne couvre pas les dégâts causés par des liquides.")
ENCODED = [*((name, RUSSIAN) for name in ("cp1251", "koi8-r", "cp866", "iso-8859-5", "utf-16", "utf-32", "utf-8-sig")),
           ("gbk", CHINESE), ("gb18030", CHINESE), ("utf-16", CHINESE), ("shift-jis", JAPANESE), ("euc-jp", JAPANESE),
           ("iso-2022-jp", JAPANESE), ("euc-kr", KOREAN), ("cp1256", ARABIC), ("cp1252", GERMAN), ("cp1252", FRENCH)]


def encoded_pages():
    """Names, bytes, and what is to be read of them."""
    for number, (name, text) in enumerate(ENCODED):
        yield f"{number}-{name}.txt", text.encode(name), text
        yield f"{number}-{name}.html", f"<h1>{text}</h1>".encode(name), text
    yield "big-endian.md", b"\xfe\xff" + GERMAN.encode("utf-16-be"), GERMAN
    yield "declared.html", "<meta charset=windows-1251><p>Возврат".encode("cp1251"), "Возврат"
    yield "equivalent.html", ("<meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>"
                              "<p>返品").encode("shift-jis"), "返品"
    yield "latin.html", "<meta charset='iso-8859-1'><p>Preis: 5 €".encode("cp1252"), "Preis: 5 €"
    yield "prolog.html", "<?xml version='1.0' encoding='koi8-r'?><p>Возврат".encode("koi8-r"), "Возврат"
    yield "options.html", b"<meta charset='koi8-r//IGNORE'><p>" + "Возврат".encode("koi8-r"), "Возврат"
    yield "mostly.txt", (RUSSIAN.encode() + b"\xff " + CHINESE.encode()), RUSSIAN
    yield "cut-off.txt", RUSSIAN.encode()[:-2], RUSSIAN[:-2]


UNREADABLE = [("short.txt", "Возврат".encode("cp1251"), "too short"), ("one.txt", "Größe".encode("cp1252"), "too short"),
              ("short.html", "<p>Возврат".encode("cp1251"), "too short"),
              ("every.txt", bytes(range(1, 256)) * 30, ""), ("noise.txt", bytes(range(128, 256)) * 30, ""),
              ("odd.txt", RUSSIAN.encode("utf-16") + b"x", "bytes that its character set does not have"),
              ("wrong.html", b"<meta charset=utf-32le><p>" + RUSSIAN.encode("cp1251"), "bytes that its character set does not"),
              ("unknown.html", b"<meta charset=klingon><p>" + RUSSIAN.encode("cp1251"), "is not known")]


def test_text_in_other_character_sets_is_read_or_refused_with_the_reason(support):
    if support.engine == "postgres":
        pytest.skip("what is read does not depend on the database")
    for name, content, text in encoded_pages():
        answer = upload(support, name, content).json()
        if answer["task_id"]:
            wait_for_answers(support, [answer], HEADERS)
        stored = support.sql("SELECT body FROM kb_chunks c JOIN kb_documents d ON d.document_key = c.document_key"
                             f" AND d.tenant_id = c.tenant_id WHERE d.doc_id = '{answer['doc_id']}'")
        assert len(stored) == 1 and text in stored[0][0], (name, answer, stored)
    for name, content, reason in UNREADABLE:
        answer = upload(support, name, content).json()
        if answer["task_id"]:
            wait_for(lambda: state_of(support, answer["task_id"], HEADERS) == "FAILURE")
            answer["message"] = support.get(f"/api/tasks/{answer['task_id']}", headers=HEADERS).json()["result"]["detail"]
        assert "UTF-8" in answer["message"] and reason in answer["message"], (name, answer)
