# ruff: noqa: PLC0415, PT018 - the office libraries are optional
"""Documents become text with positions; what cannot be read says why."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from tabshell.documents import extract
from tabshell.documents.formulas import Calculator, precedents
from tabshell.documents.numberformat import shown
from tabshell.errors import DocumentError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures" / "reports"))


def saved(document) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_docx_gives_paragraphs_table_rows_headers_and_inserted_text_but_no_deleted_text():
    docx = pytest.importorskip("docx")
    from docx.oxml import parse_xml

    document = docx.Document()
    document.add_heading("Report", 1)
    document.add_paragraph("Revenue was $633M.")
    row = document.add_table(rows=1, cols=2).rows[0]
    row.cells[0].text, row.cells[1].text = "headcount", "128"
    document.sections[0].header.paragraphs[0].text = "Confidential 2024"
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    paragraph = document.add_paragraph("Kept ")._p
    paragraph.append(parse_xml(f"<w:ins {w}><w:r><w:t>added 5</w:t></w:r></w:ins>"))
    paragraph.append(parse_xml(f"<w:del {w}><w:r><w:delText>gone 6</w:delText></w:r></w:del>"))
    blocks = extract(saved(document), "r.docx").blocks
    texts = {block.text: block for block in blocks}
    assert texts["Report"].heading
    assert texts["Revenue was $633M."].position.label() == "paragraph 2"
    assert texts["headcount | 128"].position.label() == "table 1 row 1"
    assert texts["headcount | 128"].cells == ("headcount", "128")
    assert "Kept added 5" in texts
    assert texts["Confidential 2024"].position.part == "header"


def test_xlsx_gives_cells_as_shown_as_stored_and_calculated():
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget"
    for row in (["item", "amount"], ["a", 1200.5], ["b", 99.5], ["total", "=SUM(B2:B3)"], ["share", "=B2/B4"]):
        sheet.append(row)
    sheet["B5"].number_format = "0.0%"
    sheet["B6"] = "=VLOOKUP(1,A1:B2,2)"
    document = extract(saved(book), "r.xlsx")
    cells = {block.position.label(): block for block in document.blocks}
    assert (cells["Budget!B2"].text, cells["Budget!B4"].text, cells["Budget!B4"].formula) == (
        "1200.5",
        "1300",
        "=SUM(B2:B3)",
    )
    assert cells["Budget!B5"].text == "92.3%" and cells["Budget!B5"].raw.startswith("0.92346")
    assert document.remarks == ("1 formulas without a stored value: Budget!B6",)


def test_pptx_gives_slides_tables_charts_and_notes():
    pytest.importorskip("pptx")
    from writers import Report, write

    report = Report("Title", ["Revenue was $633M."], [(["town", "score"], [["Ghent", "4.71"]])])
    blocks = extract(write(report, "pptx"), "r.pptx").blocks
    assert [(block.position.slide, block.text) for block in blocks] == [
        (1, "Title"), (1, "Revenue was $633M."), (2, "Title"), (2, "town | score"), (2, "Ghent | 4.71"),
    ]  # fmt: skip


def test_pdf_gives_pages_and_lines():
    pytest.importorskip("pypdf")
    from writers import pdf

    blocks = extract(pdf([["first page", "Revenue was $633M."], ["second (page)"]]), "r.pdf").blocks
    assert [(b.position.label(), b.text) for b in blocks] == [
        ("page 1 line 1", "first page"), ("page 1 line 2", "Revenue was $633M."), ("page 2 line 1", "second (page)"),
    ]  # fmt: skip


def test_markdown_html_csv_and_text_have_lines():
    md = extract(b"# T\n\n| a | b |\n|---|---|\n| x | 5 |\n", "r.md").blocks
    assert [(b.position.line, b.cells, b.heading) for b in md] == [
        (1, (), True),
        (3, ("a", "b"), False),
        (5, ("x", "5"), False),
    ]
    html = extract(
        b"<h1>T</h1>\n<p>5 &lt; 6<script>alert(7)</script></p>\n<table><tr><td>x</td><td>5</td></tr></table>", "r.html"
    ).blocks
    assert [(b.text, b.position.line) for b in html] == [("T", 1), ("5 < 6", 2), ("x | 5", 3)]
    csv = extract(b'a;b\n"x\ny";"1,5"\nz;2\n', "r.csv").blocks
    assert [(b.cells, b.position.line) for b in csv] == [(("a", "b"), 1), (("x\ny", "1,5"), 2), (("z", "2"), 4)]
    assert extract("é\n".encode("utf-16"), "r.txt").blocks[0].text == "é"


def test_an_empty_document_has_no_blocks():
    assert extract(b"", "r.md").blocks == ()
    assert extract(b"", "r.pdf").blocks == ()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("r.docx", b"no zip at all", "broken"),
        ("r.xlsx", b"PK\x03\x04 cut off", "broken"),
        ("r.pdf", b"%PDF-1.4 nothing", "broken"),
        ("r.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        ("r.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old binary"),
        ("r.txt", b"\0\1\2" * 90, "binary"),
    ],
)
def test_what_cannot_be_read_says_why(name, data, words):
    with pytest.raises(DocumentError, match=words) as caught:
        extract(data, name)
    assert name in str(caught.value)


def test_an_encrypted_pdf_and_a_scanned_one_say_so():
    pypdf = pytest.importorskip("pypdf")
    from writers import pdf

    writer = pypdf.PdfWriter(io.BytesIO(pdf([["secret"]])))
    writer.encrypt("password")
    out = io.BytesIO()
    writer.write(out)
    with pytest.raises(DocumentError, match="encrypted"):
        extract(out.getvalue(), "r.pdf")
    with pytest.raises(DocumentError, match="no text on any of its 3 pages"):
        extract(pdf([[], [], []]), "scan.pdf")
    assert extract(pdf([["text"], []]), "r.pdf").remarks == ("no text on page 2 (scanned or empty)",)


def test_bombs_are_refused_before_they_are_unpacked():
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("word/document.xml", b"\0" * (80 * 1024 * 1024))
    with pytest.raises(DocumentError, match="swells"):
        extract(bomb.getvalue(), "r.docx")
    entities = io.BytesIO()
    with zipfile.ZipFile(entities, "w") as container:
        container.writestr("xl/workbook.xml", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>')
    with pytest.raises(DocumentError, match="entities"):
        extract(entities.getvalue(), "r.xlsx")


def test_a_missing_extra_names_the_command_that_installs_it(monkeypatch):
    from writers import pdf

    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(DocumentError, match=r"pip install 'tabshell\[office\]'"):
        extract(pdf([["x"]]), "r.pdf")


@pytest.mark.slow
def test_a_pdf_of_two_thousand_pages_is_read():
    pytest.importorskip("pypdf")
    from writers import pdf

    blocks = extract(pdf([[f"page {n}"] for n in range(2000)]), "r.pdf").blocks
    assert len(blocks) == 2000 and blocks[-1].position.page == 2000


@pytest.mark.parametrize(
    ("value", "pattern", "text"),
    [
        (0.1234, "0.0%", "12.3%"), (1234567.891, "#,##0.00", "1,234,567.89"), (633e6, '$#,##0.0,,"M"', "$633.0M"),
        (-5.5, "0.00;(0.00)", "(5.50)"), (1234.5, "[$€-407]#,##0.00", "€1,234.50"), (0.1, "General", "0.1"), (5, None, "5"),
        (8.3393646164e-05, None, "0.000083393646164"),
    ],
)  # fmt: skip
def test_number_formats_are_applied(value, pattern, text):
    assert shown(value, pattern) == text


def test_formulas_are_calculated_and_circles_end():
    cells = {
        ("S", 1, 1): 2.0,
        ("S", 2, 1): 3,
        ("S", 3, 1): "=SUM(A1:A2)*2-ROUND(1.26,1)",
        ("S", 4, 1): "=A4+1",
        ("S", 5, 1): "=FOO(1)",
    }
    calculator = Calculator(cells)
    assert calculator.formula(("S", 3, 1)) == pytest.approx(8.7)
    assert calculator.formula(("S", 4, 1)) == 1
    assert calculator.formula(("S", 5, 1)) is None
    assert precedents("=SUM(A1:A2)+'Other'!B1", "S") == [("S", 1, 1), ("S", 2, 1), ("Other", 1, 2)]
