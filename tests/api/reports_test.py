"""Reports as files and texts: golden rows, seven languages, what poppler and an office suite make of them."""

import base64
import csv
import io
import os
import re
import subprocess
import xml.etree.ElementTree as xml
import zipfile

import pytest

from project_fixtures import analysis, create, expect, path_of, payload, unknown_id

pytest_plugins = ["store_fixtures"]

LANGUAGES = {"en": "Experiment Report", "ru": "Отчёт по эксперименту", "de": "Experimentbericht",
             "es": "Informe del experimento", "fr": "Rapport d'expérimentation", "zh": "实验报告", "ar": "تقرير التجربة"}
SUMMARIES = {"en": "Executive Summary", "ru": "Резюме", "de": "Zusammenfassung", "es": "Resumen",
             "fr": "Résumé exécutif", "zh": "执行摘要", "ar": "الملخص التنفيذي"}
SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
PDF_BYTES_MAX = 500_000
GUARDRAILS = [{"name": "=HYPERLINK(\"x\")", "metric_type": "binary", "baseline": 2.4, "detectable_mde_pp": 0.161,
               "detectable_mde_absolute": None, "note": "Tracked, and \"quoted\""},
              {"name": "Refund value", "metric_type": "continuous", "baseline": 18.0, "detectable_mde_pp": None,
               "detectable_mde_absolute": 0.0673, "note": ""}]


@pytest.fixture(scope="module", params=["sqlite"])
def engine(request):
    """What is stored is read by project_history_test.py on both."""
    return request.param


def kept(client, name="Checkout", change=None, **options):
    """A project with a whole analysis, and what was observed."""
    sent = payload(name, **options)
    results = {"metric_type": "binary", "binary": {"control_conversions": 410, "control_users": 10000,
                                                   "treatment_conversions": 470, "treatment_users": 10020, "alpha": 0.05}}
    answer = expect(client.post("/api/v1/results", results))
    sent["additional_context"] = {"observed_results": {"request": results, "analysis": answer}}
    made = create(client, sent)
    one = analysis(days=41, n=146642, warnings=["SEASONALITY_PRESENT"])
    one["report"]["guardrail_metrics"] = GUARDRAILS
    if change:
        change(one)
    expect(client.post(path_of(made, "analysis"), one))
    return made, answer


def report(client, project, kind, language="en"):
    answer = client.get(path_of(project, "report", kind), headers={"Accept-Language": language})
    assert answer.status == 200, str(answer)
    return answer


def compared(client, ids, language):
    answer = expect(client.post("/api/v1/export/comparison", {"project_ids": ids, "format": "pdf"},
                                headers={"Accept-Language": language}))
    return base64.b64decode(answer["content"], validate=True)


def pair(client):
    """Two projects whose every figure differs, and what a comparison of them says in figures."""
    first, results = kept(client, "Checkout 2")
    def smaller(one):
        one["calculations"]["results"].update(sample_size_per_variant=98765, total_sample_size=197530)
        one["report"]["calculations"].update(sample_size_per_variant=98765, total_sample_size=197530,
                                             estimated_duration_days=28)
        one["calculations"]["results"]["estimated_duration_days"] = 28
    second, _ = kept(client, "Onboarding 3", change=smaller)
    return [first["id"], second["id"]], first, results


COMPARED = ("146,642", "293,284", "41", "98,765", "197,530", "28", "245,407", "34.5", "Checkout 2", "Onboarding 3",
            "purchase_conversion", "SEASONALITY_PRESENT")


def figures(results):
    """What the report of checkout says in figures."""
    return ("146,642", "293,284", "41", "7,200", "5.0%", "80.0%", "579,736", "776,101", "196,312", "65,933", "88,264", "37,513",
            "50,219", "2.5", "7.5", "0.161", "0.0673", "purchase_conversion", "seasonality_present",
            f"{results['p_value']:.2g}", f"+{results['observed_effect']:.2f}",
            f"+{results['observed_effect_relative']:.1f}%")


