"""Makes everything in the docs that is generated: `python docs/make.py`, or `--check`.

With `--page` also the picture of a sign-off's page, which needs Chromium and is not compared.

- docs/findings.md and docs/working-papers.md, from the registries;
- the answer under every command in a `console` block of the README and of the docs;
- the pictures of the terminal in docs/pictures.

Commands run in this process, in the checkout, with a cache of their own and a terminal of 88
columns. `$ echo $?` prints the exit code of the command before it, `| head -N` cuts its answer.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

from rich.style import Style
from rich.text import Span, Text

from verify import sample_export, sign_off, systems
from verify.cli import main as verify
from verify.render.reference import findings_markdown, levers_markdown

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
COLUMNS = 88
WIDTH = 8.4  # of a letter in the pictures
MOST_LINES = 30
COLOURS = {1: "red", 2: "green", 3: "yellow"}
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRODUCT = "adding-a-product.md"
FILE = re.compile(
    r"^`([\w/.]+)`(?:[^\n]|\n(?!\n))*\n\n```(?!console)\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
PICTURES = {
    "diff.svg": "verify diff sample_exports/lighthouse-planted --figures "
    "sample_exports/lighthouse-planted/api --lever caching",
}


class _Screen(io.TextIOWrapper):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@cache
def run(command: str) -> tuple[str, int]:
    """What a `verify` command prints on a terminal, in colour, and its exit code."""
    program, *arguments = shlex.split(command)
    if program != "verify":
        raise ValueError(f"not a command of this program: {command}")
    raw = io.BytesIO()
    screen = _Screen(raw, "utf-8", write_through=True)
    with (
        tempfile.TemporaryDirectory() as place,
        patch.dict(os.environ, {"COLUMNS": str(COLUMNS), "VERIFY_CACHE_DIR": place}),
        patch.object(sys, "argv", ["verify", *arguments]),
        patch("sys.stdout", screen),
        patch("sys.stderr", io.StringIO()),
    ):
        for name in ("NO_COLOR", "VERIFY_EXPORT"):
            os.environ.pop(name, None)
        try:
            verify()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0
    screen.flush()
    return raw.getvalue().decode(), code


def transcript(block: str) -> str:
    """A block's commands with what they print now."""
    lines, code = [], 0
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        lines.append(line)
        if line == "$ echo $?":
            lines.append(str(code))
            continue
        command, _, most = line[2:].partition(" | head -")
        answer, code = run(command)
        shown = [part.rstrip() for part in Text.from_ansi(answer).plain.rstrip().split("\n")]
        lines += shown[: int(most)] if most else shown
    return "\n".join(lines) + "\n"


def with_transcripts(text: str) -> str:
    """A page with every `console` block made anew."""
    return BLOCK.sub(lambda match: f"```console\n{transcript(match[1])}```", text)


def product_page(text: str) -> str:
    """The page that adds a product: its files are made, the product is registered, and then its
    commands run beside them."""
    module = "verify.systems.batcher"
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for path, content in FILE.findall(text):
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(content, "utf-8")
        os.chdir(place)
        systems.__path__.append(str(place / "verify" / "systems"))
        try:
            with patch.dict(systems._REGISTRY, {"batcher": f"{module}.system"}):
                return with_transcripts(text)
        finally:
            systems.__path__.pop()
            for loaded in [known for known in sys.modules if known.startswith(module)]:
                del sys.modules[loaded]
            os.chdir(ROOT)


def picture(command: str) -> str:
    """A terminal with a command and its answer, in its colours, as SVG."""
    shown = Text.from_ansi(run(command)[0]).split("\n")
    lines = [*(Text(line) for line in _folded(f"$ {command}")), Text(), *shown[:MOST_LINES]]
    if len(shown) > MOST_LINES:
        lines += [Text(), Text(f"({len(shown) - MOST_LINES} more lines)", style="dim")]
    width, height = 24 + COLUMNS * WIDTH, 52 + len(lines) * 19
    body = "\n".join(_svg_line(line, 58 + at * 19) for at, line in enumerate(lines))
    title = escape(f"Terminal: {command}")
    return _SVG.format(width=f"{width:.0f}", height=height, title=title, body=body)


