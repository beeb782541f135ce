"""The README says what is so. Answers under its `console` commands: see test_generated.py."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main
from support.program import verify

from verify.cli.app import app
from verify.systems import NAMES, system_named

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")


def shell_commands() -> list[str]:
    """Every command of a `sh` block, apart from the others of its line."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [part.strip() for block in blocks for part in block.replace("\n", " && ").split("&&")]


def test_what_it_is_and_for_whom_in_three_lines() -> None:
    first = TEXT.split("\n\n")[1]
    assert len(first.splitlines()) == 3
    assert all(who in first for who in ("FinOps", "controllers", "auditors"))


def test_the_shell_commands_are_those_that_ci_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    monkeypatch.chdir(ROOT)
    ran = 0
    for command in filter(None, shell_commands()):
        program, *arguments = shlex.split(command)
        if program == ".venv/bin/verify":
            assert verify(*arguments).code == 0
            assert " ".join(arguments) in ci
            ran += 1
        elif program == ".venv/bin/python":
            assert " ".join(arguments) in ci
            ran += 1
        else:
            assert command.startswith(("python3 -m venv .venv", ".venv/bin/pip install ")), command
    assert ran == 2


def test_every_command_that_it_names_exists() -> None:
    known = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    named = set(re.findall(r"`verify ([a-z]+)", TEXT))
    assert named <= known
    assert named >= {"check", "recompute", "diff", "explain", "fetch", "lever", "finding"}


def test_the_table_of_products_has_every_product_and_lever() -> None:
    table = TEXT[TEXT.index("## What can be verified") : TEXT.index("## Exit codes")]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) == len(NAMES)
    for name in NAMES:
        title = system_named(name).title
        assert any(row.startswith(f"| {title} |") for row in rows), title
    lighthouse = next(row for row in rows if row.startswith("| LightHouse |"))
    assert all(lever in lighthouse for lever in system_named("lighthouse").levers)


def test_what_it_does_not_do_is_said() -> None:
    limits = TEXT[TEXT.index("## What it does not do") : TEXT.index("## More")]
    assert "manifest that nobody signed" in limits
    assert "what a vendor never recorded" in limits


def test_its_pictures_are_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert pictures
    for picture in pictures:
        start = b"<svg " if picture.endswith(".svg") else b"\x89PNG"
        assert (ROOT / picture).read_bytes().startswith(start)