def run(*command, data):
    done = subprocess.run(command, input=data, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout.decode()


def test_rows_of_the_csv(store):
    made, _ = kept(store.client)
    answer = report(store.client, made, "csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="checkout-report.csv"'
    assert answer.text.split("\n") == [
        "# Sample Size Results", "Variant,Required N,Daily Traffic,Duration (days),Traffic Split %",
        "A,146642,7200,41,50", "B,146642,7200,41,50", "", "# Sensitivity Analysis",
        "Effect Size,Required N (80% power),Duration (80% power),Required N (90% power),Duration (90% power)",
        "2.5,579736,162,776101,216", "5,146642,41,196312,55", "7.5,65933,19,88264,25", "10,37513,11,50219,14", "",
        "# Guardrail Metrics", "Metric Name,Metric Type,Detectable MDE,Note",
        "\"'=HYPERLINK(\"\"x\"\")\",binary,0.161,\"Tracked, and \"\"quoted\"\"\"", "Refund value,continuous,0.0673,", ""]


def test_one_figure_of_traffic_and_words_of_the_language(store):
    """Daily traffic is that of the test in every file; kinds of metrics and units of days are words."""
    made, _ = kept(store.client)
    text = run("pdftotext", "-", "-", data=report(store.client, made, "pdf").body)
    assert "7,200" in text and "41 d" in text and "41d" not in text and "binary" in text
    german = run("pdftotext", "-", "-", data=report(store.client, made, "pdf", language="de").body)
    assert "41 Tg" in german and "Anteil" in german and "binary" not in german
    assert "Anteil" in report(store.client, made, "csv", language="de").text


@pytest.mark.parametrize("mde, effects", [(50, [25, 50, 75, 100]), (5.5, [2.75, 5.5, 8.25, 11]), (1, [1, 1.5, 2]),
                                          (0.4, [0.4, 0.6, 0.8, 1])])
def test_effects_of_the_sensitivity(store, mde, effects):
    made, _ = kept(store.client, change=lambda one: one["calculations"]["calculation_summary"].update(mde_pct=mde))
    rows = list(csv.reader(io.StringIO(report(store.client, made, "csv").text)))
    start = rows.index(["# Sensitivity Analysis"]) + 2
    assert [float(row[0]) for row in rows[start:start + len(effects)]] == effects and rows[start + len(effects)] == []


def test_means_and_what_has_no_plan(store):
    made, _ = kept(store.client, "Demo", metric_type="continuous", setup={
        "expected_daily_traffic": 2200, "audience_share_in_test": 0.9},
        change=lambda one: one["calculations"]["calculation_summary"].update(mde_pct=5.5, metric_type="continuous"))
    text = report(store.client, made, "csv").text
    for row in ("2.75,1477,", "5.5,370,", "8.25,165,", "11,93,"):
        assert "\n" + row in text
    assert re.search(r"\n2\.75,1477,\d+,1977,", text) and re.search(r"\n11,93,\d+,124,", text)
    high, _ = kept(store.client, metrics={"baseline_value": 0.6, "mde_pct": 50},
                   change=lambda one: one["calculations"]["calculation_summary"].update(mde_pct=50))
    assert "\n75,,,,\n100,,,,\n" in report(store.client, high, "csv").text
    assert report(store.client, high, "pdf").body.startswith(b"%PDF-")
    for metric in ("ratio", "count"):
        other, _ = kept(store.client, metric_type=metric)
        assert report(store.client, other, "csv").text.count(",,") < 3


def cells(book, sheet):
    """The rows of a sheet, as a reader of the format sees them."""
    shared = [
        "".join(part.text or "" for part in item.iter(SPREADSHEET + "t"))
        for item in xml.fromstring(book.read("xl/sharedStrings.xml"))]
    rows = []
    for row in xml.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml")).iter(SPREADSHEET + "row"):
        rows.append([shared[int(cell.find(SPREADSHEET + "v").text)] if cell.get("t") == "s"
                     else float(cell.find(SPREADSHEET + "v").text) for cell in row])
        assert not row.findall(f".//{SPREADSHEET}f"), "a formula"
    return rows


def test_sheets_of_the_workbook(store):
    made, _ = kept(store.client, "  Тест  ")
    answer = report(store.client, made, "xlsx")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="ab-test-report-report.xlsx"'
    book = zipfile.ZipFile(io.BytesIO(answer.body))
    names = [sheet.get("name") for sheet in xml.fromstring(book.read("xl/workbook.xml")).iter(SPREADSHEET + "sheet")]
    assert names == ["Summary", "Sensitivity", "Guardrails", "Raw Inputs"]
    summary = cells(book, 1)
    assert summary[0] == ["Project name", "  Тест  "] and summary[1][0] == "Created at"
    assert summary[-2:] == [["A", 146642, 7200, 41, 50], ["B", 146642, 7200, 41, 50]]
    assert cells(book, 2)[1:] == [[2.5, 579736, 162, 776101, 216], [5, 146642, 41, 196312, 55],
                                  [7.5, 65933, 19, 88264, 25], [10, 37513, 11, 50219, 14]]
    assert cells(book, 3)[1][0] == "'=HYPERLINK(\"x\")"
    inputs = {row[0]: row[1:] for row in cells(book, 4)}
    fields = [field for field in inputs if field != "Field"]
    assert inputs["setup.traffic_split"] == ["[50,50]"], inputs["setup.traffic_split"]
    assert inputs["metrics.baseline_value"] == [0.042] and fields == sorted(fields, key=lambda name: name.split("."))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_of_the_pdf_can_be_found(store, language):
    made, results = kept(store.client, "Checkout 2")
    answer = report(store.client, made, "pdf", language)
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="checkout-2-report.pdf"'
    assert len(answer.body) < PDF_BYTES_MAX, len(answer.body)
    text = run("pdftotext", "-", "-", data=answer.body)
    for number in figures(results):
        assert number in text, f"{number} in {text}"
    info = run("pdfinfo", "-", data=answer.body)
    pages = int(re.search(r"Pages:\s+(\d+)", info)[1])
    assert "Checkout 2" in info and pages >= 5
    assert re.search(rf"{pages} ?/ ?{pages}", text.split("\f")[pages - 1]), "no page is empty"
    fonts = run("pdffonts", "-", data=answer.body).splitlines()[2:]
    assert fonts and all(line.split()[-5:-2] == ["yes", "yes", "yes"] for line in fonts), fonts
    if language != "ar":  # poppler gives what runs from the right in the order of its eyes
        assert LANGUAGES[language] in text and SUMMARIES[language] in text
    marks = run("pdfinfo", "-struct", "-", data=answer.body)
    assert all(tag in marks for tag in ("H1", "H2", "Table", "TH", "TD", "LI", "Figure")), marks


def test_every_number_of_a_comparison_can_be_found(store):
    ids, _, _ = pair(store.client)
    for language in LANGUAGES:
        body = compared(store.client, ids, language)
        assert len(body) < PDF_BYTES_MAX, len(body)
        text = run("pdftotext", "-", "-", data=body)
        assert not [number for number in COMPARED if number not in text], (language, text)
        marks = run("pdfinfo", "-struct", "-", data=body)
        assert all(tag in marks for tag in ("H1", "H2", "Table", "TH", "TD")), marks


OFFICE_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p"
OFFICE_PAGE = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}page"
EVERY_SHEET = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"


def converted(folder, kind, files):
    """What the office suite makes of files: one start for all of them, a profile of its own."""
    done = subprocess.run(["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", kind,
                           "--outdir", str(folder / "made"), *map(str, files)], capture_output=True, timeout=120,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder)})
    assert done.returncode == 0, done.stderr
    return folder / "made"


