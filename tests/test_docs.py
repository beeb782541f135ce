"""The docs say all that the program has: a test fails when one is missing."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
import typer.main
from support.program import verify

import verify as verify_package
from verify.cli.app import app
from verify.cli.diff import EXIT
from verify.errors import IntegrityFailure, VerifyError
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


def test_every_exit_code_is_in_the_readme_and_in_the_docs() -> None:
    rows = []
    for page in (ROOT / "README.md", DOCS / "command-line.md"):
        text = page.read_text()
        assert re.findall(r"^\| (\d) \|", text, re.MULTILINE) == ["0", "1", "2", "3", "4"]
        rows.append(re.findall(r"^\| \d \|.*$", text, re.MULTILINE))
    assert rows[0] == rows[1]
    codes = {0, 130, 141, *EXIT.values(), VerifyError("").exit_code, IntegrityFailure([]).exit_code}
    assert {str(code) for code in codes} <= set(re.findall(r"\b\d+\b", text))


def test_every_public_function_is_in_the_docs() -> None:
    text = (DOCS / "python.md").read_text()
    for name in verify_package.__all__:
        if not name.startswith("__"):
            assert f"| `{name}(" in text, name
            assert getattr(verify_package, name).__doc__, name


def test_the_code_of_the_python_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.findall(r"^```python\n(.*?)^```$", (DOCS / "python.md").read_text(), re.M | re.S)
    assert len(code) == 1
    said: list[object] = []
    monkeypatch.setattr("builtins.print", said.append)
    exec(code[0], {})  # noqa: S102 - the page's own code
    assert said[1:] == ["differs", 1]
    assert isinstance(said[0], Fraction)


def test_every_page_is_in_the_navigation() -> None:
    site = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]
    listed = []
    for entry in site["nav"]:
        for value in entry.values():
            parts = value if isinstance(value, list) else [entry]
            listed += [page for part in parts for page in part.values()]
    assert sorted(listed) == sorted(page.name for page in DOCS.glob("*.md"))


def test_spelling() -> None:
    pages = [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "RELEASING.md", ROOT / "CHANGELOG.md"]
    code = "from codespell_lib import main; import sys; sys.exit(main(*sys.argv[1:]))"
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, pages)], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "")


def test_the_architecture_names_every_folder() -> None:
    text = (DOCS / "architecture.md").read_text()
    for folder in (ROOT / "verify").iterdir():
        if folder.is_dir() and not folder.name.startswith("__"):
            assert f"{folder.name}/" in text


def test_links_between_the_docs_lead_somewhere() -> None:
    pages = {page.resolve(): page.read_text() for page in (ROOT / "README.md", *DOCS.glob("*.md"))}
    for page, text in pages.items():
        for target, anchor in re.findall(r"\]\((?!http)([^)#]*)(?:#([^)]+))?\)", text):
            place = (page.parent / target).resolve() if target else page
            assert place.exists(), f"{page.name}: {target}"
            if anchor:
                assert anchor in anchors(pages[place]), f"{page.name}: {target}#{anchor}"


def anchors(text: str) -> set[str]:
    """The anchors that the headings of a page make."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}
