"""The lines that fill an export: calls, searches, decisions, and types that no lever reads.

Each function here prepares `%`-templates once and returns a function that prints one new line at
each call. Of the random source only `random()` and `getrandbits()` are used, whose results Python
keeps stable, and floats are only ever multiplied and cut down to integers.
"""

import random
from collections.abc import Callable, Sequence

from verify.systems.lighthouse.sample.catalogue import (
    AGENTS,
    ARCHIVE,
    DEPLOYMENTS,
    INDEXES,
    NAMES,
    PACKS,
    RATES,
    Deployment,
    called,
)
from verify.systems.lighthouse.sample.lines import candidates, quote, record

Text = Callable[[], str]
"""Prints a line, or a timestamp, that differs at each call."""
NextId = Callable[[], int]
"""Gives a number that was not given before."""

# Sixteen of each, one of them null, so that four random bits choose.
_AGENTS = [quote(agent) for agent in (*AGENTS[:4] * 4, None)][1:]
_INDEXES = [quote(index) for index in (*INDEXES[:4] * 4, None)][1:]
# 128 each, for seven bits.
_OUTCOMES = ["ok"] * 121 + ["error"] * 5 + ["refused"] * 2
_REFUSED = ["refused"] * len(_OUTCOMES)


def calls(rng: random.Random, stamp: Text, next_id: NextId) -> Text:
    """Model calls: 94 % report cache tokens, 93 % end in `ok`, 4 % in `error`, 3 % are refused."""
    table = []
    for deployment in DEPLOYMENTS:
        for pack, model, weight, always_refused in called(deployment):
            attrs = {
                "id": '"c%d"',
                "agent": "%s",
                "pack": quote(pack),
                "model": quote(model.name),
                "provider": quote(model.provider),
                "outcome": '"%s"',
                "input_tokens": "%d",
                "output_tokens": "%d",
            }
            cached = {"cache_read_tokens": "%d", "cache_write_tokens": "%d"}
            nulls = {"cache_read_tokens": "null", "cache_write_tokens": None}
            silent = record("model_call", deployment.name, "%s", attrs)
            null = record("model_call", deployment.name, "%s", attrs | nulls)
            row = (
                record("model_call", deployment.name, "%s", attrs | cached),
                (silent, silent, silent, silent, null),
                _REFUSED if always_refused else _OUTCOMES,
                deployment.reads_cache,
            )
            table += [row] * (deployment.share * weight)
    uniform, bits, size = rng.random, rng.getrandbits, len(table)

    def call() -> str:
        reporting, others, outcomes, reads_cache = table[int(uniform() * size)]
        drawn = bits(17)
        agent, outcome, silence = _AGENTS[drawn & 15], outcomes[drawn >> 4 & 127], drawn >> 11
        fresh = 200 + int(uniform() * uniform() * 30_000)
        answer = 20 + int(uniform() * uniform() * 6_000)
        if silence < 6:
            return others[silence % 5] % (stamp(), next_id(), agent, outcome, fresh, answer)
        read, write = uniform() - 0.4, uniform() - 0.65
        return reporting % (
            stamp(),
            next_id(),
            agent,
            outcome,
            fresh,
            answer,
            int(read * read * 240_000) if reads_cache and read > 0 else 0,
            int(write * 30_000) if write > 0 else 0,
        )

    return call


def searches(rng: random.Random, stamp: Text, next_id: NextId) -> Text:
    """Retrievals: 14 % unmeasured; scopes from less than what was sent to five million tokens."""
    by_share = []
    for deployment in DEPLOYMENTS:
        rows = []
        for pack in (*PACKS, ARCHIVE, None):
            for model in (*(model.name for model in deployment.models), None):
                for rate in RATES:
                    weight = (2 if pack in PACKS else 1) * (3 if rate is None else 1)
                    rows += [_search(deployment, pack, model, rate)] * weight
        by_share += [rows] * deployment.share
    uniform, bits, size = rng.random, rng.getrandbits, len(by_share)

    def search() -> str:
        rows = by_share[int(uniform() * size)]
        measured, unscoped, null_scope, unsent = rows[int(uniform() * len(rows))]
        drawn = bits(16)
        agent, index, kind = _AGENTS[drawn & 15], _INDEXES[drawn >> 4 & 15], drawn >> 8
        sent = 200 + int(uniform() * 6_400)
        if kind < 24:
            return unscoped % (stamp(), next_id(), agent, index, sent)
        if kind < 31:
            return null_scope % (stamp(), next_id(), agent, index, sent)
        if kind < 90:
            scope = int(uniform() * 8_000)
        elif kind < 170:
            scope = int(uniform() * 150_000)
        else:
            scope = int(uniform() * uniform() * 5_000_000)
        if kind > 250:
            return unsent % (stamp(), next_id(), agent, index, scope)
        return measured % (stamp(), next_id(), agent, index, sent, scope)

    return search


