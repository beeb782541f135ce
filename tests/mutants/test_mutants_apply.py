"""The mutants still fit the code: each text is there once, each test exists."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from mutants.mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]


@cache
def functions(file: str) -> set[str]:
    """The names of the test functions of a file."""
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_rule_has_a_mutant_of_its_own() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names)) >= 50
    changes = {(mutant.file, mutant.old, mutant.new) for mutant in MUTANTS}
    assert len(changes) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_mutant_applies(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text("utf-8").count(mutant.old) == 1
    assert mutant.old != mutant.new
    assert mutant.rule.endswith(".")
    for test in mutant.tests:
        file, _, function = test.partition("::")
        assert function in functions(file)
