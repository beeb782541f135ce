"""The forms of a report and of a stored original: strict JSON, held against their schemas."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verify.exact import Printed
from verify.schemata import violations
from verify.trust.strictjson import NumberText, loads

ID_DIGITS = 16
PHASES = ("structure", "strip", "summarize", "layout")
COUNTER_NAMES = ("counter", "tokenCounter", "tokenizer", "estimator")
"""Members of `savings` that would name the token counter; no report at hand has one [reading]."""
_SHOWN = 3
_KNOWN = {
    "": {"markdown", "savings", "sourceId", "warnings"},
    "savings": {
        *("rawTokens", "compressedTokens", "savedTokens", "ratio", "phases", "cache"),
        *("subsequentSavingsVsRawPct", *COUNTER_NAMES),
    },
    "savings.cache": {
        *("provider", "stablePrefixTokens", "volatileTokens", "cacheEligible"),
        *("effectiveTokensFirstCall", "effectiveTokensPerSubsequentCall"),
        "amortizedTokensOver10Calls",
    },
}
_FIGURES = {
    "raw": ("rawTokens",),
    "compressed": ("compressedTokens",),
    "saved": ("savedTokens",),
    "ratio": ("ratio",),
    "stable": ("cache", "stablePrefixTokens"),
    "volatile": ("cache", "volatileTokens"),
    "eligible": ("cache", "cacheEligible"),
    "first": ("cache", "effectiveTokensFirstCall"),
    "next": ("cache", "effectiveTokensPerSubsequentCall"),
    "amortized": ("cache", "amortizedTokensOver10Calls"),
    "headline": ("subsequentSavingsVsRawPct",),
}


@dataclass(frozen=True)
class Report:
    """One report. `figures` are its figures by our names, as printed (`true`/`false` as words), and
    `pointers` where each stands; `unknown` are members that nothing reads."""

    key: str
    path: str
    source_id: str
    provider: str
    markdown: str | None
    figures: Mapping[str, Printed | str]
    pointers: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    counter: str | None = None
    unknown: tuple[str, ...] = ()

    def number(self, figure: str) -> int:
        """A count that the report shows."""
        shown = self.figures[figure]
        assert isinstance(shown, Printed)
        return int(shown.value)


@dataclass(frozen=True)
class Stored:
    """An entry of the store as it was read. `problem` says what keeps it from being the original
    that its name promises: (code of the finding, words), or None."""

    path: str
    named: str
    text: str | None
    problem: tuple[str, str] | None


def id_of(text: str) -> str:
    """The id of an original: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]


def _valid(data: bytes, schema: str) -> Any:
    """The document in `data`. Raises ValueError with what is wrong with it."""
    document = loads(data)
    wrong = violations(document, f"prompt2md/{schema}")
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise ValueError("; ".join(map(str, wrong[:_SHOWN])) + more)
    return document


def report_from(name: str, data: bytes) -> Report:
    """The report in `data`, its numbers exact decimals. Raises ValueError with what is wrong."""
    document = _valid(data, "report")
    savings = document["savings"]
    figures: dict[str, Printed | str] = {}
    pointers: dict[str, str] = {}
    for figure, path in _FIGURES.items():
        value: Any = savings
        for part in path:
            value = value[part]
        figures[figure] = _shown(value)
        pointers[figure] = "/savings/" + "/".join(path)
    for at, phase in enumerate(savings["phases"]):
        if phase["phase"] in PHASES:
            if phase["phase"] in figures:
                raise ValueError(f"the phase {phase['phase']} is given twice")
            figures[phase["phase"]] = _shown(phase["tokens"])
            pointers[phase["phase"]] = f"/savings/phases/{at}/tokens"
    missing = [phase for phase in PHASES if phase not in figures]
    if missing:
        raise ValueError(f"/savings/phases: the phase {missing[0]} is missing")
    named = (savings.get(name) for name in COUNTER_NAMES)
    return Report(
        name.removeprefix("reports/").removesuffix(".json"),
        name,
        document["sourceId"],
        savings["cache"]["provider"],
        document.get("markdown"),
        figures,
        pointers,
        tuple(warning["code"] for warning in document.get("warnings", ())),
        next((text for text in named if isinstance(text, str) and text), None),
        tuple(_unknown(document)),
    )


def _shown(value: Any) -> Printed | str:
    return Printed.read(value) if isinstance(value, NumberText) else str(value).lower()


def _unknown(document: Mapping[str, Any]) -> Iterator[str]:
    for place, known in _KNOWN.items():
        part: Any = document
        for name in place.split(".") if place else ():
            part = part[name]
        yield from (f"{place}.{name}".lstrip(".") for name in part if name not in known)
    for phase in document["savings"]["phases"]:
        if phase["phase"] not in PHASES:
            yield f"savings.phases.{phase['phase']}"


def stored_from(name: str, data: bytes) -> Stored:
    """An entry of the store, held against its own name and digest."""
    named = name.rpartition("/")[2].removesuffix(".json")
    try:
        document = _valid(data, "store_entry")
    except ValueError as error:
        return Stored(name, named, None, ("store_entry_unreadable", str(error)))
    text, claimed, own = document["text"], document["sourceId"], id_of(document["text"])
    if named == claimed == own:
        return Stored(name, named, text, None)
    words = f"its text hashes to {own}"
    words += f", it says {claimed}" if claimed != own else f", it is named {named}"
    return Stored(name, named, text, ("original_overwritten", words))
