"""Numbers that a document shows and that none of the program's documents is known to show.

Nothing compares them with anything; but a figure that somebody added, such as a total of what is
paid and what is saved, has to be noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from verify.schemata import schema
from verify.systems.mcp_savings.claims.humanised import bytes_shown, tokens_shown
from verify.systems.mcp_savings.documents import amount
from verify.trust.strictjson import NumberText

_NUMBER = re.compile(r"[0-9][0-9.,]*(?: ?[KMG]?B\b|[KMB]\b)?")
_MONEY = frozenset({"sessionCost"})
"""What a host may note in a snapshot and the program shows nowhere. It is money, and not read."""


def strange_words(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[str, Fraction]]:
    """The numbers on lines that are none of the program's; -1 for a line without any."""
    for line, text in lines:
        values = [value for found in _NUMBER.findall(text) for value in _values(found)]
        for value in values or [Fraction(-1)]:
            yield f"line {line}", value


def _values(text: str) -> Iterator[Fraction]:
    plain = text.replace(",", "").rstrip(".")
    for shown in (bytes_shown(plain), tokens_shown(plain)):
        if shown is not None:
            yield shown.printed.value
            return


def strange_numbers(document: Any, form: str, path: str) -> Iterator[tuple[str, Fraction]]:
    """The numbers under names that the schema of `form` does not know, with their place."""
    whole = schema(f"mcp_savings/{form}")
    yield from _unknown(document, whole, whole["$defs"], "", path)


def _unknown(
    value: Any, part: Mapping[str, Any], definitions: Mapping[str, Any], place: str, path: str
) -> Iterator[tuple[str, Fraction]]:
    if "$ref" in part:
        part = definitions[part["$ref"].removeprefix("#/$defs/")]
    if isinstance(value, list):
        for position, item in enumerate(value):
            inside = part.get("items", {})
            yield from _unknown(item, inside, definitions, f"{place}/{position}", path)
    elif isinstance(value, dict):
        properties = part.get("properties", {})
        for key, member in value.items():
            if key in properties:
                yield from _unknown(member, properties[key], definitions, f"{place}/{key}", path)
            elif key not in _MONEY:
                yield from _numbers(member, f"{place}/{key}", path)


def _numbers(value: Any, place: str, path: str) -> Iterator[tuple[str, Fraction]]:
    if isinstance(value, NumberText):
        yield place, amount(value, path)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _numbers(member, f"{place}/{key}", path)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _numbers(item, f"{place}/{position}", path)
