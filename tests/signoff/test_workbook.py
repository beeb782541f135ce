"""The workbook: read by openpyxl, recalculated by LibreOffice."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from support.program import verify

from verify import sign_off
from verify.compare.verdicts import Tolerance
from verify.signoff.workbook import sheet_name
from verify.signoff.workbook.doubles import added, double, less, rounding_text
from verify.signoff.workbook.sheet import BEYOND, Book, Sheet, _literal, fitted

from .conftest import FORMULA, Made

openpyxl = pytest.importorskip("openpyxl")

SHEETS = [
    *("Cover", "Lead sheet", "Evidence"),
    *("Headline", "Retrieval", "Caching", "Routing", "Infrastructure"),
    *("Price cards", "Causes", "Exceptions", "Legend"),
]
RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item
 oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode"
 oor:op="fuse"><value>{mode}</value></prop></item></oor:items>"""
MODES = {"always": 0, "never": 1}


def opened(made: Made, *, values: bool = False) -> Any:
    return openpyxl.load_workbook(made.out / "signoff.xlsx", data_only=values)


def texts(sheet: Any) -> list[str]:
    return [str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None]


def formulas(book: Any) -> Iterator[tuple[str, str, str]]:
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    yield sheet.title, cell.coordinate, cell.value


def test_every_sheet_is_there_and_prints(agreeing: Made) -> None:
    book = opened(agreeing)
    assert book.sheetnames == SHEETS
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.page_setup.fitToWidth in (None, 1)  # 1 is the default
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert texts(sheet)
        if sheet.title in ("Lead sheet", *SHEETS[3:9]):
            assert sheet.print_title_rows


def test_the_conclusion_stands_at_the_top_and_the_lines_are_blank(differing: Made) -> None:
    cover = opened(differing)["Cover"]
    top = [str(cover.cell(row, 1).value) for row in range(1, 5)]
    assert any("DIFFERS" in text for text in top)
    assert any("do not follow from its records" in text for text in top)
    for label in ("Prepared by", "Reviewed by", "Date"):
        (found, *_) = [c for row in cover.iter_rows() for c in row if c.value == label]
        assert cover.cell(found.row, found.column + 1).value in (None, "")


def test_the_lead_sheet_is_the_lead(agreeing: Made) -> None:
    sheet = opened(agreeing, values=True)["Lead sheet"]
    rows = {row[0].value: [cell.value for cell in row] for row in sheet.iter_rows()}
    lead = json.loads((agreeing.out / "signoff.json").read_text())["lead"]
    assert len(lead) == 5
    for line in lead:
        row = next(
            [cell.value for cell in r] for r in sheet.iter_rows() if r[0].value == line["lever"]
        )
        assert row[2] == pytest.approx(float(Fraction(line["figure"])), rel=1e-15)
        assert row[4] == pytest.approx(float(Fraction(line["recomputed"])), rel=1e-15)
        assert row[6] == pytest.approx(float(Fraction(line["threshold"])), rel=1e-15)
        assert row[8] == {"exact": "exact", "rounding": "rounding"}[line["verdict"]]
    total = rows["Σ of the levers counted"]
    assert total[2] == pytest.approx(1673.208177, abs=1e-9)


def test_the_caching_formula_is_live_and_gives_the_figure(agreeing: Made) -> None:
    live, found = opened(agreeing)["Caching"], opened(agreeing, values=True)["Caching"]
    pattern = re.compile(r"=\((\w+)\*\((\w+)-(\w+)\)-(\w+)\*MAX\((\w+)-\w+,0\)\)/1000000")
    seen = 0
    for row in live.iter_rows():
        for cell in row:
            match = pattern.fullmatch(str(cell.value))
            if match:
                reads, price, read, writes, write = (
                    Fraction(str(found[ref].value)) for ref in match.groups()
                )
                saved = (
                    reads * (price - read) - writes * max(write - price, Fraction(0))
                ) / 1_000_000
                exact = Fraction(str(found.cell(cell.row, cell.column - 2).value))
                assert saved == exact
                assert found[cell.coordinate].value == pytest.approx(float(exact), rel=1e-14)
                seen += 1
    assert seen > 5


def test_amounts_stand_beside_their_exact_text(agreeing: Made) -> None:
    sheet = opened(agreeing, values=True)["Retrieval"]
    rows = json.loads((agreeing.out / "signoff.json").read_text())["rows"]
    wanted = [row for row in rows if row["lever"] == "retrieval" and row["delta"] is not None]
    found = {
        (str(line[6].value), str(line[7].value), str(line[8].value))
        for line in sheet.iter_rows()
        if isinstance(line[6].value, int | float)
    }
    for row in wanted:
        cell = double(Fraction(row["recomputed"]))
        assert cell is not None
        exact = row["recomputed"]
        assert any(
            text == exact and rounding == rounding_text(cell, Fraction(exact))
            for _, text, rounding in found
        )
    assert any("/" in text for _, text, _ in found)
    assert any(rounding not in ("0", "None") for _, _, rounding in found)


