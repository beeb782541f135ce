"""What is built holds all that it needs: the wheel to run, the sdist to be tested."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import verify

pytest.importorskip("hatchling")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel and the sdist."""
    place = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(place)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = place.glob("*.whl"), place.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


def files_in(folder: str) -> set[str]:
    """The files of a folder of the checkout, by their path in it."""
    place = ROOT / folder
    return {
        file.relative_to(place).as_posix()
        for file in place.rglob("*")
        if file.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(file.parts)
    }


def test_the_wheel_holds_code_queries_schemas_and_samples(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = set(wheel.namelist())
    assert {f"verify/{name}" for name in files_in("verify")} <= names
    assert {f"verify/schemas/{name}" for name in files_in("schemas")} <= names
    assert {f"verify/sample_exports/{name}" for name in files_in("sample_exports")} <= names
    assert "verify/py.typed" in names
    assert any(name.endswith("lighthouse/caching.sql") for name in names)
    assert {name.split("/")[0] for name in names} == {
        "verify",
        f"verify_savings-{verify.__version__}.dist-info",
    }


def test_the_version_is_that_of_the_one_place(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        (place,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
        metadata = Parser().parsestr(wheel.read(place).decode())
    assert metadata["Version"] == verify.__version__
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert verify.__version__ not in text.split("[project.optional-dependencies]")[0]
    for extra in ("deep", "docs", "fetch", "notebook", "signoff", "tokenizer"):
        assert extra in metadata.get_all("Provides-Extra", [])


def test_the_sdist_holds_what_the_tests_need(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    for folder in ("verify", "schemas", "tests", "sample_exports", "docs", "notebooks", ".ci"):
        assert {f"{folder}/{name}" for name in files_in(folder)} <= names, folder
    assert {"README.md", "RELEASING.md", "CHANGELOG.md", "zensical.toml", "LICENSE"} <= names


def test_the_wheel_runs_outside_the_checkout_and_reads_its_own_sample(
    built: dict[str, Path], tmp_path: Path
) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        wheel.extractall(tmp_path / "site")
    (tmp_path / "empty").mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "site"),
        "VERIFY_CACHE_DIR": str(tmp_path / "cache"),
    }
    code = "import verify; print(verify.__file__); from verify.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, "recompute", "--lever", "caching"],
        cwd=tmp_path / "empty",
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith(str(tmp_path / "site"))
    assert "reading the sample, sample_exports/lighthouse" in run.stderr
    assert "acme (lighthouse)" in run.stdout
