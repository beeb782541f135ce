"""One report recomputed, as far as what is given allows, each figure with what it was made from.

Three depths: `report` (from the report's own figures), `markdown` (its Markdown counted again) and
`original` (the stored original counted too). A figure that cannot be recomputed has no value here,
but a reason: it is never taken from the report and called recomputed. Only where another figure
needs the raw tokens, and no original is given, are those of the report taken as an input.

    figure                         from
    raw, structure, strip          the original (strip: and the anchors of the Markdown)
    summarize, layout, compressed  the Markdown; else P + V for the last two
    stable, volatile               the Markdown
    saved, ratio, headline         those above, raw from the original; else raw from the report
    eligible, first, next, amortized   P and V, by the provider's profile

That `structure` leaves the blocks of a Markdown text as they are is our reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verify.exact import Printed
from verify.result import Value
from verify.systems.prompt2md.arithmetic import (
    CLAIMED_CALLS,
    HEADLINE_PLACES,
    Calls,
    Profile,
    calls_of,
    half_up,
    headline_of,
    is_eligible,
    ratio_of,
)
from verify.systems.prompt2md.blocks import Emitted, blocks_of, emitted, tokens_of
from verify.systems.prompt2md.documents import Documents
from verify.systems.prompt2md.doubles import printed_quotient
from verify.systems.prompt2md.losslessness import Audit, audit
from verify.systems.prompt2md.measures import FIGURES
from verify.systems.prompt2md.profiles import Profiles
from verify.systems.prompt2md.reports import Report

DEPTHS = ("report", "markdown", "original")
BREAKPOINT_TOKENS = 8
"""Tokens of the block that marks an explicit breakpoint."""

_NO_ORIGINAL = "no original"
_NO_MARKDOWN = "no Markdown"
_BROKEN_ANCHOR = "an anchor that leads to no block"
_NO_PROFILE = "no profile of the provider"


@dataclass(frozen=True)
class Prompt:
    """What a report's figures are made of, in the program's tokens, under one profile.

    `body` are the tokens before the layout; `calls` is None without a profile.
    """

    raw: int
    body: int
    stable: int
    volatile: int
    profile: Profile | None

    @property
    def compressed(self) -> int:
        """Tokens that are sent."""
        return self.stable + self.volatile

    @property
    def calls(self) -> Calls | None:
        """What calls cost exactly, in effective tokens."""
        profile = self.profile
        return None if profile is None else calls_of(self.stable, self.volatile, profile)

    def under(self, profile: Profile) -> Prompt:
        """The same text laid out for another provider: with the breakpoint, if that provider has
        one and there is a layout at all, and else without [reading]."""
        mark = BREAKPOINT_TOKENS if profile.breakpoint and self.volatile else 0
        return Prompt(self.raw, self.body, self.body + mark, self.volatile, profile)


@dataclass(frozen=True)
class Recount:
    """A report recomputed. `values` are its figures as the program would print them, `made_from`
    the depth of each, `missing` why the others could not be had; `differing` names those that the
    report shows otherwise."""

    report: Report
    depth: str
    prompt: Prompt
    values: Mapping[str, Value]
    made_from: Mapping[str, str]
    missing: Mapping[str, str]
    audit: Audit | None
    output: Emitted | None

    @property
    def differing(self) -> tuple[str, ...]:
        """The figures that the report shows otherwise than recomputed."""
        return tuple(
            name for name, value in self.values.items() if value != _claim(self.report, name)
        )

    def complete(self, lever: str) -> bool:
        """Whether each figure of the lever was recomputed, and from the original what rests on
        it."""
        have = all(name in self.values for name in FIGURES[lever])
        return have and self.depth == "original"


def _claim(report: Report, figure: str) -> Value:
    shown = report.figures[figure]
    return shown.value if isinstance(shown, Printed) else shown


def recount(report: Report, documents: Documents, profiles: Profiles) -> Recount:
    """Recompute a report from what `documents` hold, by `profiles`."""
    original = documents.original(report.source_id)
    output = None if report.markdown is None else emitted(report.markdown)
    found = None if output is None or original is None else audit(report, output, original)
    values: dict[str, Value] = {}
    made_from: dict[str, str] = {}
    missing: dict[str, str] = {}

    def put(depth: str, **figures: Value) -> None:
        values.update(figures)
        made_from.update(dict.fromkeys(figures, depth))

    raw = report.number("raw") if original is None else tokens_of(original)
    if original is None:
        missing |= dict.fromkeys(("raw", "structure", "strip"), _NO_ORIGINAL)
    else:
        put("original", raw=raw, structure=sum(block.tokens for block in blocks_of(original)))
        if found is None or found.restored_tokens is None:
            missing["strip"] = _NO_MARKDOWN if found is None else _BROKEN_ANCHOR
        else:
            put("original", strip=found.restored_tokens)
    prompt = _prompt(report, output, raw, profiles.of(report.provider))
    counted = "report" if output is None else "markdown"
    if output is None:
        missing |= dict.fromkeys(("summarize", "stable", "volatile"), _NO_MARKDOWN)
    else:
        put(counted, summarize=prompt.body, stable=prompt.stable, volatile=prompt.volatile)
    put(counted, layout=prompt.compressed, compressed=prompt.compressed)
    deepest = counted if found is None else "original"
    put(
        deepest,
        saved=raw - prompt.compressed,
        ratio=printed_quotient(ratio_of(prompt.compressed, raw)),
    )
    calls, profile = prompt.calls, prompt.profile
    if calls is None or profile is None:
        wanted = ("eligible", "first", "next", "amortized", "headline")
        missing |= dict.fromkeys(wanted, _NO_PROFILE)
    else:
        eligible = is_eligible(prompt.stable, profile)
        put(counted, eligible="true" if eligible else "false", **called(calls))
        put(deepest, headline=half_up(headline_of(half_up(calls.next), raw), HEADLINE_PLACES))
    return Recount(
        report,
        deepest,
        prompt,
        values,
        made_from,
        missing,
        found,
        output,
    )


def called(calls: Calls) -> dict[str, int]:
    """`first`, `next` and `amortized` as the program prints them: the last from the other two."""
    rounded = calls.rounded()
    mean = half_up(rounded.amortized(CLAIMED_CALLS))
    return {"first": int(rounded.first), "next": int(rounded.next), "amortized": int(mean)}


def _prompt(report: Report, output: Emitted | None, raw: int, profile: Profile | None) -> Prompt:
    if output is None:
        stable, volatile = report.number("stable"), report.number("volatile")
        return Prompt(raw, report.number("summarize"), stable, volatile, profile)
    return Prompt(raw, output.body_tokens, output.stable_tokens, output.volatile_tokens, profile)
