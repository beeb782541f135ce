"""Several months: a column each, days adding up."""

from __future__ import annotations

import json
from fractions import Fraction

from support.program import verify

from .conftest import Made


def test_a_quarter_has_a_column_a_month_and_the_days_add_up(quarterly: Made) -> None:
    assert quarterly.run.code == 0, quarterly.run.err
    found = json.loads((quarterly.out / "signoff.json").read_text())
    assert found["period"]["since"] == "2026-07-01"
    months = found["months"]
    assert months["months"] == ["2026-07", "2026-08", "2026-09"]
    lines = {line["basis"]: line for line in months["lines"]}
    days = lines["by the period's days"]
    # Every call is priced on the card of the quarter's end: (3 - 0.3) a million.
    assert days["amounts"] == ["0.0162", "0.0162", "0.0216"]
    assert days["difference"] == "0"
    assert days["total"] == days["period"] == found["recomputation"][0]["usd"]
    alone = lines["each month by itself"]
    # July ends before the price changes: (2 - 0.3) a million.
    assert alone["amounts"] == ["0.0102", "0.0162", "0.0216"]
    assert Fraction(alone["difference"]) == Fraction("-0.006")


def test_each_month_by_itself_is_what_that_month_recomputes_to(quarterly: Made) -> None:
    run = verify("recompute", quarterly.export, "--period", "2026-07", "--lever", "caching",
                 "--format", "json")  # fmt: skip
    assert run.json["levers"][0]["usd"] == "0.0102"


def test_page_and_note_show_the_months(quarterly: Made) -> None:
    for name in ("signoff.html", "signoff.md"):
        text = (quarterly.out / name).read_text("utf-8")
        assert all(month in text for month in ("2026-07", "2026-08", "2026-09"))
        assert "Sum of months" in text


def test_one_month_has_no_months(agreeing: Made) -> None:
    assert json.loads((agreeing.out / "signoff.json").read_text())["months"] is None


def test_another_quarter_than_the_figures_is_refused(quarterly: Made) -> None:
    out = quarterly.out.with_name("other")
    asked = ("--figures", quarterly.figures, "--out", out, "--period", "2026-Q2")
    assert verify("signoff", quarterly.export, *asked).code == 2
    assert not out.exists()
