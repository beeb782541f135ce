"""What a sign-off says in words: its conclusion, its tick marks, and what it does not prove."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verify.compare.explanation import PART, in_words
from verify.compare.figures import HEADLINE
from verify.compare.verdicts import DIFFERING
from verify.exact import plain
from verify.render.diff.figures import Digits
from verify.render.diff.told import conclusion as figures_conclusion
from verify.render.words import is_number, loud_words, sets_that_fit
from verify.result import Value, period_json

if TYPE_CHECKING:
    from verify.compare.explanation import Explanation
    from verify.signoff.result import LeadLine, SignOff

TICKS = {
    "exact": ("✓", "agrees to the last digit"),
    "rounding": ("≈", "agrees but for the rounding of the printed figure"),
    "within_tolerance": ("△", "differs by less than the threshold agreed before the run"),
    "differs": ("✗", "differs by more than that"),
    "only_in_figures": ("F", "the product shows it, the records have no such row"),
    "only_in_records": ("R", "the records give it, the product does not show it"),
    "not_comparable": ("○", "could not be compared; the reason is given"),
}
VERDICTS = {
    "exact": "exact",
    "rounding": "rounding",
    "within_tolerance": "within threshold",
    "differs": "differs",
    "only_in_figures": "only in the figures",
    "only_in_records": "only in the records",
    "not_comparable": "not comparable",
    "": "no figure shown",
}
STAMPS = {"agrees": "AGREES", "differs": "DIFFERS", "inconclusive": "INCONCLUSIVE"}
UNEXPLAINED = "unexplained"
BLANKS = ("Prepared by", "Date", "Reviewed by", "Date")
PURPOSE = (
    "To show whether the savings that the product reports follow from the product's own usage "
    "records, and if not, by how much and why."
)
PROCEDURE = (
    "The export's files were held against their manifest and hashed while they were read.",
    "Each lever was recomputed from every record of the period, in exact arithmetic.",
    "Each figure that the product shows was set beside the recomputation, and where the product's "
    "own read carries the inputs, beside a recomputation from these.",
    "The threshold and the least coverage were fixed before the run; their digest is shown.",
    "Of what differs, other choices of the method were searched for causes; the rest is shown as "
    "unexplained, and rounding by itself.",
)
NOT_PROVEN = (
    "That the records are true: they are the product's own, and were recomputed, not observed.",
    "That the export is whole, beyond its manifest and the tests of completeness.",
    "Who made the export, unless its manifest's digest was received another way and given.",
    "That the method measures a saving that would otherwise have been spent: it is the product's "
    "stated method, followed to the letter.",
    "Who signs: without a key the attestation is unsigned, and a key proves only who holds it.",
)


def tick(verdict: str) -> str:
    """The tick mark of a verdict; none where there was nothing to compare."""
    return TICKS[verdict][0] if verdict in TICKS else ""


def conclusion(result: SignOff) -> str:
    """The conclusion in one sentence: what agrees or differs, and by how much; then what was left
    out of the question. Not made visible."""
    asked = result.parameters["levers"]
    only = f" Asked was {' and '.join(asked)} alone." if asked else ""
    return f"{_concluded(result)}{only}"


def _concluded(result: SignOff) -> str:
    figure = _main(result)
    if result.verdict == "differs" and not result.differing:
        return f"{_by_findings(result)}{_amount(figure)}"
    if result.verdict == "agrees":
        return f"The product's figures follow from its records.{_amount(figure)}"
    if result.verdict == "differs":
        return (
            f"The product's figures do not follow from its records.{_amount(figure)}{_why(result)}"
        )
    return f"No conclusion can be drawn for all figures.{_amount(figure)}"


def detail(result: SignOff) -> str:
    """How many figures were compared, and what of them, as `verify diff` says it."""
    return figures_conclusion(result.diff)


def _main(result: SignOff) -> LeadLine | None:
    """The headline, or the only lever with a figure."""
    known = [line for line in result.lead if line.delta is not None]
    for line in known:
        if line.lever == HEADLINE:
            return line
    return known[0] if len(known) == 1 else None


def _amount(line: LeadLine | None) -> str:
    if line is None or line.delta is None:
        return ""
    digits = digits_of([line])
    words = f" {line.lever.capitalize()}: {shown(line.figure, digits.amounts)} {line.unit} reported"
    words += f", {shown(line.recomputed, digits.amounts)} {line.unit} recomputed"
    if line.delta == 0:
        return f"{words}, no difference."
    suffix = " (rounding)" if line.verdict == "rounding" else ""
    return f"{words}, difference {digits.difference(line.delta)} {line.unit}{suffix}."


def _by_findings(result: SignOff) -> str:
    """Why the verdict is `differs` where no figure does."""
    errors = [finding for finding in result.diff.findings if finding.severity == "error"]
    codes = ", ".join(dict.fromkeys(finding.code for finding in errors))
    grave = "1 finding is an error" if len(errors) == 1 else f"{len(errors):,} findings are errors"
    return (
        "No figure differs from what the records give by more than rounding or the threshold, but "
        f"{grave} ({codes})."
    )


def _why(result: SignOff) -> str:
    told = result.explanation
    if told is None:
        return " Its method has no other choices that could be tried for a cause."
    if not told.sets:
        return " No cause was found."
    if not told.remaining:
        which = "It" if told.fitting == 1 else "Each"
        return f" Cause: it calculates as if {_of_sets(told)} {which} explains all of it."
    return (
        f"{_own_cause(_main(result))} {told.mended:,} of {told.before:,} figures that differ "
        f"follow if it calculates as if {_of_sets(told)} {len(told.remaining):,} differ all the "
        "same."
    )


def _own_cause(line: LeadLine | None) -> str:
    """The cause of the figure that the conclusion names, where not all is explained."""
    if line is None or line.verdict not in (*DIFFERING, "within_tolerance"):
        return ""
    if line.cause.startswith(PART):
        return f" A cause {line.cause}."
    return " It is unexplained." if line.cause == UNEXPLAINED else f" Cause: {line.cause}."


def _of_sets(told: Explanation) -> str:
    """The first set in words, and what else it may be: as sentences."""
    first, *rest = told.sets
    if not told.unheld and len(rest) == 1:
        return f"{in_words(first)}. Or as if {in_words(rest[0])}: the records cannot tell."
    other = told.fitting - 1
    if not other:
        return f"{in_words(first)}."
    if not told.unheld:
        return (
            f"{in_words(first)}. Or one of {other:,} other sets that the records cannot tell apart."
        )
    if other == 1:
        return (
            f"{in_words(first)}. Or another set that fits; it is not listed and was held against "
            "the totals alone."
        )
    return (
        f"{in_words(first)}. Or one of {other:,} other sets that fit; {told.unheld:,} of them are "
        "not listed and were held against the totals alone."
    )


def causes_note(result: SignOff) -> str:
    """Where the causes come from, or why there are none."""
    told = result.explanation
    if told is None:
        if result.differing:
            return (
                "The product's system offers no other choices of method to look for causes among."
            )
        return "No figure differs, so no cause was looked for; what is left is rounding."
    if not told.sets:
        return f"None of {told.tried:,} sets of other choices explains the differences."
    note = (
        f"Causes are other choices of the method, found among {told.tried:,} sets and held "
        f"against {told.tested:,} figures. Each has its mean share over all orders."
    )
    if told.fitting == 1:
        return note
    return f"{note} They are those of the first of {sets_that_fit(told)}."


def digits_of(lines: list[LeadLine]) -> Digits:
    """To how many decimals amounts of one unit are shown, and their differences."""
    amounts: list[Value] = [value for line in lines for value in (line.figure, line.recomputed)]
    deltas = [line.delta for line in lines if line.delta is not None]
    return Digits.of(lines[0].unit if lines else "", amounts, deltas)


def shown(value: Value, places: int) -> str:
    """A number to so many places, thousands apart; a dash for none."""
    from verify.render.words import amount

    return amount(value, places)


def period_label(result: SignOff) -> str:
    """The period, and the zone of its days."""
    period = result.diff.result.period
    return f"{period.label} ({period_json(period)['time_zone']})"


def warnings(result: SignOff) -> list[str]:
    """What must stand above every figure."""
    return loud_words(result.diff.export, dict(result.parameters["switches"]))


def policy_lines(result: SignOff) -> Iterator[tuple[str, str]]:
    """The policy as agreed, and its digest."""
    tolerance = result.policy.tolerance
    none = not tolerance.absolute and not tolerance.relative
    text = (
        f"{plain(tolerance.absolute)} in the figure's unit, or {plain(tolerance.relative * 100)} %"
    )
    yield "Threshold", "none: every difference beyond rounding counts" if none else text
    least = result.policy.least_coverage
    yield "Least coverage", "none" if least is None else f"{plain(least * 100)} %"
    yield "Policy SHA-256", result.policy.sha256


def exact_text(value: Value) -> str:
    """Every digit of an amount, or the word; a dash for none."""
    if value is None:
        return "—"
    return plain(value) if is_number(value) else str(value)
