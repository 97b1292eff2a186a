"""Runs statements of a file in chdb, over rows that were made elsewhere; prints the data of each answer."""

import json
import sys

from chdb.session import Session

work = json.load(open(sys.argv[1], encoding="utf-8"))
session = Session()
session.query("CREATE DATABASE IF NOT EXISTS scale")
session.query("USE scale")
session.query(work["create"])
session.query(f"INSERT INTO {work['table']} FROM INFILE '{work['rows']}' FORMAT TabSeparated")
answers = []
for statement in work["statements"]:
    text = str(session.query(f"{statement} SETTINGS output_format_json_quote_64bit_integers = 1".replace(
        " FORMAT JSONCompact SETTINGS output_format_json_quote_64bit_integers = 1",
        " SETTINGS output_format_json_quote_64bit_integers = 1 FORMAT JSONCompact")))
    answers.append(json.loads(text)["data"])
print(json.dumps(answers))