def _folded(command: str) -> Iterator[str]:
    line = ""
    for word in command.split(" "):
        if line and len(line) + len(word) + 3 > COLUMNS:
            yield line + " \\"
            line = "   "
        line += (" " if line.strip() else "") + word
    yield line


def _svg_line(line: Text, y: int) -> str:
    """Each run of one style at its own column, so that columns stand whatever the font."""
    styles = [""] * len(line.plain)
    for span in (Span(0, len(line.plain), line.style), *line.spans):
        for at in range(span.start, min(span.end, len(styles))):
            styles[at] = _classes(span.style) or styles[at]
    parts = []
    for same in re.finditer(r"\S+(?: \S+)*", line.plain):
        start = same.start()
        for name, letters in groupby(range(start, same.end()), styles.__getitem__):
            columns = list(letters)
            text = line.plain[columns[0] : columns[-1] + 1]
            kind = f' class="{name}"' if name else ""
            x, width = 12 + columns[0] * WIDTH, len(columns) * WIDTH
            parts.append(
                f'<text x="{x:.1f}" y="{y}" textLength="{width:.1f}"{kind}>{escape(text)}</text>'
            )
    return "".join(parts)


def _classes(style: str | Style) -> str:
    if not isinstance(style, Style):
        style = Style.parse(style or "none")
    colour = style.color.number if style.color else None
    names = [name for name in ("bold", "dim") if getattr(style, name)]
    return " ".join([*names, *([COLOURS[colour]] if colour in COLOURS else [])])


_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" \
height="{height}" role="img" aria-label="{title}">
<title>{title}</title>
<style>text {{font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', \
monospace; fill: #e6e6e6; white-space: pre}} .bold {{font-weight: 700}} .dim {{fill: #9aa4b2}} \
.red {{fill: #ff8b85}} .green {{fill: #7fd992}} .yellow {{fill: #f2cf5b}}</style>
<rect width="100%" height="100%" rx="8" fill="#17202b"/>
<circle cx="20" cy="20" r="6" fill="#55606e"/><circle cx="40" cy="20" r="6" fill="#55606e"/>\
<circle cx="60" cy="20" r="6" fill="#55606e"/>
{body}
</svg>
"""


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file with what it should hold."""
    yield DOCS / "findings.md", findings_markdown()
    yield DOCS / "working-papers.md", levers_markdown()
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))):
        text = page.read_text("utf-8")
        if BLOCK.search(text):
            yield page, product_page(text) if page.name == PRODUCT else with_transcripts(text)
    for name, command in PICTURES.items():
        yield DOCS / "pictures" / name, picture(command)


def photograph() -> None:
    """The first screen of a sign-off's page, of the planted sample."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("docs/make.py --page needs Chromium")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        sample = sample_export("lighthouse-planted")
        sign_off(sample, sample / "api", out=place / "signed", tolerance="abs=0.01")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--user-data-dir={place / 'browser'}", "--window-size=1400,700"]
        command += [f"--screenshot={DOCS / 'pictures' / 'signoff.png'}"]
        page = (place / "signed" / "signoff.html").as_uri()
        subprocess.run([*command, page], check=True, capture_output=True, timeout=120)


def main() -> int:
    """Write what is out of date, or with --check only name it: exit 1 when anything is."""
    os.chdir(ROOT)
    if "--page" in sys.argv:
        photograph()
    stale = [
        (place, text)
        for place, text in generated()
        if not place.exists() or place.read_text("utf-8") != text
    ]
    for place, text in stale:
        print(place.relative_to(ROOT))
        if "--check" not in sys.argv:
            place.write_text(text, "utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
