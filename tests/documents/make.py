"""Writes the test documents: at least 200 files with tables, columns, forms, merged cells, notes, character sets, scripts
and scans, and questions.json with questions about them.

    make.py FOLDER [SHARE]

SHARE, 1 by default, is the part of the set that is made: 0.1 for one document in ten.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import producers
from content import LANGUAGES, Contents

KINDS = ("plain", "borderless", "wrapped", "long", "spanned", "grouped", "sections", "form", "listed", "columns", "noted")
TABLES = ("plain", "wrapped", "spanned", "grouped", "sections", "form", "listed", "noted")
FLAT = ("plain", "borderless", "wrapped", "noted", "plain", "borderless")
CHARSETS = {"de": "iso-8859-1", "ru": "cp1251", "zh": "gb18030", "ja": "shift_jis", "ko": "euc-kr", "fr": "utf-16"}


class Set:
    def __init__(self, folder, share):
        self.folder, self.share = folder, share
        self.contents, self.random = Contents(32), random.Random(7)
        self.made, self.left = [], 0.0

    def document(self, name, kind, language="en"):
        """None when it is not in the share."""
        self.left += self.share
        if self.left < 1:
            return None
        self.left -= 1
        document = self.contents.make(name, kind, language)
        self.made.append(document)
        return document

    def each(self, pattern, kinds, write, copies=1, language="en"):
        for copy in range(copies):
            for kind in kinds:
                document = self.document(pattern.format(kind=kind, copy=copy, language=language), kind, language)
                if document:
                    write(document, self.folder / document.name)

    def browser(self, copies, padding, language="en", kinds=KINDS):
        made = []
        self.each(f"chromium{padding}-{{kind}}-{{copy}}-{{language}}.pdf", kinds, lambda document, _: made.append(document),
                  copies, language)
        producers.chromium(made, self.folder, padding)

    def office(self, copies):
        """Workbooks that LibreOffice prints."""
        made = []
        with tempfile.TemporaryDirectory() as work:
            self.each("calc-{kind}-{copy}.pdf", ("plain", "spanned", "grouped", "sections", "form", "listed", "long"),
                      lambda document, path: made.append(document)
                      or producers.excel(document, Path(work) / (path.stem + ".xlsx")), copies)
            if made:
                subprocess.run(["soffice", f"-env:UserInstallation=file://{work}/profile", "--headless", "--convert-to", "pdf",
                                "--outdir", str(self.folder), *map(str, Path(work).glob("*.xlsx"))], check=True,
                               capture_output=True, timeout=600)

    def scans(self, copies):
        with tempfile.TemporaryDirectory() as work:
            def write(document, path):
                producers.chromium([document], Path(work), 4)
                (Path(work) / document.name).rename(Path(work) / "source")
                producers.scan(Path(work) / "source", path, self.random)

            self.each("scan-{kind}-{copy}.pdf", ("plain", "grouped", "form", "columns"), write, copies)
            self.each("scan-{kind}-{copy}.png", ("plain",), write, copies)
            for language in ("de", "ru", "zh", "ar"):
                self.each("scan-{kind}-{copy}-{language}.pdf", ("plain",), write, copies, language)


def main(folder, share=1.0):
    made = Set(folder, share)
    folder.mkdir(parents=True, exist_ok=True)
    made.browser(1, 4)
    made.browser(1, 1)
    made.browser(1, 8, kinds=TABLES)
    made.each("reportlab-{kind}-{copy}.pdf", KINDS, producers.reportlab_pdf, 3)
    made.office(2)
    made.each("word-{kind}-{copy}.docx", TABLES, producers.word, 2)
    made.each("excel-{kind}-{copy}.xlsx", TABLES, producers.excel, 2)
    made.each("slides-{kind}-{copy}.pptx", TABLES, producers.powerpoint)
    made.each("text-{kind}-{copy}.odt", TABLES, producers.open_document)
    made.each("book-{kind}-{copy}.epub", TABLES, producers.epub)
    made.each("letter-{kind}-{copy}.eml", TABLES, producers.mail)
    made.each("page-{kind}-{copy}.html", TABLES, lambda document, path: path.write_text(
        producers.to_html(document), encoding="utf-8"))
    made.each("rows-{kind}-{copy}.csv", FLAT[:3], producers.comma_separated, 2)
    made.each("rows-{kind}-{copy}.json", FLAT[:3], producers.json_list, 2)
    made.each("prose-{kind}-{copy}.md", ("plain", "form", "columns", "noted"), producers.markdown)
    for language in LANGUAGES:
        made.browser(1, 4, language, ("plain",))
        made.browser(1, 1, language, ("plain",))
        made.each("word-{copy}-{language}.docx", ("plain",), producers.word, 1, language)
        made.each("excel-{copy}-{language}.xlsx", ("plain",), producers.excel, 1, language)
        if language in CHARSETS:
            made.each("rows-{copy}-{language}.csv", ("plain",), lambda document, path: producers.comma_separated(
                document, path, CHARSETS[document.language]), 1, language)
            made.each("prose-{copy}-{language}.md", ("plain",), lambda document, path: producers.markdown(
                document, path, CHARSETS[document.language]), 1, language)
        if language not in ("ar", "he", "zh", "ja", "ko"):
            made.each("reportlab-{copy}-{language}.pdf", ("plain",), producers.reportlab_pdf, 1, language)
    made.scans(2)
    made.browser(2, 4, kinds=("invoice", "timetable", "numbered", "fees"))
    made.each("reportlab-{kind}-{copy}.pdf", ("invoice", "timetable", "numbered"), producers.reportlab_pdf)
    made.each("semicolons-{kind}-{copy}.csv", ("plain", "numbered"), lambda document, path: producers.comma_separated(
        document, path, delimiter=";"))
    questions = [{"file": document.name, "kind": document.kind, "language": document.language, "question": question,
                  "right": right, "wrong": wrong} for document in made.made for question, right, wrong in document.questions]
    codes = [made.contents.code() for _ in range(max(1, int(60 * share)))]
    questions += [{"file": None, "question": f"What is the {what} of {noun} {code}?"}
                  for code in codes for what, noun in [made.random.choice((("invoice total", "order"), ("price", "article"),
                                                                           ("net price", "order")))]]
    (folder / "questions.json").write_text(json.dumps(questions, ensure_ascii=False, indent=1), encoding="utf-8")
    print(f"{len(made.made)} documents, {len(questions)} questions")


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
