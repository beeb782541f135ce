"""Texts put together on purpose, block by block, with everything that makes counting hard."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from .oracle import PROVIDERS, Made, report, store_entry, tokens, units

_WORDS = (
    *(
        "ledger",
        "cost",
        "écart",
        "año",
        "数量",
        "☕",
        "🚀",
        "🧾",
        "👩\u200d💻",
        "a",
        "of",
        "1,204.50",
    ),
    *("naïve", "`code`", "**bold**", "—", "\u00e9t\u00e9", "e\u0301", "𝔘𝔫𝔦", "x"),
)
_BREAKS = ("\n\n", "\n\n\n", "\n \t\n", "\n\u00a0\n\n", "\r\n\r\n")


def _words(random: Random, most: int) -> str:
    return " ".join(random.choice(_WORDS) for _ in range(random.randint(1, most)))


def _paragraph(random: Random) -> str:
    end = random.choice(("\n", "\n", "\r\n"))
    return end.join(_words(random, 30) for _ in range(random.randint(1, 3)))


def _heading(random: Random) -> str:
    return "#" * random.randint(1, 6) + " " + _words(random, 6)


def _fence(random: Random) -> str:
    mark = random.choice(("```", "~~~", "````"))
    inside = random.choice(("", "\n\n# no heading\n", "\n``\n\n🚀\n", "\nx = 1\n\n\ny = 2\n"))
    return f"{mark}{random.choice(('', 'python', ' js'))}\n{_words(random, 5)}{inside}\n{mark}"


def _table(random: Random) -> str:
    rows = "\n".join(f"| {_words(random, 2)} | {n} |" for n in range(random.randint(1, 4)))
    return f"| what | count |\n|---|---:|\n{rows}"


_KINDS = (_paragraph, _paragraph, _paragraph, _heading, _fence, _table)


def make(random: Random) -> Made:
    """A text of some blocks, and a fate for each. Now and then with nothing in it at all, and
    often with a length that makes a step of the arithmetic end half-way."""
    blocks = [random.choice(_KINDS)(random) for _ in range(random.choice((0, 1, 3, 8, 20)))]
    if blocks and random.random() < 0.3:
        blocks += random.choices(blocks, k=random.randint(1, 3))
    if random.random() < 0.6:
        blocks.append("pad " + "p" * random.randint(4100, 9000))
    if random.random() < 0.1:
        blocks.append("~~~ never closed\n\n" + _words(random, 4))
    fates = tuple(_fate(random, text) for text in blocks)
    text, placed = random.choice(("", "\n", " \n\n", "\ufeff")), []
    for number, block in enumerate(blocks):
        placed.append((units(text), block))
        text += block
        last = number == len(blocks) - 1
        joined = not last and (block.startswith("#") or blocks[number + 1].startswith("#"))
        text += "" if last else "\n" if joined and random.random() < 0.5 else random.choice(_BREAKS)
    text += "" if blocks and "never closed" in blocks[-1] else random.choice(("", "\n", "\r\n\n "))
    made = Made(text, tuple(placed), fates, random.choice(list(PROVIDERS)), random.random() < 0.7)
    return _half_way(made, random) if random.random() < 0.5 else made


def _fate(random: Random, text: str) -> str:
    if text.startswith("pad "):
        return "keep"
    return random.choice(("keep", "keep", "strip", "first words", "résumé 🚀"))


def _half_way(made: Made, random: Random) -> Made:
    """The same with a raw text of 2,000, 4,000 or 8,000 tokens, if it is shorter: the headline of
    an odd number of tokens then ends half-way."""
    for goal in (2000, 4000, 8000):
        missing = 4 * (goal - tokens(made.original))
        if missing > 0 and (not made.blocks or "never closed" not in made.blocks[-1][1]):
            blank = random.choice((" ", "\n"))
            return Made(
                made.original + blank * missing,
                made.blocks,
                made.fates,
                made.provider,
                made.layout,
            )
    return made


def write(place: Path, count: int, seed: int) -> int:
    """An export of so many generated reports; how many steps of their arithmetic ended half-way."""
    random = Random(seed)
    (place / "reports").mkdir(parents=True)
    (place / "store").mkdir()
    halves = 0
    for number in range(count):
        made = make(random)
        document, half = report(made)
        halves += half
        text = json.dumps(document, ensure_ascii=random.random() < 0.5, indent=2)
        (place / "reports" / f"{number:05d}.json").write_text(text, "utf-8", newline="")
        (place / "store" / f"{made.source}.json").write_text(store_entry(made), "utf-8", newline="")
    return halves
