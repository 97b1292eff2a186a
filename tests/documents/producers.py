"""Writes the contents of test documents in the formats of different programs."""

import csv
import email.message
import html
import io
import json
import subprocess
import zipfile

import docx
import openpyxl
import pptx
import reportlab.lib.pagesizes
from docx.enum.text import WD_BREAK
from openpyxl.styles import Alignment
from openpyxl.worksheet.properties import PageSetupProperties
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (BaseDocTemplate, Frame, FrameBreak, NextPageTemplate, PageTemplate, Paragraph, Spacer,
                                Table as PdfTable)

SANS = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
CSS = ("body{font:10.5pt 'DejaVu Sans','Droid Sans Fallback'} table{border-collapse:collapse;margin:14px 0}"
       "td,th{padding:%spx;text-align:left} .c{columns:2;column-gap:28px;text-align:justify} h1{font-size:17pt}")


# -- HTML, and what is made of it ----------------------------------------------------------------------------

def spans(rows, grouped):
    """The rows of (text, rows) cells; None below a cell that spans rows."""
    result = [[(cell, 1) for cell in row] for row in rows]
    start = 0
    for index in range(1, len(rows) + 1):
        if not grouped:
            break
        if index == len(rows) or rows[index][0] != rows[start][0]:
            result[start][0] = (rows[start][0], index - start)
            for below in range(start + 1, index):
                result[below][0] = None
            start = index
    return result


def table_html(table):
    escape = html.escape
    width = len(table.rows[-1])
    lines = [f"<table border={int(table.borders)}>"]
    lines.append("<thead>" if table.repeat else "<tbody>")
    for row in table.heads:
        cells = "".join(f"<th colspan={columns}>{escape(text)}</th>" for text, columns in row)
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</thead><tbody>" if table.repeat else "")
    for row in spans(table.rows, table.grouped):
        if len(row) == 1:
            lines.append(f"<tr><td colspan={width}>{escape(row[0][0])}</td></tr>")
        else:
            cells = "".join(f"<td rowspan={cell[1]}>{escape(cell[0])}</td>" for cell in row if cell)
            lines.append(f"<tr>{cells}</tr>")
    return "\n".join(lines) + "</tbody></table>"


def to_html(document, padding=4):
    escape = html.escape
    direction = "rtl" if document.language in ("ar", "he") else "ltr"
    parts = [f"<!doctype html><html dir={direction} lang={document.language}><meta charset=utf-8>"
             f"<title>{escape(document.name)}</title><style>{CSS % padding}</style><body>"]
    for kind, value in document.blocks:
        if kind == "heading":
            parts.append(f"<h1>{escape(value)}</h1>")
        elif kind == "text":
            parts.append(f"<p>{escape(value)}</p>")
        elif kind == "columns":
            parts.append("<div class=c>" + "".join(f"<p>{escape(text)}</p>" for text in value) + "</div>")
        elif kind == "table":
            parts.append(table_html(value))
        elif kind == "leaders":
            parts += [f"<div style='display:flex'><span>{escape(label)}</span><span style='flex:1;overflow:hidden;"
                      f"white-space:nowrap'>{' .' * 150}</span><span>&nbsp;{escape(text)}</span></div>" for label, text in value]
        else:
            mark = ":" if kind == "form" else ""
            rows = "".join(f"<tr><td>{escape(label)}{mark}</td><td>{escape(text)}</td></tr>" for label, text in value)
            parts.append(f"<table border={int(kind == 'list')}>{rows}</table>")
    return "\n".join(parts)


def chromium(documents, folder, padding):
    """PDF by a browser's printing."""
    for document in documents:
        page = folder / "page.html"
        page.write_text(to_html(document, padding), encoding="utf-8")
        header = [] if document.pages else ["--no-pdf-header-footer"]
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", *header,
                        f"--print-to-pdf={folder / document.name}", str(page)], check=True, capture_output=True, timeout=120)
        page.unlink()


# -- PDF by reportlab ---------------------------------------------------------------------------------------