def test_an_office_suite_opens_them_in_every_language(store, tmp_path):
    ids, first, results = pair(store.client)
    books, prints = [], []
    for language in LANGUAGES:
        books.append(tmp_path / f"{language}.xlsx")
        books[-1].write_bytes(report(store.client, first, "xlsx", language).body)
        for kind, body in (("report", report(store.client, first, "pdf", language).body),
                           ("comparison", compared(store.client, ids, language))):
            prints.append(tmp_path / f"{language}-{kind}.pdf")
            prints[-1].write_bytes(body)
    made = converted(tmp_path, EVERY_SHEET, books)
    for path in books:
        book = zipfile.ZipFile(path)
        names = [sheet.get("name") for sheet in xml.fromstring(book.read("xl/workbook.xml")).iter(SPREADSHEET + "sheet")]
        for number, name in enumerate(names, 1):
            shown = list(csv.reader(io.StringIO((made / f"{path.stem}-{name}.csv").read_text(encoding="utf-8"))))
            ours = [[f"{cell:.15g}" if isinstance(cell, float) else cell for cell in row] for row in cells(book, number)]
            assert [row for row in ([cell for cell in row if cell] for row in shown) if row] == \
                   [row for row in ([cell for cell in row if cell] for row in ours) if row], (path.stem, name)
    made = converted(tmp_path, "fodg", prints)
    for path in prints:
        drawn = xml.parse(made / f"{path.stem}.fodg")
        text = "\n".join("".join(line.itertext()) for line in drawn.iter(OFFICE_TEXT))
        wanted = COMPARED if path.stem.endswith("comparison") else figures(results)
        assert not [number for number in wanted if number not in text], (path.stem, text)
        pages = int(re.search(r"Pages:\s+(\d+)", run("pdfinfo", "-", data=path.read_bytes()))[1])
        assert len(list(drawn.iter(OFFICE_PAGE))) == pages


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_the_texts(store, language):
    headers = {"Accept-Language": language}
    sent = analysis(n=146642)["report"]
    sent["guardrail_metrics"] = GUARDRAILS
    text = expect(store.client.post("/api/v1/export/markdown", sent, headers=headers))["content"]
    assert text.startswith(f"# {LANGUAGES[language]}\n") and f"## {SUMMARIES[language]}\n" in text and "146642" in text
    page = expect(store.client.post("/api/v1/export/html", sent, headers=headers))["content"]
    assert f'<html lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}">' in page
    assert f"<h2>{SUMMARIES[language]}</h2>" in page and "0.161" in page and "@media print" in page
    made, _ = kept(store.client)
    book = zipfile.ZipFile(io.BytesIO(report(store.client, made, "xlsx", language).body))
    names = [sheet.get("name") for sheet in xml.fromstring(book.read("xl/workbook.xml")).iter(SPREADSHEET + "sheet")]
    assert len(set(names)) == 4 and cells(book, 2)[1][1] == 579736
    assert (language == "en") == (names[3] == "Raw Inputs")


