#!/usr/bin/python3
"""Writes the FAQ of tests/data/paraphrases as sets that `retrieval` reads.

    tests/bench/paraphrases.py OUT [plain]

OUT/faq-LANGUAGE gets corpus.jsonl {id, text}, queries.jsonl {id, text, answers} (without answers where there is none) and
qrels.tsv. With `plain` the FAQ has no headings: a question, its answer, an empty line.
"""

import json
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data" / "paraphrases"


def texts_of(path):
    return [line[2:] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("+ ")]


def read_faq(path):
    """Entries {question, answer, asked}, and the questions without an answer."""
    entries, nonsense, answer_next = [], [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        if answer_next:
            entries[-1]["answer"], answer_next = line, False
        elif line.startswith("# "):
            entries.append({"question": line[2:], "asked": []})
            answer_next = True
        elif line.startswith("? "):
            entries[-1]["asked"].append(line[2:])
        elif line.startswith("- "):
            nonsense.append(line[2:])
    return entries, nonsense


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def write_set(folder, path, plain):
    entries, nonsense = read_faq(path)
    mark = "" if plain else "## "
    corpus = [{"id": "faq", "text": "\n\n".join(f"{mark}{e['question']}\n{'' if plain else chr(10)}{e['answer']}" for e in entries)}]
    others = texts_of(DATA / "news.txt") + texts_of(path)
    corpus += [{"id": f"news{i:02d}", "text": text} for i, text in enumerate(others, 1)]
    queries = [{"id": f"q{i:02d}{'ab'[j]}", "text": text, "answers": [e["answer"][:24]]}
               for i, e in enumerate(entries, 1) for j, text in enumerate(e["asked"])]
    queries += [{"id": f"e{i:02d}", "text": e["question"], "answers": [e["answer"][:24]]} for i, e in enumerate(entries, 1)]
    queries += [{"id": f"n{i:02d}", "text": text} for i, text in enumerate(nonsense, 1)]
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "corpus.jsonl", corpus)
    write_lines(folder / "queries.jsonl", queries)
    (folder / "qrels.tsv").write_text("".join(f"{q['id']}\tfaq\t1\n" for q in queries if "answers" in q), encoding="utf-8")


def main(arguments):
    for path in sorted(DATA.glob("??.txt")):
        write_set(Path(arguments[0]) / f"faq-{path.stem}", path, "plain" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