def pdf_table(table):
    font = "body"
    style = [("FONT", (0, 0), (-1, -1), font, 10), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]
    if table.borders:
        style.append(("GRID", (0, 0), (-1, -1), 0.5, colors.grey))
    cell = ParagraphStyle("cell", fontName=font, fontSize=10, leading=12)
    width = sum(columns for _, columns in table.heads[0])
    data = []
    for row in table.heads:
        line = []
        for text, columns in row:
            if columns > 1:
                style += [("SPAN", (len(line), len(data)), (len(line) + columns - 1, len(data))),
                          ("ALIGN", (len(line), len(data)), (len(line), len(data)), "CENTER")]
            line += [text] + [""] * (columns - 1)
        data.append(line)
    for row in spans(table.rows, table.grouped):
        at = len(data)
        if len(row) == 1:
            style.append(("SPAN", (0, at), (-1, at)))
            data.append([row[0][0]] + [""] * (width - 1))
            continue
        for index, one in enumerate(row):
            if one and one[1] > 1:
                style.append(("SPAN", (index, at), (index, at + one[1] - 1)))
        data.append([Paragraph(one[0], cell) if one and len(one[0]) > 30 else one[0] if one else "" for one in row])
    longest = max(len(str(row[1])) for row in table.rows if len(row) > 1)
    widths = [150, 180, 70, 70][:width] if longest > 30 else None
    return PdfTable(data, colWidths=widths, style=style, repeatRows=len(table.heads) if table.repeat else 0, hAlign="LEFT")


def reportlab_pdf(document, path):
    pdfmetrics.registerFont(TTFont("body", SANS))
    body = ParagraphStyle("body", fontName="body", fontSize=10.5, leading=14, spaceAfter=8)
    title = ParagraphStyle("title", fontName="body", fontSize=17, leading=22, spaceAfter=10)
    width, height = reportlab.lib.pagesizes.A4

    def decorate(canvas, template):
        if document.pages:
            canvas.setFont("body", 8)
            canvas.drawString(50, height - 30, f"Internal copy of {document.name}")
            canvas.drawRightString(width - 50, 30, f"Page {template.page}")

    half = (width - 130) / 2
    template = BaseDocTemplate(str(path), pagesize=(width, height))
    whole = [Frame(50, 50, width - 100, height - 100)]
    pair = [Frame(50, height - 160, width - 100, 110), Frame(50, 50, half, height - 210),
            Frame(80 + half, 50, half, height - 210)]
    has_columns = any(kind == "columns" for kind, _ in document.blocks)
    template.addPageTemplates(PageTemplate("page", pair if has_columns else whole, onPage=decorate))
    story = [NextPageTemplate("page")]
    for kind, value in document.blocks:
        if kind in ("heading", "text"):
            story.append(Paragraph(html.escape(value), title if kind == "heading" else body))
        elif kind == "columns":
            story.append(FrameBreak())
            for index, text in enumerate(value):
                story.append(Paragraph(html.escape(text), body))
                if index == len(value) // 2 - 1:
                    story.append(FrameBreak())
        elif kind == "table":
            story += [pdf_table(value), Spacer(1, 12)]
        else:
            rows = [[label + (":" if kind == "form" else ""), text] for label, text in value]
            story.append(PdfTable(rows, style=[("FONT", (0, 0), (-1, -1), "body", 10)], hAlign="LEFT"))
    template.build(story)


# -- office formats -----------------------------------------------------------------------------------------

def word(document, path):
    made = docx.Document()
    for kind, value in document.blocks:
        if kind == "heading":
            made.add_heading(value)
        elif kind == "text":
            made.add_paragraph(value)
        elif kind == "columns":
            for text in value:
                made.add_paragraph(text)
        elif kind == "table":
            word_table(made, value)
        else:
            rows = made.add_table(len(value), 2)
            for row, (label, text) in zip(rows.rows, value):
                row.cells[0].text, row.cells[1].text = label + (":" if kind == "form" else ""), text
    if document.pages:
        made.paragraphs[-1].add_run().add_break(WD_BREAK.PAGE)
    made.save(path)


