"""The notebooks run from top to bottom, and answer what their stored outputs say."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("vl_convert")

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "notebooks"
NAMES = ("walkthrough.ipynb", "months.ipynb")


def runner() -> ModuleType:
    """notebooks/run.py as a module."""
    spec = importlib.util.spec_from_file_location("run_notebooks", HERE / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stable(notebook: Any) -> Iterator[tuple[str, str]]:
    """What a cell prints, and the frames it shows. Pictures depend on the fonts of a machine, and
    pages on which extras are installed."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                yield cell.id, output.text
            elif "shape:" in output.data.get("text/plain", "") or "dataframe" in output.data.get(
                "text/html", ""
            ):
                yield cell.id, output.data["text/html"]


@pytest.mark.parametrize("name", NAMES)
def test_it_answers_what_is_stored(name: str) -> None:
    module = runner()
    assert name in module.NOTEBOOKS
    stored = nbformat.read(HERE / name, as_version=4)
    answered = list(stable(module.executed(HERE / name)))
    assert len(answered) >= 4
    assert answered == list(stable(stored)), "run python notebooks/run.py"


@pytest.mark.parametrize("name", NAMES)
def test_it_uses_the_public_functions_only(name: str) -> None:
    import verify

    for cell in nbformat.read(HERE / name, as_version=4).cells:
        if cell.cell_type == "code":
            assert not re.search(r"(from|import) verify\.", cell.source)
            for used in re.findall(r"\bverify\.(\w+)", cell.source):
                assert used in verify.__all__


@pytest.mark.parametrize("name", NAMES)
def test_its_stored_form_is_whole_and_tells_nothing_of_a_machine(name: str) -> None:
    text = (HERE / name).read_text("utf-8")
    assert str(ROOT) not in text
    assert str(Path.home()) not in text
    assert tempfile.gettempdir() not in text
    assert len(text) < 400_000
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.execution_count is not None
            assert all(output.output_type != "error" for output in cell.outputs)


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_followed_by_what_to_see(name: str) -> None:
    cells = nbformat.read(HERE / name, as_version=4).cells
    charts = 0
    for cell, following in pairwise(cells):
        pictures = [o for o in cell.get("outputs", ()) if "image/svg+xml" in o.get("data", {})]
        if pictures:
            charts += 1
            assert following.source.startswith("**What to see:**"), cell.source
    assert charts == (6 if name == "walkthrough.ipynb" else 1)


@pytest.mark.parametrize("name", NAMES)
def test_its_own_export_is_one_cell(name: str) -> None:
    cells = nbformat.read(HERE / name, as_version=4).cells
    assert "change the next cell" in cells[0].source
    first = next(cell for cell in cells if cell.cell_type == "code")
    assert "EXPORT = " in first.source
    for cell in cells[2:]:
        assert "sample_export(" not in cell.source
