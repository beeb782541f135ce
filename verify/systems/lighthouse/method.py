"""The method as a value: every choice in which two honest calculations may differ.

`STATED` choices come first in `SWITCHES`; the alternatives are what `explain` and `sample` try.
Recomputing under another method is the only way in which differences are explained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from verify.errors import UsageProblem
from verify.period import Period, zone_named


@dataclass(frozen=True)
class Switch:
    """One choice: its name, the right value first, and what choosing otherwise means."""

    name: str
    values: tuple[str | bool, ...]
    meaning: str


SWITCHES: tuple[Switch, ...] = (
    Switch("zone", ("", "UTC"), "the period and its days lie in another time zone"),
    Switch(
        "card",
        ("newest_complete", "newest_any", "newest_in_export", "last_in_file"),
        "another price snapshot is used",
    ),
    Switch("window_priced_only", (True, False), "windows of models without a price count too"),
    Switch("weights", (True, False), "sampled searches count once instead of 1 / sample_rate"),
    Switch("clamp", (True, False), "a search may save less than nothing"),
    Switch(
        "unmeasured_as_window",
        (False, True),
        "a search without its scope counts as if it had the whole window in scope",
    ),
    Switch("write_premium", (True, False), "cache writes cost nothing extra"),
    Switch("null_read_saves", (False, True), "an unknown cache-read price is taken as free"),
    Switch("refused_in_caching", (True, False), "refused calls are left out of caching"),
    Switch("refused_in_called", (False, True), "refused calls count as called"),
    Switch("dedupe", (False, True), "of identical lines only one counts"),
    Switch("until_exclusive", (False, True), "the last day of the period is lost"),
    Switch("escalation_netted", (True, False), "escalations are not taken off the routing saving"),
)


@dataclass(frozen=True)
class Method:
    """How the levers are computed. `zone` is the IANA zone of the period's days."""

    zone: str
    card: str = "newest_complete"
    window_priced_only: bool = True
    weights: bool = True
    clamp: bool = True
    unmeasured_as_window: bool = False
    write_premium: bool = True
    null_read_saves: bool = False
    refused_in_caching: bool = True
    refused_in_called: bool = False
    dedupe: bool = False
    until_exclusive: bool = False
    escalation_netted: bool = True

    def __post_init__(self) -> None:
        zone_named(self.zone)
        for switch in SWITCHES:
            value = getattr(self, switch.name)
            if switch.name != "zone" and value not in switch.values:
                allowed = ", ".join(_shown(value) for value in switch.values)
                raise UsageProblem(f"{switch.name} can be {allowed}, not {_shown(value)}")

    def but(self, **switches: Any) -> Method:
        """The same method with some switches set otherwise. Raises UsageProblem."""
        known = {field.name for field in fields(self)}
        for name in switches:
            if name not in known:
                raise UsageProblem(
                    f"there is no method switch {name!r}",
                    advice=f"There are {', '.join(sorted(known))}.",
                )
        return replace(self, **switches)

    def as_mapping(self) -> Mapping[str, str | bool]:
        """Every switch with its value, in the order of the contract."""
        return {switch.name: getattr(self, switch.name) for switch in SWITCHES}

    def period(self, since: date, until: date) -> Period:
        """The period that these dates are by this method."""
        return Period(since, until, self.zone, self.until_exclusive)


def parse_switch(text: str) -> tuple[str, str | bool]:
    """`name=value` as typed on a command line. Raises UsageProblem for an unknown one."""
    name, separator, value = text.partition("=")
    switch = next((switch for switch in SWITCHES if switch.name == name), None)
    if switch is None or not separator:
        raise UsageProblem(
            f"{text!r} is not a method switch",
            advice="Write name=value with one of " + ", ".join(s.name for s in SWITCHES) + ".",
        )
    if name == "zone":
        return name, zone_named(value).key
    for allowed in switch.values:
        if _shown(allowed) == value:
            return name, allowed
    options = ", ".join(_shown(allowed) for allowed in switch.values)
    raise UsageProblem(f"{name} can be {options}, not {value!r}")


def _shown(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()
