"""What is generated is what would be generated now: pages, answers under commands, pictures."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def make() -> ModuleType:
    """docs/make.py as a module."""
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs" / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_everything_generated_is_up_to_date(
    make: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    made = dict(make.generated())
    assert {place.name for place in made} >= {
        "README.md",
        "adding-a-product.md",
        "findings.md",
        "working-papers.md",
        "diff.svg",
    }
    for place, text in made.items():
        assert place.read_text("utf-8") == text, f"{place.name}: run python docs/make.py"


def test_a_wrong_answer_in_a_page_is_noticed(
    make: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    page = "```console\n$ verify finding file_digest\nall is well\n$ echo $?\n5\n```"
    made = make.with_transcripts(page)
    assert "A file has another SHA-256" in made
    assert made.endswith("$ echo $?\n0\n```")


def test_only_this_program_is_run(make: ModuleType) -> None:
    with pytest.raises(ValueError, match="not a command of this program"):
        make.run("rm -rf build")


def test_the_product_of_the_page_refuses_what_is_no_count(
    make: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / make.PRODUCT).read_text("utf-8")
    good = '{"team": "search", "requests": 12, "calls": 3}'
    for bad in ('"12"', "true", "1.5", "null"):
        line = f'{{"team": "search", "requests": {bad}, "calls": 3}}'
        asked = "```console\n$ verify recompute export\n$ echo $?\n```\n"
        page = text.replace(good, line)
        page = page[: page.index("## 4.")] + asked
        monkeypatch.chdir(tmp_path)
        make.run.cache_clear()
        assert make.product_page(page).endswith("$ echo $?\n3\n```\n"), bad
    make.run.cache_clear()
    assert json.loads(good)["requests"] == 12
    assert Path(os.getcwd()) == ROOT
