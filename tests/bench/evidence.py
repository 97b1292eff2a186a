#!/usr/bin/python3
"""How well the evidence tells what can be answered, with weights fitted on other articles than it is judged on.

    tests/bench/evidence.py SETS RUNS [SET...]

SETS/SET is a folder with corpus.jsonl {id, title}, queries.jsonl {id} and qrels.tsv; RUNS/SET.jsonl is what
`retrieval run SETS/SET RUNS/SET.jsonl without-sixths` has written. Titles name articles, and are the same in all
languages. Each article is left out once: the regression is fitted to the questions of all languages about the
others, and then judges those about it. Printed per set: the AUROC of the weights in common/support/answer/evidence.c
and of these; then the weights fitted to all articles.
"""

import json
import sys
from pathlib import Path

import numpy

MISSING_CODE = 0.1  # what is left of the evidence, as in evidence.c


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_set(folder, run):
    """Rows of article, can be answered, evidence, whether a code is missing, and features."""
    titles = {document["id"]: document["title"] for document in lines(folder / "corpus.jsonl")}
    relevant = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text().splitlines())
    return [(titles[relevant[r["id"]]], int(relevant[r["id"]][1:]) % 6 != 0, r["evidence"], r["missing_code"], r["features"])
            for r in lines(run)]


def fit(features, labels):
    """Maximum likelihood by Newton's method, both kinds of questions weighing the same; the constant comes last."""
    design = numpy.column_stack([features, numpy.ones(len(features))])
    share = numpy.where(labels, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    weights = numpy.zeros(design.shape[1])
    for _ in range(50):
        chance = 1 / (1 + numpy.exp(-design @ weights))
        step = numpy.linalg.solve((design.T * (share * chance * (1 - chance))) @ design, design.T @ (share * (labels - chance)))
        weights += step
        if abs(step).max() < 1e-9:
            return weights
    raise ArithmeticError("the regression does not converge")


def auroc(values, labels):
    """The share of pairs in the right order, ties counting half."""
    good, bad = values[labels], numpy.sort(values[~labels])
    below, up_to = numpy.searchsorted(bad, good, "left"), numpy.searchsorted(bad, good, "right")
    return (below + up_to).sum() / 2 / len(good) / len(bad)


def main(arguments):
    sets, runs = map(Path, arguments[:2])
    names = arguments[2:] or sorted(run.stem for run in runs.glob("*.jsonl"))
    rows = {name: read_set(sets / name, runs / f"{name}.jsonl") for name in names}
    of = numpy.array([name for name in names for _ in rows[name]])
    article, labels, deployed, missing, features = (numpy.array(column) for column in zip(*sum(rows.values(), [])))
    fitted = numpy.zeros(len(of))
    for left_out in set(article):
        here = article == left_out
        weights = fit(features[~here], labels[~here])
        fitted[here] = 1 / (1 + numpy.exp(-(features[here] @ weights[:-1] + weights[-1])))
    fitted[missing] *= MISSING_CODE
    for name in names:
        here = of == name
        print(f"{name:10s} AUROC of the weights in use {auroc(deployed[here], labels[here]):.4f},"
              f" of weights fitted on other articles {auroc(fitted[here], labels[here]):.4f}")
    print(f"{len(set(article))} articles; weights fitted to all:", *(f"{weight:.2f}" for weight in fit(features, labels)))


if __name__ == "__main__":
    main(sys.argv[1:])
