"""The closer looks of a check: what `--deep` and `--shape` found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verify.render.safe import shown_key, visible
from verify.render.sheet import Sheet
from verify.render.words import amount_words

MOST_PROBLEMS = 20
"""More problems than these stand in the other forms only."""

LEGEND = (
    "stated: expected, and named by the product's documentation; "
    "reading: expected, by our reading of it"
)

Json = Mapping[str, Any]


def deep_page(page: Sheet, deep: Json) -> None:
    """What the deep check found: by rule, then the first lines."""
    page.heading("deep check", _counted(deep["lines"], "line"))
    if not deep["rules"]:
        page.line("every byte is by RFC 8259, every record is what its JSON Schema says")
        return
    page.pairs((amount_words(rule["count"], ""), _rule_words(rule)) for rule in deep["rules"])
    page.blank()
    for problem in deep["problems"][:MOST_PROBLEMS]:
        page.line(f"{_problem_words(problem)} [{problem['code']}]")
    hidden = len(deep["problems"]) + deep["problems_left_out"] - MOST_PROBLEMS
    if hidden > 0:
        page.line(f"and {hidden:,} more; --format json lists {_listed(deep)}", "dim")


def shape_page(page: Sheet, shape: Json) -> None:
    """The fields of each type of record, beside those that are expected."""
    page.heading("shape", _counted(shape["records"], "record"))
    page.line(LEGEND, "dim")
    for note in _notes(shape):
        page.line(note)
    for kind in shape["types"]:
        words = [_counted(kind["records"], "record")]
        if not kind["read"]:
            words.append("no lever reads it")
        page.heading(shown_key(kind["type"]), *words)
        if not kind["records"]:
            page.line(_never("expected, never seen", kind["looks_like"]))
        page.pairs((visible(row["field"]), _field_words(row)) for row in kind["fields"])
        if kind["full"]:
            page.line("there are more fields than these; they are not counted")
    if shape["suggested_fields"]:
        page.blank()
        page.line("To read what looks like an expected field, put this in a file for --fields:")
        page.line("[attrs]")
        for name, own in shape["suggested_fields"].items():
            page.line(f'{name} = "{visible(own)}"')


def closer_looks(document: Json) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two looks of a document by name, as far as it has them, and all the rest of it."""
    looks: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in document.items():
        known = name in ("deep", "shape") and isinstance(value, Mapping)
        (looks if known else rest)[name] = value
    return looks, rest


def flattened(document: Json, *, most_problems: int | None = None) -> dict[str, Any]:
    """The document with the two looks as lists of plain rows, as the flat forms draw them; all of
    the problems, or the first ones."""
    looks, flat = closer_looks(document)
    if (deep := looks.get("deep")) is not None:
        flat["deep"] = {name: deep[name] for name in ("lines", "records", "problems_left_out")}
        flat["deep_rules"] = [
            {"key": rule["code"], **_but(rule, "code", "examples"), "lines": _lines(rule)}
            for rule in deep["rules"]
        ]
        flat["deep_problems"] = [
            {"key": problem["code"], **_but(problem, "code")}
            for problem in deep["problems"][:most_problems]
        ]
    if (shape := looks.get("shape")) is not None:
        flat["shape"] = _but(shape, "types", "suggested_fields")
        flat["suggested_fields"] = [
            {"key": name, "name": own} for name, own in shape["suggested_fields"].items()
        ]
        flat["shape_types"] = [
            {"key": kind["type"], **_but(kind, "type", "fields")} for kind in shape["types"]
        ]
        flat["shape_fields"] = [
            {
                "key": row["field"],
                "type": kind["type"],
                **_but(row, "field"),
                "types": _counts(row["types"]) or None,
                "forms": _counts(row["forms"]) or None,
            }
            for kind in shape["types"]
            for row in kind["fields"]
        ]
    return flat


def _notes(shape: Json) -> Iterator[str]:
    if shape["unreadable_lines"]:
        yield f"{_counted(shape['unreadable_lines'], 'line')} could not be read as an object"
    if shape["files_cut_short"]:
        yield f"{_counted(shape['files_cut_short'], 'file')} could not be read to the end"
    if shape["records_left_out"]:
        left = _counted(shape["records_left_out"], "record")
        yield f"{left} of further types, which are too many to tell apart"


def _field_words(row: Json) -> str:
    if not row["present"]:
        return _never(f"{_basis(row)}, NEVER SEEN", row["looks_like"])
    basis = _basis(row) if row["contract"] == "expected" else row["contract"].upper()
    if row["contract"] == "unread":
        basis = ""
    often = "in all" if row["present"] == row["of"] else f"in {row['present']:,} of {row['of']:,}"
    if row["field"].endswith("[]"):
        often = f"{_counted(row['present'], 'item')} of {_counted(row['of'], 'array')}"
    forms = row["forms"]
    what = next(iter(forms)) if len(forms) == 1 else _counts(forms)
    return "; ".join(part for part in (basis, often, visible(what)) if part)


def _basis(row: Json) -> str:
    stands_for = f"{visible(row['stands_for'])}, " if row["stands_for"] else ""
    required = ", required" if row["required"] else ""
    return f"{stands_for}{row['basis']}{required}"


def _never(words: str, looks_like: str | None) -> str:
    return words if looks_like is None else f"{words}; {visible(looks_like)} looks like it"


def _rule_words(rule: Json) -> str:
    noun = "line" if len(rule["examples"]) == 1 else "lines"
    more = " …" if rule["count"] > len(rule["examples"]) else ""
    return f"{visible(rule['rule'])} ({noun} {_lines(rule)}{more})"


def _problem_words(problem: Json) -> str:
    return f"{visible(problem['where'])}: {visible(problem['message'])}"


def _listed(deep: Json) -> str:
    return f"the first {len(deep['problems']):,}" if deep["problems_left_out"] else "all"


def _lines(rule: Json) -> str:
    return ", ".join(str(line) for line in rule["examples"])


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in counts.items())


def _but(entry: Json, *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}
