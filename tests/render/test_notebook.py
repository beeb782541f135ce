"""Results in a notebook: the terminal's pages as HTML, in which every name is only text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from verify.compare.explain import Explanation
from verify.compare.figures import At
from verify.render.safe import html_text
from verify.result import Recomputation

from .built import caching, check, infrastructure, recomputation, retrieval
from .tied import sound, tied

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "$x^2$ and \\(y\\)",
    "&lt;b&gt;",
    "\x1b[31mred",
    "a\u202eb",
)
TAGS = {"div", "style", "p", "h4", "span", "table", "thead", "tbody", "tfoot", "tr", "th", "td"}
TAGS |= {"br"}


class Page(HTMLParser):
    """The tags of a page, with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def page(thing: object) -> Page:
    made = Page(thing._repr_html_())  # type: ignore[attr-defined]
    assert made.open == []
    assert made.tags <= TAGS
    assert made.attributes <= {"class", "style"}
    return made


def hostile() -> Recomputation:
    return recomputation(retrieval(HOSTILE), caching(HOSTILE), infrastructure())


def test_a_recomputation_says_what_the_terminal_says() -> None:
    text = page(sound()).text
    for word in ("acme (lighthouse)", "retrieval", "unauthenticated", "rounded for reading"):
        assert word in text
    assert "--format" not in text
    assert ".to_polars()" in text


def test_a_diff_says_its_verdict_first() -> None:
    diff = tied(sound(), {At("caching", "saved_usd"): "99.5"})
    text = page(diff).text
    assert text.lstrip().startswith("differs:")
    assert "99.500000" in text


def test_an_explanation_and_a_check() -> None:
    told = Explanation(tied(sound()), (), 0, 1, 1, (), (), ())
    assert "nothing to explain" in page(told).text
    assert "sound" in page(check()).text


def test_another_method_is_said_loudly() -> None:
    from dataclasses import replace

    result = replace(sound(), unusual={"weights": False})
    assert "NOT BY THE STATED METHOD: weights=false" in page(result).text
    assert "NOT BY THE STATED METHOD" not in page(sound()).text


def test_an_unverified_export_is_said_loudly() -> None:
    from dataclasses import replace

    from .built import identity

    result = replace(sound(), export=identity("unverified"))
    assert "UNVERIFIED" in page(result).text


def test_names_are_only_text() -> None:
    made = page(hostile())
    for name in HOSTILE[:3]:
        assert name in made.text
    assert "\x1b" not in made.text
    assert "\u202e" not in made.text


@pytest.mark.parametrize("name", ["$a$", "\\(a\\)", "$$b$$", "\\begin{x}"])
def test_nothing_is_taken_for_a_formula(name: str) -> None:
    made = Page(html_text(name))
    assert made.text == name
    for text in made.texts:
        assert text in ("$", "\\") or not set("$\\") & set(text)
