"""What is to be said about an export's servers, sessions and log, as findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from verify import tokens
from verify.exact import plain
from verify.findings import Finding
from verify.systems.mcp_savings.attribution import Attributed
from verify.systems.mcp_savings.inputs import Inputs, Transcript
from verify.systems.mcp_savings.measure import FROM_MEASUREMENT, Inventory, encoding_for
from verify.systems.mcp_savings.measures import MODEL, PAY, WIRE_TOKENS
from verify.systems.mcp_savings.sessions import Sessions, Used, summed
from verify.systems.mcp_savings.wire import Log, Requests

_SHOWN = 5
_MOST_DIFFERENCES = 20


def listed(names: Iterable[str], most: int = _SHOWN) -> str:
    """Names in a row, the first few of many."""
    every = list(names)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def about_side(name: str, inventory: Inventory) -> Iterator[Finding]:
    """The servers of a side that are in no sum, all of them, and those not counted again."""
    servers = inventory.side(name == PAY)
    if not servers:
        word = "on" if name == PAY else "off"
        yield Finding("nothing_measured", f"no server is {word}, as named by {inventory.named_by}")
    missing = [server.name for server in servers if server.tools is None]
    if missing:
        word = "on" if name == PAY else "off"
        message = (
            f"{len(missing):,} of {len(servers):,} servers that are {word} could not be measured; "
            f"what they weigh is in no sum: {listed(missing, len(missing))}"
        )
        yield Finding("server_unmeasured", message, len(missing))
    taken = [server.name for server in servers if server.basis == FROM_MEASUREMENT]
    if taken:
        message = f"taken from the program's own measurement, not counted again: {listed(taken)}"
        yield Finding("server_not_recounted", message, len(taken))


def about_servers(inputs: Inputs, inventory: Inventory) -> Iterator[Finding]:
    """Who is known, by whom, and what is odd about the tool lists."""
    if inventory.assumed:
        message = "neither a configuration nor a measurement says which servers are on"
        yield Finding("enabled_assumed", message, len(inventory.servers))
    if inventory.foreign:
        count = len(inventory.foreign)
        message = f"not named by the {inventory.named_by}: {listed(inventory.foreign)}"
        yield Finding("server_foreign", message, count)
    if inventory.contradicted:
        count = len(inventory.contradicted)
        message = "the snapshot's measurement and the configuration differ about "
        yield Finding("servers_disagree", f"{message}{listed(inventory.contradicted)}", count)
    for one in inputs.lists:
        if one.paged:
            yield Finding("tools_paged", f"{one.path} has a nextCursor: there is another page")
        names = Counter(str(tool["name"]) for tool in one.tools)
        twice = [name for name, count in names.items() if count > 1]
        if twice:
            message = f"{one.path} lists more than once: {listed(twice)}"
            yield Finding("tool_repeated", message, len(twice))
        if one.repeated:
            message = f"{one.path} has twice in one object: {listed(one.repeated)}"
            yield Finding("key_repeated", message, len(one.repeated))


def about_model(model: str | None, needed: bool) -> Iterator[Finding]:
    """Why tokens are n/a, where they are and something was to be counted."""
    if not needed:
        return
    if model is None:
        yield Finding("model_unknown", f"tokens are n/a: no model is named (--set {MODEL}=NAME)")
    elif encoding_for(model) is None:
        yield Finding("tokens_not_available", f"tokens are n/a: no tokenizer is known for {model}")
    elif not tokens.available():
        yield Finding("tokenizer_missing", f"tokens were not counted; install {tokens.EXTRA}")


def about_host_tools(found: Sequence[Attributed], only_there: Sequence[str]) -> Iterator[Finding]:
    """What cannot be counted again, and whose tools are nobody's. `only_there` are servers that
    the host's own list alone names."""
    if found:
        message = "the bytes are the host's count; their schemas were not kept"
        yield Finding("host_tools_unweighed", message, len(found))
    loose = [one for one in found if one.loosely is not None]
    if loose:
        said = (f"{one.tool.name} ({one.tool.bytes:,} bytes) to {one.loosely}" for one in loose)
        message = f"a looser rule would have given {listed(said)}"
        yield Finding("id_not_attributed", message, len(loose))
    if only_there:
        message = f"named by the host's own list alone: {listed(only_there)}"
        yield Finding("server_only_in_host_list", message, len(only_there))


