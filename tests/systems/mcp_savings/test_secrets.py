"""A stored credential is never read, and what a configuration holds beside never gets out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import verify

from verify.errors import UnreadableInput
from verify.systems import system_named
from verify.systems.base import Question, Reading

from . import exports, program
from .asked import recomputed
from .exports import MODEL, SERVERS, line, text, usage, write, write_document

SECRETS = [f"s3cr3t-{name}" for name in ("header", "env", "url", "argument", "oauth", "beside")]


def configured(secrets: list[str]) -> dict[str, object]:
    """A configuration with a secret in every place that may hold one."""
    header, env, url, argument, oauth, _ = secrets
    return {
        "atlas": {"url": f"https://x.example/?key={url}", "headers": {"Authorization": header}},
        "bursar": {"command": ["run", argument], "environment": {"K": env}, "enabled": False},
        "courier": {"command": f"run --key {argument}", "oauth": {"clientSecret": oauth}},
    }


def with_secrets(place: Path, secrets: list[str]) -> Path:
    write(place, SERVERS, configured=configured(secrets))
    document = json.loads((place / "opencode.json").read_text("utf-8"))
    document["provider"] = {"apiKey": secrets[-1]}
    write_document(place, "opencode.json", document)
    return place


def test_no_output_shows_what_the_configuration_holds_beside(tmp_path: Path) -> None:
    place = with_secrets(tmp_path / "export", SECRETS)
    shown = write_document(
        tmp_path, "measure.txt", program.measure_text(exports.measurement(SERVERS), MODEL)
    )
    commands = (
        ("check", place),
        ("recompute", place, "--by", "server", "--by", "tool"),
        ("diff", place, "--figures", shown),
    )
    for command in commands:
        for form in ("table", "json", "csv", "md"):
            run = verify(*command, "--format", form)
            assert run.out
            for word in ("s3cr3t", "Authorization", "x.example", "clientSecret", "apiKey"):
                assert word not in run.out + run.err


def test_an_opened_export_has_let_go_of_it(tmp_path: Path) -> None:
    place = with_secrets(tmp_path, SECRETS)
    with system_named("mcp-savings").open(place, Reading()) as export:
        export.recompute(Question())
        assert "s3cr3t" not in repr(vars(export))
        assert "atlas" in repr(vars(export))


def test_the_digest_says_nothing_about_it(tmp_path: Path) -> None:
    before = recomputed(with_secrets(tmp_path, SECRETS)).export.sha256
    others = [secret[::-1] for secret in SECRETS]
    assert recomputed(with_secrets(tmp_path, others)).export.sha256 == before
    write(tmp_path, SERVERS)
    assert recomputed(tmp_path).export.sha256 != before


@pytest.mark.parametrize("cut", [40, 120, 200, 300])
def test_an_error_about_it_does_not_quote_it(tmp_path: Path, cut: int) -> None:
    place = with_secrets(tmp_path, SECRETS)
    whole = (place / "opencode.json").read_text("utf-8")
    write_document(place, "opencode.json", whole[:cut])
    with pytest.raises(UnreadableInput) as caught:
        recomputed(place)
    assert "s3cr3t" not in caught.value.message + caught.value.advice
    write_document(place, "opencode.json", json.dumps({"mcp": SECRETS[0]}))
    run = verify("check", place)
    assert run.code == 2
    assert "s3cr3t" not in run.out + run.err


def test_in_an_agent_s_home_nothing_else_is_opened(tmp_path: Path) -> None:
    home = exports.write_transcripts(tmp_path, {("p", "s"): text(line("m", usage(1)))})
    (home / "mtimes.json").unlink()
    for name in (".credentials.json", "settings.json", "mcp/atlas.json", "projects/p/.secret"):
        path = home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"token": "s3cr3t"}), "utf-8")
    code = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) "
        "if event == 'open' else None)\n"
        "from verify.cli import main\n"
        f"sys.argv = ['verify', sys.argv[1], {str(home)!r}, '--quiet', '--format', 'json']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('\\n'.join(['OPENED', *opened]), file=sys.stderr)\n"
    )
    for command in ("check", "recompute"):
        run = subprocess.run(
            [sys.executable, "-c", code, command], capture_output=True, text=True, check=True
        )
        opened = run.stderr.partition("OPENED")[2].split("\n")
        assert any(name.endswith("s.jsonl") for name in opened)
        for name in (".credentials.json", "settings.json", "atlas.json", ".secret"):
            assert not any(path.endswith(name) for path in opened)
        assert "s3cr3t" not in run.stdout


def test_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    import zipfile

    place = tmp_path / "home.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr(".credentials.json", "s3cr3t")
    run = verify("check", place, "--system", "mcp-savings")
    assert run.code == 2
    assert "credentials" in run.err
