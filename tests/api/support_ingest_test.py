"""Many uploads at a time, on both engines: the index stays in few segments, and every document is found."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from conftest import SOAK
from patience import until
from service import ENGINES, Service

KEY = "support-test-key-3"
HEADERS = {"X-API-Key": KEY}
SEGMENTS_MOST = 16
ENV = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false"}


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
    until(lambda: segments(support) <= SEGMENTS_MOST, told=lambda: f"{segments(support)} segments are left")
    check_answers(support, uploaders, range(1, count, 10))