def about_sessions(inputs: Inputs, sessions: Sessions) -> Iterator[Finding]:
    """Which sessions are in no sum, and which lines."""
    yield from _about_times(inputs, sessions)
    if not sessions.active:
        message = "no transcript was written in the 30 minutes before the time of asking"
        yield Finding("nothing_measured", message)
    names: dict[str, list[Used]] = {}
    for used in sessions.active:
        names.setdefault(used.transcript.session, []).append(used)
    for name, several in names.items():
        if len(several) > 1:
            projects = listed(used.transcript.project for used in several)
            message = f"the session {name} is in {len(several):,} projects: {projects}"
            yield Finding("session_name_twice", message, len(several))
    active = sessions.active
    lost = summed(used.lost for used in active)
    words = ", ".join(
        f"{plain(value)} {name.replace('_', ' ')}" for name, value in lost.items() if value
    )
    tail = f", which would add {words}" if words else ""
    yield from _lines("lines_without_id", active, lambda u: u.odd.without_id, tail)
    yield from _lines("lines_malformed", active, lambda u: u.odd.malformed, "")
    yield from _lines("line_null", active, lambda u: u.odd.null, "")
    yield from _lines("count_not_number", active, lambda u: u.odd.not_numbers, ", which count 0")
    yield from _lines("count_odd", active, lambda u: u.odd.odd_numbers, "")
    if inputs.deeper:
        message = f"{inputs.deeper:,} transcripts lie in folders inside a project's"
        yield Finding("transcripts_deeper", message, inputs.deeper)


def _about_times(inputs: Inputs, sessions: Sessions) -> Iterator[Finding]:
    if inputs.transcripts and inputs.times is None:
        message = "which sessions are active rests on the files' own modification times"
        yield Finding("times_of_files", message, len(inputs.transcripts))
    for code, transcripts, words in (
        ("session_idle", sessions.idle, "last written more than 30 minutes before"),
        ("session_undated", sessions.undated, "not in mtimes.json"),
    ):
        if transcripts:
            yield Finding(code, f"{words}: {listed(map(_place, transcripts))}", len(transcripts))
    later = [
        used.transcript
        for used in sessions.active
        if used.transcript.written is not None and used.transcript.written > sessions.now
    ]
    if later:
        message = f"written after the time of asking: {listed(map(_place, later))}"
        yield Finding("session_later", message, len(later))


def _place(transcript: Transcript) -> str:
    return f"{transcript.project}/{transcript.session}"


def _lines(
    code: str, active: Sequence[Used], numbers: Callable[[Used], Sequence[int]], tail: str
) -> Iterator[Finding]:
    places = [
        f"{used.transcript.path} line {number}" for used in active for number in numbers(used)
    ]
    if places:
        noun = "line" if len(places) == 1 else "lines"
        message = f"{len(places):,} {noun} ({listed(places, 3)}){tail}"
        yield Finding(code, message, len(places))


def about_wire(log: Log, sessions: Sessions) -> Iterator[Finding]:
    """What the log lacks, and what has no counterpart in the transcripts."""
    if log.unread:
        message = f"{len(log.unread):,} lines of {log.file.path} are no request"
        yield Finding("wire_lines_unread", message, len(log.unread), log.unread[:_SHOWN])
    unmeasured = sum(each.unmeasured for each in log.sessions.values())
    if unmeasured:
        requests = sum(each.requests for each in log.sessions.values())
        message = f"{unmeasured:,} of {requests:,} requests were not measured whole"
        yield Finding("wire_unmeasured", message, unmeasured)
    active = {used.transcript.session for used in sessions.active}
    said, count = [], 0
    for key, each in log.sessions.items():
        if key is None:
            said.append(f"of no known session: {each.requests:,}")
        elif key not in active:
            said.append(f"of {key}, which is no active session: {each.requests:,}")
        else:
            continue
        count += each.requests
    silent = [name for name in sorted(active) if name not in log.sessions]
    said += [f"of {name}, which is active: none" for name in silent]
    if said:
        yield Finding("wire_unmatched", f"requests {listed(said)}", count + len(silent))


def wire_differences(log: Log, sessions: Sessions) -> Iterator[Finding]:
    """Where the transcripts of a session and the proxy's log of it part. Of a name that several
    projects have, all transcripts count: the log does not know projects."""
    said: list[str] = []
    for key, each in log.sessions.items():
        mine = [used for used in sessions.active if used.transcript.session == key]
        if key is not None and mine:
            said += _differences(key, each, summed(used.tokens for used in mine))
    if said:
        message = "; ".join(said[:_MOST_DIFFERENCES])
        hidden = len(said) - _MOST_DIFFERENCES
        message += f"; and {hidden:,} more" if hidden > 0 else ""
        yield Finding("wire_differs", message, len(said))


def _differences(key: str, each: Requests, tokens: Mapping[str, Fraction]) -> Iterator[str]:
    for name in WIRE_TOKENS:
        wired = each.known(name)
        if wired is None or tokens[name] == wired:
            continue
        delta = wired - tokens[name]
        if delta < 0 and each.gaps[name]:
            continue  # the rest may be in the requests that were not measured
        more = f"{plain(abs(delta))} {'more' if delta > 0 else 'fewer'} on the wire"
        word = name.removesuffix("_tokens").replace("_", " ")
        yield f"{key}: {plain(tokens[name])} {word} tokens in the transcript, {more}"
