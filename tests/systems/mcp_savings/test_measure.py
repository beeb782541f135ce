"""Servers and their tools: what is weighed, who is known, and what is n/a."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verify import tokens
from verify.errors import IntegrityFailure, UnreadableInput
from verify.systems.mcp_savings.keys import pair
from verify.systems.mcp_savings.measure import encoding_for, text_of
from verify.systems.mcp_savings.measures import LEVERS

from . import exports, program
from .asked import by, codes, lever, recomputed, said
from .exports import MODEL, SERVERS, Servers, snapshot, tool, write

ONE: Servers = {"atlas": (True, [tool("find")])}


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        ({"name": "a"}, '{"name":"a"}'),
        ({"inputSchema": {}, "name": "a", "title": "A"}, '{"name":"a","inputSchema":{}}'),
        (
            {"description": "é\n", "annotations": {}, "outputSchema": {}, "name": "a"},
            '{"name":"a","description":"é\\n"}',
        ),
    ],
)
def test_three_members_count_in_their_order_and_nothing_else(listed: Any, text: str) -> None:
    assert text_of(listed) == text


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-4o", True), ("openai/gpt-4o-mini", True), ("GPT-4.1-nano", True), ("gpt-5.4", True),
        ("o200k_base", True), ("gpt-4", False), ("gpt-4-turbo", False), ("claude-opus-4-8", False),
        ("none", False), ("", False), (None, False),
    ],
)  # fmt: skip
def test_which_models_have_a_tokenizer(model: str | None, known: bool) -> None:
    assert encoding_for(model) == ("o200k_base" if known else None)


def test_each_side_adds_up_its_own_servers(tmp_path: Path) -> None:
    sides = program.split(exports.measurement(SERVERS))
    place = write(tmp_path)
    for name in ("pay", "saved"):
        result = lever(place, name, by=("server", "tool"), options={"model": MODEL})
        assert result.status == "ok"
        assert (result.amount, result.unit, result.usd) == (sides[f"{name}Bytes"], "bytes", None)
        assert result.totals["bytes"] == sides[f"{name}Bytes"]
        assert result.totals["tokens"] == sides[f"{name}Tokens"]
        assert result.totals["servers"] == sides[f"{name}Count"]
        for dimension in ("server", "tool"):
            for measure in ("bytes", "tokens", "tools"):
                values = by(result, dimension, measure).values()
                assert sum(v for v in values if isinstance(v, int)) == result.totals[measure]


def test_a_server_that_could_not_be_measured_is_in_no_sum_and_on_every_page(tmp_path: Path) -> None:
    result = recomputed(write(tmp_path), by=("server",), options={"model": MODEL})
    pay, saved = result.lever("pay"), result.lever("saved")
    assert (pay.coverage.measured, pay.coverage.total) == (2, 3)
    assert (saved.coverage.measured, saved.coverage.total) == (1, 2)
    assert by(pay, "server", "bytes")["drifter"] is None
    assert by(saved, "server", "tokens")["ember"] is None
    assert by(pay, "server", "unmeasured")["drifter"] == 1
    assert "drifter" in said(result, "server_unmeasured")
    assert "ember" in said(result, "server_unmeasured")


def test_a_sum_over_nothing_is_unknown(tmp_path: Path) -> None:
    place = write(tmp_path, {"ember": (False, None)})
    for name in ("pay", "saved"):
        result = lever(place, name)
        assert (result.status, result.amount) == ("no_data", None)
        assert result.totals["bytes"] is None
        assert result.totals["tokens"] is None
    assert lever(place, "pay").coverage.share is None


def test_a_server_without_tools_weighs_nothing_and_is_known(tmp_path: Path) -> None:
    result = lever(write(tmp_path, {"idle": (True, [])}), "pay", options={"model": "claude-x"})
    assert (result.status, result.amount) == ("ok", 0)
    assert (result.totals["tokens"], result.totals["tools"]) == (0, 0)


def test_without_a_tokenizer_for_the_model_tokens_are_not_available(tmp_path: Path) -> None:
    result = recomputed(write(tmp_path), options={"model": "claude-opus-4-8"})
    assert result.lever("pay").totals["tokens"] is None
    assert result.lever("pay").amount is not None
    assert codes(result)["tokens_not_available"] == 1
    assert result.method["encoding"] is None


def test_without_a_model_tokens_are_not_available(tmp_path: Path) -> None:
    result = recomputed(write(tmp_path))
    assert result.lever("saved").totals["tokens"] is None
    assert "model_unknown" in codes(result)


def test_the_snapshot_s_model_is_taken_where_none_is_named(tmp_path: Path) -> None:
    result = recomputed(write(tmp_path, taken=snapshot(SERVERS)))
    assert result.method["model"] == MODEL
    assert result.lever("saved").totals["tokens"] is not None


def test_without_the_extra_bytes_are_exact_and_tokens_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "available", lambda: False)
    result = recomputed(write(tmp_path), options={"model": MODEL})
    assert result.lever("pay").totals["bytes"] == 1095
    assert result.lever("pay").totals["tokens"] is None
    assert "verify-savings[tokenizer]" in said(result, "tokenizer_missing")


def test_one_server_whose_tokens_are_unknown_makes_those_of_its_side_unknown(
    tmp_path: Path,
) -> None:
    taken = snapshot(SERVERS)
    for one in taken["mcpMeasurement"]:
        if one["server"] == "courier":
            one["tokens"] = one["tools"][1]["tokens"] = None
    lists = {name: each for name, each in SERVERS.items() if name != "courier"}
    result = lever(write(tmp_path, lists=lists, taken=taken), "pay", by=("server",))
    assert result.totals["tokens"] is None
    assert result.totals["bytes"] == 1095
    assert by(result, "server", "tokens") == {"atlas": 189, "courier": None, "drifter": None}


# --- who is known ---------------------------------------------------------------------------------


def test_absent_means_on_and_only_false_means_off(tmp_path: Path) -> None:
    entry = {"type": "local", "command": "run it"}
    configured = {
        "a": entry,
        "b": {**entry, "enabled": None},
        "c": {**entry, "enabled": 0},
        "d": {**entry, "enabled": False},
        "e": {"type": "remote", "url": "https://e.example", "enabled": True},
    }
    result = recomputed(write(tmp_path, {}, configured=configured), by=("server",))
    assert list(by(result.lever("pay"), "server", "servers")) == ["a", "b", "c", "e"]
    assert list(by(result.lever("saved"), "server", "servers")) == ["d"]


def test_an_entry_that_cannot_be_reached_is_no_server(tmp_path: Path) -> None:
    configured = {"a": {}, "b": {"command": []}, "c": {"command": " "}, "d": {"url": ""}, "e": 5}
    result = recomputed(write(tmp_path, ONE, configured=configured))
    assert result.lever("pay").coverage.total == 0
    assert codes(result)["server_foreign"] == 1
    assert "atlas" in said(result, "server_foreign")


def test_tools_of_a_server_that_the_host_does_not_name_are_in_no_sum(tmp_path: Path) -> None:
    lists = {**SERVERS, "stranger": (True, [tool("x")])}
    result = recomputed(write(tmp_path, lists=lists))
    assert result.lever("pay").amount == 1095
    assert said(result, "server_foreign").endswith("stranger")


def test_with_tool_lists_alone_every_server_is_taken_to_be_on(tmp_path: Path) -> None:
    place = write(tmp_path, ONE)
    (place / "opencode.json").unlink()
    result = recomputed(place, by=("server",))
    assert by(result.lever("pay"), "server", "tools") == {"atlas": 1}
    assert "enabled_assumed" in codes(result)


def test_the_configuration_counts_where_the_snapshot_says_otherwise(tmp_path: Path) -> None:
    before = {**SERVERS, "bursar": (True, SERVERS["bursar"][1]), "gone": (True, [tool("x")])}
    result = recomputed(write(tmp_path, taken=snapshot(before)))
    assert result.lever("saved").amount == 579
    assert "bursar" in said(result, "servers_disagree")
    assert "gone" in said(result, "servers_disagree")
    assert result.lever("pay").detail["servers_named_by"] == "host configuration"


def test_a_snapshot_alone_is_shown_and_proves_nothing(tmp_path: Path) -> None:
    place = exports.write_document(tmp_path, "snapshot.json", snapshot(SERVERS))
    result = recomputed(place, by=("server",))
    pay = result.lever("pay")
    assert pay.status == "not_recounted"
    assert not pay.conclusive()
    assert (pay.totals["bytes"], pay.totals["tokens"]) == (1095, 259)
    assert "atlas" in said(result, "server_not_recounted")
    assert pay.detail["servers_named_by"] == "snapshot's measurement"


def test_the_snapshot_s_tokens_are_not_those_of_another_model(tmp_path: Path) -> None:
    place = exports.write_document(tmp_path, "snapshot.json", snapshot(SERVERS))
    assert lever(place, "pay", options={"model": "claude-x"}).totals["tokens"] is None
    counted = snapshot(SERVERS, model="claude-x")
    place = exports.write_document(tmp_path, "snapshot.json", counted)
    assert lever(place, "pay", options={"model": MODEL}).totals["tokens"] is None


# --- odd tool lists -------------------------------------------------------------------------------


def test_a_list_may_come_with_its_response_around_it(tmp_path: Path) -> None:
    place = write(tmp_path, ONE)
    plain = lever(place, "pay").amount
    response = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("find")]}}
    exports.write_document(place / "servers", "atlas.tools.json", response)
    assert lever(place, "pay").amount == plain


def test_a_first_page_is_no_whole_list(tmp_path: Path) -> None:
    place = write(tmp_path, ONE)
    page = {"tools": [tool("find")], "nextCursor": "b"}
    exports.write_document(place / "servers", "atlas.tools.json", page)
    assert "tools_paged" in codes(recomputed(place))


def test_two_tools_of_one_name_both_count(tmp_path: Path) -> None:
    result = recomputed(write(tmp_path, {"a": (True, [tool("x"), tool("x")])}), by=("tool",))
    assert list(by(result.lever("pay"), "tool", "bytes")) == ["a / x", "a / x #2"]
    assert "tool_repeated" in codes(result)


def test_a_repeated_key_counts_as_javascript_takes_it(tmp_path: Path) -> None:
    place = write(tmp_path, ONE)
    text = '{"tools":[{"name":"a","name":"bcd","inputSchema":{"2":0,"1":1.50}}]}'
    exports.write_document(place / "servers", "atlas.tools.json", text)
    result = recomputed(place)
    assert result.lever("pay").amount == len('{"name":"bcd","inputSchema":{"1":1.5,"2":0}}')
    assert "key_repeated" in codes(result)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("servers/atlas.tools.json", '{"tools": [', "not JSON at line 1"),
        ("servers/atlas.tools.json", '{"tools": [{}]}', "name"),
        ("servers/atlas.tools.json", '{"tools": [{"name": 5}]}', "name"),
        ("servers/atlas.tools.json", "[]", "tool_list"),
        ("servers/atlas.tools.json", '{"tools": NaN}', "NaN"),
        ("servers/atlas.tools.json", "[" * 600, "deep"),
        ("opencode.json", "{", "opencode.json cannot be read"),
        ("opencode.json", "{}", "names no servers"),
        ("snapshot.json", '{"mcpMeasurement": [{"server": "a"}]}', "/mcpMeasurement/0"),
        ("snapshot.json", '{"a": 1, "a": 2}', "twice"),
        ("mtimes.json", '{"files": {"a": "b"}}', "/files/a"),
        ("mtimes.json", '{"files": {"a": 1e999}}', "out of all proportion"),
    ],
)
def test_a_document_that_is_not_what_it_should_be(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    place = write(tmp_path, ONE)
    exports.write_document(place, name, text)
    with pytest.raises(UnreadableInput, match=words):
        recomputed(place)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    place = write(tmp_path, ONE)
    (place / "servers" / "atlas.tools.json").write_bytes(b'{"tools":[{"name":"\xff"}]}')
    with pytest.raises(UnreadableInput, match="not UTF-8 at byte 20"):
        recomputed(place)


def test_two_lists_of_one_server(tmp_path: Path) -> None:
    place = write(tmp_path, ONE)
    exports.write_document(place, "atlas.tools.json", {"tools": []})
    with pytest.raises(UnreadableInput, match="two tool lists of atlas"):
        recomputed(place)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    place = write(tmp_path / "export", ONE)
    listed = place / "servers" / "atlas.tools.json"
    listed.rename(tmp_path / "elsewhere.json")
    listed.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(IntegrityFailure) as caught:
        recomputed(place)
    assert [problem.code for problem in caught.value.problems] == ["file_not_regular"]


def test_keys_cannot_be_forged() -> None:
    names = ["a", "a / b", '"a"', " a", "a ", "", "a/b", "a #2", "a\nb", "(none)", "é"]
    keys = [pair(x, y, nth) for x in names for y in names for nth in (1, 2)]
    assert len(set(keys)) == len(keys)
    assert pair("alpha", "find one") == "alpha / find one"


def test_every_lever_says_how_it_is_computed() -> None:
    from support.program import verify

    for name in LEVERS:
        run = verify("lever", name, "--system", "mcp-savings")
        assert run.code == 0
        assert "Source:" in run.out
        assert json.dumps(name)[1:-1] in run.out
