"""No output adds what is paid to what is saved, makes tokens of bytes, or money of either.

Proved by search: on data whose sums nothing else comes to, every number of every output of every
command is looked at.
"""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from pathlib import Path

import pytest
from support.program import verify

from . import exports, program
from .exports import MODEL, line, request, snapshot, text, tool, usage, write, write_document

_NUMBER = re.compile(r"(?<![0-9A-Za-z.,_-])[0-9][0-9,]*(?:\.[0-9]+)?(?:e[0-9]+)?(?![0-9A-Za-z])")
SERVERS: exports.Servers = {
    "atlas": (True, [tool("find", "quill " * 2903), tool("draw", "ash " * 1307)]),
    "bursar": (False, [tool("pay", "ember " * 1999)]),
    "courier": (True, [tool("send", "fjord " * 4127)]),
    "drifter": (True, None),
    "ember": (False, None),
}
FORMATS = ("table", "json", "csv", "md")


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that an export can hold."""
    place = write(tmp_path_factory.mktemp("all") / "export", SERVERS, taken=snapshot(SERVERS))
    counts = usage(30_011, 7_027, 911_003, 55_001, 5_003)
    exports.write_transcripts(place, {("p", "s"): text(line("m", counts))})
    requests = request("s", 30_011, 7_027, 911_003, 55_001), request(None, 9, None, 8, 7)
    write_document(place, "telemetry.jsonl", text(*requests))
    return place


@pytest.fixture(scope="module")
def outputs(export: Path) -> dict[tuple[str, str], str]:
    """What every command prints of it, in every form."""
    measured = exports.measurement(SERVERS)
    shown = {
        "measure.txt": program.measure_text(measured, MODEL),
        "measure.json": measured,
        "split.json": program.split(measured),
        "report.txt": program.report_text(snapshot(SERVERS)),
        "less.json": measured[:-1],
    }
    dimensions = ("server", "tool", "session", "project")
    commands: dict[str, tuple[object, ...]] = {
        "recompute": ("recompute", export),
        "recompute by": ("recompute", export, *(x for d in dimensions for x in ("--by", d))),
        "recompute sides": ("recompute", export, "--lever", "pay", "--lever", "saved"),
        "check": ("check", export),
        "diff": ("diff", export),
        "diff only": ("diff", export, "--only", "exact"),
    }
    for name, document in shown.items():
        path = write_document(export.parent, name, document)
        commands[f"diff {name}"] = ("diff", export, "--figures", path)
    found = {}
    with pytest.MonkeyPatch.context() as patched:
        for (name, command), form in itertools.product(commands.items(), FORMATS):
            for columns in ("80", "200") if form == "table" else ("80",):
                patched.setenv("COLUMNS", columns)
                run = verify(*command, "--format", form)
                assert "Traceback" not in run.err
                found[f"{name} {columns}", form] = run.out + run.err
    return found


def numbers(output: str, form: str = "table") -> set[Fraction]:
    """Every number that stands in an output by itself; in CSV a comma parts two of them."""
    text_ = output.replace(",", " ") if form == "csv" else output
    return {Fraction(each.replace(",", "")) for each in _NUMBER.findall(text_)}


def sums() -> dict[str, int]:
    """The figures of both sides."""
    sides = program.split(exports.measurement(SERVERS))
    return {name: sides[name] for name in ("payBytes", "savedBytes", "payTokens", "savedTokens")}


def test_every_output_is_there_and_shows_the_two_figures(
    outputs: dict[tuple[str, str], str],
) -> None:
    assert len(outputs) == 5 * (6 + 5)
    for (name, form), output in outputs.items():
        if name.startswith("recompute"):
            own = {Fraction(value) for value in sums().values()}
            assert own - numbers(output, form) == set(), (name, form)


def test_pay_and_saved_are_never_added(outputs: dict[tuple[str, str], str]) -> None:
    own = sums()
    forbidden = {
        own["payBytes"] + own["savedBytes"],
        own["payTokens"] + own["savedTokens"],
        own["payBytes"] - own["savedBytes"],
        own["payTokens"] - own["savedTokens"],
    }
    assert min(forbidden) > 1000
    for at, output in outputs.items():
        found = numbers(output, at[1])
        assert not {Fraction(value) for value in forbidden} & found, at
        for value in forbidden:
            assert not re.search(rf"(?<![0-9a-f]){value}(?![0-9a-f])", output), at


def test_no_lever_is_added_to_another(outputs: dict[tuple[str, str], str]) -> None:
    own = sums()
    host = sum(weight["bytes"] for weight in snapshot(SERVERS)["serverWeights"])
    session = (30_011, 7_027, 911_003, 55_001)
    amounts = (own["payBytes"], own["savedBytes"], host)
    forbidden = {sum(pair) for pair in itertools.combinations(amounts, 2)} | {sum(amounts)}
    for size in (2, 3, 4):
        forbidden |= {sum(several) for several in itertools.combinations(session, size)}
    for at, output in outputs.items():
        assert not {Fraction(value) for value in forbidden} & numbers(output, at[1]), at


def test_bytes_never_become_tokens(outputs: dict[tuple[str, str], str]) -> None:
    own = sums()
    divisors = (Fraction(7, 2), Fraction(3), Fraction(4), Fraction(9, 2), Fraction(5))
    forbidden = set()
    for size in (own["payBytes"], own["savedBytes"]):
        for divisor in divisors:
            value = Fraction(size) / divisor
            forbidden |= {value, Fraction(int(value)), Fraction(int(value) + 1), round(value, 1)}
    for at, output in outputs.items():
        assert not forbidden & numbers(output, at[1]), at


def test_nothing_becomes_money(outputs: dict[tuple[str, str], str]) -> None:
    for at, output in outputs.items():
        text_ = re.sub(r'"usd": null', "", output)
        assert not re.search(r"usd|[$€£]|dollar|\bcents?\b|price", text_, re.IGNORECASE), at


@pytest.mark.parametrize("written", ["{}", "{:,}", "~{}.", "| {} |", '"{}"', "{}\r\n", "{}.0"])
def test_the_search_would_find_a_sum(written: str) -> None:
    own = sums()
    both = own["payBytes"] + own["savedBytes"]
    assert Fraction(both) in numbers(f"x {written.format(both)} y")
