"""Names that come from an export, made safe to show.

A name is whatever a log line said it was: a formula, an escape sequence, three hundred characters,
nothing at all. Here it becomes text that a terminal, a spreadsheet or a Markdown page shows and
does not obey, and that can be told from every other name. All mappings are reversible, so that
nothing is lost by being made safe.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

NULL_KEY = "(none)"
DASH = "—"
ELLIPSIS = "…"

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_EMOJI_SELECTOR = "\ufe0f"
_JAMO = ("\u1100", "\u11ff")  # letters that compose to Hangul syllables
# Characters of printable categories that draw nothing: joiners, fillers and the like.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_READS_AS_ESCAPE = re.compile(r"\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}")
_LONGEST_ESCAPE = len("U0010ffff")
_FREE_SLASH = re.compile(r"(?:^| )/(?: |$)")
# What the table says in its own voice; a name that reads so is quoted.
_OWN_WORDS = frozenset({NULL_KEY, "null", "none", "nan", "total", "-", "–", DASH, ELLIPSIS})
# The full-width forms are taken for formulas by spreadsheets set to Chinese or Japanese.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")


@lru_cache(maxsize=4096)
def unprintable(char: str) -> bool:
    """Whether a terminal could obey `char`, or show nothing for it: controls, bidi controls and
    other format characters, surrogates, private and unassigned ones, line separators."""
    return unicodedata.category(char) in _UNPRINTABLE


@lru_cache(maxsize=4096)
def _hidden(char: str) -> bool:
    """Whether `char` would leave no trace of its own on a line, or that of a plain space."""
    if char == " ":
        return False
    return (
        unprintable(char)
        or unicodedata.category(char) == "Zs"
        or char in _BLANK
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
    )


def visible(text: str) -> str:
    """`text` on one line, with every character that would not be seen written as an escape.

    Controls, escape sequences, bidi and zero-width characters and spaces other than the plain one
    become `\\x1b`, `\\u202e` or `\\U000e0001`; accents, CJK and emoji stay. Text that Unicode holds
    equal to another spelling (an accent as a character of its own) has its marks escaped, so that
    two spellings do not look alike. A backslash stays, unless what follows it would then read as
    one of these escapes: there it is doubled. Apply it once.
    """
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(_backslashes_apart(_pieces(text)))


def _pieces(text: str) -> list[str]:
    decomposed = not unicodedata.is_normalized("NFC", text)
    found: list[str] = []
    previous = ""  # the character before, or empty where it was escaped
    for char in text:
        if char == _EMOJI_SELECTOR:
            # It turns a symbol such as ❤ into an emoji; after one that is an emoji anyway (wide)
            # it draws nothing.
            keep = bool(previous) and _narrow_symbol(previous)
        elif _hidden(char):
            keep = False
        elif char.isascii():
            keep = True
        else:
            mark = unicodedata.category(char)[0] == "M"
            keep = not (mark and not previous) and not (
                decomposed
                and (
                    mark
                    or _JAMO[0] <= char <= _JAMO[1]
                    or unicodedata.normalize("NFC", char) != char
                )
            )
        found.append(char if keep else _escape(char))
        previous = char if keep else ""
    return found


def _narrow_symbol(char: str) -> bool:
    return unicodedata.category(char) == "So" and unicodedata.east_asian_width(char) != "W"


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _backslashes_apart(pieces: list[str]) -> list[str]:
    if "\\" not in pieces:
        return pieces
    following = ""
    for index in range(len(pieces) - 1, -1, -1):
        if pieces[index] == "\\" and _READS_AS_ESCAPE.match(following):
            pieces[index] = "\\\\"
        following = (pieces[index] + following)[:_LONGEST_ESCAPE]
    return pieces


def fitted(text: str, width: int) -> str:
    """Visible text, cut with an ellipsis to at most `width` columns; wide characters count 2."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    return _start(text, width - 1) + ELLIPSIS if width > 0 else ""


def _start(text: str, width: int) -> str:
    from rich.cells import set_cell_size

    cut = set_cell_size(text, max(width, 0))
    # Where the cut falls inside a wide character, a space stands for its half.
    return cut if text.startswith(cut) else cut[:-1]


