"""The finance sign-off: one result object, and the documents that are drawn from it.

`make` computes it, and `result` is what it is. `workbook`, `page`, `markdown` and `attestation`
draw it; `folder` writes them in one step; `replay` runs a sign-off again. No document computes.
"""
