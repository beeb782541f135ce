"""Sign-offs made once, for all tests that only read them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from support.exports import record, write_export
from support.program import Run, verify

SAMPLE = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"
EPOCH = "1790000000"
SCRIPT = "<script>document.title='owned'</script>"
FORMULA = '=HYPERLINK("http://example.invalid","x")'


@dataclass(frozen=True)
class Made:
    """A sign-off with its inputs, and what the command said."""

    export: Path
    figures: Path
    out: Path
    run: Run


@pytest.fixture(scope="session", autouse=True)
def one_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place: Path = tmp_path_factory.mktemp("signoff-cache")
    with patch.dict(os.environ, {"VERIFY_CACHE_DIR": str(place), "SOURCE_DATE_EPOCH": EPOCH}):
        yield place


@pytest.fixture(scope="session")
def sign(one_cache: Path) -> Callable[..., Made]:  # noqa: ARG001
    """Sign an export off into a directory of its own, beside it."""

    def made(export: Path, figures: Path, name: str, *options: object) -> Made:
        out = export.parent / name
        run = verify("signoff", export, "--figures", figures, "--out", out, *options)
        return Made(export, figures, out, run)

    return made


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, with its reads beside it and not in it."""
    place: Path = tmp_path_factory.mktemp("copied")
    shutil.copytree(SAMPLE, place / "export", ignore=shutil.ignore_patterns("api"))
    shutil.copytree(SAMPLE / "api", place / "api")
    return place


@pytest.fixture(scope="session")
def agreeing(copied: Path, sign: Callable[..., Made]) -> Made:
    """The sample, which agrees."""
    return sign(copied / "export", copied / "api", "signoff", "--tolerance", "abs=1.00,rel=0.1%")


@pytest.fixture(scope="session")
def differing(tmp_path_factory: pytest.TempPathFactory, sign: Callable[..., Made]) -> Made:
    """A product that leaves sampling weights out."""
    place = tmp_path_factory.mktemp("differing")
    export = place / "export"
    planted = ("--records", "1000", "--plant", "weights=false")
    assert verify("sample", export, *planted).code == 0
    shutil.move(export / "api", place / "api")
    return sign(export, place / "api", "signoff", "--largest", "1")


def calls(days: list[str], deployments: list[str]) -> list[bytes]:
    """A call a day and deployment, on a card that changes in August."""
    lines = []
    for name in deployments:
        for at, price in (("2026-06-20", 2), ("2026-08-02", 3)):
            card = {"input_per_m": price, "output_per_m": 9, "cache_read_per_m": 0.3}
            lines.append(
                record("models", name, f"{at}T00:00:00Z", model="m", price=card, snapshot=at)
            )
        for number, day in enumerate(days, 1):
            tokens = {"input_tokens": 10, "output_tokens": 1, "cache_read_tokens": 1000 * number}
            lines.append(
                record("model_call", name, f"{day}T12:00:00Z", model="m", outcome="ok", **tokens)
            )
    return lines


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory, sign: Callable[..., Made]) -> Made:
    """Names that a page could run and a spreadsheet could compute; figures of our own making."""
    place = tmp_path_factory.mktemp("hostile")
    days = ["2026-10-01", "2026-10-02"]
    lines = calls(days, [SCRIPT, FORMULA, "+1", "@SUM(A1)", "\u202eevil"])
    export = write_export(place / "export", lines, tenant=SCRIPT)
    figures = place / "figures.json"
    asked = ("--period", "2026-10", "--lever", "caching", "--by", "deployment", "--by", "day")
    assert verify("recompute", export, *asked, "--format", "json", "-o", figures).code == 0
    return sign(export, figures, "signoff", "--lever", "caching")


@pytest.fixture(scope="session")
def quarterly(tmp_path_factory: pytest.TempPathFactory, sign: Callable[..., Made]) -> Made:
    """A quarter, with a price card that changes within it."""
    place = tmp_path_factory.mktemp("quarterly")
    days = ["2026-07-01", "2026-07-31", "2026-08-15", "2026-09-30"]
    export = write_export(place / "export", calls(days, ["eu", "us"]))
    figures = place / "figures.json"
    asked = ("--since", "2026-07-01", "--until", "2026-09-30", "--lever", "caching")
    assert verify("recompute", export, *asked, "--format", "json", "-o", figures).code == 0
    return sign(export, figures, "signoff", "--lever", "caching", "--period", "2026-Q3")
