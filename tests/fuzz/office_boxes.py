"""Office files that are well made but for one part, which is fuzzed: else a broken archive is all that is tried."""

from __future__ import annotations

import io
import zipfile

OPEN = "http://schemas.openxmlformats.org"
OFFICE = f"{OPEN}/officeDocument/2006/relationships"
#: The least that a container holds: for each kind its parts, and which of them relates to which.
PARTS = {
    "a.docx": ("word/document.xml", "word/header1.xml", "word/comments.xml", "word/footnotes.xml"),
    "a.xlsx": ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"),
    "a.pptx": ("ppt/presentation.xml", "ppt/slides/slide1.xml"),
}
KINDS = {
    "word/document.xml": "wordprocessingml.document.main", "word/header1.xml": "wordprocessingml.header",
    "word/comments.xml": "wordprocessingml.comments", "word/footnotes.xml": "wordprocessingml.footnotes",
    "xl/workbook.xml": "spreadsheetml.sheet.main", "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
    "xl/sharedStrings.xml": "spreadsheetml.sharedStrings", "xl/styles.xml": "spreadsheetml.styles",
    "ppt/presentation.xml": "presentationml.presentation.main", "ppt/slides/slide1.xml": "presentationml.slide",
}  # fmt: skip
RELATES = {
    "word/header1.xml": "header", "word/comments.xml": "comments", "word/footnotes.xml": "footnotes",
    "xl/worksheets/sheet1.xml": "worksheet", "xl/sharedStrings.xml": "sharedStrings", "xl/styles.xml": "styles",
    "ppt/slides/slide1.xml": "slide",
}  # fmt: skip
WORD, SHEET = f"{OPEN}/wordprocessingml/2006/main", f"{OPEN}/spreadsheetml/2006/main"
SLIDE, DRAWN = f"{OPEN}/presentationml/2006/main", f"{OPEN}/drawingml/2006/main"
#: What the parts hold that are not fuzzed this time.
CONTENT = {
    "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>one</w:t></w:r></w:p></w:body></w:document>',
    "word/header1.xml": f'<w:hdr xmlns:w="{WORD}"/>',
    "word/comments.xml": f'<w:comments xmlns:w="{WORD}"/>',
    "word/footnotes.xml": f'<w:footnotes xmlns:w="{WORD}"/>',
    "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData><row r="1"><c r="A1" s="1" t="s"><v>0</v></c>'
    '<c r="B1"><f>SUM(C1:D1)</f></c><c r="C1" s="1"><v>45000.5</v></c></row></sheetData></worksheet>',
    "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}"><si><t>one</t></si></sst>',
    "xl/styles.xml": f'<styleSheet xmlns="{SHEET}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0.00"/></numFmts>'
    '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
    "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDE}" xmlns:r="{OFFICE}"><p:sldIdLst>'
    '<p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>',
    "ppt/slides/slide1.xml": f'<p:sld xmlns:p="{SLIDE}" xmlns:a="{DRAWN}"><p:cSld><p:spTree><p:sp><p:nvSpPr>'
    '<p:cNvPr id="2" name="t"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:p><a:r>'
    "<a:t>one</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>",
}


def boxed(name: str, which: int, content: bytes) -> bytes:
    """A container of the kind that ``name`` says; one part of it, chosen by ``which``, is ``content``."""
    parts = PARTS[name]
    fuzzed = parts[which % len(parts)]
    main, *others = parts
    kinds = "".join(
        f'<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{KINDS[part]}+xml"/>'
        for part in parts
    )
    related = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{RELATES[part]}" Target="/{part}"/>'
        for n, part in enumerate(others, 1)
    )
    folder, _, file = main.partition("/")
    with io.BytesIO() as made:
        with zipfile.ZipFile(made, "w") as box:
            box.writestr(
                "[Content_Types].xml",
                f'<Types xmlns="{OPEN}/package/2006/content-types"><Default Extension="rels" ContentType="application/'
                f'vnd.openxmlformats-package.relationships+xml"/>{kinds}</Types>',
            )
            box.writestr(
                "_rels/.rels", relations(f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="{main}"/>')
            )
            box.writestr(f"{folder}/_rels/{file}.rels", relations(related))
            for part in parts:
                box.writestr(part, content if part == fuzzed else CONTENT[part])
        return made.getvalue()


def relations(inner: str) -> str:
    return f'<Relationships xmlns="{OPEN}/package/2006/relationships">{inner}</Relationships>'
