"""Bytes of docx, xlsx, pptx, pdf, html, csv, text -> text with positions."""
