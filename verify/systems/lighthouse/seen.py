"""Fields as they are seen: a tree of names for each type of record, bounded in size, that several
processes fill and one puts together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from verify.systems.lighthouse.forms import Look, look_of

MAX_FIELDS = 500
"""Fields that are told apart for one type of record, beside those that are expected."""
MAX_TYPES = 100
"""Types of record that are told apart, beside those that are expected."""
MAX_LEVELS = 6
MAX_NAME = 120

ITEM = None  # the step from an array to its items
Path = tuple[str | None, ...]


@dataclass
class Node:
    """A field: how many of its values are of a type, how many of a form with the least and greatest
    size, and the fields inside. `looks` holds what is not summed up yet."""

    looks: dict[Look, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    forms: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    members: dict[str | None, Node] = field(default_factory=dict)

    @property
    def present(self) -> int:
        """How often it is there."""
        return sum(self.types.values())

    def settle(self) -> None:
        """Sum up what was seen, here and inside."""
        for look, count in self.looks.items():
            self._add_type(look.type, count)
            self._add_form(look.form, count, look.size, look.size)
        self.looks = {}
        for member in self.members.values():
            member.settle()

    def take(self, later: Node) -> None:
        """What was summed up of the same field in later lines, the fields inside apart."""
        for name, count in later.types.items():
            self._add_type(name, count)
        for form, found in later.forms.items():
            self._add_form(form, *found)

    def _add_type(self, name: str, count: int) -> None:
        self.types[name] = self.types.get(name, 0) + count

    def _add_form(self, form: str, count: int, least: int, most: int) -> None:
        before = self.forms.get(form, (0, least, most))
        self.forms[form] = before[0] + count, min(before[1], least), max(before[2], most)

    def inside(self, path: Path = ()) -> Iterator[tuple[Path, Node, Node]]:
        """Every field inside, with its path and the field that it is part of."""
        for step, member in self.members.items():
            yield (*path, step), member, self
            yield from member.inside((*path, step))


class Kind:
    """A type of record. `full`: it has more fields than are told apart, which are not counted."""

    def __init__(self, expected: Iterable[Path]) -> None:
        self.root = Node()
        self.full = False
        self._others = 0
        for path in expected:
            node = self.root
            for step in path:
                node = node.members.setdefault(step, Node())

    def see(self, value: Any) -> None:
        """One more record."""
        self._see(self.root, value, MAX_LEVELS)

    def _see(self, node: Node, value: Any, levels: int) -> None:
        look = look_of(value)
        node.looks[look] = node.looks.get(look, 0) + 1
        if look.type == "object" and levels:
            members = node.members
            for key, item in value.items():
                member = members.get(key) or self._member(node, shortened(key))
                if member is None:
                    continue
                if isinstance(item, dict | list):
                    self._see(member, item, levels - 1)
                    continue
                look = look_of(item)
                member.looks[look] = member.looks.get(look, 0) + 1
        elif look.type == "array" and levels and value:
            member = self._member(node, ITEM)
            for item in value if member is not None else ():
                assert member is not None
                self._see(member, item, levels - 1)

    def take(self, later: Kind) -> None:
        """What was summed up of later lines."""
        self.full = self.full or later.full
        self._take(self.root, later.root)

    def _take(self, mine: Node, later: Node) -> None:
        mine.take(later)
        for step, node in later.members.items():
            member = self._member(mine, step)
            if member is not None:
                self._take(member, node)

    def _member(self, node: Node, step: str | None) -> Node | None:
        found = node.members.get(step)
        if found is not None:
            return found
        if self._others >= MAX_FIELDS:
            self.full = True
            return None
        self._others += 1
        return node.members.setdefault(step, Node())


class Seen:
    """What was seen in some lines: the types of record, and lines that are no object.

    `expected` says which fields a type should have; types in `known` always have room.
    """

    def __init__(
        self, known: Iterable[str], expected: Callable[[str | None], Iterable[Path]]
    ) -> None:
        self.records = 0
        self.unreadable = 0
        self.left_out = 0
        self.kinds: dict[str | None, Kind] = {}
        self._known = frozenset(known)
        self._expected = expected

    def kind(self, name: str | None) -> Kind | None:
        """The type of that name; None when there are too many."""
        if name not in self.kinds:
            if name not in self._known and len(self.kinds) >= MAX_TYPES + len(self._known):
                return None
            self.kinds[name] = Kind(self._expected(name))
        return self.kinds[name]

    def settle(self) -> None:
        """Sum up what was seen, before it is handed on or put together."""
        for kind in self.kinds.values():
            kind.root.settle()

    def take(self, later: Seen) -> None:
        """What was summed up of later lines."""
        self.records += later.records
        self.unreadable += later.unreadable
        self.left_out += later.left_out
        for name, other in later.kinds.items():
            kind = self.kind(name)
            if kind is None:
                self.left_out += other.root.present
            else:
                kind.take(other)


def shortened(name: str) -> str:
    """A name as it is kept: one of more than `MAX_NAME` characters is cut."""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 3]}..."
