"""The levers' SQL, turned from DuckDB's dialect to Spark's.

sqlglot does most of it: QUALIFY, functions of other names, where nulls are ordered. What is left
are the few forms that have no counterpart there, and types: Spark has no HUGEINT, and subtracts
decimals of 38 digits at the price of the last one, so whole dollars and the rest are taken apart
without a subtraction.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from verify.errors import VerifyError


class NotTranslated(VerifyError):
    """A query holds a form that is not known to mean the same to Spark."""


def to_spark(sql: str) -> str:
    """`sql` for Spark, which takes the parameters as `:name`. Instants are microseconds since 1970
    there. Raises NotTranslated."""
    tree = sqlglot.parse_one(sql, read="duckdb").transform(_rewritten)
    try:
        text: str = tree.sql(
            dialect="spark", comments=False, unsupported_level=sqlglot.ErrorLevel.RAISE
        )
    except sqlglot.errors.UnsupportedError as error:
        raise NotTranslated(f"a query cannot be turned into Spark's SQL: {error}") from None
    return text


def _rewritten(node: exp.Expression) -> exp.Expression:
    whole = node.expression if isinstance(node, exp.Sub) else None
    if isinstance(whole, exp.Trunc) and node.this == whole.this:
        return _spark("CAST(:x % 1 AS DECIMAL(20, 18))", node.this)
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Trunc):
        towards_zero = "CASE WHEN :x < 0 THEN CEIL(:x) ELSE FLOOR(:x) END"
        return _spark(f"CAST({towards_zero} AS DECIMAL(38, 0))", node.this.this)
    if isinstance(node, exp.Trunc):
        raise NotTranslated(f"a query takes the whole of {node.this.sql()} in an unknown way")
    if isinstance(node, exp.Min) and (count := node.args.get("count")) is not None:
        return exp.Anonymous(this="MIN_BY", expressions=[node.this, node.this.copy(), count])
    if isinstance(node, exp.Anonymous) and node.name.upper() == "ROW":
        return exp.Struct(expressions=node.expressions)
    return node


def _spark(text: str, x: exp.Expression) -> exp.Expression:
    made = sqlglot.parse_one(text, read="spark")
    return made.transform(lambda n: x.copy() if isinstance(n, exp.Placeholder) else n)
