"""What a diff says before its rows: the conclusion, a line a lever, findings, and its terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from verify.compare.figures import HEADLINE, At
from verify.compare.tieout import Diff
from verify.compare.verdicts import AGREEING, DIFFERING, Tolerance
from verify.exact import plain
from verify.findings import SEVERITIES, Finding
from verify.render.diff.figures import figure_of, figures_words
from verify.render.safe import visible
from verify.result import Coverage, Value

ANOTHER = "another"
"""The verdict of a figure whose row is not among those shown."""

NOTHING = "inconclusive: no figure was compared"

_MOST_REASONS = 4


@dataclass(frozen=True)
class LeverLine:
    """One lever at a glance: its figure beside its recomputations, and how many of its rows
    differ. `verdict` is empty where the product shows no figure."""

    lever: str
    unit: str
    status: str | None
    figure: Value
    from_read: Fraction | None
    recomputed: Value
    delta: Fraction | None
    verdict: str
    coverage: Coverage | None
    differing: int
    rows: int


def lever_lines(diff: Diff) -> list[LeverLine]:
    """The headline, the levers that were recomputed, and those that could not be.

    Of a diff whose rows are those of one verdict, only the levers that have any.
    """
    rows = Counter(row.at.lever for row in diff.rows)
    differing = Counter(row.at.lever for row in diff.rows if row.verdict in DIFFERING)
    known = {lever.lever: lever for lever in diff.result.levers}
    names = [name for name in (HEADLINE,) if name in rows]
    names += known if diff.concluded is None else [name for name in known if name in rows]
    names += [name for name in rows if name not in names]
    units = {lever.unit for lever in known.values()}
    # A lever that was not recomputed saves dollars where the others do.
    other = "USD" if not units or "USD" in units else ""
    lines = []
    for name in names:
        lever = known.get(name)
        unit = lever.unit if lever else other
        at = At(name, "usd" if unit == "USD" else "amount")
        row = next((row for row in diff.rows if row.at == at), None)
        claim = next((figure for figure in diff.claims.figures if figure.at == at), None)
        own = diff.claims.from_reads.get(at)
        hidden = claim is not None and diff.concluded is not None
        lines.append(
            LeverLine(
                name,
                unit,
                diff.claims.statuses.get(name),
                figure_of(row) if row else claim.value if claim else None,
                own.value if own else None,
                row.recomputed if row else lever.figure if lever else None,
                row.delta if row else None,
                row.verdict if row else ANOTHER if hidden else "",
                lever.coverage if lever else None,
                differing[name],
                rows[name],
            )
        )
    return lines


def conclusion(diff: Diff) -> str:
    """The verdict in a sentence, made visible."""
    if diff.concluded is not None:
        return f"{diff.verdict}, concluded from all figures; {_filtered(diff)}"
    if diff.verdict == "agrees":
        return f"agrees: {_followed(diff)}"
    if diff.verdict == "differs":
        return f"differs: {_differing(diff)}"
    reasons = "; ".join(_least_reasons(diff.inconclusive))
    return f"inconclusive: {_followed(diff)}, but {reasons}" if diff.rows else NOTHING


def _differing(diff: Diff) -> str:
    wrong = sum(row.verdict in DIFFERING for row in diff.rows)
    errors = sum(finding.severity == "error" for finding in diff.findings)
    grave = f"{errors:,} {'finding is an error' if errors == 1 else 'findings are errors'}"
    if not wrong:
        return f"{grave}, though {_followed(diff)}"
    words = f"{wrong:,} of {figures_words(len(diff.rows))} {'is' if wrong == 1 else 'are'} "
    words += "not what the records give"
    return f"{words}; {grave}" if errors else words


def _filtered(diff: Diff) -> str:
    if not diff.rows:
        return "none has the verdict asked for"
    return f"only the {len(diff.rows):,} with the verdict {diff.rows[0].verdict} are shown"


def _followed(diff: Diff) -> str:
    """How many figures follow from the records, and how closely."""
    count = Counter(row.verdict for row in diff.rows)
    good = sum(count[verdict] for verdict in AGREEING)
    every = len(diff.rows)
    verb = "follows" if good == 1 else "follow"
    share = "all" if good == every else f"{good:,} of"
    words = f"{share} {figures_words(every)} {verb} from the records"
    if count["rounding"]:
        words += f", {count['rounding']:,} of them rounded"
    if count["within_tolerance"]:
        words += f", {count['within_tolerance']:,} within the tolerance"
    taken = sum(
        row.verdict == "not_comparable" and row.at in diff.claims.accepted for row in diff.rows
    )
    return words + (f", {taken:,} taken as shown" if taken else "")


def _least_reasons(reasons: Sequence[str]) -> Iterator[str]:
    kept = list(dict.fromkeys(reasons))
    most = len(kept) if len(kept) <= _MOST_REASONS else _MOST_REASONS - 1
    yield from (visible(reason) for reason in kept[:most])
    if len(kept) > most:
        yield f"and {len(kept) - most:,} more"


def untold(diff: Diff) -> list[str]:
    """What kept it inconclusive, as it comes, unless the conclusion has said all of it."""
    reasons = list(dict.fromkeys(diff.inconclusive))
    told = diff.verdict == "inconclusive" and diff.concluded is None
    return [] if told and len(reasons) <= _MOST_REASONS else reasons


def policy_words(diff: Diff) -> Iterator[tuple[str, str]]:
    """What was stated before the run, if anything was, and fields read under another name."""
    if diff.tolerance != Tolerance():
        yield "tolerance", str(diff.tolerance)
    if diff.least_coverage is not None:
        yield "min coverage", f"{plain(diff.least_coverage * 100)} %"
    if diff.result.fields:
        named = (f"{visible(name)} is {visible(own)}" for name, own in diff.result.fields.items())
        yield "fields", ", ".join(named)


def all_findings(diff: Diff) -> list[Finding]:
    """Those about the export and the figures, and those of each lever, the gravest first."""
    found = list(diff.findings)
    for lever in diff.result.levers:
        found += [
            replace(finding, message=f"{lever.lever}: {finding.message}")
            for finding in lever.findings
        ]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
