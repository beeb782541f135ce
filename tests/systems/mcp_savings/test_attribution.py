"""Whose a host's tool is, and whose it is not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.systems.mcp_savings.attribution import HostTool, attribute

from . import exports, program
from .asked import by, codes, lever, recomputed, said

SERVERS = ("notion", "notion_db", "delegation", "Atlas", "x__y")


@pytest.mark.parametrize(
    ("name", "server", "loosely"),
    [
        ("mcp__notion__find", "notion", None),
        ("mcp_notion_find", "notion", None),
        ("MCP__Notion__Find", "notion", None),
        ("mcp__notion_db__find", "notion_db", None),
        ("mcp_notion_db_find", "notion_db", None),
        ("mcp_atlas_x", "Atlas", None),
        ("mcp__x__y__z", "x__y", None),
        ("mcp__notion", None, None),
        ("mcp_notionfind", None, None),
        ("xmcp__notion__find", None, None),
        ("delegation_read", None, "delegation"),
        ("delegation.list", None, "delegation"),
        ("notion_db_find", None, "notion_db"),
        ("notion_find", None, "notion"),
        ("notionfind", None, None),
        ("bash", None, None),
        ("", None, None),
    ],
)
def test_the_strict_rule(name: str, server: str | None, loosely: str | None) -> None:
    (found,) = attribute([HostTool(name, 1)], SERVERS)
    assert (found.server, found.loosely) == (server, loosely)


def test_of_names_that_differ_only_in_case_the_first_counts() -> None:
    (found,) = attribute([HostTool("mcp__a__x", 1)], ["A", "a"])
    assert found.server == "A"


_names = st.text("ab_", min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(st.lists(_names, unique=True, max_size=5), st.lists(st.text("mcpab_", max_size=12)))
def test_whatever_the_names(servers: list[str], ids: list[str]) -> None:
    for found in attribute([HostTool(name, 1) for name in ids], servers):
        fitting = [
            prefix
            for server in servers
            for prefix in (f"mcp__{server}__", f"mcp_{server}_")
            if found.tool.name.startswith(prefix)
        ]
        if not fitting:
            assert found.server is None
        else:
            longest = max(fitting, key=len)
            assert longest in (f"mcp__{found.server}__", f"mcp_{found.server}_")
            assert found.loosely is None


def host(place: Path, *tools: tuple[str, int, str | None]) -> Path:
    """An export whose snapshot groups the host's tools so: id, bytes, server."""
    groups: dict[str | None, list[tuple[str, int]]] = {}
    for name, size, server in tools:
        groups.setdefault(server, []).append((name, size))
    weights = [
        {
            "server": server or program.BUILT_IN,
            "tools": [{"id": name, "bytes": size} for name, size in listed],
            "bytes": sum(size for _, size in listed),
        }
        for server, listed in groups.items()
    ]
    taken = exports.snapshot(exports.SERVERS, weights)
    return exports.write(place, taken=taken)


def test_shares_are_exact(tmp_path: Path) -> None:
    place = host(tmp_path, ("bash", 116, None), ("mcp__atlas__find", 118, "atlas"))
    result = lever(place, "host_tools", by=("server", "tool"))
    assert by(result, "server", "share_percent") == {
        None: Fraction(11600, 234),
        "atlas": Fraction(11800, 234),
    }
    assert list(by(result, "tool", "bytes")) == ["bash", "mcp__atlas__find"]
    assert (result.amount, result.unit, result.usd) == (234, "bytes", None)
    assert codes(recomputed(place))["host_tools_unweighed"] == 2


def test_what_a_looser_rule_would_have_given_away_is_named(tmp_path: Path) -> None:
    place = host(tmp_path, ("atlas_read", 633, None), ("mcp__atlas__find", 118, "atlas"))
    result = recomputed(place, by=("server",))
    assert by(result.lever("host_tools"), "server", "bytes") == {None: 633, "atlas": 118}
    assert said(result, "id_not_attributed").endswith("given atlas_read (633 bytes) to atlas")


def test_a_server_that_only_the_host_s_list_names_is_said(tmp_path: Path) -> None:
    place = host(tmp_path, ("mcp_atlas_db_x", 5, "atlas_db"))
    result = recomputed(place, by=("server",))
    assert by(result.lever("host_tools"), "server", "bytes") == {"atlas_db": 5}
    assert said(result, "server_only_in_host_list").endswith("atlas_db")


def test_without_a_snapshot_there_is_no_such_lever_unless_it_is_asked_for(tmp_path: Path) -> None:
    place = exports.write(tmp_path)
    assert [each.lever for each in recomputed(place).levers] == ["pay", "saved", "session"]
    assert lever(place, "host_tools").status == "no_data"
    assert lever(place, "host_tools").totals["bytes"] is None
