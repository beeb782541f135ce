"""A check as a page for the terminal, as CSV, and as Markdown: the verdict first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verify.findings import lines_left_out
from verify.render.flat import csv_of
from verify.render.inspection import MOST_PROBLEMS, closer_looks, deep_page, flattened, shape_page
from verify.render.pipes import bullets, cell, findings_list, pipe_table
from verify.render.safe import inert, markdown_key, markdown_text, visible
from verify.render.sheet import Sheet
from verify.render.tables import Column, Page
from verify.render.words import UNVERIFIED, amount_words, exact, export_words
from verify.result import Value

if TYPE_CHECKING:
    from verify.systems.base import Check

CSV_COLUMNS = ("section", "row", "key", "key_is_null", "measure", "value")
MOST_DAYS = 40
"""More days than these are folded on the page; the other forms list all."""

_TITLES = {
    "types": "types of record",
    "deployments": "deployments",
    "days": "local days",
    "unread": "what no lever reads",
    "not_checked": "what was not looked at",
    "deep_rules": "deep check: what is broken",
    "deep_problems": "deep check: where",
    "shape_types": "shape: types of record",
    "shape_fields": "shape: fields",
    "suggested_fields": "names for --fields",
}
_KEYS = {
    "types": "type",
    "deployments": "deployment",
    "days": "day",
    "unread": "name",
    "deep_rules": "code",
    "deep_problems": "code",
    "shape_types": "type",
    "shape_fields": "field",
    "suggested_fields": "contract",
}
_FILES = "files"

_SOUND = {
    "pinned": "sound: the files are what the manifest says, and the manifest is the one expected",
    "unauthenticated": "sound as far as the manifest goes: the files are what it says",
    "unmanifested": "sound as far as can be seen: there is no manifest that says what the files "
    "should be",
}


def table(result: Check, *, width: int, colour: bool) -> str:
    """The page for a terminal of `width` columns."""
    page = Page(width=width, colour=colour)
    draw(page, result)
    return page.text()


def draw(page: Sheet, result: Check) -> None:
    """The same on any sheet."""
    closer, rest = closer_looks(result.document)
    result = replace(result, document=rest)
    page.line(_verdict(result), "bold green" if result.sound else "bold red")
    page.blank()
    if result.export.trust == "unverified":
        page.loud(UNVERIFIED)
    page.pairs([*export_words(result.export), *_facts(result)])
    for file in result.document.get(_FILES, ()):
        page.heading(visible(str(file.get("path"))))
        page.pairs(_file_facts(file))
    for name, entries in _lists(result):
        page.heading(_title(name))
        if not entries:
            page.line("nothing")
        elif not _is_table(entries):
            for entry in entries:
                page.line(f"- {visible(_plain(entry))}")
        elif name == "days" and len(entries) > MOST_DAYS:
            page.pairs(_folded(entries))
        else:
            header = _header(entries)
            columns = [Column(_column(name, field), kind=_kind(field)) for field in header]
            page.table(
                columns, [[_value(entry.get(field)) for field in header] for entry in entries]
            )
    if "deep" in closer:
        deep_page(page, closer["deep"])
    if "shape" in closer:
        shape_page(page, closer["shape"])
    if result.findings:
        page.heading("findings")
        page.findings(result.findings)


def csv(result: Check) -> str:
    """One table in long form: sections `check`, `export`, those of the document, and `finding`.

    `row` tells the entries of a section apart; the null key is empty with `key_is_null` true.
    """
    flat = replace(result, document=flattened(result.document))
    return csv_of(CSV_COLUMNS, _rows(flat))


def markdown(result: Check) -> str:
    """Headings, pipe tables and lists."""
    flat = flattened(result.document, most_problems=MOST_PROBLEMS)
    return "\n".join(_parts(replace(result, document=flat)))


def _verdict(result: Check) -> str:
    if result.sound:
        return _SOUND.get(result.export.trust, "sound")
    if result.export.trust == "unverified":
        return "NOT SOUND: the files are not what the manifest says"
    if lines_left_out(result.findings):
        return "NOT SOUND: lines that cannot be read beyond doubt were left out"
    return "NOT SOUND: the closer look found what should not be"


def _facts(result: Check) -> Iterator[tuple[str, str]]:
    """What the document says in one value, or in a few."""
    for name, value in result.document.items():
        if isinstance(value, Mapping):
            joint = " is " if name == "fields" else " "
            words = (f"{visible(key)}{joint}{visible(_plain(part))}" for key, part in value.items())
            yield visible(name.replace("_", " ")), ", ".join(words)
        elif not isinstance(value, list):
            yield visible(name.replace("_", " ")), visible(_plain(value)) or "nothing"


def _file_facts(file: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    counts = [
        f"{amount_words(value, '')} {visible(name)}"
        for name, value in file.items()
        if isinstance(value, int)
    ]
    if counts:
        yield "size", ", ".join(counts)
    for name, value in file.items():
        if name != "path" and not isinstance(value, int):
            yield visible(name), visible(_plain(value))


def _lists(result: Check) -> Iterator[tuple[str, Sequence[Any]]]:
    for name, value in result.document.items():
        if name != _FILES and isinstance(value, list):
            yield name, value


def _is_table(entries: Sequence[Any]) -> bool:
    return all(isinstance(entry, Mapping) for entry in entries)


def _header(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(field for entry in entries for field in entry))


def _title(name: str) -> str:
    return _TITLES.get(name) or visible(name.replace("_", " "))


def _column(section: str, field: str) -> str:
    return _KEYS.get(section, field) if field == "key" else visible(field)


def _kind(field: str) -> str:
    return "key" if field == "key" else "amount"


def _folded(days: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    yield "days", f"{len(days):,} with records; --format csv has each"
    for label, day in (("first", days[0]), ("last", days[-1])):
        yield label, f"{visible(_plain(day.get('key')))}, {day.get('records', 0):,} records"


def _value(value: Any) -> Value:
    """A JSON value as one that a table shows."""
    return value if value is None or isinstance(value, int | str) else _plain(value)


def _plain(value: Any) -> str:
    return exact(value) if value is None or isinstance(value, int | str) else json.dumps(value)


def _rows(result: Check) -> Iterator[tuple[Value, ...]]:
    yield "check", 1, "", False, "sound", result.sound
    yield "check", 1, "", False, "verdict", _verdict(result)
    for name, value in result.export.as_json().items():
        yield "export", 1, "", False, name, value
    for section, value in result.document.items():
        entries = value if isinstance(value, list) else [value]
        for number, entry in enumerate(entries, 1):
            if not isinstance(entry, Mapping):
                yield section, number, "", False, "value", _value(entry)
                continue
            key_field = "path" if section == _FILES else "key"
            key = entry.get(key_field, "")
            for field, part in entry.items():
                if field != key_field:
                    yield section, number, _value(key), key is None, field, _value(part)
    for number, finding in enumerate(result.findings, 1):
        for field, value in finding.as_json().items():
            if field not in ("code", "examples"):
                yield "finding", number, finding.code, False, field, value


def _parts(result: Check) -> Iterator[str]:
    yield f"# Check: {inert(_verdict(result))}\n"
    if result.export.trust == "unverified":
        yield f"> **{inert(UNVERIFIED)}**\n"
    facts = [*export_words(result.export), *_facts(result)]
    yield bullets((inert(label), inert(text)) for label, text in facts)
    files = result.document.get(_FILES, ())
    if files:
        yield "## Files\n"
        yield _pipe("files", files)
    for name, entries in _lists(result):
        title = _title(name)
        yield f"## {inert(title[:1].upper() + title[1:])}\n"
        if not entries:
            yield "Nothing.\n"
        elif _is_table(entries):
            yield _pipe(name, entries)
        else:
            yield "".join(f"- {markdown_text(_plain(entry))}\n" for entry in entries)
    if result.findings:
        yield "## Findings\n"
        yield findings_list(result.findings)


def _pipe(section: str, entries: Sequence[Mapping[str, Any]]) -> str:
    header = _header(entries)
    lines = [
        [
            markdown_key(entry.get(field)) if field == "key" else cell(_value(entry.get(field)))
            for field in header
        ]
        for entry in entries
    ]
    numeric = [not any(isinstance(entry.get(f), str | None) for entry in entries) for f in header]
    return pipe_table([inert(_column(section, field)) for field in header], lines, numeric)
