#!/usr/bin/python3
"""Questions of which one document names what another one answers: how many are answered with and without the strategy `graph`.

    tests/bench/followed.py

Asks the sets of tests/data/followed, each of a knowledge base of its own: `followed` are [question, what the answer says],
`direct` the same for questions that one document answers alone, `unanswerable` are about something that no document says.
"""

import json
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "api"), str(TESTS / "db")]

from service import Service  # noqa: E402

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
ENV = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "RAG_EMBEDDING_BACKEND": "words", "LLM_PROVIDER_PROFILE": "embedded"}


def ask(service, question):
    """The answer, whether a name was followed, and milliseconds."""
    answer = service.post("/api/ask", {"question": question}, headers=HEADERS).json()
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return answer["answer"], trace["steps"][-1]["state"]["retrieval_strategy"] == "graph", trace["duration_ms"]


def report(service, kind, questions):
    asked = [(ask(service, question), fact) for question, fact in questions]
    right = sum(fact is not None and fact in answer for (answer, _, _), fact in asked)
    followed = sum(one[1] for one, _ in asked)
    times = sorted(one[2] for one, _ in asked)
    print(f"  {kind:12} {len(asked):3} asked {right:3} right {followed:3} followed  median {times[len(times) // 2]:.1f} ms")


def main():
    for path in sorted((TESTS / "data/followed").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for strategy in ("hybrid", "graph"):
            print(f"{path.stem}, {strategy}")
            with Service("support", {**ENV, "RAG_RETRIEVAL_STRATEGY": strategy}) as service:
                for name, text in data["documents"].items():
                    answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, text.encode())})
                    assert answer.status_code == 200, answer.text
                report(service, "followed", data["followed"])
                report(service, "direct", data["direct"])
                report(service, "unanswerable", [(question, None) for question in data["unanswerable"]])


if __name__ == "__main__":
    main()
