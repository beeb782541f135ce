"""The docs say all that the program has: a test fails when one is missing."""

from __future__ import annotations

import re
from pathlib import Path

import typer.main
from support.program import verify

from verify.cli.app import app
from verify.findings import KINDS
from verify.render.reference import findings_markdown
from verify.systems.lighthouse.method import SWITCHES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def commands() -> dict[str, list[str]]:
    """Every command with its options."""
    found = {}
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        options = [
            option
            for parameter in command.params
            for option in parameter.opts
            if option.startswith("--")
        ]
        found[name] = options
    return found


def test_every_command_and_option_is_in_the_docs() -> None:
    text = (DOCS / "command-line.md").read_text()
    for name, options in commands().items():
        assert f"verify {name}" in text
        for option in options:
            assert f"`{option}" in text, f"verify {name} {option}"


def test_every_command_has_help_with_an_example() -> None:
    for name in commands():
        run = verify(name, "--help")
        assert run.code == 0
        if name != "cache":
            assert "Example: verify" in run.out, name


def test_the_findings_reference_is_the_registry() -> None:
    assert (DOCS / "findings.md").read_text() == findings_markdown()
    for code in KINDS:
        assert code in verify("finding", code).out
    assert verify("finding", "no_such").code == 2


def test_every_lever_can_be_printed() -> None:
    for lever in ("retrieval", "caching", "routing", "infrastructure"):
        run = verify("lever", lever)
        assert run.code == 0
        assert "SELECT" in run.out
    assert verify("lever", "teleport").code == 2


def test_every_switch_is_in_the_method() -> None:
    text = (DOCS / "method.md").read_text()
    for switch in SWITCHES:
        assert f"| `{switch.name}` |" in text
        for value in switch.values[1:]:
            assert str(value).lower().replace("utc", "any iana zone") in text.lower()


def test_every_exit_code_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    assert re.findall(r"^\| (\d) \|", text, re.MULTILINE) == ["0", "1", "2", "3", "4"]


def test_the_architecture_names_every_folder() -> None:
    text = (DOCS / "architecture.md").read_text()
    for folder in (ROOT / "verify").iterdir():
        if folder.is_dir() and not folder.name.startswith("__"):
            assert f"{folder.name}/" in text


def test_links_between_the_docs_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *DOCS.glob("*.md")):
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
