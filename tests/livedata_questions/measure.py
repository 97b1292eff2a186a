#!/usr/bin/python3
"""Asks the livedata service the questions of tests/data/questions and compares its plans with the right ones.

    tests/livedata_questions/measure.py [--show] [--postgres] [ID...]

Prints how many questions were answered right, refused rightly, refused although the data has the answer, and misread,
and each misread one; with `--show` also the refused ones. The status is 1 if one was misread.
"""

import collections
import json
import sys
import tempfile
from pathlib import Path

from ask import DOMAINS, LANGUAGES, ask, fill, question_set, started

OUTCOMES = ("right", "refused_rightly", "refused", "not_named", "misread")
TITLES = ("questions", "right", "refused rightly", "refused, answerable", "refused, words not named", "MISREAD")


def print_table(results):
    counts = collections.defaultdict(collections.Counter)
    for domain, row, outcome, _ in results:
        for name in (f"{domain} {row['language']}", f"{domain} {row['kind']}", domain, "all"):
            counts[name][outcome] += 1
    print(f"{'':24}" + "".join(f"{title:>26}" for title in TITLES))
    kinds = ("systematic", "free", "common", "unanswerable")
    for name in [*(f"{domain} {part}" for domain in DOMAINS for part in (*LANGUAGES, *kinds)), *DOMAINS, "all"]:
        if name in counts:
            numbers = [sum(counts[name].values()), *(counts[name][outcome] for outcome in OUTCOMES)]
            print(f"{name:24}" + "".join(f"{number:26}" for number in numbers))
    answerable = [outcome for _, row, outcome, _ in results if "plans" in row]
    if answerable:
        print(f"\nanswered right: {answerable.count('right')} of {len(answerable)} that can be answered, "
              f"{answerable.count('right') / len(answerable):.1%}")


def print_results(results, outcome):
    for domain, row, found, body in results:
        if found != outcome:
            continue
        print(f"\n{row['id']} {row['language']} {row['kind']}: {row['question']}")
        if "plan" in body:
            print(f"  plan   {json.dumps(body['plan'], ensure_ascii=False)}\n  says   {body['interpretation']}")
        else:
            print(f"  says   {body['detail']}")
        for plan in row.get("plans", []):
            print(f"  wanted {json.dumps(plan, ensure_ascii=False)}")
        if "refused" in row:
            print(f"  wanted to be refused for {', '.join(row['refused'])}")


def main(arguments):
    options, ids = {one for one in arguments if one.startswith("--")}, [one for one in arguments if not one.startswith("--")]
    with tempfile.TemporaryDirectory() as folder, \
            started(Path(folder), "postgres" if "--postgres" in options else "sqlite") as service:
        fill(service)
        results = [(domain, row, *ask(service, row)) for domain in DOMAINS for row in question_set(domain)
                   if not ids or row["id"] in ids]
    for outcome in ("misread", "not_named", "refused") if "--show" in options or ids else ("misread",):
        print(f"\n== {outcome.replace('_', ' ')}")
        print_results(results, outcome)
    print()
    print_table(results)
    return 1 if any(outcome == "misread" for *_, outcome, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
