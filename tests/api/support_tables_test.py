"""Tables, lists, notes and text boxes of documents through the real stack: what is asked is answered with the figure of
its own row."""

import io
import zipfile

import pytest

from service import Service

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture(scope="module")
def support():
    with Service("support", {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false"}) as service:
        yield service


def text_of(service, name, content):
    """The chunks of a document, one after the other."""
    answer = service.send("POST", "/api/upload", headers=HEADERS, files={"file": (name, content)})
    assert answer.status_code == 200 and answer.json()["status"] == "ok", answer.text
    rows = service.sql("SELECT c.body FROM kb_chunks c JOIN kb_documents d ON d.document_key = c.document_key"
                       f" WHERE d.doc_id = '{name}' ORDER BY c.chunk_index")
    return "\n\n".join(body for [body] in rows)


def docx(body, **parts):
    """A document of Word with these elements in its body, and other parts by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, element, content in [("document", "document", f"<w:body>{body}</w:body>"),
                                       *((name, name, content) for name, content in parts.items())]:
            archive.writestr(f"word/{name}.xml",
                             f'<w:{element} xmlns:w="{WORD}" xmlns:mc="http://schemas.openxmlformats.org/'
                             f'markup-compatibility/2006">{content}</w:{element}>')
    return packed.getvalue()


def paragraph(text, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(text, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def item(text, list_id, level=0):
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def row(*cells):
    return f"<w:tr>{''.join(cells)}</w:tr>"


def answer(service, question):
    reply = service.post("/api/ask", {"question": question}, headers=HEADERS).json()
    return reply["answer"]


def test_merged_cells_of_word_stand_in_every_row(support):
    merge, go_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    table = "<w:tbl>" + "".join((
        row(cell("Region"), cell("Parcel"), cell("Fee")),
        row(cell("Northland", merge), cell("Small"), cell("11 EUR")),
        row(cell("", go_on), cell("Large"), cell("12 EUR")),
        row(cell("Southland", merge), cell("Small"), cell("21 EUR")),
        row(cell("", go_on), cell("Large"), cell("22 EUR")))) + "</w:tbl>"
    text = text_of(support, "fees.docx", docx(paragraph("Fees of parcels by region.") + table))
    assert "| Region | Parcel | Fee |\n|---|---|---|\n| Northland | Small | 11 EUR |\n| Northland | Large | 12 EUR |" in text
    assert "| Southland | Large | 22 EUR |" in text
    said = answer(support, "What is the fee of a large parcel in Southland?")
    assert "22 EUR" in said and "12 EUR" not in said, said


def test_heads_over_several_columns_of_word(support):
    wide = '<w:gridSpan w:val="2"/>'
    table = "<w:tbl>" + "".join((
        row(cell("Product"), cell("Online", wide), cell("Shop", wide)),
        row(cell(""), cell("New"), cell("Used"), cell("New"), cell("Used")),
        row(cell("Kettle"), cell("40"), cell("20"), cell("45"), cell("25")))) + "</w:tbl>"
    text = text_of(support, "products.docx", docx(table))
    assert "| Product | Online New | Online Used | Shop New | Shop Used |" in text
    assert "| Kettle | 40 | 20 | 45 | 25 |" in text


def test_list_numbers_and_notes_of_word(support):
    level = '<w:lvl w:ilvl="{0}"><w:start w:val="1"/><w:numFmt w:val="{1}"/><w:lvlText w:val="{2}"/></w:lvl>'
    numbering = ('<w:abstractNum w:abstractNumId="7">' + level.format(0, "decimal", "%1.") +
                 level.format(1, "lowerLetter", "%1.%2)") + '</w:abstractNum>'
                 '<w:abstractNum w:abstractNumId="8">' + level.format(0, "bullet", "x") + '</w:abstractNum>'
                 '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>')
    notes = ('<w:footnote w:id="-1"><w:p/></w:footnote>'
             '<w:footnote w:id="3"><w:p><w:r><w:t>On weekdays alone.</w:t></w:r></w:p></w:footnote>')
    referring = ('<w:p><w:r><w:t>The hotline is open until nine</w:t></w:r><w:r><w:footnoteReference w:id="3"/></w:r>'
                 '<w:r><w:t>.</w:t></w:r></w:p>')
    body = (item("Unplug it", 1) + item("Open the lid", 1) + item("Turn it left", 1, 1) + item("Lift it", 1, 1) +
            item("Plug it in", 1) + item("A bullet", 2) + item("An item of no list", 9) + referring)
    text = text_of(support, "steps.docx", docx(body, numbering=numbering, footnotes=notes))
    assert ("1. Unplug it\n2. Open the lid\n- 2.a) Turn it left\n- 2.b) Lift it\n3. Plug it in\n- A bullet\n"
            "- An item of no list\n") in text
    assert "The hotline is open until nine (On weekdays alone)." in text


def test_styles_of_word_number_as_well(support):
    numbering = ('<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/>'
                 '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num>')
    styles = ('<w:style w:type="paragraph" w:styleId="ListNumber"><w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr>'
              '</w:style><w:style w:type="paragraph" w:styleId="Normal"/>')
    numbered, plain = '<w:pStyle w:val="ListNumber"/>', '<w:pStyle w:val="Normal"/>'
    none = numbered + '<w:numPr><w:numId w:val="0"/></w:numPr>'
    body = (paragraph("Fourth", numbered) + paragraph("Fifth", numbered) + paragraph("Without", none) +
            paragraph("Plain", plain))
    text = text_of(support, "styled.docx", docx(body, numbering=numbering, styles=styles))
    assert text == "- IV. Fourth\n- V. Fifth\nWithout\n\nPlain", text


def test_a_text_box_of_word_is_read_once(support):
    box = "<w:txbxContent>" + paragraph("Boxed words") + "</w:txbxContent>"
    drawing = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    body = f"<w:p><w:r><w:t>Before it, </w:t></w:r><w:r>{drawing}</w:r><w:r><w:t>behind it.</w:t></w:r></w:p>"
    text = text_of(support, "box.docx", docx(body + paragraph("Next.")))
    assert text.count("Boxed words") == 1 and "Before it, behind it." in text and text.endswith("Next.")


def test_spans_of_html_stand_in_every_row(support):
    html = ("<h1>Opening hours</h1><table><tr><th>Town<th>Day<th>Opens<tr><td rowspan=2>Lowtown<td>Monday<td>7:15"
            "<tr><td>Sunday<td>10:45<tr><td rowspan=2>Hightown<td>Monday<td>8:20<tr><td>Sunday<td>11:50</table>")
    text = text_of(support, "hours.html", html.encode())
    assert "| Lowtown | Sunday | 10:45 |" in text and "| Hightown | Sunday | 11:50 |" in text
    said = answer(support, "When does it open on Sunday in Hightown?")
    assert "11:50" in said and "10:45" not in said, said


def test_rows_far_down_a_long_table_keep_its_head(support):
    rows = "".join(f"| Article {number} | {number}.50 EUR | shelf {number % 9} |\n" for number in range(100, 180))
    text_of(support, "articles.md", ("# Articles\n\n| Article | Price of it | Place |\n|---|---|---|\n" + rows).encode())
    said = answer(support, "What is the price of article 171?")
    assert "Price of it" in said and "171.50 EUR" in said, said
