"""A sign-off run again: what it attested, held against what is there and what comes out now.

The order: the signature over the attestation; the attestation's own digests of documents and of the
policy; the inputs' digests; programs and queries; and, where the inputs are those signed off, the
whole sign-off made anew and compared, amount by amount. Every change is named; none is passed over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from verify.errors import IntegrityFailure, UnreadableInput, VerifyError
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
from verify.signoff.folder import DATA
from verify.signoff.inputs import found_inputs, kept_digests
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

    Raises UnreadableInput where there is no attestation, or no input.
    """
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
    compared = None
    if not any(change.kind in ("file", "attestation") for change in changes):
        again, failed = _again(predicate, places, cache, notice)
        changes += failed
        if again is not None:
            made = outcome(again)
            figures_changed = list(changed_figures(predicate, made))
            changes += figures_changed
            changes += changed_rows(place, again)
            compared = len(dict(leaves(made))) + len(again.diff.rows)
    else:
        notice("nothing was recomputed: the inputs are not those that were signed off")
    return Replay(signature, keyid, str(predicate["created"]), tuple(changes), compared)


def _documents(place: Path, predicate: Mapping[str, Any]) -> Iterator[Change]:
    for name, attested in predicate["documents"].items():
        path = place / Path(name).name
        found = _digest(path) if path.is_file() else "missing"
        if found != attested:
            yield Change("document", name, attested, found)


def _agreeing(place: Path, predicate: Mapping[str, Any]) -> Iterator[Change]:
    """What attestation and signoff.json both say has to be the same."""
    document = data_of(place)
    for name in ("created", "parameters", "policy", "verdict"):
        if document is not None and document.get(name) != predicate[name]:
            was, now = (json.dumps(side, ensure_ascii=False, sort_keys=True) for side in (
                predicate[name], document.get(name)
            ))  # fmt: skip
            kind = "policy" if name == "policy" else "document"
            yield Change(kind, f"{name} in {DATA}", was, now)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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
    if not path.exists():
        raise UnreadableInput(
            f"the {name} is not at {path} any more", advice=f"Say where it lies with --{name}."
        )
    return path


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
        return make(request, notice), []
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return None, [Change("attestation", "parameters", "a question", f"unreadable: {error}")]
    except IntegrityFailure as error:
        found = [(p.where or "export", p.message) for p in error.problems]
        return None, [Change("file", name, "sound", message) for name, message in found]
    except VerifyError as error:
        return None, [Change("figure", "sign-off", "made", f"cannot be made: {error.message}")]
