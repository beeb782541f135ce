"""Which unknown field could be an expected one under another name: `cacheReadTokens` looks like
`cache_read_tokens`."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeVar

LEAST = 0.7
"""What is less alike than this, of 1, is not worth a word."""

_CONTAINED = 0.8  # agent in agentName
_OTHER_TYPE = 0.2
_OTHER_PLACE = 0.05
_JOINED = re.compile(r"[^\W\d_]+|[0-9]+")

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Named:
    """A name, the JSON types of its values (null apart), and where it stands."""

    name: str
    types: frozenset[str] = frozenset()
    place: Hashable = None


def words(name: str) -> tuple[str, ...]:
    """The words of a name, however they are joined."""
    return tuple(word for joined in _JOINED.findall(name) for word in _apart(joined))


def _apart(joined: str) -> Iterator[str]:
    start = 0
    for at in range(1, len(joined)):
        begins = joined[at - 1].islower() or joined[at + 1 : at + 2].islower()
        if joined[at].isupper() and begins:
            yield joined[start:at].lower()
            start = at
    yield joined[start:].lower()


def same_words(one: str, other: str) -> bool:
    """Whether two names differ only in how, and in which order, their words are joined."""
    return sorted(words(one)) == sorted(words(other))


def likeness(wanted: Named, found: Named) -> float:
    """How alike the two are, 1 at most: by their letters or by their words, whichever says more;
    less when the values are of other types, and a little less in another place."""
    mine, other = words(wanted.name), words(found.name)
    if not mine or not other:
        return 0
    score = len(set(mine) & set(other)) / len(set(mine) | set(other))
    if set(mine) <= set(other):
        score = max(score, _CONTAINED)
    letters = SequenceMatcher(None, "_".join(mine), "_".join(other))
    if letters.real_quick_ratio() > score and letters.quick_ratio() > score:
        score = max(score, letters.ratio())
    if wanted.types and found.types and not _fits(wanted.types, found.types):
        score -= _OTHER_TYPE
    if wanted.place != found.place:
        score -= _OTHER_PLACE
    return score


def _fits(wanted: frozenset[str], found: frozenset[str]) -> bool:
    accepted = wanted | {"integer"} if "number" in wanted else wanted
    return bool(accepted & found)


def paired_off(wanted: dict[K, Named], found: dict[K, Named]) -> dict[K, K]:
    """For each name that is wanted the one that looks most like it; none is taken twice."""
    scores = sorted(_scores(wanted, found), key=lambda pair: -pair[0])
    pairs: dict[K, K] = {}
    taken: set[K] = set()
    for score, key, other in scores:
        if score >= LEAST and key not in pairs and other not in taken:
            pairs[key] = other
            taken.add(other)
    return pairs


def _scores(wanted: dict[K, Named], found: dict[K, Named]) -> Iterable[tuple[float, K, K]]:
    for key, mine in wanted.items():
        for other, theirs in found.items():
            yield likeness(mine, theirs), key, other