def _search(
    deployment: Deployment, pack: str | None, model: str | None, rate: str | None
) -> tuple[str, str, str, str]:
    """Templates: measured, scope absent, scope null, context sent absent."""
    attrs = {
        "id": '"s%d"',
        "agent": "%s",
        "pack": quote(pack),
        "index": "%s",
        "model": None if model is None else quote(model),
        "sample_rate": rate,
    }

    def template(sent: str | None, scope: str | None) -> str:
        sizes = {"context_tokens_sent": sent, "corpus_tokens_in_scope": scope}
        return record("retrieval", deployment.name, "%s", attrs | sizes)

    return template("%d", "%d"), template("%d", None), template("%d", "null"), template(None, "%d")


def decisions(rng: random.Random, stamp: Text, next_id: NextId) -> Text:
    """Routing decisions between two to four candidates, some of them not comparable.

    Costs are USD with six decimals, now and then null or as small as 1e-07. The cheapest candidate
    is picked mostly, not always.
    """
    by_share = []
    for deployment in DEPLOYMENTS:
        rows = [_decision(deployment, rng) for _ in range(60)]
        by_share += [rows] * deployment.share
    uniform, bits, size = rng.random, rng.getrandbits, len(by_share)

    def decision() -> str:
        rows = by_share[int(uniform() * size)]
        template, names, picked = rows[int(uniform() * len(rows))]
        costs = [int(uniform() * uniform() * 60_000) for _ in names]
        drawn = bits(8)
        if picked is None:
            cheapest = costs.index(min(costs))
            picked = names[cheapest if drawn < 180 else int(uniform() * len(names))]
        return template % (stamp(), next_id(), _AGENTS[drawn & 15], *costs, picked)

    return decision


def _decision(deployment: Deployment, rng: random.Random) -> tuple[str, Sequence[str], str | None]:
    """A template, the candidates whose costs it takes (JSON texts), what is picked if not those."""

    def below(limit: int) -> int:
        return int(rng.random() * limit)

    models, first = deployment.models, below(len(deployment.models))
    names = [models[(first + n) % len(models)].name for n in range(2 + below(3))]
    costs = ["0.%06d"] * len(names)
    picked, baseline, kind = None, quote(names[0]), below(20)
    if kind == 0:
        costs[0] = "null"
    elif kind == 1:
        costs[-1] = "null"
        picked = quote(names[-1])
    elif kind == 2:
        costs[-1] = "1e-07"
        picked = quote(names[-1])
    elif kind == 3:
        baseline = quote(models[first - 1].name)
    elif kind == 4:
        baseline = "null"
    elif kind == 5:
        names[-1] = names[0]
    template = record(
        "routing_decision",
        deployment.name,
        "%s",
        {
            "id": '"r%d"',
            "agent": "%s",
            "pack": quote(PACKS[below(len(PACKS))]),
            "candidates": candidates(list(zip(names, costs, strict=True))),
            "picked": "%s",
            "baseline": baseline,
            "applied": ("true", "true", "true", "false", None)[below(5)],
        },
    )
    priced = [quote(name) for name, cost in zip(names, costs, strict=True) if "%" in cost]
    return template, priced, picked


def others(kind: str, measure: str, rng: random.Random, stamp: Text) -> Text:
    """Records of a type that no lever reads, with a name and an integer `measure`."""
    table = [
        record(kind, deployment.name, "%s", {"name": quote(name), measure: "%d"})
        for deployment in DEPLOYMENTS
        for name in NAMES
    ]
    uniform, size = rng.random, len(table)

    def other() -> str:
        return table[int(uniform() * size)] % (stamp(), int(uniform() * 1_000))

    return other