def test_outline_of_the_markdown(store):
    text = expect(store.client.post("/api/v1/export/markdown", analysis(days=9, n=110)["report"]))["content"]
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Experiment Report", "## Executive Summary", "## Calculations", "### Assumptions", "## Experiment Design",
        "## Metrics Plan", "### Primary", "### Secondary", "### Guardrail", "### Diagnostic", "## Risks",
        "### Statistical", "### Product", "### Technical", "### Operational", "## Recommendations",
        "### Before Launch", "### During Test", "### After Test", "## Open Questions"]
    assert "- Sample size per variant: 110\n- Total sample size: 220\n- Estimated duration days: 9\n" in text
    assert "- Traffic split: [50, 50]\n" in text and "### Secondary\n\n- None\n" in text


def test_html_holds_no_markup_of_others(store):
    sent = analysis()["report"]
    sent["executive_summary"] = "<script>alert(1)</script> & \"it's\""
    page = expect(store.client.post("/api/v1/export/html", sent))["content"]
    assert "<script" not in page and "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;it&#39;s&quot;" in page
    name = "Проверка: <b>\"1\"</b>/2"
    answer = store.client.post("/api/v1/export/html-standalone", {
        "project_name": name, "hypothesis": "<i>more</i>", "calculation": {
            "calculation_summary": {"alpha": 0.05, "power": 0.8}, "results": {"sample_size_per_variant": 1000},
            "warnings": [{"severity": "high\" onclick=\"x", "code": "<c>", "message": "m"}, {"severity": "high", "code": "B"}]},
        "design": {"experiment_design": {"variants": [{"name": "<A>", "description": "d"}]}},
        "ai_advice": {"key_risks": ["<u>"], "empty": "", "none": None},
        "sensitivity": {"cells": [{"mde": 1, "power": 0.8, "sample_size_per_variant": 10, "duration_days": 6.2},
                                  {"mde": 2, "power": 0.9, "sample_size_per_variant": 9, "duration_days": 15}],
                        "current_mde": 1, "current_power": 0.8},
        "results": {"observed_effect": 0.5, "ci_lower": -1e308, "ci_upper": 1e308, "p_value": 0.0004}})
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "filename*=UTF-8''%D0%9F%D1%80%D0%BE" in answer.headers["Content-Disposition"]
    page = answer.text
    assert not re.search(r"<(?:script|b|i|u|A|c)>", page) and "onclick=&quot;" not in page and 'onclick="' not in page
    assert 'class="warning warning-none"' in page and 'class="warning warning-high"' in page
    for text in ("0.0004", ">786<", ">1,000<", ">1,339<", ">1,656<", "Key Risks", ">7 d<", "n=10", ">n/a<", "&lt;A&gt;: d"):
        assert text in page, text
    assert "nan" not in page and "inf" not in re.sub(r"[A-Za-z]+inf|inf[a-z]+", "", page)
    xml.fromstring(re.search(r"<svg.*?</svg>", page, re.S)[0])
    expect(store.client.post("/api/v1/export/html-standalone", {"project_name": "x", "calculation": [], "design": {}}),
           422, "validation_error")