def _middle_cut(text: str, width: int) -> str:
    from rich.cells import cell_len

    head = _start(text, (width - 1) // 2) + ELLIPSIS
    tail = text[-width:]
    # A mark without its letter would be drawn on the ellipsis.
    while tail and (cell_len(head + tail) > width or unicodedata.category(tail[0])[0] == "M"):
        tail = tail[1:]
    return head + tail


def fitted_apart(texts: Sequence[str], width: int) -> list[str]:
    """`texts` cut to `width` so that different ones stay different: at their end, else in their
    middle, else with a number."""
    cut = {text: fitted(text, width) for text in texts}
    whole = {text for text in cut if cut[text] == text}
    for text in _clashing(cut, whole):
        cut[text] = _middle_cut(text, width)
    taken = set(cut.values())
    number = 0
    for text in _clashing(cut, whole):
        while cut[text] in taken:
            number += 1
            suffix = f"{ELLIPSIS}{number}"
            cut[text] = _start(text, width - len(suffix)) + suffix
        taken.add(cut[text])
    return [cut[text] for text in texts]


def _clashing(cut: dict[str, str], whole: Iterable[str]) -> list[str]:
    often = Counter(cut.values())
    uncut = set(whole)
    return [text for text, short in cut.items() if often[short] > 1 and text not in uncut]


def shown_key(key: str | None) -> str:
    """A breakdown's key as text: the null key is `(none)`, the empty one `""`.

    A name is quoted when it could be taken for these, for the table's own words (a dash, `total`,
    `null`) or for a quoted name, and when it begins or ends with white space; no two keys are
    shown by the same text.
    """
    if key is None:
        return NULL_KEY
    return f'"{visible(key)}"' if _mistakable(key) else visible(key)


def _mistakable(key: str) -> bool:
    return (
        not key
        or key[0].isspace()
        or key[-1].isspace()
        or key[0] == '"'
        or key.casefold() in _OWN_WORDS
    )


def pair_key(first: str | None, second: str | None) -> str:
    """Two keys as one, `first / second`, not yet made visible; no two pairs make the same."""
    return " / ".join(_part(key) for key in (first, second))


def _part(key: str | None) -> str:
    if key is None:
        return NULL_KEY
    if _mistakable(key) or _FREE_SLASH.search(key):
        return '"' + key.replace('"', '""') + '"'  # as CSV does it, so that its end is plain
    return key


def csv_text(text: str) -> str:
    """`text` as a cell of text that no spreadsheet takes for a formula.

    An apostrophe is put before text that begins like a formula, with or without blanks, and before
    an apostrophe: take one away, and the text is as it was. Numbers are no text; they keep their
    sign and go without.
    """
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text


_HTML = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
    "$": "<span>$</span>",
    "\\": "<span>\\</span>",
}
_ENTITY = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# A colon stays in a time of day and before a blank; else it could make a link or an emoji.
_MARKDOWN = re.compile(
    r"[&<>]|(?<= ) |[\\`*_{}\[\]#|~$!@]|(?i:(?<=www)\.)|(?!(?<=[0-9]):[0-9]{2}(?![0-9])):(?=\S)"
)


def markdown_text(text: str) -> str:
    """`text` made visible, and inert in a Markdown table: no markup, link, mention or formula."""
    return inert(visible(text))


def html_text(text: str) -> str:
    """Text that is visible already, so that HTML takes nothing in it for markup, and a notebook
    nothing for a formula, which it looks for between dollar signs and after backslashes."""
    return "".join(_HTML.get(char, char) for char in text)


def markdown_key(key: str | None) -> str:
    """`shown_key`, inert in a Markdown table."""
    return inert(shown_key(key))


def inert(text: str) -> str:
    """Text that is visible already, so that Markdown takes nothing in it for markup."""

    def escaped(match: re.Match[str]) -> str:
        char = match[0]
        if char == " ":
            return "&nbsp;"  # a page draws a run of spaces as one
        return _ENTITY.get(char) or f"\\{char}"

    return _MARKDOWN.sub(escaped, text)
