#!/usr/bin/python3
"""How often a question in one language finds its paragraph in another one within ten.

    tests/bench/crossed.py RETRIEVAL SETS LANGUAGE...

RETRIEVAL is the program build/tests/bench/retrieval; SETS/xquad-LANGUAGE are sets of the same paragraphs and questions.
ASSAY_BENCH_VECTORS names the file of vectors, which has those of all the sets. Prints a table in Markdown: a row for the
language of the questions, a column for that of the documents.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

WITHIN = 10


def share_found(program, documents, questions):
    relevant = dict(line.split("\t")[:2] for line in (documents / "qrels.tsv").read_text().splitlines())
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as out:
        subprocess.run([program, "run", documents, out.name, "asked-in", questions], check=True, stderr=subprocess.DEVNULL)
        runs = [json.loads(line) for line in out]
    return sum(relevant[run["id"]] in run["ranked"][:WITHIN] for run in runs) / len(runs)


def main(arguments):
    program, sets, languages = arguments[0], Path(arguments[1]), arguments[2:]
    shares = {(asked, written): share_found(program, sets / f"xquad-{written}", sets / f"xquad-{asked}")
              for asked in languages for written in languages if asked != written}
    print("| asked in |", " | ".join(languages), "|")
    print("|---" * (len(languages) + 1) + "|")
    for asked in languages:
        print(f"| {asked} |", " | ".join(f"{shares[asked, written]:.3f}".lstrip("0") if asked != written else ""
                                         for written in languages), "|")
    print(f"mean {sum(shares.values()) / len(shares):.3f}, lowest {min(shares.values()):.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
