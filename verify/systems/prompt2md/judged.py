"""What a reader of the figures should know: flaws of losslessness, and claims that mislead.

Findings of one kind are told together, each with the reports it is about, the first few by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from verify.exact import Printed, plain, rounded
from verify.findings import EXAMPLES, Finding
from verify.systems.prompt2md import findings as _kinds  # noqa: F401  registers them
from verify.systems.prompt2md.arithmetic import calls_of, is_eligible
from verify.systems.prompt2md.blocks import Block
from verify.systems.prompt2md.documents import Documents
from verify.systems.prompt2md.profiles import Profiles
from verify.systems.prompt2md.recount import Recount, called

_Told = Mapping[str, Sequence[str]]  # what is said, and the reports it is said of

_FLAWS = {
    "anchor_malformed": "what looks like an anchor is none",
    "anchor_foreign": "an anchor or stamp names another original",
    "anchor_out_of_range": "an anchor leads beyond its original",
    "anchor_splits_character": "an anchor splits a surrogate pair",
    "anchor_not_a_block": "an anchor does not lead to a block",
    "block_foreign": "a block of the output is not from the original",
}


def about_files(documents: Documents) -> Iterator[Finding]:
    """What is wrong with the store, and what was not given."""
    for code in ("store_entry_unreadable", "original_overwritten"):
        wrong = {
            f"{entry.path}: {entry.problem[1]}": [entry.path]
            for entry in documents.stored
            if entry.problem is not None and entry.problem[0] == code
        }
        yield from _told(code, "", wrong)
    stored = {entry.named for entry in documents.stored}
    missing: dict[str, list[str]] = {}
    absent: list[str] = []
    for report in documents.reports:
        if documents.has_store and report.source_id not in stored:
            missing.setdefault(report.source_id, []).append(report.key)
        elif documents.original(report.source_id) is None and report.source_id not in stored:
            absent.append(report.key)
    yield from _told("original_missing", "not in the store: ", missing)
    if absent:
        message = f"the originals of {_reports(len(absent))} were not given: what rests on them was"
        yield Finding("original_not_given", f"{message} not recomputed", len(absent))
    bare = [report.key for report in documents.reports if report.markdown is None]
    if bare:
        message = f"{_reports(len(bare))} without Markdown: {_few(bare)}"
        yield Finding("markdown_not_given", message, len(bare))
    members: dict[str, list[str]] = {}
    for report in documents.reports:
        for name in report.unknown:
            members.setdefault(name, []).append(report.key)
    yield from _told("members_unknown", "not read: ", members)


def about_documents(recounts: Sequence[Recount]) -> Iterator[Finding]:
    """That one document is counted several times."""
    documents = {each.report.source_id for each in recounts}
    if len(documents) < len(recounts):
        noun = "document" if len(documents) == 1 else "documents"
        message = f"{_reports(len(recounts))} about {len(documents):,} {noun}: totals count a "
        yield Finding("documents_repeated", f"{message}document once a report", len(recounts))


def about_losses(recounts: Sequence[Recount], documents: Documents) -> Iterator[Finding]:
    """Anchors that lead nowhere, and blocks that are gone."""
    for code, words in _FLAWS.items():
        told: dict[str, list[str]] = {}
        for each in recounts:
            for flaw in each.audit.flaws if each.audit else ():
                if flaw.code == code:
                    where = "" if flaw.line is None else f", line {flaw.line}"
                    told[f"{each.report.key}: {flaw.words}{where}"] = [each.report.key]
        yield from _told(code, f"{words}: ", told)
    for code, words in (
        ("blocks_lost", "stripped without an anchor: "),
        ("blocks_repeated", "left out, kept elsewhere: "),
    ):
        places: dict[str, list[str]] = {}
        for each in recounts:
            name = documents.name_of(each.report.source_id)
            for block in _gone(each, code):
                place = f"{name} [{block.start}, {block.end}) at line {block.line}"
                places.setdefault(place, []).append(each.report.key)
        yield from _told(code, words, places)


def _gone(each: Recount, code: str) -> Sequence[Block]:
    if each.audit is None:
        return ()
    return each.audit.lost if code == "blocks_lost" else each.audit.repeated


def about_the_ledger(recounts: Sequence[Recount]) -> Iterator[Finding]:
    """Claims about compression that mislead."""
    grown = {
        f"{_count(each, 'saved'):,} tokens by {each.report.key}": [each.report.key]
        for each in recounts
        if _count(each, "saved") < 0
    }
    yield from _told("negative_savings", "saved ", grown)
    unnamed = [each.report.key for each in recounts if each.report.counter is None]
    if unnamed:
        message = f"{_reports(len(unnamed))} without a word on how tokens were counted"
        yield Finding("counter_unnamed", message, len(unnamed))


def about_the_cache(recounts: Sequence[Recount], profiles: Profiles) -> Iterator[Finding]:
    """Claims about cached calls that mislead, and profiles that a report does not follow."""
    unknown: dict[str, list[str]] = {}
    for each in recounts:
        if each.prompt.profile is None:
            unknown.setdefault(each.report.provider, []).append(each.report.key)
    yield from _told("provider_unknown", "no profile of ", unknown)
    yield from _told(
        "profile_contradicted", "reckoned otherwise: ", dict(_contradicted(recounts, profiles))
    )
    bare = {
        f"{each.report.key}: {_headline(each)} %, {_compression(each)} by compression": [
            each.report.key
        ]
        for each in recounts
        if _claims_eligible(each) and not _compressed(each)
    }
    yield from _told("headline_uncompressed", "headlines on uncompressed texts: ", bare)
    yield from _told(
        "cache_forfeited", "cached, the raw text would cost less: ", _forfeited(recounts)
    )
    skipped = [
        each.report.key for each in recounts if _claims_eligible(each) and _layout_skipped(each)
    ]
    if skipped:
        message = f"cacheEligible is true and the layout was skipped: {_few(skipped)}"
        yield Finding("eligible_without_layout", message, len(skipped))


def _forfeited(recounts: Iterable[Recount]) -> dict[str, list[str]]:
    """Texts whose compression costs more than it saves, because it ends below the minimum."""
    told: dict[str, list[str]] = {}
    for each in recounts:
        profile, calls = each.prompt.profile, each.prompt.calls
        if profile is None or calls is None or is_eligible(each.prompt.stable, profile):
            continue
        raw = calls_of(each.prompt.raw, 0, profile).next
        if raw < calls.next:
            key = each.report.key
            told[f"{key}: {rounded(calls.next, 1)} tokens a call, raw {rounded(raw, 1)}"] = [key]
    return told


def _claims_eligible(each: Recount) -> bool:
    return each.report.figures["eligible"] == "true"


def _compressed(each: Recount) -> bool:
    """Whether stripping or summarizing took anything away."""
    before = each.values.get("structure")
    start = before if isinstance(before, int) else each.report.number("structure")
    return each.prompt.body < start


def _layout_skipped(each: Recount) -> bool:
    no_stamp = each.output is not None and each.output.stamped is None
    return no_stamp or "layout-skipped" in each.report.warnings


def _headline(each: Recount) -> str:
    shown = each.report.figures["headline"]
    return shown.text if isinstance(shown, Printed) else shown


def _compression(each: Recount) -> str:
    saved = Fraction(100 * _count(each, "saved"), each.prompt.raw) if each.prompt.raw else 0
    return f"{rounded(saved, 1)} %"


def _count(each: Recount, figure: str) -> int:
    value = each.values[figure]
    assert isinstance(value, int)
    return value


def _contradicted(
    recounts: Iterable[Recount], profiles: Profiles
) -> Iterator[tuple[str, list[str]]]:
    """Reports whose calls do not follow from their own P and V by their provider's profile, with
    what they would follow from."""
    for each in recounts:
        report, profile = each.report, each.prompt.profile
        stable, volatile = report.number("stable"), report.number("volatile")
        if profile is None:
            continue
        own: dict[str, int | str] = {**called(calls_of(stable, volatile, profile))}
        own["eligible"] = "true" if is_eligible(stable, profile) else "false"
        shown = {name: _shown(each, name) for name in ("eligible", "first", "next")}
        if all(shown[name] == own[name] for name in shown):
            continue
        words = f"{report.key}: {', '.join(_implied(each, stable, volatile, own, shown))}"
        same = [
            name
            for name, other in profiles.by_provider.items()
            if name != profile.name
            and (shown["first"], shown["next"], shown["eligible"])
            == (
                *(called(calls_of(stable, volatile, other))[key] for key in ("first", "next")),
                "true" if is_eligible(stable, other) else "false",
            )
        ]
        if same:
            words += f" (as {' and '.join(same)} would have it)"
        yield words, [report.key]


def _shown(each: Recount, figure: str) -> int | str:
    value = each.report.figures[figure]
    return int(value.value) if isinstance(value, Printed) else value


def _implied(
    each: Recount,
    stable: int,
    volatile: int,
    own: Mapping[str, int | str],
    shown: Mapping[str, int | str],
) -> Iterator[str]:
    profile = each.prompt.profile
    assert profile is not None
    if shown["eligible"] != own["eligible"]:
        side = "from" if shown["eligible"] == "true" else "not from"
        yield (
            f"eligible {shown['eligible']} means a minimum that {stable:,} tokens "
            f"{'reach' if side == 'from' else 'do not reach'}, the profile has {profile.minimum:,}"
        )
        return
    for figure, name, base in (("first", "write", 1), ("next", "read", 0)):
        value = shown[figure]
        if value == own[figure] or not isinstance(value, int):
            continue
        if own["eligible"] == "false" or stable <= 0:
            yield f"{figure} {value:,} where nothing is cached, so {own[figure]:,}"
            continue
        low = Fraction(2 * (value - volatile) - 1, 2 * stable) - base
        high = Fraction(2 * (value - volatile) + 1, 2 * stable) - base
        span = f"{rounded(low, 4)} to {rounded(high, 4)}"
        given = plain(getattr(profile, name))
        yield f"{figure} {value:,} means {name} {span}, the profile has {given}"


def _told(code: str, before: str, told: _Told) -> Iterator[Finding]:
    """One finding for all that is told, if anything is."""
    if not told:
        return
    parts = [
        f"{words} (in {len(reports):,} reports)" if len(reports) > 1 else words
        for words, reports in told.items()
    ]
    message = before + "; ".join(parts[:EXAMPLES])
    if len(parts) > EXAMPLES:
        message += f"; and {len(parts) - EXAMPLES:,} more"
    yield Finding(code, message, sum(len(reports) for reports in told.values()))


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - EXAMPLES:,} more" if len(names) > EXAMPLES else ""
    return ", ".join(names[:EXAMPLES]) + more


def _reports(count: int) -> str:
    return f"{count:,} {'report' if count == 1 else 'reports'}"