def fill(table, at, put, merge):
    """The cells of a table by row and column, and what is merged; `at` is its first row."""
    for row in table.heads:
        column = 0
        for text, columns in row:
            put(at, column, text)
            if columns > 1:
                merge(at, column, at, column + columns - 1)
            column += columns
        at += 1
    width = len(table.rows[-1])
    for row in spans(table.rows, table.grouped):
        for column, cell in enumerate(row):
            if cell:
                put(at, column, cell[0])
                if cell[1] > 1:
                    merge(at, column, at + cell[1] - 1, column)
        if len(row) == 1:
            merge(at, 0, at, width - 1)
        at += 1
    return at


def word_table(made, table):
    grid = made.add_table(len(table.heads) + len(table.rows), len(table.rows[-1]))

    def put(row, column, text):
        grid.cell(row, column).text = text

    fill(table, 0, put, lambda top, left, bottom, right: grid.cell(top, left).merge(grid.cell(bottom, right)))


def figure(text):
    return float(text) if text.replace(".", "", 1).isdigit() else text


def excel(document, path):
    book = openpyxl.Workbook()
    sheet, at = book.active, 1
    sheet.title = "Data"

    def put(row, column, text):
        cell = sheet.cell(row, column + 1, figure(text))
        if isinstance(cell.value, float):
            cell.number_format = "0.00" if "." in text else "0"

    def merge(top, left, bottom, right):
        sheet.merge_cells(start_row=top, start_column=left + 1, end_row=bottom, end_column=right + 1)

    for kind, value in document.blocks:
        if kind in ("heading", "text"):
            sheet.cell(at, 1, value).alignment = Alignment(wrap_text=True)
            sheet.merge_cells(start_row=at, start_column=1, end_row=at, end_column=5)
            at += 2
        elif kind == "columns":
            for text in value:
                sheet.cell(at, 1, text)
                at += 1
        elif kind == "table":
            at = fill(value, at, put, merge) + 1
        else:
            for label, text in value:
                put(at, 0, label + (":" if kind == "form" else ""))
                put(at, 1, text)
                at += 1
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_setup.fitToHeight = 0
    for column in "ABCDE":
        sheet.column_dimensions[column].width = 24
    book.save(path)


def powerpoint(document, path):
    show = pptx.Presentation()
    for kind, value in document.blocks[1:]:
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = document.blocks[0][1]
        if kind == "table":
            grid = slide.shapes.add_table(len(value.heads) + len(value.rows), len(value.rows[-1]), Inches(1), Inches(1.5),
                                          Inches(8), Inches(4)).table

            def put(row, column, text, grid=grid):
                grid.cell(row, column).text = text

            fill(value, 0, put, lambda top, left, bottom, right, grid=grid: grid.cell(top, left).merge(
                grid.cell(bottom, right)))
        elif kind in ("form", "list"):
            grid = slide.shapes.add_table(len(value), 2, Inches(1), Inches(1.5), Inches(8), Inches(4)).table
            for row, (label, text) in enumerate(value):
                grid.cell(row, 0).text, grid.cell(row, 1).text = label + (":" if kind == "form" else ""), text
        else:
            box = slide.shapes.add_textbox(Inches(1), Inches(1.5), Inches(8), Inches(4)).text_frame
            box.text = value if kind == "text" else "\n".join(value)
    show.save(path)


