"""Results as notebooks show them: the pages of the terminal, drawn as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.errors import UsageProblem
from verify.render.html import HtmlSheet

if TYPE_CHECKING:
    from verify.compare.explain import Explanation
    from verify.compare.tieout import Diff
    from verify.render.recomputation.measures import Measures
    from verify.result import Recomputation
    from verify.systems.base import Check


def recomputation_html(result: Recomputation) -> str:
    """A recomputation; its product's own labels where the product is known."""
    from verify.render.recomputation.page import draw

    sheet = HtmlSheet()
    draw(sheet, result, measures=_measures(result.export.system), unusual=result.unusual)
    return sheet.html()


def diff_html(diff: Diff) -> str:
    """A tie-out: the conclusion, a line a lever, and what differs."""
    from verify.render.diff.page import draw

    sheet = HtmlSheet()
    draw(sheet, diff, wide=True, unusual=diff.result.unusual)
    return sheet.html()


def explanation_html(told: Explanation) -> str:
    """An explanation: the conclusion first, then the waterfalls."""
    from verify.render.explanation import draw

    sheet = HtmlSheet()
    draw(sheet, told)
    return sheet.html()


def check_html(check: Check) -> str:
    """A check: the files, and what is in them."""
    from verify.render.check import draw

    sheet = HtmlSheet()
    draw(sheet, check)
    return sheet.html()


def _measures(system: str) -> Measures:
    from verify.systems import system_named

    try:
        return system_named(system).measures
    except UsageProblem:
        return {}
