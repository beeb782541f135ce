"""Tying the product's figures out: each figure it shows against its own inputs and the records.

`figures` is what a product claims, `verdicts` says when two figures agree, `tieout` sets each
claimed figure beside its recomputation. Nothing here knows a product.
"""
