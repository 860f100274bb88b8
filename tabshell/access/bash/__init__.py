"""The language of bash: a command's text as statements, words as fields, and what flows between programs."""
