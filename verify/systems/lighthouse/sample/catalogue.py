"""Who is in a sample: models with their list prices, deployments, packs, agents and indexes.

Prices are decimal texts in USD per million tokens; windows are in tokens. Nothing here is random.
No name may hold a percent sign, because names end up in `%`-templates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import NamedTuple

from verify.systems.lighthouse.sample.lines import quote

_EXACT = Context(prec=28)


class Card(NamedTuple):
    """List prices, USD per million tokens; None where the provider names no such price."""

    input_per_m: str
    output_per_m: str
    cache_read_per_m: str | None
    cache_write_per_m: str | None


@dataclass(frozen=True)
class Model:
    """A model: `window` in tokens, `card` None for one that is never billed (self-hosted)."""

    name: str
    provider: str
    window: int
    card: Card | None


SONNET = Model("claude-sonnet-5", "anthropic", 200_000, Card("3", "15", "0.3", "3.75"))
HAIKU = Model("claude-haiku-5", "anthropic", 160_000, Card("1", "5", "0.1", "1.25"))
GPT = Model("gpt-6", "openai", 400_000, Card("2.5", "10", "0.25", None))
MINI = Model("gpt-6-mini", "openai", 128_000, Card("0.4", "1.6", "0.04", None))
GEMINI = Model("gemini-3-pro", "google", 1_000_000, Card("2", "12", "0.2", "0.5"))
MISTRAL = Model("mistral-large-4", "mistral", 131_072, Card("2", "6", None, None))
FREE = Model("granite-4-free", "ibm", 128_000, Card("0", "0", "0", "0"))
LOCAL = Model("llama-4-local", "self-hosted", 32_768, None)
"""Has no card, and the smallest window of all."""
UNLISTED = Model("qwen-3-legacy", "alibaba", 0, None)
"""Called now and then, but in no snapshot: it has no card and no known window."""


class Factors(NamedTuple):
    """What a deployment pays of the list price, by when the snapshot was taken."""

    early: str
    late: str
    draft: str
    """In the incomplete snapshot at the end of the period."""
    after: str
    """In the snapshot taken once the period was over."""


@dataclass(frozen=True)
class Deployment:
    """One deployment: `share` of the lines in percent, `usd_per_hour` were it always on.

    In the pack `LEGAL` only `large` answers; `small`, with a smaller window and a lower price, is
    asked there too and refuses every time.
    """

    name: str
    share: int
    models: tuple[Model, ...]
    large: Model
    small: Model
    factors: Factors
    profile: str
    usd_per_hour: str
    cost_feed: bool
    reads_cache: bool = True


EU = Deployment(
    "support-eu",
    28,
    (SONNET, GPT, MINI, MISTRAL, LOCAL),
    large=GPT,
    small=MINI,
    factors=Factors("0.9", "1", "0.5", "1.5"),
    profile="scheduled",
    usd_per_hour="1.204",
    cost_feed=True,
)
US = Deployment(
    "support-us",
    20,
    (SONNET, HAIKU, GEMINI, MISTRAL, LOCAL),
    large=GEMINI,
    small=HAIKU,
    factors=Factors("1", "1.25", "0.75", "0.8"),
    profile="always_on",
    usd_per_hour="2.5",
    cost_feed=False,
)
ES = Deployment(
    "soporte-españa",
    18,
    (GPT, HAIKU, GEMINI, MISTRAL, LOCAL),
    large=GEMINI,
    small=MISTRAL,
    factors=Factors("1.1", "0.95", "0.6", "1.2"),
    profile="scheduled",
    usd_per_hour="0.336",
    cost_feed=True,
)
CLAIMS = Deployment(
    "claims",
    14,
    (SONNET, HAIKU, MINI, GEMINI, GPT),
    large=GPT,
    small=MINI,
    factors=Factors("1", "0.85", "0.425", "1"),
    profile="ephemeral",
    usd_per_hour="0.12",
    cost_feed=True,
)
LAB = Deployment(
    "research-lab",
    12,
    (GEMINI, SONNET, MISTRAL, GPT, LOCAL),
    large=GEMINI,
    small=SONNET,
    factors=Factors("1", "1.05", "1.4", "1"),
    profile="ephemeral",
    usd_per_hour="3.07",
    cost_feed=False,
)
NIGHTLY = Deployment(
    "batch-nightly",
    8,
    (FREE, HAIKU, MINI, MISTRAL, GEMINI),
    large=GEMINI,
    small=HAIKU,
    factors=Factors("1", "0.5", "0.55", "1"),
    profile="scheduled",
    usd_per_hour="0.85",
    cost_feed=True,
    reads_cache=False,
)

DEPLOYMENTS = (EU, US, ES, CLAIMS, LAB, NIGHTLY)
REPRICED = (EU, US, ES)
"""Those that have a snapshot with earlier prices and one after the period even in small exports."""

TICKETS, CODE, WIKI, LEGAL = "tickets", "code", "wiki", "legal"
PACKS = (TICKETS, "contracts", CODE, WIKI, "facturación", LEGAL)
ARCHIVE = "archive"
"""A pack that is searched, and in which nothing is ever called."""

AGENTS: tuple[str | None, ...] = ("triage", "drafter", "auditor", "miner", None)
INDEXES: tuple[str | None, ...] = ("idx-1", "idx-2", "idx-3", "índice-4", None)
RATES: tuple[str | None, ...] = (None, "0.5", "0.25", "0.1", "0.3")
"""Sampling rates of searches as decimal text; None where the search does not say one."""

NAMES = (
    "café ☕ search",
    "búsqueda de facturas",
    "検索ツール",
    "поиск по договорам",
    "naïve résumé 🧾",
    "line\u2028separator",
    'quoted "tool" \\ back',
)
"""What records of the types that no lever reads are called: text that breaks careless readers."""


def price(model: Model, factor: str) -> str:
    """JSON text of a model's card at `factor` times its list prices, `null` without a card."""
    if model.card is None:
        return "null"
    parts = (f"{quote(name)}:{_times(text, factor)}" for name, text in model.card._asdict().items())
    return f"{{{','.join(parts)}}}"


def _times(amount: str | None, factor: str) -> str:
    if amount is None:
        return "null"
    product = _EXACT.multiply(Decimal(amount), Decimal(factor))
    return format(product.normalize(_EXACT), "f")


class Called(NamedTuple):
    """A model that a deployment calls in a pack; `weight` is relative within the deployment."""

    pack: str | None
    model: Model
    weight: int
    always_refused: bool = False


def called(deployment: Deployment) -> Iterator[Called]:
    """Which model is called where.

    The one without a card only in `TICKETS`, the free one only in `WIKI`, the unlisted one only in
    `CODE`; `LEGAL` as `Deployment` says; a few calls name no pack.
    """
    for pack in PACKS:
        if pack == LEGAL:
            yield Called(pack, deployment.large, 12)
            yield Called(pack, deployment.small, 2, always_refused=True)
            continue
        for model in deployment.models:
            only = {LOCAL.name: TICKETS, FREE.name: WIKI}.get(model.name, pack)
            if only == pack:
                yield Called(pack, model, 8 if pack == TICKETS else 5)
    if deployment is LAB:
        yield Called(CODE, UNLISTED, 3)
    yield Called(None, deployment.models[1], 2)
