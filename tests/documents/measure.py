#!/usr/bin/python3
"""Puts the test documents into a support service and asks the questions.

    tests/documents/measure.py FOLDER [--show]

Prints how many answers quote the right row, how many quote another one, and how many unknown ids are refused; for
digital documents together, by the program or format that wrote them, and for scans by language. `--show` also prints
the questions that failed.
"""

import collections
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))

from service import Service  # noqa: E402 (found by the line above)
from wait import wait_for  # noqa: E402

KEY = "documents-key-1"
HEADERS = {"X-API-Key": KEY}
ENVIRONMENT = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false"}


def is_scan(name):
    return name.startswith("scan-")


def upload(service, path):
    """The outcome: None when the document is indexed."""
    reply = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (path.name, path.read_bytes())}).json()
    if "status" not in reply:
        return str(reply)
    if not reply["task_id"]:
        return None if reply["status"] == "ok" else reply["message"]

    def task():
        found = service.get(f"/api/tasks/{reply['task_id']}", headers=HEADERS).json()
        return found if found["status"] in ("SUCCESS", "FAILURE") else None

    done = wait_for(task, seconds=900)
    return None if done["status"] == "SUCCESS" else str(done["result"])


def mentions(text, value):
    """Whether the value stands in the text as a whole."""
    return re.search(r"(?<![\w.,])" + re.escape(value) + r"(?![\w]|[.,]\d)", text) is not None


def ask(service, question):
    return service.post("/api/ask", {"question": question}, headers=HEADERS).json()


def judge(answer, question):
    """(the right row, another row)"""
    text = answer["answer"]
    return (bool(answer["citations"]) and mentions(text, question["right"]),
            any(mentions(text, value) for value in question["wrong"]))


def group_of(question):
    name = question["file"]
    return f"scan {question['language']}" if is_scan(name) else name.split("-")[0].rstrip("0123456789") + Path(name).suffix


def measure(service, folder, show=False):
    """Counts by group: [questions, right, other rows]; and of unknown ids: [questions, refused]."""
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    for path in sorted(folder.iterdir()):
        if path.name == "questions.json":
            continue
        problem = upload(service, path)
        if problem:
            print(f"{path.name}: {problem}")
    groups, unknown = collections.defaultdict(lambda: [0, 0, 0]), [0, 0]
    for question in questions:
        answer = ask(service, question["question"])
        if question["file"] is None:
            good = not answer["citations"]
            unknown = [unknown[0] + 1, unknown[1] + good]
        else:
            right, other = judge(answer, question)
            for name in (group_of(question), "scans" if is_scan(question["file"]) else "digital"):
                groups[name] = [have + one for have, one in zip(groups[name], (1, right, other))]
            good = right and not other
        if show and not good:
            print(f"- {question['file']}: {question['question']} {question.get('right')}\n    {answer['answer'][:300]!r}")
    return groups, unknown


def main(folder, show):
    with Service("support", ENVIRONMENT) as service:
        groups, unknown = measure(service, folder, show)
    for name, (count, right, other) in sorted(groups.items()):
        print(f"{name:16s} {count:4d} questions, right row {right / count:6.1%}, other rows {other / count:6.1%}")
    print(f"{'unknown ids':16s} {unknown[0]:4d} questions, refused {unknown[1] / max(1, unknown[0]):6.1%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--show" in sys.argv[2:])
