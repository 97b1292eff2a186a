"""Files made to hurt whoever reads them, two hundred of them through the real stack: each ends in text or in
a clear word, within its limits of time and memory, and nothing of it stays behind."""

import io
import itertools
import os
import struct
import time
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service import ENGINES, Service
from support_answers_test import simple_pdf

HEADERS = {"X-API-Key": "support-test-key-2"}
READER_SECONDS, READER_MEMORY = 3, 256 << 20
SANITIZED = bool(os.environ.get("SANITIZE"))  # such processes have more than is asked about
REFUSED = ("Invalid filename", "Unsupported file type", "Unsupported file content", "No filename provided",
           "Upload exceeds limit")
READER_WORDS = ("the document is damaged, encrypted, or not of the kind its name says",
                "the document takes too long to read", "the document holds more text than is allowed",
               "an element of the document has more than 1000 attributes", "save it as UTF-8", "or declare the set")
WORD = "Zanzibar"  # stands in what must be read all the same


# -- files ------------------------------------------------------------------------------------------------

def pdf(objects, trailer=b"", header=b"%PDF-1.7\n"):
    """A PDF of these bodies of objects, the first one its root."""
    out, places = header, []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, table)


def page_tree(root=b"", page=b"", text=WORD, count=1, extra=()):
    """The objects of a document of `count` pages that show one line."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    kids = b" ".join(b"%d 0 R" % number for number in range(5 + len(extra), 5 + len(extra) + count))
    return [b"<</Type/Catalog/Pages 2 0 R%s>>" % root, b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
            b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", *extra] + \
           [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R"
            b"/Resources<</Font<</F1 4 0 R>>>>%s>>" % page] * count


def packed(raw, filters=b"/FlateDecode", times=1):
    """A stream that holds `raw`, deflated so many times."""
    for _ in range(times):
        raw = zlib.compress(raw, 9)
    return b"<</Length %d/Filter[%s]>>stream\n%s\nendstream" % (len(raw), filters * times, raw)


ENCRYPTED = (b"/Encrypt<</Filter/Standard/V 1/R 2/P -44/O(%s)/U(%s)>>/ID[(0123456789abcdef)(0123456789abcdef)]"
             % (b"o" * 32, b"u" * 32))
LAUNCH = (b"/OpenAction<</S/Launch/Win<</F(cmd.exe)/P(/c touch launched)>>/F<</Type/Filespec/F(/bin/sh)>>>>",
          b"/OpenAction<</S/JavaScript/JS(app.launchURL\\('http://127.0.0.1:9/x'\\))>>",
          b"/OpenAction<</S/URI/URI(http://127.0.0.1:9/x)>>", b"/OpenAction<</S/GoToR/F(/etc/passwd)>>",
          b"/AA<</WC<</S/Launch/F(/bin/sh)>>>>", b"/OpenAction<</S/ImportData/F(/etc/passwd)>>",
          b"/Names<</EmbeddedFiles<</Names[(x)<</Type/Filespec/F(../../x)/EF<</F 3 0 R>>>>]>>>>")


def pdfs():
    whole = simple_pdf(WORD)
    yield "pages.pdf", pdf(page_tree(count=10_000)), WORD
    yield "encrypted.pdf", pdf(page_tree(), ENCRYPTED), None
    yield "encrypted-5.pdf", pdf(page_tree(), ENCRYPTED.replace(b"/V 1/R 2", b"/V 5/R 6/Length 256")), None
    for number, root in enumerate(LAUNCH):
        yield f"launch-{number}.pdf", pdf(page_tree(root)), WORD
    for cut in range(5, len(whole), len(whole) // 24):
        yield f"truncated-{cut}.pdf", whole[:cut], None
    for place in range(9, len(whole), len(whole) // 12):
        yield f"flipped-{place}.pdf", whole[:place] + b"\xff\x00\xff" + whole[place + 3:], None
    bomb = page_tree()
    bomb[2] = packed(b"BT (x) Tj ET\n" * 9_000_000, times=2)
    yield "deflated-twice.pdf", pdf(bomb), None
    bomb[2] = packed(b"q " * 4_000_000)
    yield "states.pdf", pdf(bomb), None
    yield "circle.pdf", pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 1>>"]), None
    yield "own-parent.pdf", pdf([b"<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Parent 1 0 R/Count 9>>"]), None
    yield "deep.pdf", pdf([b"<</Type/Catalog/Pages " + b"[" * 300_000 + b">>"]), None
    yield "strings.pdf", pdf([b"<</Type/Catalog/Pages " + b"(" * 1_000_000 + b">>"]), None
    yield "count.pdf", pdf(page_tree()).replace(b"/Count 1", b"/Count 2147483647"), None
    yield "negative.pdf", pdf(page_tree()).replace(b"/Count 1", b"/Count -1"), None
    yield "box.pdf", pdf(page_tree()).replace(b"[0 0 612 792]", b"[0 0 1e38 1e38]"), None
    yield "length.pdf", pdf(page_tree()).replace(b"<</Length ", b"<</Length 99999999999"), None
    yield "offset.pdf", pdf(page_tree()).replace(b"startxref\n", b"startxref\n-9999999999"), None
    yield "form.pdf", pdf(page_tree(page=b"/Resources<</XObject<</X 6 0 R>>>>")), None
    self_form = page_tree(extra=(b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>"
                                 b"/Length 12>>stream\n/X Do /X Do \nendstream",))
    self_form[2] = b"<</Length 6>>stream\n/X Do \nendstream"
    self_form[-1] = self_form[-1].replace(b"/Font", b"/XObject<</X 5 0 R>>/Font")
    yield "form-in-itself.pdf", pdf(self_form), None
    yield "nothing.pdf", b"%PDF-1.7\n", None
    yield "zip.pdf", b"%PDF-" + docx(), None


def docx(document=f"<w:p><w:r><w:t>{WORD}</w:t></w:r></w:p>", prolog="", extra=(), name="word/document.xml"):
    body = document if isinstance(document, bytes) else (
        f'<?xml version="1.0"?>{prolog}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/'
        f'2006/main"><w:body>{document}</w:body></w:document>').encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(name, body)
        for other, content in extra:
            archive.writestr(other, content)
    return out.getvalue()


def text_of(inner):
    return f"<w:p><w:r><w:t>{inner}</w:t></w:r></w:p>"


def laughs(count, each=10):
    return "<!DOCTYPE d [<!ENTITY e0 'laugh'>" + "".join(
        f"<!ENTITY e{i} '{f'&e{i - 1};' * each}'>" for i in range(1, count)) + "]>"


def with_size(archive, size):
    """The same zip whose directory announces another size of its first entry."""
    place = archive.rindex(b"PK\x01\x02")
    return archive[:place + 24] + struct.pack("<I", size) + archive[place + 28:]


def docxs():
    whole = docx()
    yield "benign.docx", whole, WORD
    yield "bomb.docx", docx(b"\0" * (300 << 20)), None
    yield "bomb-of-text.docx", docx(text_of("word " * 12_000_000)), None
    yield "bomb-beside.docx", docx(extra=(("word/media/a.png", b"\0" * (100 << 20)),)), WORD
    for count in (3, 6, 10):
        yield f"laughs-{count}.docx", docx(text_of(f"&e{count - 1};"), laughs(count)), None
    yield "quadratic.docx", docx(text_of("&e0;" * 50_000), f"<!DOCTYPE d [<!ENTITY e0 '{'a' * 50_000}'>]>"), None
    for number, address in enumerate(("file:///etc/passwd", "http://127.0.0.1:9/x", "file:///dev/zero", "expect://id")):
        yield f"outside-{number}.docx", docx(text_of("&x;"), f"<!DOCTYPE d [<!ENTITY x SYSTEM '{address}'>]>"), None
        yield f"subset-{number}.docx", docx(text_of("x"), f"<!DOCTYPE d SYSTEM '{address}'>"), None
        yield f"parameter-{number}.docx", docx(text_of("x"), f"<!DOCTYPE d [<!ENTITY % p SYSTEM '{address}'> %p;]>"), None
    yield "include.docx", docx("<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='/etc/passwd'/>"), None
    yield "deep.docx", docx("<w:a>" * 1_000_000), None
    yield "attributes.docx", docx("<w:p " + " ".join(f"a{i}='x'" for i in range(300_000)) + "/>"), None
    yield "long-name.docx", docx(f"<w:{'n' * 5_000_000}/>"), None
    yield "long-paragraph.docx", docx(text_of("y" * 3_000_000)), None
    yield "not-closed.docx", docx(b"<w:document>"), None
    yield "utf-16.docx", docx("<?xml version='1.0' encoding='UTF-16'?><d>\ud7ff</d>".encode("utf-16")), None
    yield "utf-7.docx", docx(b"<?xml version='1.0' encoding='UTF-7'?><d>+AGE-</d>"), None
    yield "broken-utf-8.docx", docx(b"<d><w:t>\xff\xfe\xc0\x80</w:t></d>"), None
    yield "climbing.docx", docx(extra=(("../../../climbed.txt", b"x"), ("/climbed.txt", b"x"))), WORD
    yield "entries.docx", docx(extra=((f"{i}", b"") for i in range(25_000))), None
    yield "announces-more.docx", with_size(whole, 0xFFFFFFF0), None
    yield "announces-less.docx", with_size(whole, 1), None
    for cut in range(4, len(whole), len(whole) // 12):
        yield f"truncated-{cut}.docx", whole[:cut], None
    for place in range(4, len(whole), len(whole) // 12):
        yield f"flipped-{place}.docx", whole[:place] + b"\xff\x00\xff" + whole[place + 3:], None
    yield "other.docx", docx(name="xl/workbook.xml"), None
    yield "text.docx", b"only text, word/document.xml", None


def htmls():
    for tag, depth in (("div", 1_000_000), ("b", 50_000), ("table", 100_000), ("a", 50_000), ("svg", 100_000)):
        yield f"deep-{tag}.html", f"<{tag}>".encode() * depth + WORD.encode(), None if tag == "svg" else WORD
    yield "tables.html", b"<table><tr><td>" * 50_000 + WORD.encode(), WORD
    yield "formatting.html", b"<b><i><u><p>" * 20_000 + WORD.encode(), WORD
    yield "mixed.html", b"<a><b><i><font>" * 50_000 + WORD.encode(), WORD
    yield "closed.html", b"</p></b>" * 100_000, None
    yield "attributes.html", b"<p " + b" ".join(b"a%d=x" % i for i in range(100_000)) + b">" + WORD.encode(), WORD
    yield "entities.html", b"&amp;&#x1F600;&#0;&#xD800;&#x110000;" * 50_000 + WORD.encode(), None
    yield "unclosed.html", b"<p title='" + b"x" * 1_000_000, None
    yield "comment.html", f"<p>{WORD}</p><!--".encode() + b"-" * 1_000_000, WORD
    yield "script.html", f"<p>{WORD}</p><script>".encode() + b"x" * 1_000_000, WORD
    yield "image.html", f"<p>{WORD}<img src=http://127.0.0.1:9/x><iframe src=file:///etc/passwd>".encode(), WORD
    yield "meta.html", f"<meta http-equiv=refresh content='0;url=file:///etc/passwd'><p>{WORD}".encode(), WORD
    yield "utf-16.html", f"<p>{WORD}".encode("utf-16"), WORD
    yield "broken.html", b"<p>\xff\xfe\xc0\x80\xed\xa0\x80 " + WORD.encode(), None
    yield "nul-later.html", b"<p>" + b" " * 5000 + b"\0\0" + WORD.encode(), None
    yield "pdf.html", simple_pdf(WORD), None


def texts():
    yield "nul.txt", b"a\0b", None
    yield "nul-later.md", b"x" * 5000 + b"\0 " + WORD.encode(), WORD
    yield "nul-only.txt", b"\n" * 5000 + b"\0" * 5000, None
    yield "four-bytes.txt", ("\U0001F600\U0010FFFF\U00020000 " * 9000 + WORD).encode(), WORD
    yield "surrogates.txt", b"\xed\xa0\x80\xed\xbf\xbf" * 9000 + WORD.encode(), None
    yield "overlong.txt", b"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf" * 9000 + WORD.encode(), None
    yield "cut.txt", WORD.encode() + b" \xf0\x9f\x98", WORD
    yield "bytes.txt", bytes(range(1, 256)) * 3000 + WORD.encode(), None
    yield "overrides.txt", ("\u202e\u2066\u200f\u061c" * 20_000 + WORD + "\u202c").encode(), WORD
    yield "combining.txt", ("a" + "\u0301" * 200_000 + " " + WORD).encode(), None
    yield "joined.md", ("\u200d".join(["\U0001F469"] * 50_000) + " " + WORD).encode(), None
    yield "utf-16.txt", WORD.encode("utf-16"), WORD
    yield "latin-1.txt", (WORD + " caf\xe9").encode("latin-1"), None
    yield "empty.txt", b"", None
    yield "blank.txt", b" \n\t\r" * 100_000, None
    yield "one-line.txt", b"x" * 1_000_000, None
    yield "one-word.md", "\u8a9e".encode() * 200_000, None
    yield "lines.txt", b"\n".join(b"%d" % i for i in range(50_000)), None
    yield "headings.md", b"# a\n#### b\n" * 20_000, None
    yield "fences.md", b"```\n# x\n~~~\n" * 20_000, None
    yield "table.md", b"|a|" * 400_000, None
    yield "list.md", b"".join(b" " * (i % 500) + b"- x\n" for i in range(8_000)), None
    yield "digits.txt", b"1" * 1_000_000, None
    yield "mail.txt", b"a@" * 400_000, None
    yield "escape.txt", b"\x1b[2J\x1b]0;x\x07\x9b" + WORD.encode(), None
    yield "program.txt", b"\x7fELF\x02\x01\x01" + bytes(9), None
    yield "statement.txt", f"'); DROP TABLE kb_chunks; -- {WORD} $1 ? {{now}} %s %n".encode(), WORD


def names():
    text = f"A name. {WORD}.".encode()
    for name in ("../../climbed.txt", "..\\..\\climbed.txt", "/etc/passwd.txt", "C:\\x\\y.txt", "a/../b.md", "....//c.txt",
                 "\u202etxt.exe.md", "\u8a9e\u8a9e.txt", "\U0001F600.txt", "a\u0301.txt", "a b\tc.txt", "-rf.txt", "~.txt", "%00.txt",
                 "%2e%2e%2fx.txt", "a;touch x.txt", "$(touch x).txt", "'\u0022<b>.txt", "a.pdf.txt", "NUL.txt", "x.TXT"):
        yield name, text, WORD
    for name in (".txt", "..txt", "../.txt", "x.exe", "x.txt.", "x", "x.php", "x.html/", "x.htm", "x.json"):
        yield name, text, None
    for length in (200, *range(244, 259), 300, 2000):
        yield "n" * (length - 4) + ".txt", text, WORD if length <= 255 else None
    for length in (81, 83, 84, 85):  # three bytes a letter
        yield "\u8a9e" * length + ".md", text, WORD if length * 3 + 3 <= 255 else None


def files(engine):
    """What only readers see is put before one engine."""
    read = () if engine == "postgres" else itertools.chain(pdfs(), docxs(), htmls())
    return list(itertools.chain(read, texts(), names()))


# -- what becomes of them ---------------------------------------------------------------------------------

@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    env = {"API_KEY": HEADERS["X-API-Key"], "RATE_LIMIT_ENABLED": "false", "READER_SECONDS": READER_SECONDS,
           "READER_MEMORY_BYTES": READER_MEMORY, "READER_TEXT_BYTES": 8 << 20,
           "INGEST_ASYNC": "auto" if request.param == "postgres" else "always"}
    with Service("support", env, request.param) as service:
        yield service


def upload(service, name, content):
    """What the upload says, or its task is to say: an HTTP status, the words or the task, the clean name."""
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, content)})
    body = answer.json()
    if answer.status_code != 200:
        return answer.status_code, body["detail"], None
    if not body["task_id"]:
        return 200, body["message"], body["filename"]
    return 200, body, body["filename"]


def outcome(service, told):
    """The same with the words of the task when it is over."""
    status, words, name = told
    while not isinstance(words, str):
        task = service.get(f"/api/tasks/{words['task_id']}", headers=HEADERS).json()
        if task["status"] in ("SUCCESS", "FAILURE"):
            words = task["result"].get("message") or task["result"]["detail"]
        else:
            time.sleep(0.05)
    return status, words, name


def processes_of(service, word):
    found = []
    for pid in service.stack.processes():
        try:
            if Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].endswith(word):
                found.append(pid)
        except OSError:
            continue
    return found


def resident_memory(pid):
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) << 10


def other_files(service):
    """Files of the stack that are neither uploads nor segments nor of its own running."""
    return {str(path.relative_to(service.stack.directory)) for path in service.stack.directory.rglob("*")
            if path.is_file() and not {"uploads", "index", "log", "run", "runners"} & set(path.parts)
            and not path.name.endswith(("-wal", "-shm"))}


def test_two_hundred_hostile_files(support):
    given = files(support.engine)
    assert len(given) >= 200 or support.engine == "postgres"
    others = other_files(support)
    runners = processes_of(support, b"/cron-bin/ingest")
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda file: upload(support, *file[:2]), given))
    told = [outcome(support, one) for one in told]
    wrong = []
    for (name, _, expected), (status, words, kept) in zip(given, told):
        read = words.startswith("File uploaded and indexed.")
        clear = status == 400 and words.startswith(REFUSED) or status == 413 or status == 200 and (
            read or words == "File saved but no text content could be extracted." or words.endswith(READER_WORDS))
        if not clear or (expected and not read) or (kept and len(kept.encode()) > 255):
            wrong.append((name[:60], len(name.encode()), status, words))
    assert not wrong, wrong
    assert processes_of(support, b"/cron-bin/ingest") == runners, "a reader died, or left a child"
    assert not processes_of(support, b"pdftotext")
    assert max(map(resident_memory, runners)) < READER_MEMORY or SANITIZED
    documents = {row[0] for row in support.sql("SELECT doc_id FROM kb_documents")}
    assert other_files(support) == others
    kept_names = {kept for _, _, kept in told}
    assert {path.name for path in support.stack.directory.rglob("uploads/*")} <= kept_names
    assert {kept for (_, _, expected), (_, _, kept) in zip(given, told) if expected} <= documents
    answer = support.post("/api/ask", {"question": f"What stands beside {WORD}?"}, headers=HEADERS)
    assert answer.status_code == 200 and "root:" not in answer.text
