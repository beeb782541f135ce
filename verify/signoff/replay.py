"""A sign-off run again: what it attested, held against what is there and what comes out now.

The order: the signature over the attestation; the attestation's own digests of documents and of the
policy; the inputs' digests; programs and queries; and, where the inputs are those signed off, the
whole sign-off made anew and compared, amount by amount, and every document drawn anew, byte by
byte. Every change is named; none is passed over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from verify.errors import IntegrityFailure, UnreadableInput, VerifyError
from verify.period import parse_instant
from verify.render.safe import visible
from verify.signoff import dsse
from verify.signoff.attestation import outcome
from verify.signoff.change import Change, Replay
from verify.signoff.compared import (
    changed_figures,
    changed_names,
    changed_rows,
    data_of,
    leaves,
)
from verify.signoff.evidence import query_digests, versions
from verify.signoff.extra import MissingExtra, require
from verify.signoff.folder import DATA, DOCUMENTS, drawn
from verify.signoff.inputs import beside, found_inputs, kept_digests, other_inputs
from verify.signoff.make import make
from verify.signoff.opened import open_attestation
from verify.signoff.policy import Policy
from verify.signoff.request import Request, question_of
from verify.signoff.result import SignOff
from verify.systems.base import Reading


def replay(
    place: Path,
    *,
    export: Path | None,
    figures: Path | None,
    manifest: Path | None,
    public_key: Path | None,
    cache: bool,
    notice: Callable[[str], None],
) -> Replay:
    """Run the sign-off at `place` again. `export`, `figures` and `manifest` say where the inputs
    lie now; by default where the attestation says, seen from `place`.

    Raises UnreadableInput where there is no attestation, or no input, and MissingExtra where the
    documents could not be drawn anew.
    """
    require()
    key = None if public_key is None else dsse.public_key(public_key)
    document, signature, keyid, wrong = open_attestation(place, key)
    predicate = document["predicate"]
    changes = [*wrong, *_documents(place, predicate), *_policy(predicate)]
    changes += _agreeing(place, predicate)
    places = {
        "export": _place(place, predicate, "export", export),
        "figures": _place(place, predicate, "figures", figures),
        "manifest": _place(place, predicate, "manifest", manifest),
    }
    if places["export"] is None:
        raise UnreadableInput("the attestation names no export", advice="Name it with --export.")
    changes += _files(document, places)
    changes += changed_names("version", predicate["versions"], versions())
    changes += changed_names(
        "query", predicate["queries"], query_digests(predicate["parameters"]["system"])
    )
    again, compared = None, None
    if not _other_inputs(changes):
        again, failed = _again(predicate, places, cache, notice)
        changes += _blamed(failed, changes) or other_inputs(document["subject"], again)
    if _other_inputs(changes):
        notice("nothing was compared: the inputs are not those that were signed off")
    elif again is not None:
        made = outcome(again)
        changes += changed_figures(predicate, made)
        changes += changed_rows(place, again)
        changes += [*_redrawn(predicate, again, changes, places)]
        compared = len(dict(leaves(made))) + len(again.diff.rows)
    return Replay(signature, keyid, str(predicate["created"]), tuple(changes), compared)


def _other_inputs(changes: list[Change]) -> bool:
    return any(change.kind == "file" for change in changes)


def _other_programs(changes: list[Change]) -> bool:
    return any(change.kind in ("version", "query") for change in changes)


def _blamed(failed: list[Change], changes: list[Change]) -> list[Change]:
    """Why nothing comes out, by the kind of who is to blame: the same programs never made of the
    same inputs what they cannot make, so that the attestation is false."""
    if _other_programs(changes):
        return failed
    return [replace(one, kind="attestation") if one.kind == "figure" else one for one in failed]


def _documents(place: Path, predicate: Mapping[str, Any]) -> Iterator[Change]:
    for name in DOCUMENTS:
        attested, found = predicate["documents"][name], _digest(place / name)
        if found != attested:
            yield Change("document", name, attested, found)


def _redrawn(
    predicate: Mapping[str, Any],
    again: SignOff,
    changes: list[Change],
    places: Mapping[str, Path | None],
) -> Iterator[Change]:
    """The documents drawn anew as they were attested to be drawn: from the inputs, at the time and
    by the programs that are attested. One that is whole by its digest and comes out otherwise was
    not made from these inputs, unless other programs made it: then nobody can tell. A file beside
    the inputs may be the reason, since findings speak of such files, and is named as well."""
    evidence = replace(
        again.evidence,
        versions=_attested(again.evidence.versions, predicate["versions"]),
        queries=_attested(again.evidence.queries, predicate["queries"]),
    )
    named = {change.name for change in changes if change.kind == "document"}
    others = _other_programs(changes)
    apart = {
        name: hashlib.sha256(data).hexdigest()
        for name, data in drawn(replace(again, evidence=evidence)).items()
        if name not in named
    }
    for name, found in apart.items():
        attested = predicate["documents"][name]
        if found != attested and others:
            words = "could not be held against one drawn anew: these are other programs"
            yield Change("version", name, attested, words)
        elif found != attested:
            yield Change("document", name, attested, f"{found}, drawn anew from the inputs")
    if not others and any(found != predicate["documents"][name] for name, found in apart.items()):
        for name in beside(again, places):
            words = "there, and the documents come out otherwise"
            yield Change("file", name, "not signed off", words)


def _attested(own: Mapping[str, str], attested: Mapping[str, str]) -> dict[str, str]:
    """What is attested, in our order. Whoever wrote it may have written anything."""
    if own == attested:
        return dict(own)
    names = [*(name for name in own if name in attested), *sorted(set(attested) - set(own))]
    return {visible(name): visible(attested[name]) for name in names}


def _agreeing(place: Path, predicate: Mapping[str, Any]) -> Iterator[Change]:
    """What attestation and signoff.json both say has to be the same."""
    document = data_of(place)
    if document is None:
        return
    evidence = document.get("evidence")
    said = {**(evidence if isinstance(evidence, dict) else {}), **document}
    for name in ("created", "parameters", "policy", "verdict", "versions", "queries"):
        if said.get(name) != predicate[name]:
            was, now = (
                json.dumps(side, ensure_ascii=False, sort_keys=True)
                for side in (predicate[name], said.get(name))
            )
            kind = "policy" if name == "policy" else "document"
            yield Change(kind, f"{name} in {DATA}", was, now)


def _digest(path: Path) -> str:
    """The digest of a file, or why it has none."""
    if not path.is_file():
        return "missing"
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return f"unreadable: {(error.strerror or '').lower()}"


def _policy(predicate: Mapping[str, Any]) -> Iterator[Change]:
    attested = predicate["policy"]
    try:
        found = Policy.read(attested).sha256
    except ValueError as error:
        found = str(error)
    if found != attested["sha256"]:
        yield Change("policy", "policy", attested["sha256"], f"{found}, of the terms it states")


def _place(place: Path, predicate: Mapping[str, Any], name: str, given: Path | None) -> Path | None:
    if given is not None:
        return given
    recorded = predicate["inputs"].get(name)
    if recorded is None:
        return None
    path: Path = (place.resolve() / recorded).resolve()
    if not _is_there(path):
        raise UnreadableInput(
            f"the {name} is not at {path} any more", advice=f"Say where it lies with --{name}."
        )
    return path


def _is_there(path: Path) -> bool:
    """Whether there is a file or a directory; what a device holds has no end."""
    try:
        return path.is_file() or path.is_dir()
    except OSError:  # a name that is too long
        return False


def _files(document: Mapping[str, Any], places: Mapping[str, Path | None]) -> Iterator[Change]:
    """Inputs whose bytes are other ones. Of a file that may hold secrets a system hashes only what
    it keeps of it: such a digest is asked of the system."""
    attested = {entry["name"]: entry["digest"]["sha256"] for entry in document["subject"]}
    found = found_inputs(list(attested), places)
    apart = [name for name in {**attested, **found} if attested.get(name) != found.get(name)]
    system = document["predicate"]["parameters"]["system"]
    if any(name in found and name in attested for name in apart) and places["export"] is not None:
        found |= kept_digests(system, places["export"], apart)
    for name in apart:
        was, now = attested.get(name, "not there"), found.get(name, "missing")
        if was != now:
            yield Change("file", name, was, now)


def _again(
    predicate: Mapping[str, Any],
    places: Mapping[str, Path | None],
    cache: bool,
    notice: Callable[[str], None],
) -> tuple[SignOff | None, list[Change]]:
    terms = predicate["parameters"]
    try:
        reading = Reading(
            manifest=places["manifest"],
            manifest_sha256=terms["manifest_sha256"],
            skip_invalid=bool(terms["skip_invalid"]),
            cache=cache,
            fields=dict(terms["fields"]),
            notice=notice,
        )
        assert places["export"] is not None
        request = Request(
            places["export"],
            places["figures"],
            terms["system"],
            Policy.read(predicate["policy"]),
            question_of(terms),
            reading,
            terms["largest"],
        )
        return make(request, notice, parse_instant(predicate["created"])), []
    except MissingExtra:
        raise  # it says nothing about the sign-off
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return None, [Change("attestation", "parameters", "a question", f"unreadable: {error}")]
    except IntegrityFailure as error:
        found = [(p.where or "export", p.message) for p in error.problems]
        return None, [Change("file", name, "sound", message) for name, message in found]
    except VerifyError as error:
        return None, [Change("figure", "sign-off", "made", f"cannot be made: {error.message}")]
