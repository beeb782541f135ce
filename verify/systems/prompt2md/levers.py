"""From recounted reports to levers: rows, sums, and rates of sums.

A rate over several reports is the rate of their sums, never a mean of rates: the ratio is all
compressed over all raw tokens, the headline what the calls of all texts save against all raw
tokens. So one report has the rates it shows, and a long text weighs more than a short one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from verify.result import Coverage, LeverResult, Row, Value
from verify.systems.prompt2md.arithmetic import (
    CLAIMED_CALLS,
    HEADLINE_PLACES,
    Calls,
    beyond_cache,
    break_even,
    calls_of,
    half_up,
    headline_of,
    ratio_of,
)
from verify.systems.prompt2md.doubles import printed_quotient
from verify.systems.prompt2md.measures import ALTERNATIVES, DIMENSIONS, FIGURES
from verify.systems.prompt2md.profiles import Profiles
from verify.systems.prompt2md.recount import DEPTHS, Prompt, Recount, called

_DEPTH_WORDS = {
    "report": "from_report",
    "markdown": "from_markdown",
    "original": "from_original",
}


@dataclass(frozen=True)
class Part:
    """A prompt as it enters a sum: with its report's recount, and whether the report claims it, or
    it is the same text under another provider."""

    prompt: Prompt
    recount: Recount
    claimed: bool = True


Measuring = Callable[[Sequence[Part]], dict[str, Value]]


def ledger(parts: Sequence[Part]) -> dict[str, Value]:
    """The ledger's measures over several texts, in the program's tokens."""
    raw = sum(part.prompt.raw for part in parts)
    compressed = sum(part.prompt.compressed for part in parts)
    exact = ratio_of(compressed, raw)
    return {
        "saved": raw - compressed,
        "raw": raw,
        "compressed": compressed,
        "ratio": printed_quotient(exact),
        "strip": _counted(parts, "strip"),
        "summarize": sum(part.prompt.body for part in parts),
        "structure": _counted(parts, "structure"),
        "layout": compressed,
        "ratio_exact": exact,
        **_counts(parts, "ledger"),
    }


def _counted(parts: Sequence[Part], figure: str) -> int | None:
    """The sum of what could be recomputed of a figure; None over nothing."""
    values = [part.recount.values.get(figure) for part in parts]
    counts = [value for value in values if isinstance(value, int)]
    return sum(counts) if counts else None


def cache(parts: Sequence[Part], over: int) -> dict[str, Value]:
    """The cache's measures over several texts: effective tokens, percent and calls, as the program
    rounds them and exactly, and amortized over `over` calls too.

    Texts of a provider without a profile are in none of the sums but their counts.
    """
    known = [(part.prompt, calls) for part in parts if (calls := part.prompt.calls) is not None]
    stable = sum(part.prompt.stable for part in parts)
    volatile = sum(part.prompt.volatile for part in parts)
    found: dict[str, Value] = {}
    if known:
        found = _rates([prompt for prompt, _ in known], [calls for _, calls in known], over)
    eligible = sum(part.recount.values.get("eligible") == "true" for part in parts if part.claimed)
    eligible += sum(_eligible(part.prompt) for part in parts if not part.claimed)
    return {
        **found,
        "stable": stable,
        "volatile": volatile,
        "eligible": eligible,
        **_counts(parts, "cache"),
    }


def _eligible(prompt: Prompt) -> bool:
    return prompt.profile is not None and prompt.stable >= prompt.profile.minimum


def _rates(prompts: Sequence[Prompt], calls: Sequence[Calls], over: int) -> dict[str, Value]:
    raw = sum(prompt.raw for prompt in prompts)
    shown = [called(each) for each in calls]
    first, following, mean = (
        sum(each[name] for each in shown) for name in ("first", "next", "amortized")
    )
    exact = Calls(_sum(each.first for each in calls), _sum(each.next for each in calls))
    headline = half_up(headline_of(Fraction(following), raw), HEADLINE_PLACES)
    headline_exact = headline_of(exact.next, raw)
    amortized = exact.amortized(CLAIMED_CALLS)
    raw_cached = _sum(
        calls_of(prompt.raw, 0, prompt.profile).next for prompt in prompts if prompt.profile
    )
    return {
        "headline": headline,
        "beyond_cache": beyond_cache(exact.next, raw_cached),
        "next": following,
        "first": first,
        "amortized": mean,
        "amortized_n": int(_sum(half_up(each.rounded().amortized(over)) for each in calls)),
        "break_even": break_even(exact, sum(prompt.compressed for prompt in prompts)),
        "headline_exact": headline_exact,
        "headline_rounding": headline - headline_exact,
        "next_exact": exact.next,
        "next_rounding": following - exact.next,
        "first_exact": exact.first,
        "first_rounding": first - exact.first,
        "amortized_exact": amortized,
        "amortized_rounding": mean - amortized,
        "amortized_n_exact": exact.amortized(over),
    }


def _sum(values: Iterable[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


def _counts(parts: Sequence[Part], lever: str) -> dict[str, Value]:
    claimed = [part.recount for part in parts if part.claimed]
    return {
        "reports": len(claimed),
        "differing": sum(
            name in FIGURES[lever] for recount in claimed for name in recount.differing
        ),
    }


def lever_result(
    lever: str,
    recounts: Sequence[Recount],
    profiles: Profiles,
    over: int,
    by: Iterable[str],
    name_of: Callable[[str], str],
) -> LeverResult:
    """The lever over all reports, broken down by the dimensions of `by` that it has."""

    def measure(parts: Sequence[Part]) -> dict[str, Value]:
        return ledger(parts) if lever == "ledger" else cache(parts, over)

    totals = measure([Part(each.prompt, each) for each in recounts])
    complete = sum(recount.complete(lever) for recount in recounts)
    figure = totals["saved"] if lever == "ledger" else totals.get("headline")
    if not recounts:
        status = "no_data"
    elif figure is None:
        status = "no_price_card"
    else:
        status = "ok" if complete else "partial_comparison"
    asked = [name for name in DIMENSIONS[lever] if name in set(by)]
    detail = dict(_provenance(lever, recounts))
    if lever == "cache":
        detail |= {"n": over, **_profiles_used(recounts, profiles)}
    return LeverResult(
        lever,
        status,
        None,
        totals,
        Coverage(complete, len(recounts)),
        {name: _rows(lever, name, recounts, profiles, measure, name_of) for name in asked},
        detail=detail,
        amount=figure if isinstance(figure, int | Fraction) else None,
        unit="tokens" if lever == "ledger" else "%",
        alternatives=tuple(name for name in asked if name in ALTERNATIVES),
    )


def _provenance(lever: str, recounts: Sequence[Recount]) -> Iterable[tuple[str, Value]]:
    """From what each figure was recomputed, the deepest first, and what could not be."""
    total = len(recounts)

    def words(of: Mapping[str, int]) -> str:
        return ", ".join(
            name if count == total else f"{name} ({count} of {total})" for name, count in of.items()
        )

    for depth in reversed(DEPTHS):
        found = {
            name: sum(each.made_from.get(name) == depth for each in recounts)
            for name in FIGURES[lever]
        }
        found = {name: count for name, count in found.items() if count}
        if found:
            yield _DEPTH_WORDS[depth], words(found)
    reasons: dict[str, dict[str, int]] = {}
    for each in recounts:
        for name, why in each.missing.items():
            if name in FIGURES[lever]:
                of = reasons.setdefault(why, {})
                of[name] = of.get(name, 0) + 1
    if reasons:
        yield "not_recomputed", "; ".join(f"{words(of)}: {why}" for why, of in reasons.items())
    shown = sum("raw" not in each.values for each in recounts)
    if shown:
        yield "taken_from_report", f"{words({'raw': shown})}, where other figures need it"


def _profiles_used(recounts: Sequence[Recount], profiles: Profiles) -> dict[str, Value]:
    from verify.exact import plain

    found: dict[str, Value] = {}
    for provider in sorted({each.report.provider for each in recounts}):
        profile = profiles.of(provider)
        if profile is not None:
            words = f"read {plain(profile.read)}, write +{plain(profile.write)}"
            words += f", from {profile.minimum} tokens ({profiles.name}, {profiles.date})"
            found[f"profile_{provider}"] = words
    return found


def _rows(
    lever: str,
    dimension: str,
    recounts: Sequence[Recount],
    profiles: Profiles,
    measure: Measuring,
    name_of: Callable[[str], str],
) -> tuple[Row, ...]:
    """The rows of a breakdown, the worst first: most differing figures, then least saved, texts of
    nothing last."""
    if dimension == "report":
        rows = [_report_row(lever, each, measure) for each in recounts]
    elif dimension == "document":
        groups: dict[str, list[Part]] = {}
        for each in recounts:
            groups.setdefault(each.report.source_id, []).append(Part(each.prompt, each))
        rows = [Row(name_of(key), measure(parts)) for key, parts in groups.items()]
    else:
        rows = [
            Row(key, measure(parts)) for key, parts in under_providers(recounts, profiles).items()
        ]
    return tuple(sorted(rows, key=_worst_first))


def _worst_first(row: Row) -> tuple[Fraction, bool, Fraction, str]:
    def number(name: str) -> Fraction | None:
        value = row.measures.get(name)
        return Fraction(value) if isinstance(value, int | Fraction) else None

    ratio, beyond = number("ratio_exact"), number("beyond_cache")
    if ratio is not None:
        nothing, saved = not number("compressed"), -ratio
    else:
        nothing, saved = beyond is None, beyond or Fraction(0)
    return -(number("differing") or Fraction(0)), nothing, saved, row.key or ""


def _report_row(lever: str, each: Recount, measure: Measuring) -> Row:
    """One report. What could not be recomputed is left out of its row, and eligibility is a
    word."""
    measures = measure([Part(each.prompt, each)])
    for name in FIGURES[lever]:
        if name in each.values:
            measures[name] = each.values[name]
        else:
            measures.pop(name, None)
    del measures["reports"]
    measures |= {"provider": each.report.provider, "depth": each.depth}
    return Row(each.report.key, measures)


def under_providers(recounts: Sequence[Recount], profiles: Profiles) -> dict[str, list[Part]]:
    """Every text once under every provider that has a profile, side by side.

    Two reports hold the same text when they have the same original and the same body. Under a
    provider that has a report of its own for it, that report is taken, else another one of the
    text, laid out for that provider.
    """
    texts: dict[tuple[object, ...], dict[str, Recount]] = {}
    for each in recounts:
        texts.setdefault(_text_of(each), {}).setdefault(each.report.provider, each)
    found: dict[str, list[Part]] = {}
    for name, profile in profiles.by_provider.items():
        parts = []
        for own in texts.values():
            if name in own:
                parts.append(Part(own[name].prompt, own[name]))
            else:
                other = next(iter(own.values()))
                parts.append(Part(other.prompt.under(profile), other, claimed=False))
        found[name] = parts
    return found


def _text_of(each: Recount) -> tuple[object, ...]:
    output = each.output
    body = each.prompt.body if output is None else tuple(block.text for block in output.body)
    return each.report.source_id, body, each.prompt.volatile > 0
