"""The page, in a real browser where there is one."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from verify.signoff.charts import bridge_chart
from verify.signoff.result import Bridge

from .conftest import SCRIPT, Made

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
AXE = os.environ.get("VERIFY_AXE_CORE", "")
"""Where axe.min.js lies; .ci/run fetches it from npm."""


class Tables(HTMLParser):
    """What each table has, and every tag and attribute of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.tables: list[dict[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "table":
            self.tables.append({"caption": 0, "th": 0, "unscoped": 0})
        if tag == "caption":
            self.tables[-1]["caption"] += 1
        if tag == "th":
            self.tables[-1]["th"] += 1
            self.tables[-1]["unscoped"] += "scope" not in dict(attrs)


def parsed(made: Made) -> tuple[str, Tables]:
    text = (made.out / "signoff.html").read_text("utf-8")
    tables = Tables()
    tables.feed(text)
    return text, tables


def test_the_page_needs_nothing_but_itself(agreeing: Made) -> None:
    text, found = parsed(agreeing)
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(found.tags)
    assert not {"style", "src", "onclick", "onload"} & found.attributes
    assert not re.search(r'(?:href|src|url)\s*[=(]\s*["\']?(?:https?:)?//', text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    expected = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert f'http-equiv="Content-Security-Policy" content="{expected}"' in text
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_tables_have_captions_and_scoped_headers(agreeing: Made) -> None:
    _, found = parsed(agreeing)
    assert len(found.tables) >= 8
    for table in found.tables:
        assert table["caption"] == 1
        assert table["th"] > 1
        assert table["unscoped"] == 0


def test_the_conclusion_stands_before_the_lead_and_the_lead_before_the_rest(
    differing: Made,
) -> None:
    text, _ = parsed(differing)
    places = [text.index(part) for part in ("DIFFERS", "do not follow", ">Lead sheet<", ">Causes<")]
    assert places == sorted(places)


def test_charts_are_drawn_for_the_bridge_and_each_lever_by_day(differing: Made) -> None:
    text, found = parsed(differing)
    drawings = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(drawings) == found.tags.count("figure") >= 5
    for drawing in drawings:
        assert 'role="img"' in drawing
        (title, desc) = re.findall(r'aria-labelledby="([^ "]+) ([^ "]+)"', drawing)[0]
        assert f'<title id="{title}">' in drawing
        assert f'<desc id="{desc}">' in drawing
    assert any("cause 1" in drawing for drawing in drawings)
    identities = re.findall(r'\bid="([^"]+)"', text)
    assert len(identities) == len(set(identities))


def test_queries_are_folded_and_whole(agreeing: Made) -> None:
    text, found = parsed(agreeing)
    assert found.tags.count("details") >= 6
    assert "sum(cache_read_tokens) FILTER (cache_read_tokens &gt; 0)" in text


def test_names_are_escaped(hostile: Made) -> None:
    text, found = parsed(hostile)
    assert "script" not in found.tags
    assert SCRIPT not in text
    assert SCRIPT.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#x27;") in text
    assert "\u202e" not in text


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium with a profile of its own."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    playwright = pytest.importorskip("playwright.sync_api")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.mark.parametrize("which", ["agreeing", "differing", "hostile", "quarterly"])
def test_in_a_browser_it_is_quiet_still_and_narrow(
    browser: Any, which: str, request: pytest.FixtureRequest
) -> None:
    made: Made = request.getfixturevalue(which)
    path = made.out / "signoff.html"
    for width, scheme in ((360, "light"), (1280, "dark")):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=False
        )
        page = context.new_page()
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(path.as_uri())
        assert said == []
        assert asked == [path.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.title().startswith("Sign-off: ")
        bottom = page.locator(".verdict .stamp").bounding_box()
        assert bottom is not None
        assert bottom["y"] + bottom["height"] < 800
        assert page.evaluate("document.querySelectorAll('script').length") == 0
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (dark != "rgb(255, 255, 255)") == (scheme == "dark")
        context.close()


@pytest.mark.parametrize(("which", "scheme"), [("differing", "light"), ("quarterly", "dark")])
def test_axe_finds_nothing_serious(
    browser: Any, which: str, scheme: str, request: pytest.FixtureRequest
) -> None:
    if not Path(AXE).is_file():
        pytest.skip("VERIFY_AXE_CORE does not name axe.min.js")
    made: Made = request.getfixturevalue(which)
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto((made.out / "signoff.html").as_uri())
    if which == "quarterly":
        page.evaluate("document.querySelectorAll('details').forEach(found => found.open = true)")
    page.evaluate(Path(AXE).read_text("utf-8"))
    found = page.evaluate("axe.run()")
    assert found["passes"]
    grave = [
        (rule["id"], [node["target"] for node in rule["nodes"][:3]])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
    ]
    assert grave == []
    context.close()


def test_what_is_read_out_of_a_chart_is_exact() -> None:
    """A third of a large amount: a double would lose its last digits."""
    amount, none = Fraction(10**17, 3), Fraction(0)
    bridge = Bridge("caching", "USD", none, (("a cause", amount),), none, none, amount)
    assert "cause 1 33,333,333,333,333,333.333333;" in bridge_chart(bridge, "b")
