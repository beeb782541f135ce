"""A coverage-guided fuzz target over manifests and lines, for atheris.

    pip install atheris
    PYTHONPATH=tests python -m fuzz.guided -max_total_time=1200 CORPUS

A manifest may only be read, with its problems, or be refused with a message. A line may only be
accepted by our strict reader where an independent one accepts it too, and the other way round; the
canonical form of what is accepted is read again as itself.
"""

from __future__ import annotations

import io
import random
import sys
from typing import BinaryIO

import atheris

with atheris.instrument_imports(include=["verify"]):
    from verify.errors import VerifyError
    from verify.systems.lighthouse.strict import InvalidLine, read_line
    from verify.trust.manifest import NAMES, read_manifest
    from verify.trust.source import Entry

from trust.judged import SMALL_T, is_blank, record_of
from trust.mutations import mutated


class InMemory:
    """An export of one manifest and one file of records."""

    label = "export"

    def __init__(self, name: str, manifest: bytes) -> None:
        self._files = {name: manifest, "records.jsonl": b"{}\n"}

    def entries(self) -> list[Entry]:
        return [Entry(name, "file", len(data)) for name, data in self._files.items()]

    def open(self, name: str) -> BinaryIO:
        return io.BytesIO(self._files[name])

    def close(self) -> None:
        """Nothing is held."""


def a_manifest(data: bytes) -> None:
    """It is read or refused; what is read lists only paths that stay inside."""
    name = NAMES[data[0] % len(NAMES)]
    try:
        found = read_manifest(InMemory(name, data[1:]), None)
    except VerifyError:
        return
    if found.manifest is None:
        assert found.problems
        return
    for file in found.manifest.files:
        assert not file.path.startswith("/")
        assert ".." not in file.path.split("/")
        assert len(file.sha256) == 64


def a_line(data: bytes) -> None:
    """Both strict readers agree on it."""
    raw = data.replace(b"\n", b"")
    if SMALL_T.search(raw):
        return
    try:
        canonical = read_line(raw)
    except InvalidLine:
        assert record_of(raw) is None, raw
        return
    if canonical is None:
        assert is_blank(raw), raw
        return
    assert record_of(raw) is not None, raw


def target(data: bytes) -> None:
    """The first byte says which."""
    if len(data) < 2:
        return
    if data[0] < 64:
        a_manifest(data[1:])
    else:
        a_line(data[1:])


def mutator(data: bytes, longest: int, seed: int) -> bytes:
    """Half of the time a line is mutated as JSON, which bytes alone seldom stay."""
    rng = random.Random(seed)
    if len(data) > 2 and data[0] >= 64 and rng.random() < 0.5:
        return (data[:1] + mutated(rng, data[1:]))[:longest]
    changed: bytes = atheris.Mutate(data, longest)
    return changed


def main() -> None:
    """Hand over to the fuzzer."""
    atheris.Setup(sys.argv, target, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