def test_a_comparison_as_text_and_as_pdf(store):
    ids = [kept(store.client, name)[0]["id"] for name in ("One", "Two | three")]
    text = expect(store.client.post("/api/v1/export/comparison", {"project_ids": ids, "format": "markdown"}))["content"]
    for line in ("# Multi-project comparison", "## Summary", "## Shared insights", "### Shared warnings", "## One",
                 "## Two | three", "### Unique insights", "- Total sample size range: 293,284 to 293,284 (median 293,284)"):
        assert line in text.splitlines(), line
    told = expect(store.client.post("/api/v1/export/comparison", {"project_ids": ids, "format": "pdf"},
                                    headers={"Accept-Language": "ru"}))["content"]
    text = run("pdftotext", "-", "-", data=base64.b64decode(told, validate=True))
    assert "Сравнение проектов" in text and "293,284" in text and "Two | three" in text
    expect(store.client.post("/api/v1/export/comparison", {"project_ids": ids, "format": "doc"}), 422, "validation_error")
    expect(store.client.post("/api/v1/export/comparison", {"project_ids": [ids[0], unknown_id()], "format": "pdf"}),
           404, "not_found")


def test_names_are_no_markup_in_markdown(store):
    name = "[a](http://evil.example) <img src=x onerror=alert(1)> *b* `c` _d_ p_q &lt; \\e ~~f~~ | 0.5 < 1"
    ids = [kept(store.client, each)[0]["id"] for each in (name, "# Two")]
    text = expect(store.client.post("/api/v1/export/comparison", {"project_ids": ids, "format": "markdown"}))["content"]
    escaped = (r"[a\](http://evil.example) \<img src=x onerror=alert(1)> \*b\* \`c\` \_d\_ p_q \&lt; \\e \~\~f\~\~ | 0.5 < 1")
    assert f"## {escaped}" in text.splitlines() and name not in text
    sent = {**analysis()["report"], "executive_summary": "# no heading", "open_questions": ["- no list", "> no quotation"]}
    text = expect(store.client.post("/api/v1/export/markdown", sent))["content"]
    assert {r"\# no heading", r"- \- no list", r"- \> no quotation"} <= set(text.splitlines())


def test_long_reports_have_contents_and_an_end(store):
    def prolong(one):
        one["calculations"]["assumptions"] = [f"Assumption {i}: " + "what holds " * 12 for i in range(120)]
        one["report"]["guardrail_metrics"] = [{**GUARDRAILS[1], "name": f"Metric {i}", "note": "long " * 200}
                                              for i in range(30)]
    made, _ = kept(store.client, change=prolong)
    body = report(store.client, made, "pdf").body
    text = run("pdftotext", "-layout", "-", "-", data=body)
    pages = text.split("\f")
    assert len(pages) > 12 and "Contents" in pages[0]
    place = int(re.search(r"Warnings & Recommendations +(\d+)", pages[0])[1])
    assert "Caution: seasonality_present" in pages[place - 1]
    assert sum("Detectable MDE" in page for page in pages) > 3, "the head stands on every page of the table"
    assert "Assumption 119" in text and "Metric 29" in text
    endless, _ = kept(store.client, change=lambda one: one["calculations"].update(assumptions=["x"] * 200_000))
    expect(store.client.get(path_of(endless, "report", "pdf")), 413, "report_too_large")
    assert report(store.client, made, "pdf").body.startswith(b"%PDF-"), "the worker is still there"


def test_who_has_no_report(store):
    bare = create(store.client)
    for kind in ("pdf", "csv", "xlsx"):
        expect(store.client.get(path_of(bare, "report", kind)), 404, "not_found")
        expect(store.client.get(path_of(unknown_id(), "report", kind)), 404, "not_found")
    made, _ = kept(store.client, "A/B: Pricing (v2)")
    expect(store.client.post(path_of(made, "archive")))
    assert report(store.client, made, "csv").headers["Content-Disposition"] == 'attachment; filename="a-b-pricing-v2-report.csv"'
    history = expect(store.client.get(path_of(made, "history")))
    assert history["export_total"] == 0