def test_text_is_text_whatever_it_begins_with(hostile: Made) -> None:
    book = opened(hostile)
    every = [text for sheet in book for text in texts(sheet)]
    for name in (FORMULA, "+1", "@SUM(A1)", "\\u202eevil"):
        assert name in every
    names = {formula for _, _, formula in formulas(book)}
    assert not any("HYPERLINK" in name or name in ("=+1", "=@SUM(A1)") for name in names)
    assert all(sheet._hyperlinks == [] for sheet in book)


def test_the_causes_add_up_with_both_lines(differing: Made) -> None:
    sheet = opened(differing, values=True)["Causes"]
    labels = [str(row[0].value) for row in sheet.iter_rows()]
    bridges = json.loads((differing.out / "signoff.json").read_text())["bridges"]
    for line in ("Unexplained difference", "Rounding of the printed figure", "Product's figure Σ"):
        assert labels.count(line) == len(bridges)
    totals = [row[1].value for row in sheet.iter_rows() if row[0].value == "Product's figure Σ"]
    assert totals == pytest.approx([float(Fraction(b["figure"])) for b in bridges], rel=1e-14)


def test_sheet_names_are_none_that_spreadsheets_forbid() -> None:
    taken = {"cover"}
    names = [sheet_name(name, taken) for name in ("a/b:c", "A/B:C", "Cover", "x" * 40, "x" * 41)]
    assert names == ["A_b_c", "A_B_C 2", "Cover 2", "X" + "x" * 30, "X" + "x" * 28 + " 2"]
    assert sheet_name("'", {"_"}) == "_ 2"


def test_sheet_names_are_as_long_as_spreadsheets_count() -> None:
    def units(text: str) -> int:
        return len(text.encode("utf-16-le")) // 2

    taken: set[str] = set()
    names = [sheet_name("\U0001f600" * 16, taken) for _ in range(2)]
    assert names == ["\U0001f600" * 15, "\U0001f600" * 14 + " 2"]
    assert sheet_name("ab" + "\U0001f600" * 20, taken) == "Ab" + "\U0001f600" * 14
    assert all(units(name) <= 31 for name in taken)
    assert fitted("a\U0001f600", 2) == "a"


def test_a_heading_is_cut_between_codes_and_not_within_one() -> None:
    for tenant in ("T" * 179 + "&Z", "&" * 400, "T" * 300, "\U0001f600" * 300, "a&b", "T&" * 200):
        literal = _literal(tenant)
        assert len(literal.encode("utf-16-le")) // 2 <= 180
        text = literal.replace("&&", "\0")
        assert "&" not in text
        assert tenant.startswith(text.replace("\0", "&"))
        assert len(literal) >= 90 or literal == "a&&b"


def test_a_headline_named_in_emoji_and_a_figure_beyond_doubles_are_signed_off(
    tmp_path: Path, copied: Path
) -> None:
    """No amount and no name of the product's keeps the documents from being made."""
    huge = Fraction(10) ** 400
    figures = shutil.copytree(copied / "api", tmp_path / "api")
    headline = json.loads((figures / "headline.json").read_text())
    headline["levers"].append({"lever": "\U0001f600" * 16, "status": "included", "usd": 5})
    text = json.dumps(headline)
    assert text.count("17.916161") == 1
    (figures / "headline.json").write_text(text.replace("17.916161", "1e400"))
    found = sign_off(
        copied / "export", figures, out=tmp_path / "out", tolerance=Tolerance(huge), largest=1
    )
    assert next(line for line in found.lead if line.lever == "caching").figure == huge
    book = openpyxl.load_workbook(tmp_path / "out" / "signoff.xlsx", data_only=True)
    assert "\U0001f600" * 15 in book.sheetnames
    rows = [[cell.value for cell in row] for row in book["Lead sheet"].iter_rows()]
    (caching,) = [row for row in rows if row[0] == "caching" and row[1] == "USD" and row[8]]
    assert caching[2] == caching[6] == str(huge)
    assert Fraction(caching[5]) == huge - Fraction("17.9161608305")
    (total,) = [row for row in rows if row[0] == "Σ of the levers counted"]
    assert Fraction(total[2]) > huge
    causes = [[cell.value for cell in row] for row in book["Causes"].iter_rows()]
    (whole,) = [row for row in causes if row[0] == "Product's figure"]
    assert (whole[1], whole[2]) == (None, str(huge))
    page = (tmp_path / "out" / "signoff.html").read_text()
    assert "Infinity" not in page
    assert "NaN" not in page
    assert verify("replay", tmp_path / "out").code == 0


