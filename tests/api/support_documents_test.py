"""Documents of many formats and programs through the real stack: a small part of the set of tests/documents, whose
questions are answered from the right row, and what only one format has."""

import email.message
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from service import Service

DOCUMENTS = Path(__file__).resolve().parents[1] / "documents"
sys.path.insert(0, str(DOCUMENTS))

import measure  # noqa: E402 (found by the line above)

SHARE = "0.05"


@pytest.fixture(scope="module")
def support():
    with Service("support", measure.ENVIRONMENT) as service:
        yield service


def text_of(service, name, content, folder):
    path = folder / name
    path.write_bytes(content)
    assert measure.upload(service, path) is None
    rows = service.sql("SELECT c.body FROM kb_chunks c JOIN kb_documents d ON d.document_key = c.document_key"
                       f" WHERE d.doc_id = '{name}' ORDER BY c.chunk_index")
    return "\n\n".join(body for [body] in rows)


def packed(**parts):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return content.getvalue()


def test_a_part_of_the_set_is_answered_from_the_right_rows(support, tmp_path):
    made = subprocess.run([DOCUMENTS / "install"], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip("the packages that write documents could not be installed: " + made.stderr.strip()[-200:])
    subprocess.run([made.stdout.strip(), DOCUMENTS / "make.py", tmp_path / "set", SHARE], check=True, timeout=600)
    groups, unknown = measure.measure(support, tmp_path / "set", show=True)
    count, right, _ = groups["digital"]
    assert count >= 20 and right >= 0.85 * count, groups
    assert unknown[0] and unknown[0] == unknown[1]


def test_a_workbook_shows_its_values_as_its_sheets_do(support, tmp_path):
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    book = packed(
        xl__workbook_dot_xml=f'<workbook xmlns="{main}" xmlns:r="r"><sheets><sheet name="Fees" r:id="a"/>'
        '<sheet name="Secret" state="hidden" r:id="b"/></sheets></workbook>',
        xl___rels__workbook_dot_xml_dot_rels='<Relationships><Relationship Id="a" Target="worksheets/one.xml"/>'
        '<Relationship Id="b" Target="worksheets/two.xml"/></Relationships>',
        xl__styles_dot_xml=f'<styleSheet xmlns="{main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/>'
        '<xf numFmtId="2"/></cellXfs></styleSheet>',
        xl__worksheets__one_dot_xml=f'<worksheet xmlns="{main}"><sheetData>'
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Fee</t></is></c><c r="B1" t="inlineStr"><is><t>From</t></is></c>'
        '<c r="C1" t="inlineStr"><is><t>Rate</t></is></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><t>Storage</t></is></c><c r="B2" s="1"><v>45292</v></c>'
        '<c r="C2" s="2"><v>0.075</v></c></row>'
        '<row r="3"><c r="A3" t="inlineStr"><is><t>Return</t></is></c><c r="B3" s="1"><v>45323</v></c>'
        '<c r="C3" s="3"><v>4.5</v></c></row></sheetData></worksheet>',
        xl__worksheets__two_dot_xml=f'<worksheet xmlns="{main}"><sheetData><row r="1"><c r="A1"><v>4711</v></c></row>'
        '</sheetData></worksheet>')
    text = text_of(support, "fees.xlsx", book, tmp_path)
    assert "# Fees" in text and "| Storage | 2024-01-01 | 7.50% |" in text and "| Return | 2024-02-01 | 4.50 |" in text
    assert "4711" not in text


def test_an_e_mail_names_its_people_and_attachments(support, tmp_path):
    message = email.message.EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@shop.example", "all@shop.example", "Überraschung"
    message.set_content("The cellar is closed on Tuesday.")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="plan of the cellar.pdf")
    text = text_of(support, "closing.eml", bytes(message), tmp_path)
    assert text.startswith("# Überraschung") and "From: ada@shop.example" in text
    assert "Attachments: plan of the cellar.pdf" in text and "The cellar is closed on Tuesday." in text


def test_an_open_document_keeps_notes_and_drops_comments(support, tmp_path):
    space = 'xmlns:office="o" xmlns:text="t" xmlns:table="b"'
    text = text_of(support, "rules.odt", packed(content_dot_xml=(
        f'<office:document-content {space}><office:body><office:text><text:h text:outline-level="2">Rules</text:h>'
        '<text:p>Dogs wait outside<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Guide dogs may'
        ' enter</text:p></text:note-body></text:note>.<office:annotation><text:p>really?</text:p></office:annotation></text:p>'
        '<text:list><text:list-item><text:p>No<text:s text:c="2"/>ice cream</text:p></text:list-item></text:list>'
        "</office:text></office:body></office:document-content>")), tmp_path)
    assert "## Rules" in text and "Dogs wait outside (Guide dogs may enter)." in text
    assert "- No  ice cream" in text and "really" not in text


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_rows_may_be_separated_by_other_characters(support, separator, tmp_path):
    rows = [["Name", "Room", "Art. no."], ["Okafor, Ngozi", "B 214", "5517"], ["Wu, Li", "B 215", "5518"]]
    text = text_of(support, f"people-{ord(separator)}.csv", "\n".join(map(separator.join, rows)).encode(), tmp_path)
    assert "Name: Okafor, Ngozi\nRoom: B 214" in text


def test_an_article_is_found_by_a_number_whose_column_does_not_name_it(support, tmp_path):
    text_of(support, "plants.csv", b"Nr.,Plant,Price\n7411,Lavender,3.49\n7412,Rosemary,4.29\n7413,Sage,2.95\n", tmp_path)
    assert "4.29" in measure.ask(support, "What is the price of article 7412?")["answer"]
    assert not measure.ask(support, "What is the price of article 7419?")["citations"]
    assert not measure.ask(support, "What is the price of order 7412?")["citations"]


HOSTILE = {
    "bomb.xlsx": lambda: packed(xl__workbook_dot_xml="<a>" + " " * 300_000_000 + "</a>"),
    "entities.odt": lambda: packed(content_dot_xml='<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
                                   + "".join(f'<!ENTITY c{i} "{f"&c{i - 1};" * 10 if i else "&b;" * 10}">' for i in range(12))
                                   + "]><a>&c11;</a>"),
    "cut.pptx": lambda: packed(ppt__presentation_dot_xml="<p"),
    "empty.epub": lambda: packed(**{"META-INF__container_dot_xml": "<container/>"}),
    "broken.png": lambda: b"\x89PNG\r\n\x1a\nnothing"}


@pytest.mark.parametrize("name", HOSTILE)
def test_damaged_and_hostile_files_end_with_a_reason(support, name, tmp_path):
    content = HOSTILE[name]()
    (tmp_path / name).write_bytes(content)
    assert measure.upload(support, tmp_path / name) is not None or text_of(support, name, content, tmp_path) == ""