OPEN_DOCUMENT = ('<?xml version="1.0" encoding="UTF-8"?><office:document-content'
                 ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
                 ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
                 ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>')


def open_document(document, path):
    def paragraph(text):
        return f"<text:p>{html.escape(text)}</text:p>"

    def cell(text, columns=1, rows=1):
        return (f'<table:table-cell table:number-columns-spanned="{columns}" table:number-rows-spanned="{rows}">'
                f"{paragraph(text)}</table:table-cell>" + "<table:covered-table-cell/>" * (columns - 1))

    parts = []
    for kind, value in document.blocks:
        if kind == "heading":
            parts.append(f'<text:h text:outline-level="1">{html.escape(value)}</text:h>')
        elif kind == "text":
            parts.append(paragraph(value))
        elif kind == "columns":
            parts += map(paragraph, value)
        elif kind == "table":
            width = len(value.rows[-1])
            parts.append('<table:table><table:table-header-rows>')
            parts += ["<table:table-row>" + "".join(cell(*one) for one in row) + "</table:table-row>" for row in value.heads]
            parts.append("</table:table-header-rows>")
            for row in spans(value.rows, value.grouped):
                cells = [cell(row[0][0], width)] if len(row) == 1 else [
                    cell(one[0], 1, one[1]) if one else "<table:covered-table-cell/>" for one in row]
                parts.append("<table:table-row>" + "".join(cells) + "</table:table-row>")
            parts.append("</table:table>")
        else:
            rows = "".join("<table:table-row>" + cell(label + (":" if kind == "form" else "")) + cell(text)
                           + "</table:table-row>" for label, text in value)
            parts.append(f"<table:table>{rows}</table:table>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        archive.writestr("content.xml", OPEN_DOCUMENT + "".join(parts)
                         + "</office:text></office:body></office:document-content>")


def epub(document, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
                         '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>')
        archive.writestr("OEBPS/book.opf", '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
                         '<item id="c1" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
                         '<spine><itemref idref="c1"/></spine></package>')
        archive.writestr("OEBPS/one.xhtml", to_html(document))


def mail(document, path):
    message = email.message.EmailMessage()
    message["From"], message["To"], message["Subject"] = "stock@shop.example", "all@shop.example", document.blocks[0][1]
    message["Date"] = "Fri, 27 Nov 2026 09:00:00 +0000"
    message.set_content("Please see the table in the HTML part.")
    message.add_alternative(to_html(document), subtype="html")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="stock.pdf")
    path.write_bytes(bytes(message))


# -- text formats -------------------------------------------------------------------------------------------

def rows_of(document):
    [table] = [value for kind, value in document.blocks if kind == "table"]
    heads = [" ".join(filter(None, (text, ))) for text, _ in table.heads[-1]]
    return heads, [row for row in table.rows if len(row) > 1]


def comma_separated(document, path, encoding="utf-8", delimiter=","):
    heads, rows = rows_of(document)
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([heads, *rows])
    path.write_bytes(text.getvalue().encode(encoding))


def json_list(document, path):
    heads, rows = rows_of(document)
    path.write_text(json.dumps([dict(zip(heads, row)) for row in rows], ensure_ascii=False), encoding="utf-8")


def markdown(document, path, encoding="utf-8"):
    parts = []
    for kind, value in document.blocks:
        if kind == "heading":
            parts.append("# " + value)
        elif kind == "text":
            parts.append(value)
        elif kind == "columns":
            parts += value
        elif kind == "table":
            heads, rows = rows_of(document)
            parts.append("\n".join("| " + " | ".join(row) + " |" for row in [heads, ["---"] * len(heads), *rows]))
        else:
            parts += [f"{label}: {text}" for label, text in value]
    path.write_bytes("\n\n".join(parts).encode(encoding))


# -- scans --------------------------------------------------------------------------------------------------

def scan(source, path, random):
    """Pages at 200 dpi, turned by up to one degree, with noise, as a PDF or an image."""
    from PIL import Image, ImageFilter
    stem = path.parent / "raster"
    subprocess.run(["pdftoppm", "-r", "200", "-gray", "-png", str(source), str(stem)], check=True)
    pages = []
    for page in sorted(path.parent.glob("raster*.png")):
        image = Image.open(page).convert("L")
        image = image.rotate(random.uniform(-1, 1), resample=Image.Resampling.BICUBIC, fillcolor=255)
        noise = Image.effect_noise(image.size, 40).filter(ImageFilter.GaussianBlur(0.6))
        pages.append(Image.blend(image, noise, 0.12))
        page.unlink()
    pages[0].save(path, save_all=True, append_images=pages[1:], resolution=200) if path.suffix == ".pdf" else pages[0].save(path)
