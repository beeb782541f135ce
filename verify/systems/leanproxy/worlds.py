"""The two choices in which calculations over a usage store may differ, for explanations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from verify.compare.figures import At
from verify.compare.worlds import Choice, Switches
from verify.result import LeverResult, Value
from verify.systems.leanproxy.ask import RECOMPUTED, SAVED, Asked, given
from verify.systems.leanproxy.measures import VIEW
from verify.systems.leanproxy.windows import LIVE, VIEWS

_MEANINGS = {
    SAVED: "what was saved is original less returned, not the store's saved_tokens",
    VIEW: "the windows are those of the product's other reader",
}


@dataclass(frozen=True)
class UsageWorlds:
    """See `verify.compare.worlds.Worlds`. `levers` recomputes what was asked."""

    asked: Asked
    levers: Callable[[Asked], tuple[LeverResult, ...]]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every single other choice: one, or two where there are windows."""
        saved = Choice(SAVED, RECOMPUTED, _MEANINGS[SAVED])
        if self.asked.now is None:
            return (saved,)
        (other,) = set(VIEWS) - {self.asked.view or LIVE}
        return saved, Choice(VIEW, other, _MEANINGS[VIEW])

    def figures(self, switches: Switches) -> Mapping[At, Value]:
        """The totals of every lever, and its rows by session, under these switches."""
        asked = replace(self.asked, **given(switches), by=("session",))
        found: dict[At, Value] = {}
        for lever in self.levers(asked):
            found[At(lever.lever, "amount")] = lever.amount
            for measure, value in lever.totals.items():
                found[At(lever.lever, measure)] = value
            for row in lever.by.get("session", ()):
                for measure, value in row.measures.items():
                    found[At(lever.lever, measure, "session", row.key)] = value
        return found
