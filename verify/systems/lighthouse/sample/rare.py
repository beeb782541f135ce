"""The lines that every export has, however small: what is rare, and what decides a figure.

Snapshots of price cards, profiles, daily costs, records on the edges of the period, and one record
at least for each choice in which two honest calculations may differ. Their number depends on the
length of the period and only a little on the size of the export.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from verify.systems.lighthouse.sample.bulk import NextId
from verify.systems.lighthouse.sample.catalogue import (
    AGENTS,
    ARCHIVE,
    DEPLOYMENTS,
    ES,
    EU,
    GEMINI,
    GPT,
    HAIKU,
    INDEXES,
    LEGAL,
    LOCAL,
    MINI,
    MISTRAL,
    NIGHTLY,
    REPRICED,
    SONNET,
    TICKETS,
    US,
    WIKI,
    Deployment,
    Model,
    price,
)
from verify.systems.lighthouse.sample.lines import candidates, quote, record
from verify.systems.lighthouse.sample.timeline import Timeline, zulu

Line = tuple[str, str]
"""A record's type and its line of JSON."""

_DRAFT_MODELS = 2
"""How many of a deployment's models an incomplete snapshot holds."""


@dataclass(frozen=True)
class RareLines:
    """Makes the rare lines of one sample; each method yields some, in no particular order."""

    timeline: Timeline
    rng: random.Random
    next_id: NextId

    def shuffled(self, records: int) -> list[Line]:
        """Every rare line of an export of `records` lines, shuffled."""
        lines = [
            *self.snapshots(records),
            *self.profiles(),
            *self.costs(),
            *self.seams(),
            *self.deciding(),
            *self.repeated(),
        ]
        for last in range(len(lines) - 1, 0, -1):
            other = self._below(last + 1)
            lines[last], lines[other] = lines[other], lines[last]
        return lines

    def snapshots(self, records: int) -> Iterator[Line]:
        """Price cards: about 3 % of a small export, at most one every two days a deployment.

        Each deployment has complete snapshots, prices changing half-way, then a newer incomplete
        one; some have one more after the end of the period.
        """
        needed = sum(len(d.models) * (3 if d in REPRICED else 1) for d in DEPLOYMENTS)
        spare = records * 3 // 100 - needed - _DRAFT_MODELS * len(DEPLOYMENTS)
        extra = spare // sum(len(d.models) for d in DEPLOYMENTS)
        extra = min(max(extra, 0), len(self.timeline.days) // 2)
        for deployment in DEPLOYMENTS:
            complete = extra + (2 if deployment in REPRICED else 1)
            factors = deployment.factors
            for number in range(complete):
                fraction = 0.98 * (number + self.rng.random()) / complete - 0.1
                late = number >= complete // 2
                factor = factors.late if late else factors.early
                yield from self._snapshot(deployment, number, fraction, factor)
            fraction = 0.9 + 0.06 * self.rng.random()
            yield from self._snapshot(deployment, complete, fraction, factors.draft, draft=True)
            if deployment in REPRICED or extra:
                fraction = 1.02 + 0.05 * self.rng.random()
                yield from self._snapshot(deployment, complete + 1, fraction, factors.after)

    def _snapshot(
        self, deployment: Deployment, number: int, fraction: float, factor: str, draft: bool = False
    ) -> Iterator[Line]:
        """One snapshot; a draft holds two of the models, and every second one does not say so."""
        ts = zulu(self.timeline.at(fraction))
        frank = not draft or DEPLOYMENTS.index(deployment) % 2 == 0
        for model in deployment.models[:_DRAFT_MODELS] if draft else deployment.models:
            limits = {"context_tokens": str(model.window)}
            if model is GEMINI:
                limits["context_window"] = str(model.window + 48_576)
            elif self._below(2):
                limits = {"context_window": str(model.window)}
            attrs = {
                "model": quote(model.name),
                "provider": quote(model.provider),
                "snapshot": quote(f"{deployment.name}-{number}"),
                "complete": ("false" if draft else "true") if frank else None,
                "size": str(len(deployment.models)),
                "limits": "{" + ",".join(f'"{name}":{size}' for name, size in limits.items()) + "}",
                "price": price(model, factor),
            }
            yield "models", record("models", deployment.name, ts, attrs)

    def profiles(self) -> Iterator[Line]:
        """Each deployment's profile; one that changes inside the period, one after its end."""
        middle, after = self.timeline.at(0.4), self.timeline.period.end
        for deployment in DEPLOYMENTS:
            if deployment is NIGHTLY:
                yield self._profile(deployment, self.timeline.days[0], "always_on")
                yield self._profile(deployment, middle, deployment.profile)
            else:
                yield self._profile(deployment, self.timeline.days[0], deployment.profile)
        yield self._profile(EU, after, "always_on")

    def _profile(self, deployment: Deployment, at: datetime, profile: str) -> Line:
        attrs = {"profile": quote(profile), "always_on_usd_per_hour": deployment.usd_per_hour}
        return "deployment_profile", record("deployment_profile", deployment.name, zulu(at), attrs)

    def costs(self) -> Iterator[Line]:
        """A cost a local day, at its first instant, where there is a feed; some days are missing.

        One in twelve is of another kind than infrastructure, one in twenty-five has no amount.
        """
        days = self.timeline.days[:-1]
        for deployment in DEPLOYMENTS:
            if not deployment.cost_feed:
                continue
            for number, day in enumerate(days):
                fate = self._below(100)
                if fate < 6:
                    continue
                ts = self.timeline.local(day) if number % 9 == 4 else zulu(day)
                usd = "null" if fate < 10 else self._usd()
                yield self._cost(deployment, ts, usd, "model" if fate < 18 else "infrastructure")

    def seams(self) -> Iterator[Line]:
        """A call, a search, a decision and a cost at each instant where a period may be cut."""
        for number, instant in enumerate(self.timeline.seams()):
            deployment, model = ((EU, SONNET), (ES, HAIKU))[number % 2]
            ts = self.timeline.local(instant) if number % 3 == 2 else zulu(instant)
            yield self._call(deployment, ts, WIKI, model, read=self._tokens())
            yield self._search(deployment, ts, WIKI, model, scope=40_000 + self._tokens())
            yield self._decision(ts, deployment, (GPT, "0.043210"), (model, self._small()))
            yield self._cost(deployment, ts, self._usd())

    def deciding(self) -> Iterator[Line]:
        """At least one record for each choice of method, all inside the period.

        What each is for is said beside it; the names are those of the method's switches.
        """
        million = 1_000_000 + self._tokens()
        # Cards, write_premium: reads and dear writes.
        yield self._call(EU, self._inside(), TICKETS, SONNET, read=61_000, write=900)
        yield self._call(EU, self._inside(), TICKETS, SONNET, read=0, write=7_000)
        # null_read_saves: reads of a model without a cache-read price.
        yield self._call(EU, self._inside(), WIKI, MISTRAL, read=52_000)
        # window_priced_only: the smallest window belongs to a model without a price.
        yield self._call(EU, self._inside(), TICKETS, LOCAL, read=8_000)
        yield self._search(EU, self._inside(), TICKETS, None, scope=million)
        # refused_in_called, refused_in_caching: a model that only ever refuses in its pack.
        yield self._call(EU, self._inside(), LEGAL, EU.large, read=12_000)
        yield self._call(EU, self._inside(), LEGAL, EU.small, read=30_000, outcome="refused")
        yield self._search(EU, self._inside(), LEGAL, None, scope=million)
        # weights, clamp, unmeasured_as_window.
        yield self._search(EU, self._inside(), TICKETS, SONNET, scope=70_000, rate="0.3")
        yield self._search(EU, self._inside(), TICKETS, SONNET, scope=120)
        yield self._search(EU, self._inside(), TICKETS, SONNET, scope=None)
        # No price to be had: nothing is called in this pack, and the search names no model.
        yield self._search(EU, self._inside(), ARCHIVE, None, scope=million)
        # escalation_netted: the dearer one is picked.
        yield self._decision(self._inside(), EU, (MINI, self._small()), (GPT, "0.043210"))
        # An always-on deployment's cost, which is in no figure.
        yield self._cost(US, self._inside(), self._usd())
        # Tiny costs, a model listed twice, a cost that is not known.
        yield self._decision(self._inside(), EU, (GPT, "0.000001"), (MINI, "1e-07"))
        yield self._decision(self._inside(), EU, (GPT, "0.04"), (MINI, "0.002"), (GPT, "0.001"))
        yield self._decision(self._inside(), EU, (GPT, "0.04"), (MINI, "null"))

    def repeated(self) -> Iterator[Line]:
        """Lines that stand in the file twice or thrice, and ids used again for something else."""
        call = self._call(EU, self._inside(), TICKETS, SONNET, read=44_000, write=600)
        yield from (call, call, call)
        for line in (
            self._call(ES, self._inside(), WIKI, HAIKU, read=21_000),
            self._search(EU, self._inside(), TICKETS, SONNET, scope=96_000),
            self._search(ES, self._inside(), WIKI, HAIKU, scope=81_000),
            self._decision(self._inside(), EU, (GPT, "0.043210"), (MINI, self._small())),
            self._cost(EU, self._inside(), self._usd()),
        ):
            yield from (line, line)
        for deployment, model in ((EU, SONNET), (ES, GPT)):
            ts, identity = self._inside(), self.next_id()
            for read in (5_000, 5_000, 9_000):
                yield self._call(deployment, ts, WIKI, model, read=read, identity=identity)
        identity = self.next_id()
        for scope in (33_000, 44_000):
            ts = self._inside()
            yield self._search(EU, ts, WIKI, SONNET, scope=scope, identity=identity)

    def _call(
        self,
        deployment: Deployment,
        ts: str,
        pack: str,
        model: Model,
        read: int,
        write: int = 0,
        outcome: str = "ok",
        identity: int | None = None,
    ) -> Line:
        attrs = {
            "id": self._id("c", identity),
            "agent": self._one_of(AGENTS),
            "pack": quote(pack),
            "model": quote(model.name),
            "provider": quote(model.provider),
            "outcome": quote(outcome),
            "input_tokens": str(self._tokens()),
            "output_tokens": str(1 + self._below(2_000)),
            "cache_read_tokens": str(read),
            "cache_write_tokens": str(write),
        }
        return "model_call", record("model_call", deployment.name, ts, attrs)

    def _search(
        self,
        deployment: Deployment,
        ts: str,
        pack: str,
        model: Model | None,
        scope: int | None,
        rate: str | None = None,
        identity: int | None = None,
    ) -> Line:
        attrs = {
            "id": self._id("s", identity),
            "agent": self._one_of(AGENTS),
            "pack": quote(pack),
            "index": self._one_of(INDEXES),
            "model": None if model is None else quote(model.name),
            "sample_rate": rate,
            "context_tokens_sent": str(self._tokens()),
            "corpus_tokens_in_scope": None if scope is None else str(scope),
        }
        return "retrieval", record("retrieval", deployment.name, ts, attrs)

    def _decision(self, ts: str, deployment: Deployment, *priced: tuple[Model, str]) -> Line:
        """An applied decision: the first candidate is the baseline, the second is picked."""
        attrs = {
            "id": self._id("r", None),
            "agent": self._one_of(AGENTS),
            "pack": quote(TICKETS),
            "candidates": candidates([(model.name, cost) for model, cost in priced]),
            "picked": quote(priced[1][0].name),
            "baseline": quote(priced[0][0].name),
            "applied": "true",
        }
        return "routing_decision", record("routing_decision", deployment.name, ts, attrs)

    def _cost(
        self, deployment: Deployment, ts: str, usd: str, kind: str = "infrastructure"
    ) -> Line:
        return "cost", record("cost", deployment.name, ts, {"kind": quote(kind), "usd": usd})

    def _id(self, prefix: str, identity: int | None) -> str:
        return quote(f"{prefix}{self.next_id() if identity is None else identity}")

    def _below(self, limit: int) -> int:
        return int(self.rng.random() * limit)

    def _one_of(self, names: tuple[str | None, ...]) -> str:
        return quote(names[self._below(len(names))])

    def _tokens(self) -> int:
        return 1_000 + self._below(5_000)

    def _small(self) -> str:
        """USD text with six decimals, between 0.001 and 0.021."""
        return f"0.{1_000 + self._below(20_000):06d}"

    def _usd(self) -> str:
        """USD text of a day's cost, with four decimals, below 5."""
        return f"{self._below(5)}.{self._below(10_000):04d}"

    def _inside(self) -> str:
        """Text of an instant well inside the period."""
        return zulu(self.timeline.at(0.2 + 0.6 * self.rng.random()))
