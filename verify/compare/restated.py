"""Two captures of the same period side by side: which figures the product restated since."""

from __future__ import annotations

from dataclasses import dataclass

from verify.compare.figures import At, Claims
from verify.errors import UsageProblem


@dataclass(frozen=True)
class Change:
    """One figure that is not what it was. `before` or `after` is None for null, and `gone` or
    `new` says that a figure is on one side only."""

    at: At
    before: str | None
    after: str | None
    kind: str


def restated(earlier: Claims, later: Claims) -> list[Change]:
    """Every figure that changed, came or went, in the order of the earlier capture.

    A figure is the same when its value is: `0.10` and `0.1` are one figure. Raises UsageProblem
    when the captures are about different periods.
    """
    if (earlier.since, earlier.until) != (later.since, later.until):
        raise UsageProblem(
            f"the captures are about different periods ({earlier.since} to {earlier.until}, "
            f"{later.since} to {later.until})"
        )
    before = {(figure.read, figure.at): figure for figure in earlier.figures}
    after = {(figure.read, figure.at): figure for figure in later.figures}
    found = []
    for key in dict.fromkeys((*before, *after)):
        one, two = before.get(key), after.get(key)
        at = key[1]
        if one is None and two is not None:
            found.append(Change(at, None, two.text, "new"))
        elif two is None and one is not None:
            found.append(Change(at, one.text, None, "gone"))
        elif one is not None and two is not None and one.value != two.value:
            found.append(Change(at, one.text, two.text, "restated"))
    return found