@pytest.mark.parametrize(
    "terms", [Tolerance(relative=Fraction(10) ** 400), Tolerance(relative=Fraction(10) ** 306)]
)
def test_a_threshold_beyond_doubles_is_no_0(tmp_path: Path, copied: Path, terms: Tolerance) -> None:
    found = sign_off(copied / "export", copied / "api", out=tmp_path / "out", tolerance=terms)
    book = openpyxl.load_workbook(tmp_path / "out" / "signoff.xlsx", data_only=True)
    for line in found.lead:
        row = next(
            [cell.value for cell in row]
            for row in book["Lead sheet"].iter_rows()
            if row[0].value == line.lever
        )
        assert line.threshold is not None
        assert Fraction(row[6]) == line.threshold or row[6] == pytest.approx(
            float(line.threshold), rel=1e-14
        )
        assert row[6]


def test_what_leaves_doubles_on_the_way_is_said_in_words() -> None:
    assert math.isnan(added([1e308, 1e308]))
    assert rounding_text(math.inf, 1) == rounding_text(math.nan, 1) == "no double holds it"
    xlsxwriter = pytest.importorskip("xlsxwriter")
    held = BytesIO()
    with xlsxwriter.Workbook(held) as made:
        sheet = Sheet(Book(made), "one", (10,), "heading")
        sheet.formula(0, "=A2+A3", less(1.7e308, -1.7e308), 6)
        sheet.row += 1
        sheet.merged("x" * 40_000, "wrap", 1, 2000)
    (one,) = openpyxl.load_workbook(held)
    assert one["A1"].value == BEYOND
    assert one["A2"].value.endswith("cut; signoff.json has all of it")
    assert one.row_dimensions[2].height <= 409


def test_doubles_are_those_of_a_spreadsheet() -> None:
    assert less(0.3, 0.1 + 0.2) == 0.0
    assert less(1.0, 0.5) == 0.5
    assert double(10**400) is None
    assert rounding_text(0.5, Fraction(1, 2)) == "0"
    assert rounding_text(double(Fraction(1, 3)), Fraction(1, 3)).startswith("-")


@pytest.fixture(scope="module")
def converted(
    tmp_path_factory: pytest.TempPathFactory, agreeing: Made, differing: Made, quarterly: Made
) -> Path:
    """Three workbooks, and one with a wrong stored value, as LibreOffice writes them: once as they
    are stored, and once with every formula computed anew."""
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed")
    place: Path = tmp_path_factory.mktemp("office")
    for name, made in (("agreeing", agreeing), ("differing", differing), ("quarterly", quarterly)):
        shutil.copy(made.out / "signoff.xlsx", place / f"{name}.xlsx")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(str(place / "control.xlsx")) as book:
        book.add_worksheet().write_formula(0, 0, "=1+1", None, 7)
    for mode, number in MODES.items():
        profile = place / f"profile-{mode}"
        (profile / "user").mkdir(parents=True)
        settings = profile / "user" / "registrymodifications.xcu"
        settings.write_text(RECALCULATE.format(mode=number))
        subprocess.run(
            [
                soffice,
                f"-env:UserInstallation={profile.as_uri()}",
                *("--headless", "--convert-to", "xlsx", "--outdir", str(place / mode)),
                *map(str, sorted(place.glob("*.xlsx"))),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )
    return place


@pytest.mark.parametrize("name", ["agreeing", "differing", "quarterly"])
def test_recalculating_changes_no_value(converted: Path, name: str) -> None:
    def read(mode: str, book: str) -> Any:
        return openpyxl.load_workbook(converted / mode / f"{book}.xlsx", data_only=True)

    assert [read(mode, "control").active["A1"].value for mode in MODES] == [2, 7]
    live = openpyxl.load_workbook(converted / f"{name}.xlsx")
    stored = openpyxl.load_workbook(converted / f"{name}.xlsx", data_only=True)
    anew, kept = (read(mode, name) for mode in MODES)
    count = 0
    for title, at, formula in formulas(live):
        now, then = anew[title][at].value, kept[title][at].value
        assert now == then, (title, at, formula)
        # LibreOffice writes 15 digits of what we stored.
        assert then == pytest.approx(stored[title][at].value, rel=6e-15, abs=0), (title, at)
        count += 1
    assert count > 20


def test_no_text_of_the_evidence_is_laid_over_the_next_row(agreeing: Made) -> None:
    """Tables that share a sheet share its columns, whatever width each asks for."""
    sheet = openpyxl.load_workbook(agreeing.out / "signoff.xlsx")["Evidence"]
    merged = {cell for area in sheet.merged_cells.ranges for row in area.rows for cell in row}
    widths = {
        column: of.width
        for of in sheet.column_dimensions.values()
        for column in range(of.min, of.max + 1)
    }
    looked_at = 0
    for row in sheet.iter_rows():
        for cell in row:
            if isinstance(cell.value, str) and (cell.row, cell.column) not in merged:
                height = sheet.row_dimensions[cell.row].height or 15
                assert len(cell.value) <= widths[cell.column] * (height // 15), cell.coordinate
                looked_at += len(cell.value) == 64
    assert looked_at > 10
